"""The checker compiled: the twin of `check`, for certificates with millions of entries.

It checks the same of every entry, and shares no code with the solver, nor with `check`, except for reading the
file. Only the *idea* of the bound is common to all three. A board here has rows of eight bits, with room on both sides:

    point (row, column) is bit 8 * row + column + 1

so that neighbours are plain shifts, cut off by the mask of the board. A position is the winner's stones, the
loser's, the forbidden point as a bit (0: none), and plies left. `Tables.known` is a set of keys with open
addressing: key + 1, 0 for a free place.

Where an entry fails, the slow checker looks at it again and says why.
"""

from __future__ import annotations

import math
import queue
import threading
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from littlego.core.board import BLACK
from littlego.kernel.host import Instance
from littlego.kernel.marks import compiled
from littlego.solve.layout import CHECKER_WORDS, new_memory
from littlego.solve.proof.check import PASS_BYTE, Certificate, CheckFailed, verify_entries

Words = npt.NDArray[np.int64]

MOST_SETS: Final = 6
"""Sets of up to this many small groups are tried one by one, as in `check`: with more, all are counted as lost."""
MOST_SEARCHED: Final = 2
"""With at most this many plies left the winner's move may be missing, and is found here; no other may."""
ALL_RIGHT: Final = -1
# Scratch: the stones and the liberties of the winner's groups, then of those in danger.
STONES, LIBERTIES, SMALL_STONES, SMALL_LIBERTIES = range(0, CHECKER_WORDS, CHECKER_WORDS // 4)
_BATCH: Final = 1 << 14
_SPREAD: Final = 0x1F123BB5159A55E5


class Tables(NamedTuple):
    """A certificate as the compiled functions read it."""

    known: Words
    size: int
    board: int
    """The points that exist."""
    komi: int
    """Twice what the winner's stones minus the loser's must exceed."""
    fold: int
    search: int
    frontier: int
    scratch: Words
    """CHECKER_WORDS words, for one thread alone."""


@compiled
def near(points: int, board: int) -> int:
    return (points << 8 | points >> 8 | points << 1 | points >> 1) & board


@compiled
def chain(stone: int, stones: int, board: int) -> int:
    """The stones connected to one."""
    found = stone
    edge = stone
    while edge:
        edge = near(edge, board) & stones & ~found
        found |= edge
    return found


@compiled
def how_many(points: int) -> int:
    n = 0
    while points:
        points &= points - 1
        n += 1
    return n


@compiled
def put(point: int, own: int, other: int, ko: int, board: int) -> tuple[bool, int, int, int]:
    """Whether a stone may be played, and own stones, the other's, and the forbidden point after it."""
    if point & board & ~(own | other) == 0 or point == ko:
        return False, own, other, 0
    own |= point
    dead = 0
    beside = near(point, board) & other
    while beside:
        stone = beside & -beside
        group = chain(stone, other, board)
        beside &= ~group
        if near(group, board) & ~(own | other) == 0:
            dead |= group
    other &= ~dead
    group = chain(point, own, board)
    liberties = near(group, board) & ~(own | other)
    if liberties == 0:
        return False, own, other, 0
    single = dead != 0 and dead & (dead - 1) == 0
    return True, own, other, dead if single and group == point and liberties == dead else 0


@compiled
def compact(points: int, size: int) -> int:
    """Points numbered row by row without gaps, as in the keys of a certificate."""
    found = 0
    for row in range(size):
        found |= (points >> 8 * row + 1 & (1 << size) - 1) << size * row
    return found


@compiled
def spread(points: int, size: int) -> int:
    """The inverse of `compact`."""
    found = 0
    for row in range(size):
        found |= (points >> size * row & (1 << size) - 1) << 8 * row + 1
    return found


@compiled
def turned(points: int, how: int, size: int) -> int:
    """One of eight images: bit 0 of `how` turns columns round, bit 1 rows, bit 2 exchanges the two."""
    found = 0
    for row in range(size):
        for column in range(size):
            if points >> 8 * row + column + 1 & 1:
                r = size - 1 - row if how & 2 else row
                c = size - 1 - column if how & 1 else column
                if how & 4:
                    r, c = c, r
                found |= 1 << 8 * r + c + 1
    return found


@compiled
def key_of(own: int, other: int, ko: int, left: int, size: int) -> int:
    """0-24 own | 25-49 other | 50-54 ko point + 1 | 55-59 plies left."""
    number = 0
    mark = compact(ko, size)
    while mark:
        mark >>= 1
        number += 1
    return compact(own, size) | compact(other, size) << 25 | number << 50 | left << 55


@compiled
def is_known(tables: Tables, key: int) -> bool:
    mask = tables.known.shape[0] - 1
    at = key * _SPREAD >> 20 & mask
    while tables.known[at] != 0:
        if tables.known[at] == key + 1:
            return True
        at = at + 1 & mask
    return False


@compiled
def remember(known: Words, keys: Words) -> None:
    mask = known.shape[0] - 1
    for number in range(keys.shape[0]):
        key = keys[number]
        at = key * _SPREAD >> 20 & mask
        while known[at] != 0:
            at = at + 1 & mask
        known[at] = key + 1


@compiled
def most_lost(w: Words, count: int, attacks: int, turns: int, first: int, board: int) -> int:
    """The most that the winner loses against an exchange of a stone a move; the argument is in `check`.

    The winner's groups are in `w`.
    """
    small = 0
    in_danger = 0
    widest = wide = 0
    widest_count = wide_count = 0
    for i in range(count):
        stones = w[STONES + i]
        liberties = w[LIBERTIES + i]
        n = how_many(liberties)
        if n > attacks:
            if n > widest_count:
                wide, wide_count, widest, widest_count = widest, widest_count, liberties, n
            elif n > wide_count:
                wide, wide_count = liberties, n
        else:
            eyes = liberties & ~near(board & ~stones, board)
            if how_many(eyes) < 2:
                w[SMALL_STONES + small] = how_many(stones)
                w[SMALL_LIBERTIES + small] = liberties
                in_danger += how_many(stones)
                small += 1
    missed = turns
    filled = board
    if widest_count:
        slack = widest_count - attacks - 1
        if wide_count and how_many(widest | wide) >= 2 * attacks + 2:
            missed = first - slack
        else:
            missed = attacks + first - slack
            filled = widest
    most = min(max(missed, 0), turns)
    if small > MOST_SETS:
        return most + in_danger
    for chosen in range(1, 1 << small):
        union = 0
        lost = 0
        for i in range(small):
            if chosen >> i & 1:
                union |= w[SMALL_LIBERTIES + i]
                lost += w[SMALL_STONES + i]
        if how_many(union) <= attacks:
            most = max(most, lost + min(max(missed - how_many(union & ~filled), 0), turns))
    return most


@compiled
def is_decided(tables: Tables, own: int, other: int, left: int, winner_moves: bool) -> bool:
    """Whether the winner wins from here by filling liberties, whatever the loser does."""
    board = tables.board
    turns = (left + 1) // 2 if winner_moves else left // 2
    attacks = left - turns
    spare = 2 * (how_many(own) - how_many(other) + turns - attacks) - tables.komi
    if spare <= 0:
        return False
    w = tables.scratch
    count = 0
    rest = own
    while rest:
        group = chain(rest & -rest, own, board)
        rest &= ~group
        w[STONES + count] = group
        w[LIBERTIES + count] = near(group, board) & ~(own | other)
        count += 1
    first = 1 if winner_moves else 0
    return 2 * most_lost(w, count, attacks, turns, first, board) < spare


@compiled
def is_ahead(tables: Tables, own: int, other: int) -> bool:
    return 2 * (how_many(own) - how_many(other)) > tables.komi


@compiled
def survives(tables: Tables, own: int, other: int, ko: int) -> bool:
    """Whether the winner stays ahead whatever the loser does with the last ply."""
    if not is_ahead(tables, own, other):
        return False
    rest = tables.board & ~(own | other)
    while rest:
        point = rest & -rest
        rest ^= point
        legal, loser, winner, _ = put(point, other, own, ko, tables.board)
        if legal and not is_ahead(tables, winner, loser):
            return False
    return True


@compiled
def wins(tables: Tables, own: int, other: int, ko: int, left: int) -> bool:
    """Whether the winner, to move with one or two plies left, has a move that wins; not right after a pass."""
    if is_ahead(tables, own, other) and (left == 1 or survives(tables, own, other, 0)):
        return True
    rest = tables.board & ~(own | other)
    while rest:
        point = rest & -rest
        rest ^= point
        legal, winner, loser, forbidden = put(point, own, other, ko, tables.board)
        if legal and (is_ahead(tables, winner, loser) if left == 1 else survives(tables, winner, loser, forbidden)):
            return True
    return False


@compiled
def is_met(tables: Tables, own: int, other: int, ko: int, left: int, passes: int) -> bool:
    """Whether a position with the winner to move has an entry, or needs none, or is beyond the end of the file."""
    if left < tables.frontier:
        return True
    if left == 0 or passes == 2:
        return is_ahead(tables, own, other)
    if is_decided(tables, own, other, left, True) or (passes == 1 and is_ahead(tables, own, other)):
        return True
    key = key_of(own, other, ko, left, tables.size)
    if left >= tables.fold:
        least = 0
        for how in range(1, 8):
            a, b = turned(own, how, tables.size), turned(other, how, tables.size)
            image = key_of(a, b, turned(ko, how, tables.size), left, tables.size)
            if image < key:
                key = image
                least = how
        if least and is_decided(tables, turned(own, least, tables.size), turned(other, least, tables.size), left, True):
            return True
    return is_known(tables, key) or (left <= tables.search and wins(tables, own, other, ko, left))


@compiled
def is_right(tables: Tables, key: int, move: int) -> bool:
    """Whether an entry's move is legal and every reply to it is met."""
    board, size = tables.board, tables.size
    points = (1 << 25) - 1
    own, other = spread(key & points, size), spread(key >> 25 & points, size)
    number, left = key >> 50 & 31, key >> 55
    ko = spread(1 << number - 1, size) if number else 0
    passes = 0
    if move == PASS_BYTE:
        # The position may arise after a pass of the loser, when passing ends the game at once.
        if not is_ahead(tables, own, other):
            return False
        ko, passes = 0, 1
    else:
        legal = move < size * size
        if legal:
            legal, own, other, ko = put(spread(1 << move, size), own, other, ko, board)
        if not legal:
            return False
    left -= 1
    if left == 0:
        return is_ahead(tables, own, other)
    if is_decided(tables, own, other, left, False):
        return True
    if not is_met(tables, own, other, 0, left - 1, passes + 1):
        return False
    rest = board & ~(own | other)
    while rest:
        point = rest & -rest
        rest ^= point
        legal, loser, winner, forbidden = put(point, other, own, ko, board)
        if legal and not is_met(tables, winner, loser, forbidden, left - 1, 0):
            return False
    return True


@compiled
def first_wrong(tables: Tables, keys: Words, moves: npt.NDArray[np.uint8], numbers: Words) -> int:
    """The first of the entries `numbers` that is not right, or ALL_RIGHT."""
    for k in range(numbers.shape[0]):
        number = numbers[k]
        if not is_right(tables, keys[number], int(moves[number])):
            return int(number)
    return ALL_RIGHT


class FastChecker:
    """A certificate in the kernel's memory: eight bytes for each entry, and up to 24 for the set of keys.

    Threads may share it.
    """

    def __init__(self, certificate: Certificate) -> None:
        """Raises KernelError."""
        rules = certificate.start.rules
        self.certificate = certificate
        self._memory = new_memory()
        keys = self._memory.array(np.frombuffer(certificate.keys, dtype=np.uint64).view(np.int64))
        moves = self._memory.array(np.frombuffer(certificate.moves, dtype=np.uint8))
        known = self._memory.words(1 << max(4, (len(keys) * 4 // 3).bit_length()))
        at = self._memory.address_of
        self._idle: queue.SimpleQueue[tuple[Instance, Words, Words]] = queue.SimpleQueue()
        self._lock = threading.Lock()
        kernel, *_ = worker = self._new_worker()
        kernel.call("checker_remember", at(known), known.size, at(keys), keys.size)
        self._idle.put(worker)
        sign = 1 if certificate.winner is BLACK else -1
        board = sum(((1 << rules.size) - 1) << 8 * row + 1 for row in range(rules.size))
        komi = math.floor(sign * 2 * rules.komi)
        terms = (certificate.fold, certificate.search, certificate.frontier)
        self._tables = (at(known), known.size, rules.size, board, komi, *terms)
        self._entries = (at(keys), at(moves), keys.size)

    def _new_worker(self) -> tuple[Instance, Words, Words]:
        with self._lock:
            return self._memory.instance(), self._memory.words(CHECKER_WORDS), self._memory.words(_BATCH)

    def check(self, numbers: Sequence[int]) -> int:
        """Check entries; returns how many. Raises CheckFailed."""
        if self.certificate.search > MOST_SEARCHED:
            return verify_entries(self.certificate, numbers)
        try:
            worker = self._idle.get_nowait()
        except queue.Empty:
            worker = self._new_worker()
        try:
            kernel, scratch, asked = worker
            at = self._memory.address_of
            for start in range(0, len(numbers), _BATCH):
                part = np.asarray(numbers[start : start + _BATCH], dtype=np.int64)
                asked[: len(part)] = part
                entries = (*self._tables, at(scratch), *self._entries, at(asked), len(part))
                wrong = kernel.call("checker_first_wrong", *entries)
                if wrong != ALL_RIGHT:
                    verify_entries(self.certificate, [wrong])
                    raise CheckFailed(f"entry {wrong}: the compiled checker finds it wrong, its slow twin does not")
        finally:
            self._idle.put(worker)
        return len(numbers)
