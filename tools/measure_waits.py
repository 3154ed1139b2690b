"""What users of exact values wait for: `python tools/measure_waits.py`, for `docs/measured.py waits`. Prints JSON.

Positions with 19 to 14 plies left from games of weak players, one move in three at random, each asked with a fresh
table and the shipped atlas: who wins, and then by how much. Then whole questions of users: the values of all moves,
reviews, the regret of twenty games, and `littlego solve` as a process of its own. Seconds are processor time.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from littlego.core.board import BLACK, WHITE
from littlego.core.game import GameRecord, derive_seed, play
from littlego.core.points import Move
from littlego.core.position import Position
from littlego.players.catalogue import make_player
from littlego.review.regret import regret_of
from littlego.review.verdicts import review_game
from littlego.solve.oracle import Oracle, warm_up

SEED: Final = "waits"
WEAK: Final = ("random", "greedy", "aggressive", "smart")
POSITIONS: Final = ((19, 100), (18, 100), (17, 60), (16, 60), (14, 60))
"""Plies left, and how many positions are asked who wins."""
MARGINS: Final = ((18, 20), (16, 60), (14, 60))
"""Plies left, and how many are then asked for the margin."""
GAMES: Final = 20


class WeakPlayer:
    """One of the weak players, with one move in three at random, and never a pass that can be avoided."""

    def __init__(self, name: str, seed: int) -> None:
        self._inner, self._rng = make_player(name, seed=seed), random.Random(seed)

    def choose(self, position: Position) -> Move:
        points = position.legal_moves()[:-1]
        if points and self._rng.random() < 1 / 3:
            return self._rng.choice(points)
        return self._inner.choose(position)


def weak_game(number: int) -> GameRecord:
    rng = random.Random(derive_seed(0, SEED, number))
    sides = {colour: WeakPlayer(rng.choice(WEAK), rng.randrange(1 << 30)) for colour in (BLACK, WHITE)}
    return play(sides)


def weak_positions(left: int, count: int) -> list[Position]:
    """Those of weak games, no two of them images of each other."""
    found: dict[Position, None] = {}
    number = 0
    while len(found) < count:
        number += 1
        for position in weak_game(number).positions():
            if position.plies_left == left and not position.passes and position.outcome() is None:
                found.setdefault(position.canonical()[0])
    return list(found)


def seconds_of(question: Callable[[], object]) -> float:
    began = time.process_time()
    question()
    return time.process_time() - began


def asked(left: int, count: int, margins: int) -> dict[str, Any]:
    """Processor seconds for who wins and, for the first `margins` of the positions, by how much."""
    winners, leads = [], []
    for number, position in enumerate(weak_positions(left, count)):
        with Oracle() as oracle:
            oracle.engine_for(position.size)
            winners.append(seconds_of(partial(oracle.value, position)))
            if number < margins:
                leads.append(seconds_of(partial(oracle.margin, position)))
    return {"left": left, "winner": spread(winners), "margin": spread(leads) if leads else None}


def spread(seconds: list[float]) -> dict[str, Any]:
    ordered = sorted(seconds)
    return {
        "count": len(ordered),
        "mean": sum(ordered) / len(ordered),
        "most": ordered[-1],
        "of_20_at_most": ordered[(19 * len(ordered) + 19) // 20 - 1],
        "above_a_second": sum(each > 1 for each in ordered),
    }


def all_moves(left: int, count: int) -> dict[str, Any]:
    found = []
    for position in weak_positions(left, count):
        with Oracle() as oracle:
            oracle.engine_for(position.size)
            found.append(seconds_of(partial(oracle.best_moves, position)))
    return spread(found)


def reviews(records: list[GameRecord]) -> dict[str, Any]:
    found = []
    for record in records:
        with Oracle() as oracle:
            oracle.engine_for(record.start.size)
            found.append(seconds_of(partial(review_game, record, oracle)))
    return spread(found)


def one_question(*moves: str) -> dict[str, float]:
    """`littlego solve` as a process: processor seconds, start included, and megabytes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "littlego", "solve", *moves], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"seconds": seconds, "megabytes": after.ru_maxrss / 1024}


def main() -> None:
    solve = one_question()
    warm_up()
    margins = dict(MARGINS)
    records = [weak_game(-number) for number in range(1, GAMES + 1)]
    with Oracle() as oracle:
        oracle.engine_for(records[0].start.size)
        regret = seconds_of(partial(regret_of, records, records[0].black, oracle))
    found = {
        "solve": solve,
        "positions": [asked(left, count, margins.get(left, 0)) for left, count in POSITIONS],
        "all_moves": {str(left): all_moves(left, 20) for left in (19, 18, 16)},
        "reviews": reviews(records),
        "regret": regret,
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
