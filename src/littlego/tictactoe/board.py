"""A tic-tac-toe board: 3 by 3, X moves first, three in a row win."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

try:
    import numpy

    _array: Any = numpy.array
except ImportError:  # a student's machine may not have it; lists of rows do nearly as well
    _array = list

EMPTY = 0
X = 1
O = 2  # noqa: E741 - it is what the game calls it
ONGOING = -1
DRAW = 0

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
"""The eight rows, columns and diagonals, as cells counted from the top left."""


def result_of(cells: Sequence[int]) -> int:
    """How the game on nine cells stands: the winner's number, DRAW or ONGOING."""
    for first, second, third in LINES:
        if cells[first] and cells[first] == cells[second] == cells[third]:
            return cells[first]
    return ONGOING if EMPTY in cells else DRAW


class Board:
    """The board that players are given to move on.

    `state[row][column]` is 0 empty, 1 X or 2 O: a numpy array where numpy is installed, else a list
    of lists. `game_result` is -1 while the game goes on, 0 a draw, 1 X has won, 2 O has won.
    """

    def __init__(self, state: Any = None, show_board: bool = False, show_result: bool = False) -> None:
        self.show_board = show_board
        self.show_result = show_result
        self.state: Any = None
        self.game_result = ONGOING
        self.reset()
        if state is not None:
            self.state = _grid([int(cell) for row in state for cell in row])
            self.game_result = result_of(self.cells())

    def reset(self) -> None:
        self.state = _grid([EMPTY] * 9)
        self.game_result = ONGOING

    def set_show_board(self, show_board: bool) -> None:
        self.show_board = show_board

    def cells(self) -> list[int]:
        """The nine cells as a list, row by row."""
        first, second, third = self.state if isinstance(self.state, list) else self.state.tolist()
        return [*first, *second, *third]

    def encode_state(self) -> str:
        """The nine cells as a string of digits, row by row: a key for a dictionary."""
        return "%d%d%d%d%d%d%d%d%d" % tuple(self.cells())  # noqa: UP031 - the quickest way

    def is_valid_move(self, row: int, col: int) -> bool:
        """Whether a player may move there: on the board, and empty."""
        return 0 <= row <= 2 and 0 <= col <= 2 and bool(self.state[row][col] == EMPTY)

    def valid_moves(self) -> list[tuple[int, int]]:
        """The empty cells as (row, column), row by row."""
        return [divmod(cell, 3) for cell, mark in enumerate(self.cells()) if mark == EMPTY]

    def move(self, row: int, col: int, player: int) -> tuple[Any, int]:
        """Put the player's mark on a cell; returns the new state and result. Raises ValueError if that is illegal."""
        if self.game_over():
            raise ValueError("the game is over: no more moves")
        if not self.is_valid_move(row, col):
            raise ValueError(f"{row},{col} is not an empty cell of the board:\n{self}")
        self.state[row][col] = player
        self.game_result = result_of(self.cells())
        if self.show_board:
            self.print_board()
        if self.show_result and self.game_over():
            print(("Draw", "X wins", "O wins")[self.game_result])
        return self.state, self.game_result

    def game_over(self) -> bool:
        return self.game_result != ONGOING

    def print_board(self) -> None:
        print(self)

    def __str__(self) -> str:
        rows = [" " + " | ".join(" XO"[int(cell)] for cell in row) for row in self.state]
        return "\n---+---+---\n".join(rows)


def _grid(cells: Sequence[int]) -> Any:
    return _array([list(cells[start : start + 3]) for start in (0, 3, 6)])
