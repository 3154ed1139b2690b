"""A guess at who wins, learned from solved positions: it orders moves far from the end, where a wrong one is expensive.

The value of a board after a move is a sum of weights: one for each block of 2x2, 2x3 and 3x3 points, by what is on
them, one for the difference in stones, and one for the stones in atari. Blocks that a symmetry takes into each other
share their weights. There is a set of weights for each colour and each six plies of a game of 24.

The finest content of a point, of which larger blocks have a coarser one; liberties are those of the stone's group:

    0 empty | 1-3 own with 1, 2, more liberties | 4-6 the opponent's with 1, 2, more

`tools/make_guess.py` makes the weights. A wrong guess costs time and never changes an answer.
"""

from __future__ import annotations

import gzip
from functools import cache
from importlib import resources
from itertools import product
from typing import Final

import numpy as np
import numpy.typing as npt

from littlego.core.points import symmetries
from littlego.kernel.marks import compiled
from littlego.kernel.words import FRAME, POINTS, SIDE, Words, at, find_groups, lowest, popcount

Weights = npt.NDArray[np.int16]

GAME: Final = 24
"""Plies of the game that the weights are for."""
LEAST_LEFT: Final = 12
"""With fewer plies left the guess takes longer than a wrong move does."""
STAGE: Final = 6
SETS: Final = 6
"""Two colours, and the stages of the game that are not too late for a guess."""
UNIT: Final = 4
"""A weight of one, in the units of `search`'s scores."""
FILE: Final = "guess.bin"

COARSE_5: Final = np.array([0, 1, 2, 2, 3, 4, 4], dtype=np.int64)
"""The content by side and atari alone."""
COARSE_3: Final = np.array([0, 1, 1, 1, 2, 2, 2], dtype=np.int64)
"""The content by side alone."""
MOST_DIFFERENCE: Final = 12
MOST_IN_ATARI: Final = 4


def blocks(rows: int, columns: int) -> list[tuple[int, tuple[int, ...]]]:
    """Every block of so many points, lying or standing: the number of its class, and its points in its order."""
    found: dict[frozenset[int], tuple[int, tuple[int, ...]]] = {}
    classes = 0
    for row, column in product(range(SIDE - rows + 1), range(SIDE - columns + 1)):
        points = tuple(SIDE * (row + i) + column + j for i in range(rows) for j in range(columns))
        if frozenset(points) in found:
            continue
        for symmetry in symmetries(SIDE):
            turned = tuple(symmetry.point(point) for point in points)
            found.setdefault(frozenset(turned), (classes, turned))
        classes += 1
    return list(found.values())


def _placed(rows: int, columns: int, contents: int, start: int) -> tuple[Words, Words, int]:
    """The points of every block, where its weights begin, and where those of all these blocks end."""
    found = blocks(rows, columns)
    weights = contents ** (rows * columns)
    classes = 1 + max(number for number, _ in found)
    offsets = np.array([start + weights * number for number, _ in found], dtype=np.int64)
    # Unsigned, so that compiled code need not ask whether an index counts from the end.
    return np.array([points for _, points in found], dtype=np.uint64), offsets, start + weights * classes


POINTS_7, OFFSETS_7, END_7 = _placed(2, 2, 7, 0)
POINTS_5, OFFSETS_5, END_5 = _placed(2, 3, 5, END_7)
POINTS_3, OFFSETS_3, END_3 = _placed(3, 3, 3, END_5)
DIFFERENCES: Final = END_3
IN_ATARI: Final = DIFFERENCES + (GAME + 1) * (2 * MOST_DIFFERENCE + 1)
SET_SIZE: Final = IN_ATARI + (MOST_IN_ATARI + 1) ** 2

FEATURES: Final = len(OFFSETS_7) + len(OFFSETS_5) + len(OFFSETS_3) + 2
"""How many weights make up a value."""

SCRATCH_WORDS: Final = FEATURES + 3 * POINTS + 64


