"""What a side is sure to keep, without looking ahead: features of life and death, compiled.

The *attacker* has `turns` moves left. It captures groups only by filling all their liberties, so groups that have more
liberties together than it has turns are safe, and so is a group with two one-point eyes. The *defender* adds a stone
at each of its own turns by filling liberties of its largest group, as long as that group keeps more liberties than the
attacker has turns. So the final lead of a side lies between two numbers, which say much about who wins: the learner
finds out how much.
"""

from __future__ import annotations

import numpy as np

from littlego.kernel.any_size import CompiledRules, beside, flood
from littlego.kernel.marks import compiled
from littlego.kernel.words import lowest, popcount

MOST_SMALL = 6
"""With up to this many groups in danger every set of them is tried; with more, all count as lost."""
MOST_GROUPS = 32
"""More than a side has on 7x7: its groups are at least a point apart."""
SETS = 1 << MOST_SMALL
SMALL_LIBERTIES, SMALL_STONES, UNIONS, SUMS = 0, MOST_SMALL, 2 * MOST_SMALL, 2 * MOST_SMALL + SETS
SCRATCH_WORDS = SUMS + SETS
"""The scratch of `most_lost`: liberties and stones of the groups in danger, then of every set of them."""


@compiled
def find_groups(game: CompiledRules, stones: int, empty: int, groups: np.ndarray) -> int:
    """Write the groups of `stones` to `groups`, as stones and liberties; how many there are."""
    count = 0
    while stones:
        group = flood(game, stones & -stones, stones)
        stones &= ~group
        groups[count, 0], groups[count, 1] = group, beside(game, group) & empty
        count += 1
    return count


@compiled
def has_two_eyes(game: CompiledRules, stones: int, liberties: int) -> bool:
    eyes = liberties & ~beside(game, game.full & ~stones)
    return eyes & (eyes - 1) != 0


@compiled
def most_lost(
    game: CompiledRules, groups: np.ndarray, count: int, turns: int, own_turns: int, is_first: int, scratch: np.ndarray
) -> int:
    """The most stones that the defender of the first `count` groups loses, against a stone for each side at each turn.

    `own_turns` are the defender's; `is_first` is 1 if it is to move, else 0. The stones are those captured and those
    that it cannot add because every move would take a liberty that it needs.
    """
    small = small_stones = 0
    first = second = 0
    for k in range(count):
        stones, liberties = groups[k, 0], groups[k, 1]
        if popcount(liberties) > turns:
            if popcount(liberties) > popcount(first):
                first, second = liberties, first
            elif popcount(liberties) > popcount(second):
                second = liberties
        elif not has_two_eyes(game, stones, liberties):
            if small < MOST_SMALL:
                scratch[SMALL_LIBERTIES + small], scratch[SMALL_STONES + small] = liberties, popcount(stones)
            small += 1
            small_stones += popcount(stones)
    missed, filled = own_turns, 0
    if first:
        missed = is_first - (popcount(first) - turns - 1)
        if second == 0 or popcount(first | second) < 2 * (turns + 1):
            missed += turns
            filled = first
    most = min(own_turns, max(0, missed))
    if small > MOST_SMALL:
        return small_stones + most
    scratch[UNIONS] = scratch[SUMS] = 0
    for chosen in range(1, 1 << small):
        k, rest = lowest(chosen), chosen & (chosen - 1)
        needed = scratch[UNIONS + rest] | scratch[SMALL_LIBERTIES + k]
        lost = scratch[SUMS + rest] + scratch[SMALL_STONES + k]
        scratch[UNIONS + chosen], scratch[SUMS + chosen] = needed, lost
        if popcount(needed) <= turns:
            elsewhere = popcount(needed & ~filled) if filled else 0
            most = max(most, lost + min(own_turns, max(0, missed - elsewhere)))
    return most
