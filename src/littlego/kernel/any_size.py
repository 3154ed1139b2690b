"""The rules compiled, for boards of 2x2 to 7x7 and both kos: learners and the vectorised environment play by them.

The search knows only the frame of 5x5 and the simple ko: see `words`. A test plays this and `core.position` side by
side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from littlego.core.errors import UsageError
from littlego.core.rules import Ko, Rules
from littlego.kernel.marks import compiled
from littlego.kernel.words import NO_KO, lowest, popcount

SIZES = range(2, 8)
"""Larger boards do not fit in a machine word."""


class CompiledRules(NamedTuple):
    """The rules, and what follows from them. A pass is the number after the last point."""

    size: int
    points: int
    """How many points there are, and so the number of a pass."""
    full: int
    not_first: int
    """The points that are not in the first column."""
    not_last: int
    length: int
    komi_twice: int
    """Twice the komi, which keeps scores whole."""
    passing: bool
    superko: bool


def compiled_rules(rules: Rules) -> CompiledRules:
    """Rules as compiled code takes them. Raises UsageError for a size that is not in `SIZES`."""
    size = rules.size
    if size not in SIZES:
        raise UsageError(f"size {size}: expected {SIZES[0]} to {SIZES[-1]}, the boards of the compiled rules")
    first = sum(1 << size * row for row in range(size))
    full = (1 << size * size) - 1
    return CompiledRules(
        size,
        size * size,
        full,
        full & ~first,
        full & ~(first << size - 1),
        rules.max_moves,
        int(2 * rules.komi),
        rules.passing,
        rules.ko is Ko.POSITIONAL,
    )


@compiled
def beside(game: CompiledRules, mask: int) -> int:
    """The points next to any point of `mask`."""
    size = game.size
    return (mask << size | mask >> size | (mask & game.not_last) << 1 | (mask & game.not_first) >> 1) & game.full


@compiled
def flood(game: CompiledRules, seed: int, within: int) -> int:
    """The points of `within` connected to any point of `seed`, which must lie in `within`."""
    while True:
        grown = (seed | beside(game, seed)) & within
        if grown == seed:
            return seed
        seed = grown


@compiled
def find_legal(game: CompiledRules, own: int, other: int, ko: int) -> int:
    """Where the side to move may place a stone, but for the positional ko."""
    empty = game.full & ~(own | other)
    free = beside(game, empty) & empty
    if free != empty:  # else every empty point has an empty neighbour, and no group matters
        while own:
            group = flood(game, own & -own, own)
            own ^= group
            liberties = beside(game, group) & empty
            if liberties & (liberties - 1):
                free |= liberties
        while other:
            group = flood(game, other & -other, other)
            other ^= group
            liberties = beside(game, group) & empty
            if liberties & (liberties - 1) == 0:
                free |= liberties
    return free & ~(1 << ko) if ko >= 0 else free


@compiled
def without_repeats(game: CompiledRules, own: int, other: int, legal: int, played: int, seen: np.ndarray) -> int:
    """Of the points `legal`, those that recreate no earlier board of a game with the positional ko.

    `seen[k]` are Black's and White's stones after k moves.
    """
    if not game.superko or popcount(own | other) == played:  # no capture yet: every board so far had fewer stones
        return legal
    rest = legal
    while rest:
        point = lowest(rest)
        rest &= rest - 1
        mine, theirs, _ = play(game, point, own, other)
        black, white = (theirs, mine) if played & 1 else (mine, theirs)
        for k in range(played):
            if seen[k, 0] == black and seen[k, 1] == white:
                legal &= ~(1 << point)
    return legal


@compiled
def captured_by(game: CompiledRules, bit: int, own: int, other: int) -> int:
    """The stones of `other` that a stone on the empty point `bit` captures."""
    empty = game.full & ~(own | other | bit)
    suspects = beside(game, bit) & other
    captured = 0
    while suspects:
        group = flood(game, suspects & -suspects, other)
        suspects &= ~group
        if beside(game, group) & empty == 0:
            captured |= group
    return captured


@compiled
def play(game: CompiledRules, point: int, own: int, other: int) -> tuple[int, int, int]:
    """After a legal stone: the mover's stones, the opponent's, and where the opponent may not retake, or NO_KO."""
    bit = 1 << point
    captured = captured_by(game, bit, own, other)
    other &= ~captured
    ko = NO_KO
    if captured and captured & (captured - 1) == 0:
        around = beside(game, bit)
        if around & own == 0 and around & game.full & ~(own | bit | other) == captured:
            ko = lowest(captured)
    return own | bit, other, ko


@compiled
def make_move(game: CompiledRules, move: int, own: int, other: int, passes: int) -> tuple[int, int, int, int]:
    """After a legal stone or a pass: the mover's stones, the opponent's, the ko, and the passes in a row."""
    if move == game.points:
        return own, other, NO_KO, passes + 1
    mover, opponent, ko = play(game, move, own, other)
    return mover, opponent, ko, 0


@compiled
def black_wins(game: CompiledRules, black: int, white: int) -> bool:
    """Whether Black has more, counting komi. White wins a tie, which only a whole komi allows."""
    return 2 * popcount(black) > 2 * popcount(white) + game.komi_twice


@compiled
def wins(game: CompiledRules, own: int, other: int, colour: int) -> float:
    """1 if the side `own` of a colour (0 Black, 1 White) wins a game that ends here, else 0."""
    won = black_wins(game, own, other) if colour == 0 else not black_wins(game, other, own)
    return 1.0 if won else 0.0
