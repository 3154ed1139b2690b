"""The atlas: proven bounds of 5x5 openings that ship with the package, so that questions about them are instant.

The file is compressed with LZMA: the number of entries in eight bytes, then the keys in ascending order as
differences of eight bytes each, then the values in four bytes each; `kernel.packing` has the layout of both.
"""

from __future__ import annotations

import lzma
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

import numpy as np

from littlego.core.points import PASS, Move, symmetries
from littlego.core.position import Position
from littlego.kernel.bits import Words
from littlego.kernel.frame import spot_of
from littlego.kernel.packing import MARGIN, NO_KO, NO_MOVE, best_move, greatest, least, pack_key
from littlego.kernel.packing import PASS as PASS_MOVE

SIZE: Final = 5
FILE: Final = "atlas.xz"


@dataclass(frozen=True, slots=True)
class Shipped:
    """What the atlas says of a position, from the side of the player to move."""

    low: int = -MARGIN
    """The least final margin with best play; `high` is the greatest."""
    high: int = MARGIN
    move: Move | None = None
    """Reaches `low`; None if the atlas has no move."""


def look_up(position: Position) -> Shipped:
    """What the atlas says of a 5x5 position; passes in a row are no part of it.

    Needs no compiled code, so it answers at once.
    """
    keys, values = load()
    spot = spot_of(position)
    images = []
    for symmetry in symmetries(SIZE):
        ko = NO_KO if spot.ko == NO_KO else symmetry.point(spot.ko)
        images.append((pack_key(symmetry.mask(spot.mine), symmetry.mask(spot.theirs), ko, spot.left), symmetry))
    key, symmetry = min(images, key=lambda image: image[0])
    place = int(np.searchsorted(keys, key))
    if place == len(keys) or keys[place] != key:
        return Shipped()
    value = int(values[place])
    found = best_move(value)
    move: Move | None = None
    if found != NO_MOVE:
        move = PASS if found == PASS_MOVE else symmetry.images.index(found)
    return Shipped(least(value), greatest(value), move)


@cache
def load() -> tuple[Words, Words]:
    """Keys and values, as `Engine.teach` takes them; empty if the atlas was left out of the build."""
    file = resources.files("littlego.solve").joinpath(FILE)
    if not file.is_file():
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    return unpacked(file.read_bytes())


def packed(keys: Words, values: Words) -> bytes:
    """The bytes of an atlas. Keys must be distinct."""
    order = np.argsort(keys)
    steps = np.diff(keys[order], prepend=np.int64(0))
    # All highest bytes, then all second highest, and so on: equal bytes then follow each other.
    planes = steps.astype(">i8").view(np.uint8).reshape(-1, 8).T.tobytes()
    value_planes = values[order].astype(">i4").view(np.uint8).reshape(-1, 4).T.tobytes()
    return lzma.compress(len(keys).to_bytes(8, "big") + planes + value_planes, preset=9 | lzma.PRESET_EXTREME)


def unpacked(data: bytes) -> tuple[Words, Words]:
    raw = lzma.decompress(data)
    count = int.from_bytes(raw[:8], "big")
    planes = np.frombuffer(raw, dtype=np.uint8, count=8 * count, offset=8).reshape(8, count)
    steps = np.ascontiguousarray(planes.T).view(">i8").ravel().astype(np.int64)
    value_planes = np.frombuffer(raw, dtype=np.uint8, count=4 * count, offset=8 + 8 * count).reshape(4, count)
    values = np.ascontiguousarray(value_planes.T).view(">i4").ravel().astype(np.int64)
    return np.cumsum(steps), values
