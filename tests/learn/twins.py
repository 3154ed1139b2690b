"""Slow twins of the compiled learner: what it sees of an afterstate, and what a side is sure to keep."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from littlego.core.board import BLACK, WHITE, Board, Colour, grid
from littlego.core.points import Mask, points_of
from littlego.learn.features import (
    CODINGS,
    DIFFERENCES,
    GROUPS,
    LEAST_SPARE,
    MOST_LIBERTIES,
    MOST_STONES,
    SPARES,
    Features,
)
from littlego.learn.life import MOST_SMALL


class Group(NamedTuple):
    """Connected stones."""

    stones: Mask
    liberties: Mask
    has_two_eyes: bool
    """Whether two of its liberties are beside stones of this group alone."""


def find_groups(board: Board, colour: Colour) -> list[Group]:
    """The groups of a side, in the order of their first points."""
    points = grid(board.size)
    found = []
    for stones in board.groups(colour):
        liberties = board.liberties(stones)
        eyes = liberties & ~points.next_to(points.full & ~stones)
        found.append(Group(stones, liberties, eyes.bit_count() > 1))
    return found


def most_lost(groups: list[Group], turns: int, own_turns: int, is_first: bool) -> int:
    """How many stones the defender of `groups` loses at most, against a stone for each side at each of its turns.

    `own_turns` are the defender's; `is_first`: it is to move. The stones are those captured and those that it cannot
    add because every move would take a liberty that it needs.
    """
    safe = sorted((group for group in groups if group.liberties.bit_count() > turns), key=_liberties, reverse=True)
    small = [group for group in groups if group.liberties.bit_count() <= turns and not group.has_two_eyes]
    missed, filled = own_turns, 0
    if safe:
        filled = safe[0].liberties
        missed = is_first - (filled.bit_count() - turns - 1)
        if len(safe) > 1 and (filled | safe[1].liberties).bit_count() >= 2 * (turns + 1):
            filled = 0  # a move of the attacker is beside one of the two at most
        else:
            missed += turns
    if len(small) > MOST_SMALL:
        return sum(group.stones.bit_count() for group in small) + min(own_turns, max(0, missed))
    most = 0
    for chosen in range(1 << len(small)):
        taken = [group for k, group in enumerate(small) if chosen >> k & 1]
        needed = 0
        for group in taken:
            needed |= group.liberties
        if needed.bit_count() <= turns:
            elsewhere = (needed & ~filled).bit_count() if filled else 0
            lost = sum(group.stones.bit_count() for group in taken)
            most = max(most, lost + min(own_turns, max(0, missed - elsewhere)))
    return most


def _liberties(group: Group) -> int:
    return group.liberties.bit_count()


class Sight(NamedTuple):
    """What is seen of an afterstate before any weight: the groups, and what is sure about the end."""

    mine: list[Group]
    theirs: list[Group]
    sure: int
    """By how much the final lead that the side that has just moved can force is more than a win needs."""
    possible: int
    """The same of the most that it can reach."""
    winner: bool | None
    """Whether that side wins, where the model takes the margins for a proof and they are one."""


def weight_set(at: Features, colour: int, played: int) -> int:
    """The set of weights of an afterstate: `colour`, 0 Black or 1 White, has just made move `played`."""
    return colour + 2 * ((played - 1) * at.view.stages // at.length)


def see(at: Features, komi: float, own: Mask, other: Mask, colour: int, played: int) -> Sight:
    board = Board(at.size, own, other)
    mine, theirs = find_groups(board, BLACK), find_groups(board, WHITE)
    sure = possible = 0
    if at.proves or at.sees_margins:
        turns, own_turns = turns_of(at, played)
        behind = math.floor(komi)  # how many stones White may be behind and still win
        needed = behind + 1 if colour == 0 else -behind
        even = own.bit_count() - other.bit_count() + own_turns - turns - needed
        sure = even - most_lost(mine, turns, own_turns, is_first=False)
        possible = even + most_lost(theirs, own_turns, turns, is_first=True)
    winner = None
    if at.proves and (sure >= 0 or possible < 0):
        winner = sure >= 0
    return Sight(mine, theirs, sure, possible, winner)


def indices(at: Features, seen: Sight, colour: int, played: int) -> list[int]:
    """The weights that make up the value of an afterstate; one may occur more than once."""
    codes = cell_codes(seen.mine, seen.theirs, at.size)
    base = at.set_size * weight_set(at, colour, played)
    found = []
    for placed in at.placements:
        table = CODINGS[placed.coding]
        index = 0
        for cell in placed.cells:
            index = index * placed.coding + table[codes[cell]]
        found.append(placed.offset + index + (0 if placed.is_shared else base))
    stones = sum(code > 0 for code in codes)
    difference = 2 * sum(0 < code < 4 for code in codes) - stones
    found.append(base + at.difference_offset + DIFFERENCES * played + min(max(difference, -12), 12) + 12)
    in_atari, captive = min(codes.count(1), 4), min(codes.count(4), 4)
    found.append(base + at.danger_offset + 5 * in_atari + captive)
    if at.sees_margins:
        sure, possible = clip_spare(seen.sure), clip_spare(seen.possible)
        found.append(at.margin_offset + (played * SPARES + sure) * SPARES + possible)
    if at.sees_groups:
        turns, own_turns = turns_of(at, played)
        groups = [group_index(at, group, 0, turns) for group in seen.mine]
        groups += [group_index(at, group, 1, own_turns) for group in seen.theirs]
        found += (groups + [at.no_group] * GROUPS)[:GROUPS]
    return found


def turns_of(at: Features, played: int) -> tuple[int, int]:
    """Those left to the side to move, and to the one that has just made move `played`."""
    return (at.length - played + 1) // 2, (at.length - played) // 2


def group_index(at: Features, group: Group, side: int, turns: int) -> int:
    stones = min(group.stones.bit_count(), MOST_STONES) - 1
    liberties = min(group.liberties.bit_count(), MOST_LIBERTIES) - 1
    kind = ((2 * side + group.has_two_eyes) * MOST_STONES + stones) * MOST_LIBERTIES + liberties
    return at.group_offset + kind * (at.length // 2 + 1) + turns


def clip_spare(spare: int) -> int:
    """The number of a spare, from 0."""
    return min(max(spare - LEAST_SPARE, 0), SPARES - 1)


def cell_codes(mine: Iterable[Group], theirs: Iterable[Group], size: int) -> list[int]:
    """The content of the cells in the finest coding."""
    codes = [0] * (size * size)
    for groups, first in ((mine, 1), (theirs, 4)):
        for group in groups:
            code = first + min(group.liberties.bit_count(), 3) - 1
            for point in points_of(group.stones):
                codes[point] = code
    return codes