@cache
def load() -> Weights:
    """The weights that ship with the package; all zero if the build left them out."""
    file = resources.files("littlego.solve").joinpath(FILE)
    if not file.is_file():
        return np.zeros(SETS * SET_SIZE, dtype=np.int16)
    return unpacked(file.read_bytes())


def unpacked(data: bytes) -> Weights:
    rows = np.frombuffer(gzip.decompress(data), dtype=np.int8).reshape(SET_SIZE, SETS)
    return rows.T.astype(np.int16).ravel()


def first_left(mine: int, theirs: int, left: int, board: int) -> int:
    """With how many plies left a search from a position begins to guess; above `left`: not at all.

    The weights are for games of full length on the whole board; in shorter ones they mislead.
    """
    played = (mine | theirs).bit_count()
    return LEAST_LEFT if board == FRAME and GAME - 3 <= played + left <= GAME else left + 1


@compiled
def _write_contents(stones: int, empty: int, first: int, w: Words, start: int) -> int:
    """Write what is on the points of a side's stones, in the three codings; returns the stones in atari."""
    in_atari = 0
    groups = start + 3 * POINTS
    for i in range(find_groups(stones, empty, w, groups)):
        group = w[at(groups + 2 * i)]
        liberties = min(popcount(w[at(groups + 2 * i + 1)]), 3)
        if liberties == 1:
            in_atari += popcount(group)
        content = first + liberties
        while group:
            point = start + lowest(group)
            group &= group - 1
            w[at(point)] = content
            w[at(point + POINTS)] = COARSE_5[at(content)]
            w[at(point + 2 * POINTS)] = COARSE_3[at(content)]
    return in_atari


@compiled
def write_features(own: int, other: int, left: int, w: Words, start: int) -> None:
    """Write the FEATURES indices of the weights that make up a value from `w[start]` on; what follows is scratch.

    `own` has just moved, and `left` plies are left, at least LEAST_LEFT - 1.
    """
    contents = start + FEATURES
    for i in range(contents, contents + 3 * POINTS):
        w[at(i)] = 0
    empty = FRAME & ~(own | other)
    in_atari = min(_write_contents(own, empty, 0, w, contents), MOST_IN_ATARI)
    captive = min(_write_contents(other, empty, 3, w, contents), MOST_IN_ATARI)
    played = GAME - left
    base = SET_SIZE * (1 - (played & 1) + 2 * ((played - 1) // STAGE))
    # Loops of fixed width are unrolled: one function for all three took 5% off the rate of the search.
    n = start
    for block in range(POINTS_7.shape[0]):
        index = 0
        for k in range(4):
            index = index * 7 + w[at(contents + POINTS_7[block, k])]
        w[at(n)] = base + OFFSETS_7[block] + index
        n += 1
    contents += POINTS
    for block in range(POINTS_5.shape[0]):
        index = 0
        for k in range(6):
            index = index * 5 + w[at(contents + POINTS_5[block, k])]
        w[at(n)] = base + OFFSETS_5[block] + index
        n += 1
    contents += POINTS
    for block in range(POINTS_3.shape[0]):
        index = 0
        for k in range(9):
            index = index * 3 + w[at(contents + POINTS_3[block, k])]
        w[at(n)] = base + OFFSETS_3[block] + index
        n += 1
    difference = min(max(popcount(own) - popcount(other), -MOST_DIFFERENCE), MOST_DIFFERENCE) + MOST_DIFFERENCE
    w[at(n)] = base + DIFFERENCES + (2 * MOST_DIFFERENCE + 1) * played + difference
    w[at(n + 1)] = base + IN_ATARI + in_atari * (MOST_IN_ATARI + 1) + captive


@compiled
def guess(weights: Weights, own: int, other: int, left: int, w: Words, start: int) -> int:
    """How well `own` stands, having just moved, in the units of `search`'s scores; see `write_features`."""
    write_features(own, other, left, w, start)
    total = 0
    for i in range(start, start + FEATURES):
        total += weights[at(w[at(i)])]
    return UNIT * total
