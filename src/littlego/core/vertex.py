"""Points as GTP and KataGo write them: a letter for the column, skipping I, and rows from 1 at the bottom."""

from __future__ import annotations

import re
from typing import Final

from littlego.core.errors import FormatError
from littlego.core.points import PASS, Move, Pass, parse_point

_COLUMNS: Final = "ABCDEFGHJKLMNOPQRST"


def vertex_name(move: Move, size: int) -> str:
    """`C3` and the like, or `pass`."""
    if isinstance(move, Pass):
        return "pass"
    return f"{_COLUMNS[move % size]}{size - move // size}"


def read_move(text: str, size: int) -> Move:
    """The move that a person means: `2,3` as the course writes it, `D3` as Go players do, or `pass`.

    Raises FormatError.

    >>> read_move("2,3", 5) == read_move("d3", 5)
    True
    """
    if "," in text:
        return parse_point(text.replace(" ", ""), size)
    try:
        return parse_vertex(text.strip(), size)
    except FormatError as error:
        raise FormatError(f"{error}, or row,column such as 2,3") from None


def parse_vertex(text: str, size: int) -> Move:
    """The move that a vertex names, in upper or lower case. Raises FormatError."""
    if text.lower() == "pass":
        return PASS
    match = re.fullmatch(r"([A-HJ-Ta-hj-t])([1-9][0-9]?)", text)
    if match is None:
        raise FormatError(f"expected a point such as C3 (no letter I) or 'pass', got {text!r:.40}")
    column, row = _COLUMNS.index(match[1].upper()), int(match[2])
    if column >= size or row > size:
        raise FormatError(f"{text} is not on a {size}x{size} board: points run from A1 to {_COLUMNS[size - 1]}{size}")
    return (size - row) * size + column
