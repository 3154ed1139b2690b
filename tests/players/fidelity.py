"""How many moves of the course's own players, as logged, ours could have made.

python -m tests.players.fidelity    prints it as JSON, for the docs
"""

from __future__ import annotations

import json
from typing import Any

from littlego.core.points import PASS, Move, points_of
from littlego.core.position import Position
from littlego.players.course import (
    AggressivePlayer,
    AlphaBeta,
    GreedyPlayer,
    QLearningPlayer,
    RandomPlayer,
    SimplePlayer,
)
from littlego.solve.oracle import Oracle
from tests.players.logged import logged_games, logged_moves

PLAYERS: dict[str, SimplePlayer | AlphaBeta] = {
    "random": RandomPlayer(),
    "greedy": GreedyPlayer(),
    "aggressive": AggressivePlayer(),
    "alphabeta": AlphaBeta(),
    "qlearning": QLearningPlayer(),
}
LATE = 16
"""Plies left from which won positions are counted: before, the solver takes long."""


def choices(name: str, position: Position) -> list[Move]:
    """What our player of that name could play here."""
    player = PLAYERS[name]
    if isinstance(player, AlphaBeta):
        return [player.choose(position)]
    points = points_of(position.legal_points())
    return list(player.choices(position, points)) if points else [PASS]


def possible_moves(name: str) -> tuple[int, int]:
    """How many logged moves ours could make, of how many."""
    logged = logged_moves(name)
    return sum(move in choices(name, position) for position, move in logged), len(logged)


def thrown_away(name: str) -> tuple[int, float, int]:
    """Of distinct won positions: how many the logged player threw away, how many ours would on average, and all."""
    won = thrown = 0
    expected = 0.0
    with Oracle(memory=1 << 24) as oracle:
        for position, move in set(logged_moves(name)):
            mover = position.to_move
            if position.plies_left > LATE or oracle.value(position) is not mover:
                continue
            won += 1
            thrown += oracle.value(position.play(move)) is not mover
            ours = choices(name, position)
            expected += sum(oracle.value(position.play(point)) is not mover for point in ours) / len(ours)
    return thrown, expected, won


def fidelity() -> dict[str, Any]:
    thrown, expected, won = thrown_away("qlearning")
    return {
        "games": len(logged_games()),
        "moves": {name: possible_moves(name) for name in PLAYERS},
        "qlearning": {"won": won, "thrown": thrown, "ours": round(expected, 1), "plies_left": LATE},
    }


if __name__ == "__main__":
    print(json.dumps(fidelity()))
