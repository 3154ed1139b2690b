"""Reproducible random numbers for compiled code: xorshift64*, its one word of state in `state[0]`."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from littlego.kernel.marks import compiled
from littlego.kernel.words import lowest, popcount

State = npt.NDArray[np.uint64]

_MULTIPLIER: Final = np.uint64(0x2545F4914F6CDD1D)
_UNIT: Final = 1.0 / (1 << 53)


def seeded_state(seed: int | None) -> State:
    """The state that begins the sequence of `seed`, or a random one for None; never 0, which would stay 0."""
    return np.random.default_rng(seed).integers(1, 2**63, size=1, dtype=np.uint64)


@compiled
def draw_word(state: State) -> np.uint64:
    """64 random bits."""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    word: np.uint64 = x * _MULTIPLIER
    return word


@compiled
def draw_unit(state: State) -> float:
    """A random number from 0 up to but not including 1."""
    return np.float64(draw_word(state) >> np.uint64(11)) * _UNIT


@compiled
def draw_below(n: int, state: State) -> int:
    """A random whole number from 0 to n - 1, for n below 2**32."""
    return int(((draw_word(state) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@compiled
def draw_bit(mask: int, state: State) -> int:
    """The number of a random set bit of a mask, which must not be empty; each is equally likely."""
    skip = int(draw_unit(state) * popcount(mask))
    while skip:
        mask &= mask - 1
        skip -= 1
    return lowest(mask)
