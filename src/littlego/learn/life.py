"""What a side is sure to keep, without looking ahead: features of life and death, in plain Python.

The *attacker* has `turns` moves left. It captures groups only by filling all their liberties, so groups that have more
liberties together than it has turns are safe, and so is a group with two one-point eyes. The *defender* adds a stone
at each of its own turns by filling liberties of its largest group, as long as that group keeps more liberties than the
attacker has turns. So the final lead of a side lies between two numbers, which say much about who wins: the learner
finds out how much.
"""

from __future__ import annotations

from typing import NamedTuple

from littlego.core.board import Board, Colour, grid
from littlego.core.points import Mask

MOST_SMALL = 6
"""With up to this many groups in danger every set of them is tried; with more, all count as lost."""


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
