"""The rules of a stone on groups that are already found: where it is legal, what it takes, where it makes a ko.

`groups` holds (stones, liberties) pairs, as `find_groups` writes them. The slow twin is `core.position`.
"""

from __future__ import annotations

from littlego.solve.bits import Words, beside, compiled, lowest


@compiled
def joinable(groups: Words, start: int, count: int) -> int:
    """The liberties of groups that have another one besides: a stone there, of the same side, can breathe."""
    safe = 0
    for i in range(count):
        liberties = groups[start + 2 * i + 1]
        if liberties & (liberties - 1):
            safe |= liberties
    return safe


@compiled
def last_liberties(groups: Words, start: int, count: int) -> int:
    """The liberties of groups that have no other: a stone there, of the other side, captures."""
    atari = 0
    for i in range(count):
        liberties = groups[start + 2 * i + 1]
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
        if groups[start + 2 * i + 1] == bit:
            captured |= groups[start + 2 * i]
    return captured


@compiled
def ko_after(bit: int, mine: int, captured: int, empty: int) -> int:
    """Where the stone `bit`, having taken `captured`, may not be retaken, or -1; `mine` before, `empty` after it."""
    if captured and captured & (captured - 1) == 0:
        around = beside(bit)
        if around & mine == 0 and around & empty == captured:
            return lowest(captured)
    return -1
