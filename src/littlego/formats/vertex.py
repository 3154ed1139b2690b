"""Points as GTP and KataGo write them: a letter for the column, skipping I, and rows from 1 at the bottom."""

from __future__ import annotations

import re
from typing import Final

from littlego.core.errors import FormatError
from littlego.core.points import PASS, Move, Pass

_COLUMNS: Final = "ABCDEFGHJKLMNOPQRST"


def vertex_name(move: Move, size: int) -> str:
    """`C3` and the like, or `pass`."""
    if isinstance(move, Pass):
        return "pass"
    return f"{_COLUMNS[move % size]}{size - move // size}"


def parse_vertex(text: str, size: int) -> Move:
    """The move that a vertex names, in upper or lower case. Raises FormatError."""
    if text.lower() == "pass":
        return PASS
    match = re.fullmatch(r"([A-HJ-Ta-hj-t])([1-9][0-9]?)", text)
    if match is None:
        raise FormatError(f"expected a point such as C3 (no letter I) or 'pass', got {text!r:.40}")
    column, row = _COLUMNS.index(match[1].upper()), int(match[2])
    if column >= size or row > size:
        raise FormatError(f"{text} is not on a {size}x{size} board: A1 to {_COLUMNS[size - 1]}{size} are")
    return (size - row) * size + column
