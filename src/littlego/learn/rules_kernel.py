"""The rules on 5x5, compiled. The slow twin is `littlego.core`; a test plays both.

A set of points is an int with bit `5 * row + column`. A board is (own, other), `own` being the side to
move. A ko point is a point or -1. Random numbers are xorshift64*, kept in `state[0]`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from littlego.kernels import forget_stale_code

SIZE = 5
POINTS = 25
FULL = (1 << POINTS) - 1
LENGTH = 24
"""Moves in a game."""
KOMI_TWICE = 5
"""Komi is 2.5; twice that keeps scores whole."""
PASS = -1
NO_KO = -1

FIRST_COLUMN = sum(1 << SIZE * row for row in range(SIZE))
NOT_FIRST = FULL & ~FIRST_COLUMN
NOT_LAST = FULL & ~(FIRST_COLUMN << SIZE - 1)


@njit(cache=True)
def grow(mask: int) -> int:
    """The points of a set and those next to it."""
    return (mask | mask >> SIZE | mask << SIZE | (mask & NOT_FIRST) >> 1 | (mask & NOT_LAST) << 1) & FULL


forget_stale_code(grow)

NEIGHBOURS = np.array([grow.py_func(1 << point) & ~(1 << point) for point in range(POINTS)], dtype=np.int64)


@njit(cache=True)
def flood(seed: int, within: int) -> int:
    """The points of `within` connected to `seed`."""
    while True:
        grown = grow(seed) & within
        if grown == seed:
            return seed
        seed = grown


@njit(cache=True)
def count(mask: int) -> int:
    """How many points a set has."""
    mask = mask - ((mask >> 1) & 0x55555555)
    mask = (mask & 0x33333333) + ((mask >> 2) & 0x33333333)
    return (((mask + (mask >> 4)) & 0x0F0F0F0F) * 0x01010101 & 0xFFFFFFFF) >> 24


@njit(cache=True)
def captured_by(own: int, other: int, point: int) -> int:
    """The stones of `other` that a stone of `own` on an empty point takes."""
    bit = 1 << point
    suspects = NEIGHBOURS[point] & other
    empty = FULL & ~(own | other | bit)
    taken = 0
    while suspects:
        group = flood(suspects & -suspects, other)
        suspects &= ~group
        if grow(group) & empty == 0:
            taken |= group
    return taken


@njit(cache=True)
def is_legal(own: int, other: int, ko: int, point: int) -> bool:
    """Whether the side to move may place a stone there."""
    bit = 1 << point
    if (own | other) & bit or point == ko:
        return False
    empty = FULL & ~(own | other | bit)
    if NEIGHBOURS[point] & empty:
        return True
    if NEIGHBOURS[point] & own and grow(flood(bit, own | bit)) & empty:
        return True
    return captured_by(own, other, point) != 0


@njit(cache=True)
def play(own: int, other: int, point: int) -> tuple[int, int, int]:
    """After a legal stone: the mover's stones, the opponent's, and where the opponent may not retake."""
    taken = captured_by(own, other, point)
    own |= 1 << point
    other &= ~taken
    ko = NO_KO
    if taken and taken & (taken - 1) == 0:
        empty = FULL & ~(own | other)
        if NEIGHBOURS[point] & own == 0 and NEIGHBOURS[point] & empty == taken:
            ko = lowest(taken)
    return own, other, ko


@njit(cache=True)
def lowest(mask: int) -> int:
    """The first point of a set that is not empty."""
    point = 0
    while mask & 1 == 0:
        mask >>= 1
        point += 1
    return point


@njit(cache=True)
def legal_points(own: int, other: int, ko: int) -> int:
    """The points where the side to move may place a stone."""
    rest = FULL & ~(own | other)
    found = 0
    for point in range(POINTS):
        if rest >> point & 1 and is_legal(own, other, ko, point):
            found |= 1 << point
    return found


@njit(cache=True)
def black_wins(black: int, white: int) -> bool:
    """Whether Black has more, komi counted. There is no tie."""
    return 2 * count(black) > 2 * count(white) + KOMI_TWICE


@njit(cache=True)
def draw_unit(state: np.ndarray) -> float:
    """A random number from 0 up to 1."""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    return np.float64((x * np.uint64(0x2545F4914F6CDD1D)) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit(cache=True)
def draw_point(mask: int, state: np.ndarray) -> int:
    """One point of a set that is not empty, all alike."""
    skip = int(draw_unit(state) * count(mask))
    while skip:
        mask &= mask - 1
        skip -= 1
    return lowest(mask)


def seeded_state(seed: int) -> np.ndarray:
    """The start of the random numbers that follow `seed`; never 0, from which they would not move."""
    return np.random.default_rng(seed).integers(1, 2**63, size=1, dtype=np.uint64)
