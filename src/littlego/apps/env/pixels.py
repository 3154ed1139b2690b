"""Boards as arrays of pixels, drawn with numpy alone: what `rgb_array` rendering returns."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from littlego.core.colour import Colour
from littlego.core.points import Move, Pass, Point, points_of
from littlego.core.position import Position

Pixels = npt.NDArray[np.uint8]

CELL: Final = 48
"""Pixels between neighbouring points."""
_WOOD: Final = (227, 184, 115)
_LINE: Final = (91, 66, 32)
_MARK: Final = (200, 50, 43)
_STONE: Final = {Colour.BLACK: (24, 25, 28), Colour.WHITE: (246, 245, 240)}


def draw_pixels(position: Position, *, last_move: Move | None = None) -> Pixels:
    """A position as (height, width, 3) bytes: stones, the last move dotted, the ko point squared."""
    size = position.size
    side = CELL * size
    image = np.empty((side, side, 3), dtype=np.uint8)
    image[:] = _WOOD
    first, last = CELL // 2, side - CELL // 2
    for at in range(first, last + 1, CELL):
        image[at, first : last + 1] = _LINE
        image[first : last + 1, at] = _LINE
    for colour in Colour:
        for point in points_of(position.board.stones(colour)):
            _disc(image, point, size, CELL * 0.46, _LINE)
            _disc(image, point, size, CELL * 0.44, _STONE[colour])
    if last_move is not None and not isinstance(last_move, Pass):
        _disc(image, last_move, size, CELL * 0.14, _MARK)
    if position.ko is not None:
        row, column = divmod(position.ko, size)
        y, x, half = CELL * row + CELL // 2, CELL * column + CELL // 2, CELL // 6
        image[y - half : y + half + 1, x - half : x + half + 1] = _MARK
    return image


def _disc(image: Pixels, point: Point, size: int, radius: float, colour: tuple[int, int, int]) -> None:
    """Fill a circle around a point, its edge blended over one pixel."""
    row, column = divmod(point, size)
    cell = image[CELL * row : CELL * (row + 1), CELL * column : CELL * (column + 1)]
    ys, xs = np.mgrid[:CELL, :CELL] - CELL // 2
    share = np.clip(radius + 0.5 - np.hypot(xs, ys), 0, 1)[..., None]
    cell[:] = np.rint(cell * (1 - share) + np.array(colour) * share)
