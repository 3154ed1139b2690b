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


def distinct_games(name: str) -> int:
    """How many different games the logs have of a player: some repeat, ply for ply."""
    return len({(game.colour, tuple(game.moves)) for game in logged_games() if game.player == name})


def won_positions(name: str, oracle: Oracle, *, late: int = LATE) -> list[tuple[Position, bool]]:
    """The distinct won positions of a logged player with at most `late` moves left, and whether it threw them away."""
    return [
        (position, oracle.value(position.play(move)) is not position.to_move)
        for position, move in set(logged_moves(name))
        if position.plies_left <= late and oracle.value(position) is position.to_move
    ]


def thrown_on_average(positions: list[tuple[Position, bool]], name: str, oracle: Oracle) -> float:
    """How many of these won positions our player of that name would throw away."""
    expected = 0.0
    for position, _ in positions:
        ours = choices(name, position)
        expected += sum(oracle.value(position.play(point)) is not position.to_move for point in ours) / len(ours)
    return expected


def fidelity() -> dict[str, Any]:
    with Oracle(memory=1 << 28) as oracle:
        qlearning = won_positions("qlearning", oracle)
        expected = thrown_on_average(qlearning, "qlearning", oracle)
        champion = won_positions("championship", oracle, late=24)
    return {
        "games": len(logged_games()),
        "distinct": {name: distinct_games(name) for name in dict.fromkeys(game.player for game in logged_games())},
        "moves": {name: possible_moves(name) for name in PLAYERS},
        "qlearning": {
            "won": len(qlearning),
            "thrown": sum(thrown for _, thrown in qlearning),
            "ours": round(expected, 1),
            "plies_left": LATE,
        },
        "champion": {"won": len(champion), "thrown": sum(thrown for _, thrown in champion)},
    }


if __name__ == "__main__":
    print(json.dumps(fidelity()))
