"""The course's `alphabeta`: minimax with alpha-beta pruning, depth at most 2, at most ten moves wide.

The course says no more than that. The rest was inferred from the logged games of its own program:

- in every position it considers the first ten legal points of a spiral that starts at the centre,
  goes down, and turns to the right, up, left and so on;
- it searches the position after each of its moves to depth 2, the answer and its own next move,
  compares stones, and plays the first of the best. All its logged moves with both colours follow
  from this, and from no other depth. So it may delay a capture that cannot escape;
- it does not count the moves: with its last one it still expects an answer and a move after it;
- it answers a stone on the centre with the point diagonally below it on the right (3,3 on 5x5).
  No evaluation that we tried explains this, so it is a separate rule.
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
"""How deep it searches the positions that its own moves lead to."""
BRANCHING: Final = 10
"""Moves it considers in a position."""

_DOWN_RIGHT_UP_LEFT: Final = ((1, 0), (0, 1), (-1, 0), (0, -1))


class AlphaBeta:
    """Searches near the centre for the best difference of stones, and grows outwards on a spiral."""

    def __init__(self, seed: int = 0) -> None:
        del seed  # every player takes one; this one is deterministic

    def choose(self, position: Position) -> Move:
        opening = answer_to_centre(position)
        if opening is not None and position.is_legal(opening):
            return opening
        most = position.size**2
        _, move = search(position, position.to_move, 1 + DEPTH, -most - 1, most + 1)
        return PASS if move is None else move


def search(position: Position, player: Colour, plies: int, alpha: int, beta: int) -> tuple[int, Move | None]:
    """How many more stones than the opponent `player` has `plies` later, and the first move that leads there.

    The number is clipped to `alpha` and `beta`. There is no move if nothing is searched (no plies left,
    or both have passed) or if none is within the bounds.
    """
    moves = candidates(position) if plies and position.passes < 2 else ()
    if not moves:
        return min(max(stone_difference(position, player), alpha), beta), None
    best: Move | None = None
    maximises = position.to_move is player
    for move in moves:
        value, _ = search(position.play_legal(move), player, plies - 1, alpha, beta)
        if maximises and value > alpha:
            alpha, best = value, move
        elif not maximises and value < beta:
            beta, best = value, move
        if alpha >= beta:
            break
    return (alpha if maximises else beta), best


def candidates(position: Position) -> tuple[Move, ...]:
    """The moves to search: the first `BRANCHING` legal points of the spiral; without any, a pass if that is allowed."""
    # Legality is checked point by point until there are enough: on large boards with positional ko,
    # finding all legal points costs much more.
    playable = position.board.playable(position.to_move)
    legal = (point for point in spiral(position.size) if playable >> point & 1 and position.is_legal(point))
    points = tuple(islice(legal, BRANCHING))
    return points or ((PASS,) if position.rules.passing else ())


def stone_difference(position: Position, player: Colour) -> int:
    """How many more stones `player` has on the board than the opponent; negative for fewer."""
    board = position.board
    return board.stones(player).bit_count() - board.stones(player.opponent).bit_count()


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
    """Every point of the board, on a spiral from the centre; on even sizes from the lower right of the central four.

    Its arms are 1, 1, 2, 2, 3, 3, ... long, and it continues outside where it leaves the board.
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
