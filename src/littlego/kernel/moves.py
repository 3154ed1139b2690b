"""The rules of a move: where a stone is legal, what it captures, where it makes a ko. The slow twin is `core.position`.

`joinable`, `last_liberties`, `legal_points` and `taken` are for the solver, which already has the
groups as (stones, liberties) pairs in an array that `find_groups` wrote. `find_legal`, `captured_by`, `play` and
`make_move` take a plain board.
"""

from __future__ import annotations

from littlego.kernel.bits import Words, at, beside, flood, lowest
from littlego.kernel.marks import compiled
from littlego.kernel.packing import NO_KO, PASS


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


@compiled
def find_legal(mine: int, theirs: int, ko: int, board: int) -> int:
    """Where the side to move may place a stone."""
    empty = board & ~(mine | theirs)
    safe = 0
    atari = 0
    if beside(empty) & empty != empty:  # else every empty point has an empty neighbour, and no group matters
        while mine:
            group = flood(mine & -mine, mine)
            mine ^= group
            liberties = beside(group) & empty
            if liberties & (liberties - 1):
                safe |= liberties
        while theirs:
            group = flood(theirs & -theirs, theirs)
            theirs ^= group
            liberties = beside(group) & empty
            if liberties & (liberties - 1) == 0:
                atari |= liberties
    return legal_points(empty, ko, safe, atari)


@compiled
def captured_by(bit: int, mine: int, theirs: int, board: int) -> int:
    """The stones of `theirs` that a stone on the empty point `bit` captures."""
    empty = board & ~(mine | theirs | bit)
    suspects = beside(bit) & theirs
    captured = 0
    while suspects:
        group = flood(suspects & -suspects, theirs)
        suspects &= ~group
        if beside(group) & empty == 0:
            captured |= group
    return captured


@compiled
def play(point: int, mine: int, theirs: int, board: int) -> tuple[int, int, int]:
    """After a legal stone: the mover's stones, the opponent's, and where the opponent may not retake, or NO_KO."""
    bit = 1 << point
    captured = captured_by(bit, mine, theirs, board)
    theirs &= ~captured
    ko = ko_after(bit, mine, captured, board & ~(mine | bit | theirs))
    return mine | bit, theirs, ko


@compiled
def make_move(move: int, mine: int, theirs: int, passes: int, board: int) -> tuple[int, int, int, int]:
    """After a legal stone or PASS: the mover's stones, the opponent's, the ko, and the passes in a row."""
    if move == PASS:
        return mine, theirs, NO_KO, passes + 1
    mover, opponent, ko = play(move, mine, theirs, board)
    return mover, opponent, ko, 0
