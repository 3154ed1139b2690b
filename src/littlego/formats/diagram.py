"""Boards as ASCII diagrams, `X` for Black, `O` for White, `.` for an empty point.

  0 1 2 3 4
0 . . X X .
1 . . O X .
2 . . O . .
3 . O . . .
4 . . . . .
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from littlego.core.board import Board
from littlego.core.errors import FormatError, UsageError
from littlego.core.points import MAX_SIZE, MIN_SIZE, Point

_CELLS = ".XO"


def draw_board(board: Board, *, coordinates: bool = True) -> str:
    """The diagram of a board, without a newline at its end.

    >>> print(lg.draw_board(lg.Board(2, black=0b01, white=0b10)))
       0 1
     0 X O
     1 . .
    """
    return draw_marked(board, {}) if coordinates else "\n".join(" ".join(row) for row in board.rows())


def draw_marked(board: Board, marks: Mapping[Point, str]) -> str:
    """The diagram of a board, with other characters on some of its empty points."""
    # Columns from 10 on show their last digit, so that the diagram stays square.
    lines = ["   " + " ".join(str(column % 10) for column in range(board.size))]
    for number, row in enumerate(board.rows()):
        cells = [marks.get(number * board.size + k, mark) if mark == "." else mark for k, mark in enumerate(row)]
        lines.append(f"{number:2} {' '.join(cells)}")
    return "\n".join(lines)


def parse_board(text: str, *, source: str = "diagram") -> Board:
    """The board of a diagram, with or without coordinates and spaces between the cells.

    Raises FormatError, including for a group without liberties.

    >>> lg.parse_board("X O\\n. .")
    Board(size=2, black=1, white=2)
    """
    rows: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or re.fullmatch(r"[\d\s]+", line):
            continue
        cells = re.sub(r"^\s*\d+(?=[\s.XO])|\s", "", line)
        if wrong := re.search(rf"[^{_CELLS}]", cells):
            raise FormatError(
                f"{source}: line {number}: column {line.index(wrong[0]) + 1}: expected one of '.XO', got {wrong[0]!r}"
            )
        if rows and len(cells) != len(rows[0]):
            raise FormatError(f"{source}: line {number}: expected {len(rows[0])} cells, got {len(cells)}")
        rows.append(cells)
    if not rows or len(rows) != len(rows[0]):
        width = len(rows[0]) if rows else 0
        raise FormatError(f"{source}: expected a square board, got {len(rows)} rows of {width}")
    return board_of_rows(rows, _CELLS, source=source)


def board_of_rows(rows: list[str], cells: str, *, source: str) -> Board:
    """The board of equally long rows; `cells` are the characters for empty, Black and White.

    The caller has checked the characters. Raises FormatError for a board that no game can reach.
    """
    size = len(rows)
    if not MIN_SIZE <= size <= MAX_SIZE:
        raise FormatError(f"{source}: expected a board of {MIN_SIZE} to {MAX_SIZE} rows, got {size}")
    flat = "".join(rows)
    black = sum(1 << point for point, char in enumerate(flat) if char == cells[1])
    white = sum(1 << point for point, char in enumerate(flat) if char == cells[2])
    try:
        return Board(size, black, white).checked()
    except UsageError as error:
        raise FormatError(f"{source}: {error}") from error
