"""What the value of an afterstate is made of: local shapes, and what is sure about life and death.

An afterstate is a board after a move: `own` are the stones of the side that has just moved, `other` those
of the side to move. A shape covers a few cells and has a weight for every content they may have. It is placed
on the board in all eight symmetries, so that symmetric boards have the same value. There is a separate set of
weights for each colour and each stage of the game; only large shapes, which are many, and features of life, which
know how many moves are left, have one set for all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from littlego.core.errors import UsageError
from littlego.core.points import Point, symmetries

# The content of a cell, by coding. Liberties are those of the stone's group.
#   7: 0 empty | 1-3 own with 1, 2, more liberties | 4-6 other with 1, 2, more
#   5: 0 empty | 1 own in atari, 2 own else | 3 other in atari, 4 other else
#   3: 0 empty | 1 own | 2 other
CODINGS = {7: (0, 1, 2, 3, 4, 5, 6), 5: (0, 1, 2, 2, 3, 4, 4), 3: (0, 1, 1, 1, 2, 2, 2)}
"""From the finest coding to each."""

KINDS = ("proofs", "margins", "groups", "strips", "oblongs", "liberties")
"""What may be seen beside small blocks and the number of stones: who wins where the sure margins prove it, those
margins, each group's liberties against the moves left, blocks of 2x5, of 3x4, and of 2x3 with all liberties."""

SIZES = range(3, 8)
"""Smaller boards have no room for the shapes; larger ones do not fit in a machine word."""
MOST_MOVES = 1000
"""Of a game: there are weights for each of its moves."""
DIFFERENCES = 25
"""How many more stones than the other side, clipped to -12 to 12, for each number of moves played."""
DANGERS = 25
"""Own stones in atari, clipped to 4, times the other side's."""
LEAST_SPARE, SPARES = -8, 16
"""By how much the final lead that is sure, and the most that is possible, are more than a win needs; clipped."""
MOST_STONES = MOST_LIBERTIES = 8
"""Of a group: larger groups count as this large."""
GROUPS = 10
"""How many groups are looked at, own first; missing ones have a weight of their own."""


@dataclass(frozen=True)
class View:
    """What a model looks at."""

    stages: int = 4
    """Parts of the game, each with its own weights."""
    kinds: tuple[str, ...] = ()
    """Of KINDS."""

    def __post_init__(self) -> None:
        if self.stages < 1 or self.stages > 24:
            raise UsageError(f"stages {self.stages}: expected 1 to 24")
        for kind in self.kinds:
            if kind not in KINDS:
                raise UsageError(f"feature {kind!r}: expected {', '.join(KINDS)}")


SMALL_BLOCKS = View()


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


@dataclass(frozen=True)
class Placement:
    """A shape in one of its eight images."""

    coding: int
    offset: int
    """Where its weights begin: in a set, or of all weights if they are shared."""
    is_shared: bool
    cells: tuple[Point, ...]


class Features:
    """What a value is made of on boards of one size: which weight stands for what."""

    def __init__(self, size: int, view: View, length: int) -> None:
        """Sizes from 3 to 7: smaller boards have no room for the shapes, larger ones do not fit a machine word."""
        self.size, self.view, self.length = size, view, length
        own, shared = shapes(size, view), shared_shapes(size, view)
        self.difference_offset = sum(shape.weights for shape in own)
        self.danger_offset = self.difference_offset + DIFFERENCES * (self.length + 1)
        self.set_size = self.danger_offset + DANGERS
        sets = 2 * view.stages * self.set_size
        self.margin_offset = sets + sum(shape.weights for shape in shared)
        self.proves = "proofs" in view.kinds
        self.sees_margins, self.sees_groups = "margins" in view.kinds, "groups" in view.kinds
        margins = SPARES * SPARES * (self.length + 1) if self.sees_margins else 0
        self.group_offset = self.margin_offset + margins
        # side, eyes, stones, liberties, turns
        self.no_group = self.group_offset + 2 * 2 * MOST_STONES * MOST_LIBERTIES * (self.length // 2 + 1)
        self.weights = self.no_group + 1 if self.sees_groups else self.group_offset
        self.placements = (*_placed(size, own, 0, is_shared=False), *_placed(size, shared, sets, is_shared=True))
        """Every shape in its eight images."""
        self.count = len(self.placements) + 2 + self.sees_margins + GROUPS * self.sees_groups
        """How many weights make up a value."""


def shapes(size: int, view: View) -> tuple[Shape, ...]:
    """Every place of each block on a board, one of those that a symmetry takes into each other."""
    pairs, triples, fives = (range((size - wide) // 2 + 1) for wide in (2, 3, 5))
    strips = [Shape(3, row, column, 2, 5) for row in pairs for column in fives] if "strips" in view.kinds else []
    return (
        *(Shape(7, row, column, 2, 2) for row in pairs for column in pairs if row <= column),
        *(Shape(5, row, column, 2, 3) for row in pairs for column in triples),
        *(Shape(3, row, column, 3, 3) for row in triples for column in triples if row <= column),
        *strips,
    )


def shared_shapes(size: int, view: View) -> tuple[Shape, ...]:
    """Those whose weights are the same for both colours and all stages."""
    pairs, triples, fours = (range((size - wide) // 2 + 1) for wide in (2, 3, 4))
    return (
        *(Shape(3, row, column, 3, 4) for row in triples for column in fours if "oblongs" in view.kinds),
        *(Shape(7, row, column, 2, 3) for row in pairs for column in triples if "liberties" in view.kinds),
    )


def _placed(size: int, found: Iterable[Shape], offset: int, *, is_shared: bool) -> list[Placement]:
    placements = []
    for shape in found:
        for symmetry in symmetries(size):
            cells = tuple(symmetry.point(cell) for cell in shape.cells(size))
            placements.append(Placement(shape.coding, offset, is_shared, cells))
        offset += shape.weights
    return placements
