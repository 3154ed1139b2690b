"""Values of afterstates, compiled: patterns or a table, behind the same two functions.

The slow twin of the patterns is `features`. A value is the chance of winning, from 0 to 1, of the side
that has just moved: the logistic function of a sum of weights, or an entry of the table.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from littlego.core.points import symmetries
from littlego.kernel.bits import FRAME, POINTS, beside, flood, popcount
from littlego.kernel.compiling import compiled
from littlego.learn import features
from littlego.learn.features import DANGER_OFFSET, DIFFERENCE_OFFSET, DIFFERENCES, FEATURES, LENGTH, SET_SIZE, STAGES
from littlego.learn.model import UNKNOWN

PATTERNS, TABLE = 0, 1
REPRESENTATIONS = ("patterns", "table")
EMPTY_KEY = 0


class Values(NamedTuple):
    """What has been learned, as arrays; only those of its kind are used."""

    kind: int
    weights: np.ndarray
    """Of patterns: see `features`."""
    keys: np.ndarray
    """Of the table: open addressing, a power of two long; 0 is a free place."""
    entries: np.ndarray
    """Of the table: the values."""
    used: np.ndarray
    """One number: how many places of the table are taken."""
    images: np.ndarray
    """Where 25 bits go in each symmetry: [symmetry][bits 0-12, then 13-24][those bits]."""
    codes: np.ndarray
    """Scratch: the content of the cells, by coding."""
    indices: np.ndarray
    """Scratch: the weights that make up a value."""


def new_values(representation: str, *, table_bits: int = 22) -> Values:
    """Values before any game. Raises ValueError for an unknown representation."""
    kind = REPRESENTATIONS.index(representation)
    patterns = kind == PATTERNS
    places = 1 if patterns else 1 << table_bits
    return Values(
        kind,
        np.zeros(features.WEIGHTS if patterns else 1, dtype=np.float32),
        np.zeros(places, dtype=np.int64),
        np.zeros(places, dtype=np.float32),
        np.zeros(1, dtype=np.int64),
        _images(),
        np.zeros((3, POINTS), dtype=np.int64),
        np.zeros(FEATURES, dtype=np.int64),
    )


def _images() -> np.ndarray:
    tables = np.zeros((8, 2, 1 << 13), dtype=np.int64)
    for number, symmetry in enumerate(symmetries(features.SIZE)):
        for part in range(2):
            for bits in range(1 << (13 - part)):
                tables[number, part, bits] = symmetry.mask(bits << 13 * part)
    return tables


def _placed(coding: int) -> tuple[np.ndarray, np.ndarray]:
    """The placements of the shapes of a coding: their cells, and where their weights begin in a set."""
    found = [(cells, offset) for one, offset, cells in features.placements() if one == coding]
    # Unsigned, so that numba need not ask whether an index counts from the end.
    return np.array([cells for cells, _ in found], np.uint32), np.array([offset for _, offset in found], np.int64)


# Loops over arrays of fixed width are unrolled: this is where training spends its time.
CELLS_7, OFFSETS_7 = _placed(7)
CELLS_5, OFFSETS_5 = _placed(5)
CELLS_3, OFFSETS_3 = _placed(3)
WIDTH_7, WIDTH_5, WIDTH_3 = CELLS_7.shape[1], CELLS_5.shape[1], CELLS_3.shape[1]
FIRST_5 = len(CELLS_7)
FIRST_3 = FIRST_5 + len(CELLS_5)
SHAPED = FIRST_3 + len(CELLS_3)
CODES_5 = np.array(features.CODINGS[5], dtype=np.int64)
CODES_3 = np.array(features.CODINGS[3], dtype=np.int64)


@compiled
def code_cells(own: int, other: int, codes: np.ndarray) -> tuple[int, int]:
    """Fill `codes[coding][cell]`, finest first; the number of own and of other stones in atari."""
    empty = FRAME & ~(own | other)
    in_atari = captive = 0
    for point in range(POINTS):
        codes[0, point] = 0
    for side in range(2):
        rest = other if side else own
        while rest:
            group = flood(rest & -rest, rest)
            rest &= ~group
            liberties = min(popcount(beside(group) & empty), 3)
            if liberties == 1:
                if side:
                    captive += popcount(group)
                else:
                    in_atari += popcount(group)
            for point in range(POINTS):
                if group >> point & 1:
                    codes[0, point] = 3 * side + liberties
    for point in range(POINTS):
        codes[1, point] = CODES_5[codes[0, point]]
        codes[2, point] = CODES_3[codes[0, point]]
    return in_atari, captive


@compiled
def fill_indices(own: int, other: int, colour: int, played: int, codes: np.ndarray, out: np.ndarray) -> None:
    """Write the indices of the weights that make up a value to `out`."""
    in_atari, captive = code_cells(own, other, codes)
    base = SET_SIZE * (colour + 2 * ((played - 1) * STAGES // LENGTH))
    for placed in range(FIRST_5):
        index = 0
        for k in range(WIDTH_7):
            index = index * 7 + codes[0, CELLS_7[placed, k]]
        out[placed] = base + OFFSETS_7[placed] + index
    for placed in range(FIRST_3 - FIRST_5):
        index = 0
        for k in range(WIDTH_5):
            index = index * 5 + codes[1, CELLS_5[placed, k]]
        out[FIRST_5 + placed] = base + OFFSETS_5[placed] + index
    for placed in range(SHAPED - FIRST_3):
        index = 0
        for k in range(WIDTH_3):
            index = index * 3 + codes[2, CELLS_3[placed, k]]
        out[FIRST_3 + placed] = base + OFFSETS_3[placed] + index
    difference = min(max(popcount(own) - popcount(other), -12), 12) + 12
    out[SHAPED] = base + DIFFERENCE_OFFSET + DIFFERENCES * played + difference
    out[SHAPED + 1] = base + DANGER_OFFSET + 5 * min(in_atari, 4) + min(captive, 4)


@compiled
def logistic(total: float) -> float:
    """From any number to between 0 and 1."""
    return 1.0 / (1.0 + math.exp(-total))


@compiled
def canonical_key(own: int, other: int, played: int, images: np.ndarray) -> int:
    """One key for the eight images of an afterstate: own 25 bits, other 25, moves played 5."""
    smallest = -1
    for symmetry in range(8):
        key = (images[symmetry, 0, own & 8191] | images[symmetry, 1, own >> 13]) << 25
        key |= images[symmetry, 0, other & 8191] | images[symmetry, 1, other >> 13]
        if smallest < 0 or key < smallest:
            smallest = key
    return (smallest << 5) | played


@compiled
def place_of(keys: np.ndarray, key: int) -> int:
    """Where a key is in the table, or the free place where it would go."""
    mask = int(keys.shape[0]) - 1
    place = ((key * 0x9E3779B97F4A7C1) >> 17) & mask
    while keys[place] != EMPTY_KEY and keys[place] != key:
        place = (place + 1) & mask
    return place


@compiled
def sum_of_weights(values: Values, own: int, other: int, colour: int, played: int) -> np.float32:
    """The sum of an afterstate's weights; leaves their indices in `values.indices`."""
    fill_indices(own, other, colour, played, values.codes, values.indices)
    total = np.float32(0.0)
    for k in range(FEATURES):
        total += values.weights[values.indices[k]]
    return total


@compiled
def value_of(values: Values, own: int, other: int, colour: int, played: int) -> float:
    if values.kind == TABLE:
        place = place_of(values.keys, canonical_key(own, other, played, values.images))
        return np.float64(values.entries[place]) if values.keys[place] else UNKNOWN
    total = sum_of_weights(values, own, other, colour, played)
    return logistic(np.float64(total))


@compiled
def learn_value(values: Values, own: int, other: int, colour: int, played: int, target: float, alpha: float) -> None:
    """Move the value of an afterstate a share alpha towards `target`. A full table takes no new states."""
    if values.kind == TABLE:
        place = place_of(values.keys, canonical_key(own, other, played, values.images))
        if values.keys[place] == EMPTY_KEY:
            if 10 * values.used[0] >= 9 * values.keys.shape[0]:
                return
            values.used[0] += 1
            values.keys[place] = canonical_key(own, other, played, values.images)
            values.entries[place] = UNKNOWN
        values.entries[place] += alpha * (target - values.entries[place])
        return
    total = sum_of_weights(values, own, other, colour, played)
    step = np.float32(alpha * (target - logistic(np.float64(total))) / FEATURES)
    for k in range(FEATURES):
        values.weights[values.indices[k]] += step
