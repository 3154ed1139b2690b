"""Points as SGF writes them: `cc`, rectangles such as `aa:cc`, and passes."""

from __future__ import annotations

import re
from typing import Final

from littlego.core.colour import BLACK, WHITE, Colour
from littlego.core.errors import UsageError
from littlego.core.points import MAX_SIZE, PASS, Mask, Move, Point

COLOURS: Final = {"B": BLACK, "W": WHITE}


def colour_letter(colour: Colour) -> str:
    return "B" if colour is BLACK else "W"


def parse_at(raw: str, size: int) -> Move:
    """The point of an SGF value such as `cc`, or a pass. Raises UsageError."""
    if raw == "" or (raw == "tt" and size <= MAX_SIZE):
        return PASS
    if re.fullmatch("[a-z]{2}", raw) is None:
        raise UsageError(f"expected two letters such as cc, got {raw!r:.40}")
    column, row = (ord(letter) - ord("a") for letter in raw)
    if column >= size or row >= size:
        raise UsageError(f"{raw} is not on a {size}x{size} board")
    return row * size + column


def parse_mask(raw: str, size: int) -> Mask:
    """The points of `cc`, or of a rectangle `aa:cc`. Raises UsageError."""
    corners = [parse_at(part, size) for part in raw.split(":")]
    points = [corner for corner in corners if isinstance(corner, int)]
    if len(points) != len(corners) or len(points) > 2:
        raise UsageError(f"expected a point, got {raw!r:.40}")
    rows, columns = sorted(p // size for p in points), sorted(p % size for p in points)
    return sum(
        1 << row * size + column
        for row in range(rows[0], rows[-1] + 1)
        for column in range(columns[0], columns[-1] + 1)
    )


def points_value(points: list[Point], size: int) -> list[str]:
    return [chr(ord("a") + point % size) + chr(ord("a") + point // size) for point in points]
