"""A player that never loses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from littlego.tictactoe.board import DRAW, EMPTY, ONGOING, Board, O, X, result_of

_solved: dict[tuple[int, ...], int] = {}


def to_move(cells: Sequence[int]) -> int:
    """Whose turn it is: X's if both have the same number of marks."""
    return X if cells.count(X) == cells.count(O) else O


def value(cells: Sequence[int]) -> int:
    """Who wins with best play: 1 for X, 0 for a draw, -1 for O."""
    key = tuple(cells)
    if key not in _solved:
        result = result_of(key)
        if result != ONGOING:
            _solved[key] = {DRAW: 0, X: 1, O: -1}[result]
        else:
            side = to_move(key)
            values = [value(after(key, cell, side)) for cell in range(9) if key[cell] == EMPTY]
            _solved[key] = max(values) if side == X else min(values)
    return _solved[key]


def after(cells: Sequence[int], cell: int, side: int) -> tuple[int, ...]:
    """The cells after a mark of `side` on an empty cell."""
    return (*cells[:cell], side, *cells[cell + 1 :])


def best_cell(cells: Sequence[int], side: int) -> int:
    """The first of the best cells, row by row. The game must not be over."""
    sign = 1 if side == X else -1
    key = tuple(cells)
    empty = [cell for cell in range(9) if key[cell] == EMPTY]
    return max(empty, key=lambda cell: sign * value(after(key, cell, side)))


class PerfectPlayer:
    """Minimax over the whole game: plays the first of the best moves, row by row."""

    def __init__(self, side: int = 0) -> None:
        self.side = side

    def set_side(self, side: int) -> None:
        self.side = side

    def move(self, board: Board) -> Any:
        row, col = divmod(best_cell(board.cells(), self.side), 3)
        return board.move(row, col, self.side)

    def learn(self, board: Board) -> None:
        """Called at the end of a training game; this player learns nothing."""
