"""Values of afterstates, compiled. `features` says what they are made of.

A value is the chance of winning, from 0 to 1, of the side that has just moved: the logistic function of a sum of
weights.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from littlego.core.errors import UsageError
from littlego.core.rules import Rules
from littlego.kernel.any_size import CompiledRules, compiled_rules
from littlego.kernel.marks import compiled, embedded
from littlego.kernel.words import at, lowest, popcount, power_of_two
from littlego.learn.features import (
    CODINGS,
    DANGERS,
    DIFFERENCES,
    GROUPS,
    KINDS,
    LEAST_SPARE,
    MOST_LIBERTIES,
    MOST_MOVES,
    MOST_STONES,
    SIZES,
    SPARES,
    Features,
    View,
)
from littlego.learn.life import MOST_GROUPS, SCRATCH_WORDS, find_groups, has_two_eyes, most_lost

WHOLE_VIEW = View(6, KINDS)
"""What training looks at unless asked for less."""
PATTERN_RATE = 4.0
"""How far the sum of the weights moves for an error of 1, with alpha 1."""
MARGIN_GAIN = 8.0
"""The margins are one weight of a hundred, but say more than any other: that weight learns this many times as fast."""


MOST_PLIES = 10
"""Of an ending that `games.wins_ending` plays out: ten take nine times as long as six."""
MOVE_WORDS = 5
"""What it keeps of a move: see there."""

BLOCK_BITS: Final = 12
_BLOCK: Final = np.uint32((1 << BLOCK_BITS) - 1)
_PLACE: Final = np.uint32(BLOCK_BITS)

_LN_2_HIGH: Final = 0x162E42FE / (1 << 29)
_LN_2_LOW: Final = 1.8206359985041462e-09
"""What the logarithm of 2 has more than the first, which has so few digits that its products are exact."""
_LARGEST: Final = 700.0
_SERIES: Final = tuple(1 / math.factorial(n) for n in range(13, -1, -1))


class Layout(NamedTuple):
    """Where the weights of patterns are: `features.Features` as arrays."""

    firsts: np.ndarray
    """[cell]: where the blocks that have it begin in `parts`; at the end, how many there are."""
    parts: np.ndarray
    """[code]: for the blocks with the first cell, the second, ..., the number of the block, and from BLOCK_BITS on what
    the cell adds to its place among the weights."""
    starts: np.ndarray
    """[set]: where the weights of each block begin."""
    gains: np.ndarray
    """How many times as fast the weights learn that are summed up."""
    difference_offset: int
    danger_offset: int
    set_size: int
    stages: int
    length: int
    proves: bool
    sees_margins: bool
    margin_offset: int
    sees_groups: bool
    group_offset: int
    no_group: int


class LearnedArrays(NamedTuple):
    """What has been learned, as arrays, and for which game."""

    game: CompiledRules
    layout: Layout
    weights: np.ndarray
    """In the order of `features`."""
    scale: float
    """What a weight of 1 is worth: 1 while learning. A model's weights are whole, and their sums exact."""
    indices: np.ndarray
    """Scratch: the weights that make up a value."""
    found: np.ndarray
    """Scratch: the values of the moves in a position."""
    mine: np.ndarray
    """Scratch: groups, as stones and liberties; `theirs` likewise."""
    theirs: np.ndarray
    scratch: np.ndarray
    """Of `life.most_lost`."""
    work: np.ndarray
    """Scratch of `games.wins_ending`: for each number of plies left, the moves that the margins leave open."""
    seen: np.ndarray
    """Scratch: Black's and White's stones before each move of a game."""
    targets: np.ndarray
    """Scratch: what the value after each move of a game is moved towards."""


SCRATCH = ("indices", "found", "mine", "theirs", "scratch", "work", "seen", "targets")


def check_learnable(rules: Rules) -> None:
    """Raises UsageError for rules that no learner plays by."""
    if rules.size not in SIZES:
        raise UsageError(f"size {rules.size}: expected {SIZES[0]} to {SIZES[-1]}, the boards that learning is for")
    if rules.max_moves > MOST_MOVES:
        raise UsageError(f"a game of {rules.max_moves:,} moves: expected at most {MOST_MOVES:,} for learning")


def layout() -> dict[str, int]:
    """The numbers that a host must know to lay out values; `kernel.wasm` carries the same."""
    return {
        "learned_margin_gain": int(MARGIN_GAIN),
        "learned_block_bits": BLOCK_BITS,
        "learned_differences": DIFFERENCES,
        "learned_dangers": DANGERS,
        "learned_spares": SPARES,
        "learned_groups": GROUPS,
        "learned_group_kinds": 2 * 2 * MOST_STONES * MOST_LIBERTIES,
        "learned_most_groups": MOST_GROUPS,
        "learned_scratch_words": SCRATCH_WORDS,
        "learned_most_plies": MOST_PLIES,
        "learned_move_words": MOVE_WORDS,
    }


