"""Boards up to 5x5 and their positions as machine words: groups, symmetries, and what is packed into a word.

Every board is placed in the top left of a 5x5 frame, point `5 * row + column`; a `board` mask says which points exist,
so one compiled kernel serves every size. The slow twins are `core.board` and `core.position`.

A **key** is a position in 60 bits, from the side of the player to move:

    0-24 mine | 25-49 theirs | 50-54 ko point + 1 (0: none) | 55-59 plies left

A **value** is what is proven about a position; its margin is my stones minus theirs at the end with best
play, without komi:

    0-5 least margin + 25 | 6-11 greatest margin + 25 | 12-16 best move + 1 (0: none)

Above the value, from VALUE_BITS on, the table has effort and tag, and the search's log has nodes. Functions that pack
and unpack take numbers or arrays.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

from littlego.core.position import Position
from littlego.kernel.marks import compiled, inlined, machine_instruction

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


@compiled
def joinable(groups: Words, start: int, count: int) -> int:
    """The liberties of groups with at least two: a stone there, of the same side, has a liberty."""
    safe = 0
    for i in range(count):
        liberties = groups[at(start + 2 * i + 1)]
        if liberties & (liberties - 1):
            safe |= liberties
    return safe


@compiled
def last_liberties(groups: Words, start: int, count: int) -> int:
    """The liberties of groups with only one: a stone there, of the other side, captures."""
    atari = 0
    for i in range(count):
        liberties = groups[at(start + 2 * i + 1)]
        if liberties & (liberties - 1) == 0:
            atari |= liberties
    return atari


@compiled
def legal_points(empty: int, ko: int, safe: int, atari: int) -> int:
    """Where a stone is legal: beside an empty point, joined to a group with another liberty, or capturing."""
    legal = empty & (beside(empty) | safe | atari)
    if ko >= 0:
        legal &= ~(1 << ko)
    return legal


@compiled
def taken(bit: int, groups: Words, start: int, count: int) -> int:
    """The stones of the groups whose last liberty is `bit`."""
    captured = 0
    for i in range(count):
        if groups[at(start + 2 * i + 1)] == bit:
            captured |= groups[at(start + 2 * i)]
    return captured


@compiled
def ko_after(bit: int, mine: int, captured: int, empty: int) -> int:
    """Where the stone `bit`, having taken `captured`, may not be retaken, or NO_KO; `mine` before, `empty` after it."""
    if captured and captured & (captured - 1) == 0:
        around = beside(bit)
        if around & mine == 0 and around & empty == captured:
            return lowest(captured)
    return NO_KO


@dataclass(frozen=True, slots=True)
class Spot:
    """A position as compiled code sees it, from the side of the player to move."""

    mine: int
    theirs: int
    ko: int
    """A point of the frame, or NO_KO."""
    left: int
    """Plies left."""


def spot_of(position: Position) -> Spot:
    """A position in the frame. Passes in a row are not part of it."""
    size = position.size
    return Spot(
        framed(position.board.stones(position.to_move), size),
        framed(position.board.stones(position.to_move.opponent), size),
        NO_KO if position.ko is None else framed_point(position.ko, size),
        position.plies_left,
    )


def board_mask(size: int) -> int:
    """The points of the frame that exist on a board of a size."""
    return framed((1 << size * size) - 1, size)


def framed(mask: int, size: int) -> int:
    row = (1 << size) - 1
    return sum((mask >> size * i & row) << SIDE * i for i in range(size))


def unframed(mask: Packed, size: int) -> Packed:
    """The inverse of `framed`."""
    row = (1 << size) - 1
    found = mask & row
    for i in range(1, size):
        found |= (mask >> SIDE * i & row) << size * i
    return found


def framed_point(point: int, size: int) -> int:
    return point // size * SIDE + point % size


def unframed_point(point: Packed, size: int) -> Packed:
    """The inverse of `framed_point`."""
    return point // SIDE * size + point % SIDE
