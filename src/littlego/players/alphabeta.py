"""Minimax with alpha-beta pruning, two plies deep and at most ten moves wide."""

from __future__ import annotations

from littlego.core.points import PASS, Move, Point, points_of
from littlego.core.position import Position
from littlego.players.simple import centre_distance

WIDTH = 10


class AlphaBeta:
    """Looks at its move and the answer to it, of the ten points nearest the centre. Deterministic."""

    def __init__(self, seed: int = 0) -> None:
        """The seed is not used: this player has no chance in it."""

    def choose(self, position: Position) -> Move:
        """The move whose best answer leaves most."""
        best: Move = PASS
        best_value = float("-inf")
        for move in candidates(position):
            value = -answer(position.play_legal(move), -best_value)
            if value > best_value:
                best, best_value = move, value
        return best


def candidates(position: Position) -> list[Point]:
    """The legal points to look at, nearest the centre first."""
    points = points_of(position.legal_points())
    return sorted(points, key=lambda point: (centre_distance(point, position.size), point))[:WIDTH]


def answer(position: Position, beta: float) -> float:
    """The value of the best answer for the side to move, or any value of at least `beta`."""
    best = float("-inf")
    for point in candidates(position):
        best = max(best, -evaluation(position.play_legal(point)))
        if best >= beta:
            break
    return best if best > float("-inf") else evaluation(position)


def evaluation(position: Position) -> float:
    """How much better the side to move stands: stones, and liberties as a tie-break."""
    board = position.board
    own, other = board.stones(position.to_move), board.stones(position.to_move.opponent)
    liberties = board.liberties(own).bit_count() - board.liberties(other).bit_count()
    return own.bit_count() - other.bit_count() + liberties / 100
