"""The table of proven bounds: exact keys, one word per entry, shared by all threads without locks.

`mix` turns a key (see `kernel.words`) into another of 60 bits, one to one, so nothing is lost: its low
bits number the bucket and the rest, the tag, is kept in the entry. Two positions never share an entry.

    0-16 value, as in `kernel.words` | 17-19 effort | 20-63 tag

Margins are without komi, so that one table serves every komi and every target. Key and value are one 64-bit
word: a thread reads an entry whole or not at all, and a race can do no worse than lose one.

A bucket is one cache line of eight entries. A new entry takes the place of the same key, else of
an empty slot, else of the entry that took the least effort (a logarithm of the nodes below it).
Keys belong to one board size: a table serves one size only.

A table starts small and doubles when it is half full. Bucket and tag together are the whole mixed key, so
entries move to the larger table without their positions.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from littlego.kernel.host import KernelMemory
from littlego.kernel.marks import compiled
from littlego.kernel.words import (
    KEY_BITS,
    NO_KO,
    NO_MOVE,
    VALUE_BITS,
    Words,
    at,
    best_move,
    greatest,
    least,
    lowest,
    mirror_columns,
    mirror_rows,
    pack_key,
    pack_value,
    prefetch,
    transpose,
    turn,
)
from littlego.solve.layout import new_memory

TAG_SHIFT: Final = 20
_KEY: Final = (1 << KEY_BITS) - 1
ODD_1: Final = 0x1E3779B97F4A7C15
ODD_2: Final = 0x56E8FEB86659FD93
SLOTS: Final = 8
MOST_EFFORT: Final = 7
LEAST_BITS: Final = 16
"""With fewer buckets, 4 MiB of them, the tag would not fit."""
_SAMPLE: Final = 1 << 12
_BATCH: Final = 1 << 12
"""Entries that are handed to the kernel at a time."""


@compiled
def fold(mine: int, theirs: int, ko: int, left: int) -> tuple[int, int]:
    """The smallest key among the eight images of a position, and the symmetry that leads to it."""
    marked = 0 if ko == NO_KO else 1 << ko
    best = pack_key(mine, theirs, ko, left)
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
        point = NO_KO
        if marked:
            point = lowest(turn(marked, symmetry & 3))
        key = pack_key(a, b, point, left)
        if key < best:
            best = key
            chosen = symmetry
    return best, chosen


@compiled
def mix(key: int) -> int:
    """A one-to-one scrambling of 60 bits: odd products and shifted sums can be undone."""
    key = key * ODD_1 & _KEY
    key ^= key >> 31
    key = key * ODD_2 & _KEY
    return key ^ key >> 29


@compiled
def fetch(words: Words, bits: int, key: int) -> None:
    """Prefetch a key's bucket before a probe."""
    prefetch(words, (mix(key) & (1 << bits) - 1) * SLOTS)


@compiled
def probe(words: Words, bits: int, key: int) -> int:
    """The value proven for a key, with the effort above its bits, or 0 for none."""
    mixed = mix(key)
    start = (mixed & (1 << bits) - 1) * SLOTS
    tag = mixed >> bits << TAG_SHIFT
    for slot in range(start, start + SLOTS):
        word: int = words[at(slot)]
        if word == 0:
            return 0
        if (word ^ tag) >> TAG_SHIFT == 0:
            return word & (1 << TAG_SHIFT) - 1
    return 0


@compiled
def store(words: Words, bits: int, key: int, low: int, high: int, move: int, effort: int) -> None:
    """Store what was proven, combined with what the entry already has."""
    mixed = mix(key)
    start = (mixed & (1 << bits) - 1) * SLOTS
    tag = mixed >> bits << TAG_SHIFT
    chosen = start
    easiest = MOST_EFFORT + 1
    for slot in range(start, start + SLOTS):
        word = words[at(slot)]
        if word == 0:
            chosen = slot
            break
        if (word ^ tag) >> TAG_SHIFT == 0:
            # The move is the one that reaches the greater of the two least margins: another may fail to.
            if low < least(word) or (low == least(word) and move == NO_MOVE):
                move = best_move(word)
            low = max(low, least(word))
            high = min(high, greatest(word))
            effort = max(effort, word >> VALUE_BITS & MOST_EFFORT)
            chosen = slot
            break
        if (word >> VALUE_BITS & MOST_EFFORT) < easiest:
            easiest = word >> VALUE_BITS & MOST_EFFORT
            chosen = slot
    words[at(chosen)] = tag | effort << VALUE_BITS | pack_value(low, high, move)


