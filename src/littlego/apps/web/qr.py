"""QR codes of short texts, such as the address of a server: ISO/IEC 18004, bytes, versions 1 to 5, level L."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

Modules = list[list[bool]]
"""Row by row, whether a module is dark."""

_CAPACITY: Final = {1: (19, 7), 2: (34, 10), 3: (55, 15), 4: (80, 20), 5: (108, 26)}
"""By version, the codewords of data and those that correct errors."""
_BYTES: Final = 0b0100
_PADDING: Final = (0xEC, 0x11)
_LEVEL_L: Final = 0b01
_QUIET: Final = 4
"""Light modules around the code."""
_MASKS: Final = (
    lambda i, j: (i + j) % 2,
    lambda i, _j: i % 2,
    lambda _i, j: j % 3,
    lambda i, j: (i + j) % 3,
    lambda i, j: (i // 2 + j // 3) % 2,
    lambda i, j: i * j % 2 + i * j % 3,
    lambda i, j: (i * j % 2 + i * j % 3) % 2,
    lambda i, j: ((i + j) % 2 + i * j % 3) % 2,
)  # a module is inverted where its mask is 0


def qr_code(text: str) -> Modules:
    """The code of a text of at most 106 bytes. Raises ValueError for a longer one."""
    data = text.encode()
    version = next((version for version, (words, _) in _CAPACITY.items() if len(data) + 2 <= words), None)
    if version is None:
        raise ValueError(f"{len(data)} bytes do not fit into this QR code")
    codewords = _codewords(data, *_CAPACITY[version])
    candidates = [_drawn(version, codewords, mask) for mask in range(len(_MASKS))]
    return min(candidates, key=_blocks)


def terminal_text(modules: Modules) -> str:
    """A code for a terminal, two rows to a line: dark on light, whatever colours the terminal has."""
    side = len(modules) + 2 * _QUIET
    light = [[True] * side for _ in range(side + 1)]
    for row, dark in enumerate(modules):
        for column, is_dark in enumerate(dark):
            light[row + _QUIET][column + _QUIET] = not is_dark
    lines = []
    for upper, lower in zip(light[:side:2], light[1::2], strict=True):
        line = "".join(" ▄▀█"[2 * above + below] for above, below in zip(upper, lower, strict=True))
        lines.append(f"\x1b[97;40m{line}\x1b[0m")
    return "\n".join(lines)


def _codewords(data: bytes, words: int, checks: int) -> bytes:
    """The data with its length, padded, and the codewords that correct errors."""
    number = ((_BYTES << 8 | len(data)) << 8 * len(data) | int.from_bytes(data)) << 4
    filled = number.to_bytes(len(data) + 2)
    filled += bytes(_PADDING[place % 2] for place in range(words - len(filled)))
    return filled + reed_solomon(filled, checks)


def reed_solomon(data: bytes, checks: int) -> bytes:
    """The remainder of the data, as a polynomial over GF(256), divided by (x - 1)(x - 2)(x - 4)…"""
    divisor, root = [1], 1
    for _ in range(checks):
        divisor = [a ^ _times(root, b) for a, b in zip([*divisor, 0], [0, *divisor], strict=True)]
        root = _times(root, 2)
    rest = [*data, *[0] * checks]
    for place in range(len(data)):
        factor = rest[place]
        for offset, coefficient in enumerate(divisor):
            rest[place + offset] ^= _times(factor, coefficient)
    return bytes(rest[len(data) :])


def _times(a: int, b: int) -> int:
    """The product in GF(256) modulo x^8 + x^4 + x^3 + x^2 + 1."""
    product = 0
    while b:
        if b & 1:
            product ^= a
        a = a << 1 ^ (0x11D if a & 0x80 else 0)
        b >>= 1
    return product


def _drawn(version: int, codewords: bytes, mask: int) -> Modules:
    side = 17 + 4 * version
    dark: Modules = [[False] * side for _ in range(side)]
    fixed = _draw_patterns(dark, version)
    _draw_format(dark, format_bits(mask))
    bits = (byte >> bit & 1 for byte in codewords for bit in range(7, -1, -1))
    for row, column in _way(side):
        if not fixed[row][column]:
            dark[row][column] = bool(next(bits, 0)) != (not _MASKS[mask](row, column))
    return dark


def _draw_patterns(dark: Modules, version: int) -> Modules:
    """Draw what readers find the code by; which modules are taken by it, and by the format."""
    side = len(dark)
    fixed: Modules = [[False] * side for _ in range(side)]
    for top, left in ((0, 0), (0, side - 7), (side - 7, 0)):
        for row in range(max(0, top - 1), min(side, top + 9 if top == 0 else side)):
            for column in range(max(0, left - 1), min(side, left + 9 if left == 0 else side)):
                ring = max(abs(row - top - 3), abs(column - left - 3))
                dark[row][column] = ring in (0, 1, 3)
                fixed[row][column] = True
    for place in range(8, side - 8):
        dark[6][place] = dark[place][6] = place % 2 == 0
        fixed[6][place] = fixed[place][6] = True
    if version > 1:
        centre = side - 7
        for row in range(centre - 2, centre + 3):
            for column in range(centre - 2, centre + 3):
                dark[row][column] = max(abs(row - centre), abs(column - centre)) != 1
                fixed[row][column] = True
    return fixed


def format_bits(mask: int) -> int:
    """The level and the mask in 15 bits, with those that correct errors."""
    data = _LEVEL_L << 3 | mask
    rest = data << 10
    for bit in range(14, 9, -1):
        if rest >> bit & 1:
            rest ^= 0b10100110111 << bit - 10
    return (data << 10 | rest) ^ 0b101010000010010


def _draw_format(dark: Modules, bits: int) -> None:
    side = len(dark)
    around = [(8, column) for column in (0, 1, 2, 3, 4, 5, 7, 8)] + [(row, 8) for row in (7, 5, 4, 3, 2, 1, 0)]
    apart = [(side - 1 - k, 8) for k in range(7)] + [(8, side - 8 + k) for k in range(8)]
    for places in (around, apart):
        for k, (row, column) in enumerate(places):
            dark[row][column] = bool(bits >> 14 - k & 1)
    dark[side - 8][8] = True


def _way(side: int) -> Iterator[tuple[int, int]]:
    """The modules in the order of the bits: up and down in pairs of columns, from the right."""
    upwards = True
    for right in (*range(side - 1, 6, -2), 5, 3, 1):
        for row in range(side - 1, -1, -1) if upwards else range(side):
            yield row, right
            yield row, right - 1
        upwards = not upwards


def _blocks(dark: Modules) -> int:
    """How many squares of four modules have one colour: readers find a code with few of them more easily."""
    return sum(
        above[k] == above[k + 1] == below[k] == below[k + 1]
        for above, below in pairwise(dark)
        for k in range(len(dark) - 1)
    )
