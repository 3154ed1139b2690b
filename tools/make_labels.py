"""Makes `learn/labels.tsv`: positions from games of mixed players, with the truth about them from the solver.

    python tools/make_labels.py labels.tsv

Training compares the learner with these. It is a tool of its own because the learner does not know the solver.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from littlego.core.points import Move
from littlego.core.position import Position
from littlego.core.seeds import derive_seed
from littlego.learn.labels import Label, write_labels
from littlego.players.catalogue import make_player
from littlego.solve.oracle import Oracle

PLAYERS: Final = ("greedy", "aggressive", "smart", "alphabeta")
AT_RANDOM: Final = 0.2
"""The share of moves made at random, so that not all positions come from good play."""
AGES: Final = range(8, 23)
"""Moves played in the positions. Earlier ones take the solver too long."""
EACH: Final = 30
"""Positions of each age; two thirds of them won for the side to move."""
MEMORY: Final = 400_000_000


def make_labels(*, seed: int = 1) -> Iterator[Label]:
    """Positions that leave something to decide, the oldest first."""
    oracle = Oracle(memory=MEMORY)
    for age in reversed(AGES):
        seen: set[Position] = set()
        wanted = {True: 2 * EACH // 3, False: EACH - 2 * EACH // 3}
        number = 0
        while any(wanted.values()):
            number += 1
            position = drawn_position(age, derive_seed(seed, age, number))
            if position is None or position.canonical()[0] in seen:
                continue
            seen.add(position.canonical()[0])
            winning = oracle.winning_moves(position)
            if wanted[bool(winning)] and len(winning) < len(position.legal_moves()):
                wanted[bool(winning)] -= 1
                yield labelled(position, winning)


def drawn_position(age: int, seed: int) -> Position | None:
    """A position of a game between two of the players, `age` moves old; None if a pass went before."""
    rng = random.Random(seed)
    sides = [make_player(rng.choice(PLAYERS), seed=rng.getrandbits(32)) for _ in range(2)]
    position = Position.initial()
    while position.moves_played < age:
        move = sides[position.moves_played % 2].choose(position)
        if rng.random() < AT_RANDOM:
            move = rng.choice(position.legal_moves()[:-1] or position.legal_moves())
        position = position.play(move)
        if position.passes:
            return None
    return position


def labelled(position: Position, winning: tuple[Move, ...]) -> Label:
    """A position and its winning moves as a label."""
    board = position.board
    side = position.to_move.value - 1
    played, ko = position.moves_played, position.ko
    return Label(board.black, board.white, side, played, ko, bool(winning), frozenset(winning))


def main() -> None:
    """Write the labels to the file that the command line names."""
    write_labels(Path(sys.argv[1]), make_labels())


if __name__ == "__main__":
    main()
