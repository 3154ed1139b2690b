"""Points, moves and their names, sets of points as bit masks, and the eight symmetries.

A point is `row * size + column`, counted from the top left; a set of points is an int whose bit
`point` is set. Text at the edge is `row,column` or `PASS`, converted by `parse_move`/`move_name`; GTP and KataGo
write `C3`, a letter for the column without I and rows from 1 at the bottom, converted by `parse_vertex`/`vertex_name`.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from functools import cache
from itertools import cycle
from typing import Final, TypeAlias

from littlego.core.errors import FormatError

MIN_SIZE: Final = 2
MAX_SIZE: Final = 19
_COLUMNS: Final = "ABCDEFGHJKLMNOPQRST"

Point: TypeAlias = int
Mask: TypeAlias = int


class Pass(enum.Enum):
    """The move that places no stone; its only member is `PASS`."""

    PASS = "PASS"

    def __repr__(self) -> str:
        return "PASS"


PASS: Final = Pass.PASS
Move: TypeAlias = Point | Pass


def point_name(point: Point, size: int) -> str:
    """`row,column` of a point."""
    return f"{point // size},{point % size}"


def parse_point(text: str, size: int) -> Point:
    """The point that `row,column` names. Raises FormatError, including for a point off the board."""
    match = re.fullmatch(r"([0-9]{1,2}),([0-9]{1,2})", text)
    if match is None:
        raise FormatError(f"expected 'row,column' such as 2,3, got {text!r}")
    row, column = int(match[1]), int(match[2])
    if row >= size or column >= size:
        raise FormatError(f"{text} is not on a {size}x{size} board: rows and columns run from 0 to {size - 1}")
    return row * size + column


def move_name(move: Move, size: int) -> str:
    """`PASS`, or `row,column` of a point.

    >>> lg.move_name(13, 5), lg.move_name(lg.PASS, 5)
    ('2,3', 'PASS')
    """
    return "PASS" if isinstance(move, Pass) else point_name(move, size)


def parse_move(text: str, size: int) -> Move:
    """The move that `PASS` or `row,column` names. Raises FormatError.

    >>> lg.parse_move("2,3", 5), lg.parse_move("PASS", 5)
    (13, PASS)
    """
    return PASS if text == "PASS" else parse_point(text, size)


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


# A mask is read nine bits at a time: 5x5 takes three steps. _points_of_chunk(k)[c] are the points
# of the nine bits c that begin at bit 9k.
_CHUNK: Final = 9
_CHUNK_MASK: Final = (1 << _CHUNK) - 1


@cache
def _points_of_chunk(k: int) -> tuple[tuple[Point, ...], ...]:
    return tuple(tuple(_CHUNK * k + bit for bit in range(_CHUNK) if chunk >> bit & 1) for chunk in range(1 << _CHUNK))


def points_of(mask: Mask) -> tuple[Point, ...]:
    """The points of a set, in row-major order."""
    points = _points_of_chunk(0)[mask & _CHUNK_MASK]
    k = 1
    while mask := mask >> _CHUNK:
        points += _points_of_chunk(k)[mask & _CHUNK_MASK]
        k += 1
    return points


def centre_distance(point: Point, size: int) -> int:
    """Twice the Manhattan distance from a point to the middle of the board."""
    row, column = divmod(point, size)
    return abs(2 * row - size + 1) + abs(2 * column - size + 1)


@cache
def spiral(size: int) -> tuple[Point, ...]:
    """Every point of the board, on a spiral from the centre; on even sizes from the lower right of the central four.

    Its arms are 1, 1, 2, 2, 3, 3, ... long, and it continues outside where it leaves the board.
    """
    row = column = size // 2
    points = [row * size + column]
    for turns, (down, right) in enumerate(cycle(((1, 0), (0, 1), (-1, 0), (0, -1)))):
        for _ in range(turns // 2 + 1):
            row, column = row + down, column + right
            if 0 <= row < size and 0 <= column < size:
                points.append(row * size + column)
        if len(points) == size * size:
            break
    return tuple(points)


@dataclass(frozen=True, slots=True)
class Symmetry:
    """One of the eight ways to turn or mirror a board: `images[p]` is where point `p` goes."""

    size: int
    images: tuple[Point, ...]

    def point(self, point: Point) -> Point:
        """Where a point goes.

        >>> lg.symmetries(5)[1].point(0)  # the mirror image of the top left corner
        4
        """
        return self.images[point]

    def move(self, move: Move) -> Move:
        """Where a move goes; a pass stays a pass.

        >>> lg.symmetries(5)[1].move(lg.PASS)
        PASS
        """
        return PASS if isinstance(move, Pass) else self.images[move]

    def mask(self, mask: Mask) -> Mask:
        """Where a set of points goes.

        >>> lg.symmetries(5)[1].mask(0b1) == 1 << 4
        True
        """
        images = self.images
        image = 0
        while mask:
            lowest = mask & -mask
            image |= 1 << images[lowest.bit_length() - 1]
            mask ^= lowest
        return image


@cache
def symmetries(size: int) -> tuple[Symmetry, ...]:
    """The eight symmetries of a board, the identity first.

    >>> len(lg.symmetries(5))
    8
    """
    points = [divmod(point, size) for point in range(size * size)]
    last = size - 1
    return tuple(
        Symmetry(size, tuple(abs(top - row) * size + abs(left - column) for row, column in placed))
        for placed in (points, [(column, row) for row, column in points])
        for top in (0, last)
        for left in (0, last)
    )


def canonical_symmetry(size: int, black: Mask, white: Mask, marked: Mask = 0) -> Symmetry:
    """The symmetry with the smallest image of (black, white, marked); `marked` is any further set, such as the ko."""
    return min(symmetries(size), key=lambda symmetry: tuple(map(symmetry.mask, (black, white, marked))))
