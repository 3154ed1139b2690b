"""The table of proven bounds: exact keys, one word an entry, shared by all threads without locks.

A position is packed into 60 bits, from the side of the player to move:

    0-24 mine | 25-49 theirs | 50-54 ko point + 1 (0: none) | 55-59 plies left

`mix` turns the key into another of 60 bits, one to one, so nothing is lost: its low bits number the
bucket and the rest, the tag, is kept in the entry. Two positions never share an entry.

    0-5 least margin + 25 | 6-11 greatest margin + 25 | 12-16 best move + 1 | 17-19 effort | 20-63 tag

The margin is my stones minus theirs at the end with best play, without komi, so that one table
serves every komi and every winning margin. Key and value are one 64-bit word: a thread reads an
entry whole or not at all, and the worst that a race does is to lose one.

A bucket is one cache line of eight entries. A new entry takes the place of the same key, else of
an empty slot, else of the entry that took the least effort (a logarithm of the nodes below it).
Keys belong to one board size; a table must be cleared before it is used for another.
"""

from __future__ import annotations

import mmap
from typing import Final

import numpy as np

from littlego.solve.bits import (
    Words,
    compiled,
    lowest,
    mirror_columns,
    mirror_rows,
    popcount,
    prefetch,
    transpose,
    turn,
)

KEY_BITS: Final = 60
_KEY: Final = (1 << KEY_BITS) - 1
_ODD_1: Final = 0x1E3779B97F4A7C15
_ODD_2: Final = 0x56E8FEB86659FD93
SLOTS: Final = 8
LEAST_BITS: Final = 16
"""With fewer buckets the tag would not fit."""
MARGIN: Final = 25
"""The margin of a game lies within plus and minus this."""
NO_MOVE: Final = -1
PASS_MOVE: Final = 25


@compiled
def pack(mine: int, theirs: int, ko: int, left: int) -> int:
    """The key of a position; `ko` is -1 for none."""
    return mine | theirs << 25 | (ko + 1) << 50 | left << 55


@compiled
def fold(mine: int, theirs: int, ko: int, left: int) -> tuple[int, int]:
    """The smallest key among the eight images of a position, and the symmetry that leads to it."""
    marked = 0 if ko < 0 else 1 << ko
    best = pack(mine, theirs, ko, left)
    chosen = 0
    for symmetry in range(8):
        if symmetry == 4:
            mine = transpose(mine)
            theirs = transpose(theirs)
            marked = transpose(marked)
        a = mine
        b = theirs
        if symmetry & 1:
            a = mirror_columns(a)
            b = mirror_columns(b)
        if symmetry & 2:
            a = mirror_rows(a)
            b = mirror_rows(b)
        point = -1
        if marked:
            point = lowest(turn(marked, symmetry & 3))
        key = pack(a, b, point, left)
        if key < best:
            best = key
            chosen = symmetry
    return best, chosen


@compiled
def mix(key: int) -> int:
    """A one-to-one scrambling of 60 bits: odd products and shifted sums can be undone."""
    key = key * _ODD_1 & _KEY
    key ^= key >> 31
    key = key * _ODD_2 & _KEY
    return key ^ key >> 29


@compiled
def fetch(words: Words, bits: int, key: int) -> None:
    """Bring a key's bucket nearer."""
    prefetch(words, (mix(key) & (1 << bits) - 1) * 8)


@compiled
def probe(words: Words, bits: int, key: int) -> int:
    """The low 20 bits of the key's entry, or 0."""
    mixed = mix(key)
    start = (mixed & (1 << bits) - 1) * 8
    tag = mixed >> bits << 20
    for slot in range(start, start + 8):
        word: int = words[slot]
        if word == 0:
            return 0
        if (word ^ tag) >> 20 == 0:
            return word & 0xFFFFF
    return 0


@compiled
def least(info: int) -> int:
    """The proven least margin in an entry's low bits."""
    return (info & 63) - 25


@compiled
def greatest(info: int) -> int:
    """The proven greatest margin in an entry's low bits."""
    return (info >> 6 & 63) - 25


@compiled
def best_move(info: int) -> int:
    """The move that led to the bound, in the key's own orientation; NO_MOVE for none."""
    return (info >> 12 & 31) - 1


@compiled
def store(words: Words, bits: int, key: int, low: int, high: int, move: int, effort: int) -> None:
    """Keep what was proven, together with what the entry already says."""
    mixed = mix(key)
    start = (mixed & (1 << bits) - 1) * 8
    tag = mixed >> bits << 20
    chosen = start
    easiest = 8
    for slot in range(start, start + 8):
        word = words[slot]
        if word == 0:
            chosen = slot
            break
        if (word ^ tag) >> 20 == 0:
            low = max(low, (word & 63) - 25)
            high = min(high, (word >> 6 & 63) - 25)
            effort = max(effort, word >> 17 & 7)
            if move < 0:
                move = (word >> 12 & 31) - 1
            chosen = slot
            break
        if (word >> 17 & 7) < easiest:
            easiest = word >> 17 & 7
            chosen = slot
    words[chosen] = tag | effort << 17 | (move + 1) << 12 | (high + 25) << 6 | (low + 25)


@compiled
def store_all(words: Words, bits: int, keys: Words, values: Words) -> None:
    """Keep many bounds; a value is laid out as the low bits of an entry."""
    for i in range(keys.shape[0]):
        value = values[i]
        store(words, bits, keys[i], (value & 63) - 25, (value >> 6 & 63) - 25, (value >> 12 & 31) - 1, 7)


@compiled
def count_used(words: Words) -> int:
    """How many entries are in use among the first 2**16, as a sample."""
    used = 0
    for slot in range(1 << 16):
        used += popcount(words[slot]) > 0
    return used


class Table:
    """The words and the number of buckets, as a power of two. Memory is given out as it is touched."""

    def __init__(self, bytes_allowed: int) -> None:
        buckets = max(bytes_allowed // (8 * SLOTS), 1 << LEAST_BITS)
        self.bits = buckets.bit_length() - 1
        self.bytes = 8 * SLOTS << self.bits
        self._memory = mmap.mmap(-1, self.bytes)
        if hasattr(mmap, "MADV_HUGEPAGE"):
            # Large pages: a probe is a miss in the cache already, it need not miss the page table too.
            self._memory.madvise(mmap.MADV_HUGEPAGE)
        self.words: Words = np.frombuffer(self._memory, dtype=np.int64)

    def clear(self) -> None:
        """Forget everything."""
        self.words.fill(0)

    @property
    def share_used(self) -> float:
        """The share of entries in use, estimated from a part of the table."""
        return float(count_used(self.words)) / (1 << 16)
