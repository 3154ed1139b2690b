"""The features of an afterstate: local shapes, in plain Python.

An afterstate is a board after a move: `own` are the stones of the side that has just moved, `other` those
of the side to move. A shape covers a few cells and has a weight for every content they may have. It is placed
on the board in all eight symmetries, so that symmetric boards have the same value. There is a separate set of
weights for each colour and each quarter of the game.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from littlego.core.board import Board
from littlego.core.colour import BLACK, WHITE
from littlego.core.points import Mask, Point, points_of, symmetries

SIZE = 5
LENGTH = 24

# The content of a cell, by coding. Liberties are those of the stone's group.
#   7: 0 empty | 1-3 own with 1, 2, more liberties | 4-6 other with 1, 2, more
#   5: 0 empty | 1 own in atari, 2 own else | 3 other in atari, 4 other else
#   3: 0 empty | 1 own | 2 other
CODINGS = {7: (0, 1, 2, 3, 4, 5, 6), 5: (0, 1, 2, 2, 3, 4, 4), 3: (0, 1, 1, 1, 2, 2, 2)}
"""From the finest coding to each."""


@dataclass(frozen=True)
class Shape:
    """A block of cells, read with one of the codings."""

    coding: int
    row: int
    column: int
    rows: int
    columns: int

    @property
    def cells(self) -> tuple[Point, ...]:
        return tuple(
            SIZE * (self.row + row) + self.column + column for row in range(self.rows) for column in range(self.columns)
        )

    @property
    def weights(self) -> int:
        """How many contents the cells may have."""
        return int(self.coding ** (self.rows * self.columns))


SHAPES = (
    Shape(7, 0, 0, 2, 2),
    Shape(7, 0, 1, 2, 2),
    Shape(7, 1, 1, 2, 2),
    Shape(5, 0, 0, 2, 3),
    Shape(5, 0, 1, 2, 3),
    Shape(5, 1, 0, 2, 3),
    Shape(5, 1, 1, 2, 3),
    Shape(3, 0, 0, 3, 3),
    Shape(3, 0, 1, 3, 3),
    Shape(3, 1, 1, 3, 3),
)

DIFFERENCES = 25
"""How many more stones than the other side, clipped to -12 to 12, for each number of moves played."""
DANGERS = 25
"""Own stones in atari, clipped to 4, times the other side's."""

SHAPE_OFFSETS = tuple(sum(shape.weights for shape in SHAPES[:k]) for k in range(len(SHAPES)))
DIFFERENCE_OFFSET = sum(shape.weights for shape in SHAPES)
DANGER_OFFSET = DIFFERENCE_OFFSET + DIFFERENCES * (LENGTH + 1)
SET_SIZE = DANGER_OFFSET + DANGERS

STAGES = 4
SETS = 2 * STAGES
WEIGHTS = SETS * SET_SIZE


def weight_set(colour: int, played: int) -> int:
    """The set of weights of an afterstate: `colour`, 0 Black or 1 White, has just made move `played`."""
    return colour + 2 * ((played - 1) * STAGES // LENGTH)


@cache
def placements() -> tuple[tuple[int, int, tuple[Point, ...]], ...]:
    """Every shape in its eight images: its coding, the offset of its weights within a set, its cells in their order."""
    return tuple(
        (shape.coding, offset, tuple(symmetry.point(cell) for cell in shape.cells))
        for shape, offset in zip(SHAPES, SHAPE_OFFSETS, strict=True)
        for symmetry in symmetries(SIZE)
    )


def cell_codes(own: Mask, other: Mask) -> list[int]:
    """The content of the 25 cells in the finest coding."""
    codes = [0] * (SIZE * SIZE)
    board = Board(SIZE, own, other)
    for colour, first in ((BLACK, 1), (WHITE, 4)):
        for group in board.groups(colour):
            code = first + min(board.liberties(group).bit_count(), 3) - 1
            for point in points_of(group):
                codes[point] = code
    return codes


def indices(own: Mask, other: Mask, colour: int, played: int) -> list[int]:
    """The weights that make up the value of an afterstate; one may occur more than once."""
    codes = cell_codes(own, other)
    base = SET_SIZE * weight_set(colour, played)
    found = []
    for coding, offset, cells in placements():
        table = CODINGS[coding]
        index = 0
        for cell in cells:
            index = index * coding + table[codes[cell]]
        found.append(base + offset + index)
    difference = min(max(own.bit_count() - other.bit_count(), -12), 12) + 12
    found.append(base + DIFFERENCE_OFFSET + DIFFERENCES * played + difference)
    in_atari, captive = min(codes.count(1), 4), min(codes.count(4), 4)
    found.append(base + DANGER_OFFSET + 5 * in_atari + captive)
    return found


FEATURES = len(SHAPES) * 8 + 2
"""How many weights make up a value."""