def new_arrays(rules: Rules, view: View = WHOLE_VIEW, scale: float = 1.0) -> LearnedArrays:
    """Values before any game of `rules`; `view` is what they look at.

    Raises UsageError for rules that no learner plays by.
    """
    check_learnable(rules)
    game = compiled_rules(rules)
    features = Features(rules.size, view, rules.max_moves)
    return LearnedArrays(
        game,
        _layout(features),
        np.zeros(features.weights, dtype=np.float32),
        scale,
        np.zeros(features.count, dtype=np.uint32),
        np.zeros(game.points + 1),
        np.zeros((MOST_GROUPS, 2), dtype=np.int64),
        np.zeros((MOST_GROUPS, 2), dtype=np.int64),
        np.zeros(SCRATCH_WORDS, dtype=np.int64),
        np.zeros((MOST_PLIES + 1, game.points + 1, MOVE_WORDS), dtype=np.int64),
        np.zeros((game.length, 2), dtype=np.int64),
        np.zeros(game.length),
    )


def with_scratch(values: LearnedArrays) -> LearnedArrays:
    """The same values, for another thread: with scratch of its own."""
    return values._replace(**{name: np.zeros_like(getattr(values, name)) for name in SCRATCH})


def _layout(features: Features) -> Layout:
    placed = features.placements
    # Unsigned, so that compiled code need not ask whether an index counts from the end.
    found = sorted((cell, number, k) for number, one in enumerate(placed) for k, cell in enumerate(reversed(one.cells)))
    parts = np.zeros((len(CODINGS[7]), len(found)), dtype=np.uint32)
    for part, (_, number, k) in enumerate(found):
        places = np.array(CODINGS[placed[number].coding]) * placed[number].coding ** k
        parts[:, part] = places << BLOCK_BITS | number
    sets = np.arange(2 * features.view.stages)[:, None] * features.set_size
    starts = [one.offset for one in placed] + sets * [not one.is_shared for one in placed]
    cells = [cell for cell, _, _ in found]
    gains = np.ones(features.count, dtype=np.float32)
    if features.sees_margins:
        gains[len(placed) + 2] = MARGIN_GAIN
    return Layout(
        np.searchsorted(cells, np.arange(features.size**2 + 1)).astype(np.int64),
        parts,
        starts.astype(np.uint32),
        gains,
        features.difference_offset,
        features.danger_offset,
        features.set_size,
        features.view.stages,
        features.length,
        features.proves,
        features.sees_margins,
        features.margin_offset,
        features.sees_groups,
        features.group_offset,
        features.no_group,
    )


@embedded
def see_groups(values: LearnedArrays, own: int, other: int) -> tuple[int, int]:
    """Write the groups of both sides to `values.mine` and `values.theirs`; how many each has."""
    empty = values.game.full & ~(own | other)
    mine = find_groups(values.game, own, empty, values.mine)
    return mine, find_groups(values.game, other, empty, values.theirs)


@embedded
def margins(
    values: LearnedArrays, own: int, other: int, mine: int, theirs: int, colour: int, played: int
) -> tuple[int, int]:
    """By how much the sure and the possible final lead of `own`, which has just moved, are more than a win needs.

    The groups, `mine` and `theirs` in number, are in `values.mine` and `values.theirs`.
    """
    game = values.game
    turns, own_turns = turns_left(game, played)
    needed = (game.komi_twice >> 1) + 1 if colour == 0 else -(game.komi_twice >> 1)
    even = popcount(own) - popcount(other) + own_turns - turns - needed
    sure = even - most_lost(game, values.mine, mine, turns, own_turns, 0, values.scratch)
    return sure, even + most_lost(game, values.theirs, theirs, own_turns, turns, 1, values.scratch)


@embedded
def turns_left(game: CompiledRules, played: int) -> tuple[int, int]:
    """Those of the side to move, and those of the side that has just made move `played`."""
    return (game.length - played + 1) // 2, (game.length - played) // 2


