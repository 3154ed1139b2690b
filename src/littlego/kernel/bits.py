"""Boards as machine words for compiled code: groups, liberties and symmetries on 25-bit masks.

Every board up to 5x5 is placed in the top left of a 5x5 frame, point `5 * row + column`; a `board` mask
says which points exist, so one compiled kernel serves every size. The slow twin is `core.board`.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from littlego.kernel.marks import compiled, machine_instruction

Words = npt.NDArray[np.int64]
"""The array type of compiled code."""

SIDE: Final = 5
POINTS: Final = SIDE * SIDE
FRAME: Final = (1 << POINTS) - 1
_COLUMN: Final = sum(1 << SIDE * row for row in range(SIDE))
_NOT_FIRST: Final = FRAME & ~_COLUMN
_NOT_LAST: Final = FRAME & ~(_COLUMN << SIDE - 1)
_ROW: Final = (1 << SIDE) - 1


@machine_instruction
def popcount(x: int) -> int:
    """How many bits are set."""
    return int(x).bit_count()


@machine_instruction
def lowest(x: int) -> int:
    """The number of the lowest set bit; 64 for an empty mask."""
    return (int(x) & -int(x)).bit_length() - 1 if x else 64


@machine_instruction
def at(index: int) -> int:
    """An index that is known not to be negative.

    Compiled code then does not ask whether it counts from the end, which took 13% of the solver.
    """
    return index


@machine_instruction
def power_of_two(k: int) -> float:
    """2.0**k, for k from -1022 to 1023."""
    return math.ldexp(1.0, k)


@machine_instruction
def prefetch(words: Words, index: int) -> None:
    """Fetch a word of an array into the processor's cache; changes nothing."""


@compiled
def beside(mask: int) -> int:
    """The points of the frame next to any point of `mask`."""
    return (mask << 5 | mask >> 5 | (mask & _NOT_LAST) << 1 | (mask & _NOT_FIRST) >> 1) & FRAME


@compiled
def flood(seed: int, within: int) -> int:
    """The points of `within` connected to any point of `seed`, which must lie in `within`."""
    while True:
        grown = (seed | seed << 5 | seed >> 5 | (seed & _NOT_LAST) << 1 | (seed & _NOT_FIRST) >> 1) & within
        if grown == seed:
            return seed
        seed = grown


@compiled
def find_groups(stones: int, empty: int, groups: Words, start: int) -> int:
    """Write the groups of `stones` from `groups[start]` on, as (stones, liberties) pairs; returns how many."""
    count = 0
    while stones:
        group = flood(stones & -stones, stones)
        groups[at(start + 2 * count)] = group
        groups[at(start + 2 * count + 1)] = beside(group) & empty
        count += 1
        stones ^= group
    return count


@compiled
def mirror_rows(mask: int) -> int:
    """Turn the frame upside down."""
    return (
        (mask & _ROW) << 20 | (mask & _ROW << 5) << 10 | mask & _ROW << 10 | mask >> 10 & _ROW << 5 | mask >> 20 & _ROW
    )


@compiled
def mirror_columns(mask: int) -> int:
    return (
        (mask & _COLUMN) << 4
        | (mask & _COLUMN << 1) << 2
        | mask & _COLUMN << 2
        | mask >> 2 & _COLUMN << 1
        | mask >> 4 & _COLUMN
    )


def _diagonal(offset: int) -> int:
    """The points whose column is `offset` more than their row."""
    return sum(1 << SIDE * row + row + offset for row in range(SIDE) if 0 <= row + offset < SIDE)


# Exchanging rows and columns moves a point by four bits for each step it is off the diagonal.
_D0, _D1, _D2, _D3, _D4 = (_diagonal(k) for k in range(5))
_U1, _U2, _U3, _U4 = (_diagonal(-k) for k in range(1, 5))


@compiled
def transpose(mask: int) -> int:
    return (
        mask & _D0
        | (mask & _D1) << 4
        | (mask & _D2) << 8
        | (mask & _D3) << 12
        | (mask & _D4) << 16
        | (mask & _U1) >> 4
        | (mask & _U2) >> 8
        | (mask & _U3) >> 12
        | (mask & _U4) >> 16
    )


# A symmetry of the frame is a number: bit 2 transpose first, then bit 0 mirror columns, bit 1 mirror rows.
@compiled
def turn(mask: int, symmetry: int) -> int:
    if symmetry & 4:
        mask = transpose(mask)
    if symmetry & 1:
        mask = mirror_columns(mask)
    if symmetry & 2:
        mask = mirror_rows(mask)
    return mask


@compiled
def inverse(symmetry: int) -> int:
    """The symmetry that undoes another: mirrors undo themselves; after a transposition they change places."""
    return symmetry if symmetry < 4 else 4 | (symmetry & 1) << 1 | symmetry >> 1 & 1


@compiled
def image(move: int, symmetry: int) -> int:
    """Where a symmetry takes a move; PASS and NO_MOVE stay the same."""
    if move < 0 or move >= POINTS or symmetry == 0:
        return move
    return lowest(turn(1 << move, symmetry))
