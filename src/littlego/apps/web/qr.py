"""A QR code of a short text, such as the address of a server: ISO/IEC 18004, bytes, version 4, level L, mask 0."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

Modules = list[list[bool]]
"""Row by row, whether a module is dark."""

_SIDE: Final = 33
_WORDS: Final = 80
"""The codewords of data; `_CHECKS` more correct errors."""
_CHECKS: Final = 20
_BYTES: Final = 0b0100
_PADDING: Final = (0xEC, 0x11)
_FORMAT: Final = "111011111000100"
"""The level and the mask, with the bits that correct errors in them."""
_QUIET: Final = 4
"""Light modules around the code."""


def qr_code(text: str) -> Modules:
    """The code of a text of at most 78 bytes. Raises ValueError for a longer one."""
    data = text.encode()
    if len(data) > _WORDS - 2:
        raise ValueError(f"{len(data)} bytes do not fit into this QR code")
    dark, fixed = _patterns()
    bits = (byte >> bit & 1 for byte in _codewords(data) for bit in range(7, -1, -1))
    for row, column in _way():
        if not fixed[row][column]:
            dark[row][column] = bool(next(bits, 0)) != ((row + column) % 2 == 0)
    return dark


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


def _codewords(data: bytes) -> bytes:
    """The data with its length, padded, and the codewords that correct errors."""
    number = ((_BYTES << 8 | len(data)) << 8 * len(data) | int.from_bytes(data)) << 4
    filled = number.to_bytes(len(data) + 2)
    filled += bytes(_PADDING[place % 2] for place in range(_WORDS - len(filled)))
    return filled + reed_solomon(filled, _CHECKS)


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


def _patterns() -> tuple[Modules, Modules]:
    """What readers find the code by, with the format; and which modules it takes."""
    dark: Modules = [[False] * _SIDE for _ in range(_SIDE)]
    fixed: Modules = [[False] * _SIDE for _ in range(_SIDE)]

    def put(row: int, column: int, is_dark: bool) -> None:
        if 0 <= row < _SIDE and 0 <= column < _SIDE:
            dark[row][column], fixed[row][column] = is_dark, True

    for place in range(8, _SIDE - 8):
        put(6, place, place % 2 == 0)
        put(place, 6, place % 2 == 0)
    for top, left, radius in ((3, 3, 4), (3, _SIDE - 4, 4), (_SIDE - 4, 3, 4), (_SIDE - 7, _SIDE - 7, 2)):
        for row in range(-radius, radius + 1):
            for column in range(-radius, radius + 1):
                ring = max(abs(row), abs(column))
                put(top + row, left + column, ring in ((0, 1, 3) if radius == 4 else (0, 2)))
    around = [(8, column) for column in (0, 1, 2, 3, 4, 5, 7, 8)] + [(row, 8) for row in (7, 5, 4, 3, 2, 1, 0)]
    apart = [(_SIDE - 1 - k, 8) for k in range(7)] + [(8, _SIDE - 8 + k) for k in range(8)]
    for (row, column), bit in zip([*around, *apart], 2 * _FORMAT, strict=True):
        put(row, column, bit == "1")
    put(_SIDE - 8, 8, True)
    return dark, fixed


def _way() -> Iterator[tuple[int, int]]:
    """The modules in the order of the bits: up and down in pairs of columns, from the right."""
    upwards = True
    for right in (*range(_SIDE - 1, 6, -2), 5, 3, 1):
        for row in range(_SIDE - 1, -1, -1) if upwards else range(_SIDE):
            yield row, right
            yield row, right - 1
        upwards = not upwards
