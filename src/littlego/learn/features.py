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

# The content of a cell, by coding. Liberties are those of the stone's group.
#   7: 0 empty | 1-3 own with 1, 2, more liberties | 4-6 other with 1, 2, more
#   5: 0 empty | 1 own in atari, 2 own else | 3 other in atari, 4 other else
#   3: 0 empty | 1 own | 2 other
CODINGS = {7: (0, 1, 2, 3, 4, 5, 6), 5: (0, 1, 2, 2, 3, 4, 4), 3: (0, 1, 1, 1, 2, 2, 2)}
"""From the finest coding to each."""


DIFFERENCES = 25
"""How many more stones than the other side, clipped to -12 to 12, for each number of moves played."""
DANGERS = 25
"""Own stones in atari, clipped to 4, times the other side's."""
STAGES = 4
SETS = 2 * STAGES


@dataclass(frozen=True)
class Shape:
    """A block of cells, read with one of the codings."""

    coding: int
    row: int
    column: int
    rows: int
    columns: int

    def cells(self, size: int) -> tuple[Point, ...]:
        return tuple(
            size * (self.row + row) + self.column + column for row in range(self.rows) for column in range(self.columns)
        )

    @property
    def weights(self) -> int:
        """How many contents the cells may have."""
        return int(self.coding ** (self.rows * self.columns))


class Features:
    """What a value is made of on boards of one size: which weight stands for what."""

    def __init__(self, size: int) -> None:
        """Sizes from 3 to 7: smaller boards have no room for the shapes, larger ones do not fit a machine word."""
        self.size = size
        self.length = size * size - 1
        self.shapes = shapes(size)
        self.shape_offsets = tuple(sum(shape.weights for shape in self.shapes[:k]) for k in range(len(self.shapes)))
        self.difference_offset = sum(shape.weights for shape in self.shapes)
        self.danger_offset = self.difference_offset + DIFFERENCES * (self.length + 1)
        self.set_size = self.danger_offset + DANGERS
        self.weights = SETS * self.set_size
        self.count = len(self.shapes) * 8 + 2
        """How many weights make up a value."""
        self.placements = tuple(
            (shape.coding, offset, tuple(symmetry.point(cell) for cell in shape.cells(size)))
            for shape, offset in zip(self.shapes, self.shape_offsets, strict=True)
            for symmetry in symmetries(size)
        )
        """Every shape in its eight images: its coding, the offset of its weights within a set, its cells in order."""

    def weight_set(self, colour: int, played: int) -> int:
        """The set of weights of an afterstate: `colour`, 0 Black or 1 White, has just made move `played`."""
        return colour + 2 * ((played - 1) * STAGES // self.length)

    def indices(self, own: Mask, other: Mask, colour: int, played: int) -> list[int]:
        """The weights that make up the value of an afterstate; one may occur more than once."""
        codes = cell_codes(own, other, self.size)
        base = self.set_size * self.weight_set(colour, played)
        found = []
        for coding, offset, cells in self.placements:
            table = CODINGS[coding]
            index = 0
            for cell in cells:
                index = index * coding + table[codes[cell]]
            found.append(base + offset + index)
        difference = min(max(own.bit_count() - other.bit_count(), -12), 12) + 12
        found.append(base + self.difference_offset + DIFFERENCES * played + difference)
        in_atari, captive = min(codes.count(1), 4), min(codes.count(4), 4)
        found.append(base + self.danger_offset + 5 * in_atari + captive)
        return found


@cache
def features_of(size: int) -> Features:
    return Features(size)


def shapes(size: int) -> tuple[Shape, ...]:
    """Every place of each block on a board, one of those that a symmetry takes into each other."""
    pairs, triples = range((size - 2) // 2 + 1), range((size - 3) // 2 + 1)
    return (
        *(Shape(7, row, column, 2, 2) for row in pairs for column in pairs if row <= column),
        *(Shape(5, row, column, 2, 3) for row in pairs for column in triples),
        *(Shape(3, row, column, 3, 3) for row in triples for column in triples if row <= column),
    )


def cell_codes(own: Mask, other: Mask, size: int) -> list[int]:
    """The content of the cells in the finest coding."""
    codes = [0] * (size * size)
    board = Board(size, own, other)
    for colour, first in ((BLACK, 1), (WHITE, 4)):
        for group in board.groups(colour):
            code = first + min(board.liberties(group).bit_count(), 3) - 1
            for point in points_of(group):
                codes[point] = code
    return codes
