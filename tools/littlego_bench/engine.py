"""Moves per second of random games, for the naive twin and for `core`."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median

from littlego_bench.random_games import Play, core_game, naive_game, other_engines
from littlego_bench.rates import alternate, median_ratio

ROUNDS = 7


@dataclass(frozen=True, slots=True)
class EngineBench:
    """Medians over alternating rounds."""

    size: int
    naive_moves_per_second: float
    core_moves_per_second: float
    ratio: float
    """The median of the rounds' ratios."""
    others: dict[str, float] = field(default_factory=dict)
    """Moves per second of other installed engines, by name."""


def bench_engine(
    *,
    size: int = 5,
    seconds: float = 4.0,
    seed: int = 1,
    with_others: bool = False,
    progress: Callable[[], None] | None = None,
) -> EngineBench:
    """Play random games for about `seconds`, half with each engine.

    `with_others` also measures other installed engines, each for half of `seconds` more.
    """
    rng = random.Random(seed)
    others = other_engines(size, rng) if with_others else {}
    ways: dict[str, Play] = {"naive": lambda: naive_game(size, rng), "core": lambda: core_game(size, rng), **others}
    rates = alternate(ways, rounds=ROUNDS, seconds=seconds / 2 * len(ways), progress=progress)
    naive, core = rates.pop("naive"), rates.pop("core")
    return EngineBench(
        size, median(naive), median(core), median_ratio(core, naive), {name: median(rates[name]) for name in others}
    )
