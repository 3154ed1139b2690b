"""The atlas: proven bounds of 5x5 openings that ship with the package, so that questions about them are instant.

The file is compressed with gzip, which browsers read, too. It has a level for each number of plies left, the earliest
positions first, so that whoever asks about an opening reads no more than its beginning:

    12 bytes   plies left, entries, bytes of the steps; little-endian
    steps      what each board number adds to the one before: seven bits a byte, the lowest first, 128 if more follow
    a byte     for each value: 0 lost, 1 won, 2 + move won by it, ODD another
    3 bytes    for each ODD one its value, little-endian

The board number has a digit to the base of three for each point, 1 for the side to move and 2 for the other, then ko
point + 1. Won is a margin of at least that of `least_win`, lost one below it; `kernel.words` lays out values, and the
keys that all this becomes.
"""

from __future__ import annotations

import gzip
import io
import struct
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

import numpy as np

from littlego.core.points import PASS, Move, symmetries
from littlego.core.position import Position
from littlego.kernel.words import (
    MARGIN,
    NO_KO,
    NO_MOVE,
    POINTS,
    Words,
    best_move,
    greatest,
    least,
    pack_key,
    pack_value,
    spot_of,
    unpack_key,
)
from littlego.kernel.words import PASS as PASS_MOVE

SIZE: Final = 5
FILE: Final = "atlas.bin"
LEAST_WIN: Final = (3, -2)
"""The margins that win for Black, who is to move when an even number of plies is left, and for White."""
HEAD: Final = struct.Struct("<III")
ODD: Final = 255


@dataclass(frozen=True, slots=True)
class Shipped:
    """What the atlas says of a position, from the side of the player to move."""

    low: int = -MARGIN
    """The least final margin with best play; `high` is the greatest."""
    high: int = MARGIN
    move: Move | None = None
    """Reaches `low`; None if the atlas has no move."""


@dataclass(frozen=True, slots=True)
class Layer:
    """The entries with so many plies left."""

    left: int
    numbers: Words
    """Of the boards, ascending."""
    values: Words

    @property
    def keys(self) -> Words:
        """In the layout of `kernel.words`."""
        mine, theirs = np.zeros_like(self.numbers), np.zeros_like(self.numbers)
        for start in range(0, POINTS, 9):
            part = self.numbers // 3**start % 3 ** min(9, POINTS - start)
            mine |= _places(1)[part] << start
            theirs |= _places(2)[part] << start
        return pack_key(mine, theirs, self.numbers // 3**POINTS - 1, np.full_like(mine, self.left))


@cache
def _places(digit: int) -> Words:
    """The set of places with a digit, for each number of nine digits to the base of three."""
    found = np.zeros(1, dtype=np.int64)
    for place in range(9):
        found = np.concatenate([found | (1 << place if k == digit else 0) for k in range(3)])
    return found


class Atlas:
    """Its levels, read one after the other as they are asked for."""

    def __init__(self, data: bytes) -> None:
        self._rest = _levels(data)
        self._read: dict[int, Layer] = {}
        self._lock = threading.Lock()

    def level(self, left: int) -> Layer | None:
        """The level with so many plies left, if there is one."""
        with self._lock:
            while left not in self._read and (one := next(self._rest, None)):
                self._read[one.left] = one
        return self._read.get(left)

    def entries(self) -> tuple[Words, Words]:
        """All keys and values."""
        self.level(-1)
        levels = self._read.values()
        none = np.zeros(0, dtype=np.int64)
        return np.concatenate([none, *(one.keys for one in levels)]), np.concatenate(
            [none, *(one.values for one in levels)]
        )


def look_up(position: Position) -> Shipped:
    """What the atlas says of a 5x5 position; passes in a row are no part of it.

    Needs no compiled code, so it answers at once.
    """
    spot = spot_of(position)
    if (level := _shipped().level(spot.left)) is None:
        return Shipped()
    images = []
    for symmetry in symmetries(SIZE):
        ko = NO_KO if spot.ko == NO_KO else symmetry.point(spot.ko)
        images.append((pack_key(symmetry.mask(spot.mine), symmetry.mask(spot.theirs), ko, spot.left), symmetry))
    key, symmetry = min(images, key=lambda image: image[0])
    number = int(board_numbers(np.array([key]))[0])
    place = int(np.searchsorted(level.numbers, number))
    if place == len(level.numbers) or level.numbers[place] != number:
        return Shipped()
    value = int(level.values[place])
    found = best_move(value)
    move: Move | None = None
    if found != NO_MOVE:
        move = PASS if found == PASS_MOVE else symmetry.images.index(found)
    return Shipped(least(value), greatest(value), move)


@cache
def _shipped() -> Atlas:
    """Empty if it was left out of the build."""
    file = resources.files("littlego.solve").joinpath(FILE)
    return Atlas(file.read_bytes() if file.is_file() else b"")


@cache
def load() -> tuple[Words, Words]:
    """Keys and values of what ships with the package, as `Engine.teach` takes them."""
    return _shipped().entries()


def _levels(data: bytes) -> Iterator[Layer]:
    with gzip.open(io.BytesIO(data)) as file:
        while head := file.read(HEAD.size):
            left, count, size = HEAD.unpack(head)
            steps = np.frombuffer(file.read(size), dtype=np.uint8)
            starts = np.flatnonzero(np.concatenate([[True], steps[:-1] < 128]))
            shifts = 7 * (np.arange(size) - np.repeat(starts, np.diff(starts, append=size)))
            numbers = np.cumsum(np.add.reduceat((steps & 127).astype(np.int64) << shifts, starts))
            codes = np.frombuffer(file.read(count), dtype=np.uint8)
            is_odd = codes == ODD
            values = usual_values(left)[np.where(is_odd, 0, codes)]
            odd = np.frombuffer(file.read(3 * int(is_odd.sum())), dtype=np.uint8).reshape(-1, 3).astype(np.int64)
            values[is_odd] = odd @ (1, 1 << 8, 1 << 16)
            yield Layer(left, numbers, values)


def usual_values(left: int) -> Words:
    """The values that are a byte, by that byte."""
    enough = LEAST_WIN[left & 1]
    lost = pack_value(-MARGIN, enough - 1, NO_MOVE)
    return np.array([lost, *(pack_value(enough, MARGIN, move) for move in range(NO_MOVE, PASS_MOVE + 1))])


def board_numbers(keys: Words) -> Words:
    """The board numbers of keys."""
    mine, theirs, ko, _ = unpack_key(keys)
    found = (ko + 1) * 3**POINTS
    for point in range(POINTS):
        found += ((mine >> point & 1) + 2 * (theirs >> point & 1)) * 3**point
    return found
