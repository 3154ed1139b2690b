"""The course's `alphabeta`: minimax with alpha-beta pruning, two plies deep, ten moves wide.

The course says no more than that. The rest is read off the games of its own program:

- it looks at the first ten legal points of a spiral that starts at the centre, goes down, and turns
  to the right, up, left and so on;
- it plays the first of those after which it has most stones left, whatever of the ten the opponent
  answers. All its logged moves follow from these two rules; no evaluation by liberties, shape or
  distance that we tried gives them all;
- the opponent's stones do not count. The logs cannot tell whether they do, but a player that counts
  them takes nearly every capture it can, and the course's often left captures for later;
- it answers a stone on the centre with the point diagonally below it on the right (3,3 on 5x5).
  That is seen, and follows from no evaluation we tried, so it is a rule of its own.
"""

from __future__ import annotations

from functools import cache
from itertools import cycle, islice
from typing import Final

from littlego.core.board import grid
from littlego.core.colour import Colour
from littlego.core.points import PASS, Move, Point
from littlego.core.position import Position

DEPTH: Final = 2
"""Plies: its own move and the answer to it."""
BRANCHING: Final = 10
"""Moves looked at in a position."""

_DOWN_RIGHT_UP_LEFT: Final = ((1, 0), (0, 1), (-1, 0), (0, -1))


class AlphaBeta:
    """Keeps its stones: no capture two plies away, if it can help it, and else out from the centre."""

    def __init__(self, seed: int = 0) -> None:
        del seed  # every player takes one; this one leaves nothing to chance

    def choose(self, position: Position) -> Move:
        """The best point as far as it sees; a pass only if there is no legal point."""
        opening = answer_to_centre(position)
        if opening is not None and position.is_legal(opening):
            return opening
        stones_at_most = position.size**2
        _, point = search(position, position.to_move, DEPTH, -1, stones_at_most + 1)
        return PASS if point is None else point


def search(position: Position, player: Colour, depth: int, alpha: int, beta: int) -> tuple[int, Point | None]:
    """The stones `player` has after `depth` more plies, and the first point that leads there.

    `player` wants many, the opponent few. The number is exact between `alpha` and `beta`, and is
    cut to them outside. There is no point at depth 0, at the end of the game, for a side without a
    legal point, or if none is better than the bounds.
    """
    points = candidates(position) if depth and position.plies_left else ()
    if not points:
        return min(max(position.board.stones(player).bit_count(), alpha), beta), None
    best = None
    maximises = position.to_move is player
    for point in points:
        stones, _ = search(position.play_legal(point), player, depth - 1, alpha, beta)
        if maximises and stones > alpha:
            alpha, best = stones, point
        elif not maximises and stones < beta:
            beta, best = stones, point
        if alpha >= beta:
            break
    return (alpha if maximises else beta), best


def candidates(position: Position) -> tuple[Point, ...]:
    """The legal points that the search looks at, at most `BRANCHING`, from the centre outwards."""
    legal = position.legal_points()
    return tuple(islice((point for point in spiral(position.size) if legal >> point & 1), BRANCHING))


def answer_to_centre(position: Position) -> Point | None:
    """Its answer to a lone stone of the opponent on the centre; None in any other position."""
    size = position.size
    centre = spiral(size)[0]
    board = position.board
    if board.stones(position.to_move) or board.stones(position.to_move.opponent) != 1 << centre:
        return None
    diagonal = centre + size + 1
    return diagonal if grid(size).full >> diagonal & 1 else None


@cache
def spiral(size: int) -> tuple[Point, ...]:
    """Every point of the board, on a spiral from the centre; of an even size, the lower right of the four.

    Its arms are 1, 1, 2, 2, 3, 3, ... long, and where it leaves the board it goes on outside.
    """
    row = column = size // 2
    points = [row * size + column]
    for turns, (down, right) in enumerate(cycle(_DOWN_RIGHT_UP_LEFT)):
        for _ in range(turns // 2 + 1):
            row, column = row + down, column + right
            if 0 <= row < size and 0 <= column < size:
                points.append(row * size + column)
        if len(points) == size * size:
            break
    return tuple(points)