@embedded
def fill_indices(values: LearnedArrays, own: int, other: int, colour: int, played: int) -> int:
    """Write the indices of the weights that make up a value to `values.indices`.

    Returns what is proven: 1 if `own` wins, -1 if it loses, and then no index is written; else 0.
    """
    game, layout, out = values.game, values.layout, values.indices
    mine, theirs = see_groups(values, own, other)
    sure = possible = 0
    if layout.proves or layout.sees_margins:
        sure, possible = margins(values, own, other, mine, theirs, colour, played)
    if layout.proves and (sure >= 0 or possible < 0):
        return 1 if sure >= 0 else -1
    number = colour + 2 * ((played - 1) * layout.stages // layout.length)
    base = layout.set_size * number
    n = layout.starts.shape[1]
    for block in range(n):
        out[at(block)] = layout.starts[at(number), at(block)]
    in_atari = add_cells(values, values.mine, mine, 0)
    captive = add_cells(values, values.theirs, theirs, 1)
    difference = popcount(own) - popcount(other)
    out[at(n)] = base + layout.difference_offset + DIFFERENCES * played + min(max(difference, -12), 12) + 12
    out[at(n + 1)] = base + layout.danger_offset + 5 * min(in_atari, 4) + min(captive, 4)
    n += 2
    turns, own_turns = turns_left(game, played)
    if layout.sees_margins:
        sure = min(max(sure - LEAST_SPARE, 0), SPARES - 1)
        possible = min(max(possible - LEAST_SPARE, 0), SPARES - 1)
        out[at(n)] = layout.margin_offset + (played * SPARES + sure) * SPARES + possible
        n += 1
    if layout.sees_groups:
        for k in range(GROUPS):
            if k < mine:
                out[at(n + k)] = group_index(values, values.mine[at(k), 0], values.mine[at(k), 1], 0, turns)
            elif k < mine + theirs:
                stones, liberties = values.theirs[at(k - mine), 0], values.theirs[at(k - mine), 1]
                out[at(n + k)] = group_index(values, stones, liberties, 1, own_turns)
            else:
                out[at(n + k)] = layout.no_group
    return 0


@embedded
def add_cells(values: LearnedArrays, groups: np.ndarray, count: int, side: int) -> int:
    """Add what the cells of groups hold to the indices of the blocks; how many stones are in atari."""
    layout, out = values.layout, values.indices
    in_atari = 0
    for k in range(count):
        group, liberties = groups[at(k), 0], min(popcount(groups[at(k), 1]), 3)
        if liberties == 1:
            in_atari += popcount(group)
        code = 3 * side + liberties
        while group:
            point = lowest(group)
            group &= group - 1
            for part in range(layout.firsts[at(point)], layout.firsts[at(point + 1)]):
                word = layout.parts[at(code), at(part)]
                out[word & _BLOCK] += word >> _PLACE
    return in_atari


@embedded
def group_index(values: LearnedArrays, group: int, free: int, side: int, turns: int) -> int:
    """The weight of a group with the liberties `free`; the other side has `turns` turns left to capture it."""
    eyes = 1 if has_two_eyes(values.game, group, free) else 0
    stones, liberties = min(popcount(group), MOST_STONES) - 1, min(popcount(free), MOST_LIBERTIES) - 1
    kind = ((2 * side + eyes) * MOST_STONES + stones) * MOST_LIBERTIES + liberties
    return values.layout.group_offset + kind * (values.layout.length // 2 + 1) + turns


@embedded
def exponential(x: float) -> float:
    """e**x within a few units of the last digit, the same on every machine; beyond 700 that of 700.

    x = k ln 2 + r with |r| below 0.35, where thirteen terms of the series are enough.
    """
    x = min(max(x, -_LARGEST), _LARGEST)
    k = int(x * 1.4426950408889634 + (0.5 if x >= 0.0 else -0.5))
    r = (x - k * _LN_2_HIGH) - k * _LN_2_LOW
    total = 0.0
    for term in _SERIES:
        total = total * r + term
    return total * power_of_two(k)


@embedded
def logistic(total: float) -> float:
    """From any number to between 0 and 1."""
    return 1.0 / (1.0 + exponential(-total))


@embedded
def sum_of_weights(values: LearnedArrays) -> np.float32:
    """The sum of the weights whose indices are in `values.indices`."""
    total = np.float32(0.0)
    for k in range(values.indices.shape[0]):
        total += values.weights[values.indices[at(k)]]
    return total


@compiled
def value_of(values: LearnedArrays, own: int, other: int, colour: int, played: int) -> float:
    proven = fill_indices(values, own, other, colour, played)
    if proven != 0:
        return 1.0 if proven > 0 else 0.0
    return logistic(values.scale * np.float64(sum_of_weights(values)))


@compiled
def learn_value(
    values: LearnedArrays, own: int, other: int, colour: int, played: int, target: float, alpha: float
) -> None:
    """Move the value of an afterstate a share alpha towards `target`."""
    if fill_indices(values, own, other, colour, played) != 0:
        return
    total = values.scale * np.float64(sum_of_weights(values))
    step = np.float32(PATTERN_RATE * alpha * (target - logistic(total)) / values.indices.shape[0])
    for k in range(values.indices.shape[0]):
        values.weights[values.indices[at(k)]] += step * values.layout.gains[at(k)]
