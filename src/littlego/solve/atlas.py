"""The atlas: proven bounds of 5x5 openings that ship with the package, so that questions about them are instant.

The file is compressed with LZMA: the number of entries in eight bytes, then the keys in ascending order as
differences of eight bytes each, then the values in four bytes each; `kernel.packing` has the layout of both.
"""

from __future__ import annotations

import lzma
from functools import cache
from importlib import resources
from typing import Final

import numpy as np

from littlego.kernel.bits import Words

SIZE: Final = 5
FILE: Final = "atlas.xz"


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