@compiled
def store_all(words: Words, bits: int, keys: Words, values: Words) -> None:
    for i in range(keys.shape[0]):
        value = values[i]
        store(words, bits, keys[i], least(value), greatest(value), best_move(value), MOST_EFFORT)


@compiled
def double(words: Words, bits: int) -> None:
    """Divide the entries of 2**bits buckets, the first half of `words`, among twice as many; the rest must be empty.

    The next bit of a mixed key says whether an entry stays in its bucket or goes to the one as far behind as there
    were buckets.
    """
    for bucket in range(1 << bits):
        stays = bucket * SLOTS
        goes = (bucket + (1 << bits)) * SLOTS
        for slot in range(bucket * SLOTS, (bucket + 1) * SLOTS):
            word = words[at(slot)]
            if word == 0:
                break
            words[at(slot)] = 0
            rest = word & (1 << TAG_SHIFT) - 1
            tag = word >> TAG_SHIFT & (1 << KEY_BITS - bits) - 1
            moved = tag >> 1 << TAG_SHIFT | rest
            if tag & 1:
                words[at(goes)] = moved
                goes += 1
            else:
                words[at(stays)] = moved
                stays += 1


class Table:
    """The words of the table, in the kernel's memory, and the number of its buckets as a power of two."""

    def __init__(self, bytes_allowed: int, memory: KernelMemory | None = None) -> None:
        """`bytes_allowed` bounds its size. It grows at the end of `memory`, where nothing else may follow.

        Raises KernelError.
        """
        self._memory = memory or new_memory()
        self._kernel = self._memory.instance()
        self._staged = self._memory.words(2 * _BATCH)
        self.address = self._memory.allocate(8 * SLOTS << LEAST_BITS)
        room = min(bytes_allowed, self._memory.most_bytes - self.address)
        self._most_bits = max(room // (8 * SLOTS), 1 << LEAST_BITS).bit_length() - 1
        self.bits = LEAST_BITS
        self.words = self._words()

    def _words(self) -> Words:
        return self._memory.view(self.address, SLOTS << self.bits)

    @property
    def share_used(self) -> float:
        """The share of entries in use, estimated from a part of the table."""
        return np.count_nonzero(self.words[:_SAMPLE]) / _SAMPLE

    def bits_for(self, entries: int = 0) -> int:
        """How large it should be, within its bound, to be at most half full, counting `entries` to come twice.

        With that much room hardly any of those takes another's place.
        """
        bits = self.bits
        used = self.share_used * (SLOTS << bits) + 2 * entries
        while bits < self._most_bits and used > SLOTS << bits - 1:
            bits += 1
        return bits

    def make_room(self, entries: int = 0) -> None:
        """Grow to `bits_for`; no other thread may use the table meanwhile. Raises KernelError."""
        bits = self.bits_for(entries)
        while self.bits < bits:
            self._memory.reach(self.address + (8 * SLOTS << self.bits + 1))
            self._kernel.call("table_double", self.address, self.bits)
            self.bits += 1
        self.words = self._words()

    def probe(self, key: int) -> int:
        """The value proven for a key, with the effort above its bits, or 0 for none."""
        return self._kernel.call("table_probe", self.address, self.bits, key)

    def store_all(self, keys: Words, values: Words) -> None:
        where = self._memory.address_of(self._staged)
        for start in range(0, len(keys), _BATCH):
            count = min(_BATCH, len(keys) - start)
            self._staged[:count] = keys[start : start + count]
            self._staged[_BATCH : _BATCH + count] = values[start : start + count]
            self._kernel.call("table_store_all", self.address, self.bits, where, where + 8 * _BATCH, count)
