"""Moves per second of random games, for the naive twin and for `core`."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from littlego_bench.random_games import Play, core_game, naive_game
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


def bench_engine(
    *,
    size: int = 5,
    seconds: float = 4.0,
    seed: int = 1,
    progress: Callable[[], None] | None = None,
) -> EngineBench:
    """Play random games for about `seconds`, half with each engine."""
    rng = random.Random(seed)
    ways: dict[str, Play] = {"naive": lambda: naive_game(size, rng), "core": lambda: core_game(size, rng)}
    rates = alternate(ways, rounds=ROUNDS, seconds=seconds, progress=progress)
    naive, core = rates["naive"], rates["core"]
    return EngineBench(size, median(naive), median(core), median_ratio(core, naive))
