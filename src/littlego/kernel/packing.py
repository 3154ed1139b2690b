"""Positions and proven values packed into words; all layouts that the solver uses are described here.

A **key** is a position in 60 bits, from the side of the player to move:

    0-24 mine | 25-49 theirs | 50-54 ko point + 1 (0: none) | 55-59 plies left

A **value** is what is proven about a position; its margin is my stones minus theirs at the end with best
play, without komi:

    0-5 least margin + 25 | 6-11 greatest margin + 25 | 12-16 best move + 1 (0: none)

Above the value, from VALUE_BITS on, the table has effort and tag, and the search's log has nodes.
All functions take numbers or arrays, and can be called from compiled code.
"""

from __future__ import annotations

from typing import Final, TypeVar

from littlego.kernel.bits import FRAME, POINTS, Words
from littlego.kernel.marks import inlined

Packed = TypeVar("Packed", int, Words)

KEY_BITS: Final = 60
VALUE_BITS: Final = 17
MOST_LEFT: Final = 31
"""Plies left are five bits of a key."""
MARGIN: Final = POINTS
"""Margins lie between minus this and plus this."""
NO_MOVE: Final = -1
PASS: Final = POINTS
"""A move is a point of the frame, or this."""
NO_KO: Final = -1


@inlined
def pack_key(mine: Packed, theirs: Packed, ko: Packed, left: Packed) -> Packed:
    """The key of a position; `ko` is NO_KO for none."""
    return mine | theirs << 25 | (ko + 1) << 50 | left << 55


@inlined
def unpack_key(key: Packed) -> tuple[Packed, Packed, Packed, Packed]:
    """Mine, theirs, ko and plies left of a key."""
    return key & FRAME, key >> 25 & FRAME, (key >> 50 & 31) - 1, key >> 55


@inlined
def plies_left(key: Packed) -> Packed:
    return key >> 55


@inlined
def pack_value(low: Packed, high: Packed, move: Packed) -> Packed:
    """The value of a margin from `low` to `high`; `move` reaches `low`, or is NO_MOVE."""
    return low + MARGIN | high + MARGIN << 6 | move + 1 << 12


@inlined
def least(value: Packed) -> Packed:
    return (value & 63) - MARGIN


@inlined
def greatest(value: Packed) -> Packed:
    return (value >> 6 & 63) - MARGIN


@inlined
def best_move(value: Packed) -> Packed:
    """The move that reaches the least margin, in the key's own orientation, or NO_MOVE."""
    return (value >> 12 & 31) - 1
