"""Values of afterstates, compiled: patterns or a table, behind the same two functions.

The slow twin of the patterns is `features`. A value is the chance of winning, from 0 to 1, of the side
that has just moved: the logistic function of a sum of weights, or an entry of the table.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from littlego.core.errors import UsageError
from littlego.core.points import symmetries
from littlego.core.rules import DEFAULT_SIZE, Rules, edition_rules
from littlego.kernel.any_size import Game, beside, flood, game_of
from littlego.kernel.bits import lowest, popcount
from littlego.kernel.compiling import compiled
from littlego.learn.features import CODINGS, DIFFERENCES, STAGES, Features, features_of
from littlego.learn.model import UNKNOWN, PatternModel

PATTERNS, TABLE = 0, 1
REPRESENTATIONS = ("patterns", "table")
EMPTY_KEY = 0


class Layout(NamedTuple):
    """Where the weights of patterns are: `features.Features` as arrays."""

    cells_7: np.ndarray
    """The cells of every placement of a shape with the coding of seven; `cells_5` and `cells_3` likewise."""
    cells_5: np.ndarray
    cells_3: np.ndarray
    offsets_7: np.ndarray
    """Where the weights of these placements begin in a set."""
    offsets_5: np.ndarray
    offsets_3: np.ndarray
    difference_offset: int
    danger_offset: int
    set_size: int
    length: int


class Values(NamedTuple):
    """What has been learned, as arrays, and for which game; only the arrays of its kind are used."""

    game: Game
    layout: Layout
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


def new_values(representation: str, rules: Rules | None = None, *, table_bits: int = 22) -> Values:
    """Values before any game of `rules` (default: the newest edition).

    Raises ValueError for an unknown representation, and UsageError for a board that it is not made for.
    """
    rules = rules or edition_rules()
    kind = REPRESENTATIONS.index(representation)
    patterns = kind == PATTERNS
    if not patterns and rules.size != DEFAULT_SIZE:
        raise UsageError(f"size {rules.size}: a table is for {DEFAULT_SIZE}x{DEFAULT_SIZE}; patterns are for all sizes")
    game, features = game_of(rules), features_of(rules.size)
    places = 1 if patterns else 1 << table_bits
    return Values(
        game,
        _layout(features),
        kind,
        np.zeros(features.weights if patterns else 1, dtype=np.float32),
        np.zeros(places, dtype=np.int64),
        np.zeros(places, dtype=np.float32),
        np.zeros(1, dtype=np.int64),
        np.zeros((8, 2, 1), dtype=np.int64) if patterns else _images(),
        np.zeros((3, game.points), dtype=np.int64),
        np.zeros(features.count, dtype=np.int64),
    )


def values_of(model: PatternModel, rules: Rules) -> Values:
    """A model's values as arrays, for games of `rules`, which must have the model's size."""
    values = new_values(REPRESENTATIONS[PATTERNS], rules)
    values.weights[:] = np.array(model.weights, dtype=np.float32) * np.float32(model.scale)
    return values


def _images() -> np.ndarray:
    tables = np.zeros((8, 2, 1 << 13), dtype=np.int64)
    for number, symmetry in enumerate(symmetries(DEFAULT_SIZE)):
        for part in range(2):
            for bits in range(1 << (13 - part)):
                tables[number, part, bits] = symmetry.mask(bits << 13 * part)
    return tables


def _layout(features: Features) -> Layout:
    sevens, fives, threes = (_placed(features, coding) for coding in (7, 5, 3))
    return Layout(
        sevens[0],
        fives[0],
        threes[0],
        sevens[1],
        fives[1],
        threes[1],
        features.difference_offset,
        features.danger_offset,
        features.set_size,
        features.length,
    )


def _placed(features: Features, coding: int) -> tuple[np.ndarray, np.ndarray]:
    """The placements of the shapes of a coding: their cells, and where their weights begin in a set."""
    found = [(cells, offset) for one, offset, cells in features.placements if one == coding]
    # Unsigned, so that numba need not ask whether an index counts from the end.
    return np.array([cells for cells, _ in found], np.uint32), np.array([offset for _, offset in found], np.int64)


# Loops of fixed width are unrolled: this is where training spends its time.
WIDTH_7, WIDTH_5, WIDTH_3 = 4, 6, 9
CODES_5 = np.array(CODINGS[5], dtype=np.int64)
CODES_3 = np.array(CODINGS[3], dtype=np.int64)


@compiled
def code_cells(game: Game, own: int, other: int, codes: np.ndarray) -> tuple[int, int]:
    """Fill `codes[coding][cell]`, finest first; the number of own and of other stones in atari."""
    empty = game.full & ~(own | other)
    in_atari = captive = 0
    codes[:] = 0
    for side in range(2):
        rest = other if side else own
        while rest:
            group = flood(game, rest & -rest, rest)
            rest &= ~group
            liberties = min(popcount(beside(game, group) & empty), 3)
            if liberties == 1:
                if side:
                    captive += popcount(group)
                else:
                    in_atari += popcount(group)
            code = 3 * side + liberties
            while group:
                point = lowest(group)
                group &= group - 1
                codes[0, point] = code
                codes[1, point] = CODES_5[code]
                codes[2, point] = CODES_3[code]
    return in_atari, captive


@compiled
def fill_indices(values: Values, own: int, other: int, colour: int, played: int) -> None:
    """Write the indices of the weights that make up a value to `values.indices`."""
    layout, codes, out = values.layout, values.codes, values.indices
    in_atari, captive = code_cells(values.game, own, other, codes)
    base = layout.set_size * (colour + 2 * ((played - 1) * STAGES // layout.length))
    n = 0
    for placed in range(layout.cells_7.shape[0]):
        index = 0
        for k in range(WIDTH_7):
            index = index * 7 + codes[0, layout.cells_7[placed, k]]
        out[n] = base + layout.offsets_7[placed] + index
        n += 1
    for placed in range(layout.cells_5.shape[0]):
        index = 0
        for k in range(WIDTH_5):
            index = index * 5 + codes[1, layout.cells_5[placed, k]]
        out[n] = base + layout.offsets_5[placed] + index
        n += 1
    for placed in range(layout.cells_3.shape[0]):
        index = 0
        for k in range(WIDTH_3):
            index = index * 3 + codes[2, layout.cells_3[placed, k]]
        out[n] = base + layout.offsets_3[placed] + index
        n += 1
    difference = min(max(popcount(own) - popcount(other), -12), 12) + 12
    out[n] = base + layout.difference_offset + DIFFERENCES * played + difference
    out[n + 1] = base + layout.danger_offset + 5 * min(in_atari, 4) + min(captive, 4)


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
    fill_indices(values, own, other, colour, played)
    total = np.float32(0.0)
    for k in range(values.indices.shape[0]):
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
    step = np.float32(alpha * (target - logistic(np.float64(total))) / values.indices.shape[0])
    for k in range(values.indices.shape[0]):
        values.weights[values.indices[k]] += step
