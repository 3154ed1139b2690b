"""The paper's experiments: pairs of learners trained with its settings, and the data of its figures."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

from littlego.tictactoe.paper.temporal import OPENINGS, REPLIES, Pair

GAMES = 3000
RUNS = 20
ALPHAS = (0.2, 0.8)
"""The paper's lower and higher learning rate."""
EPSILON = 0.02
"""Its share of exploring moves; the other half of its experiments has none."""
CENTRE = "1,1"

EVERY = 10
"""Values are recorded once in this many games, which is enough for a figure."""


@dataclass(frozen=True)
class Run:
    """One pair of learners from nothing to the last game."""

    results: bytes
    """For each game: 0 a draw, 1 X won, 2 O won."""
    openings: dict[str, list[float]]
    """The value of each first move to X, every `EVERY` games; NaN before it was first considered."""
    replies: dict[str, list[float]]
    """The value of each answer to O."""


@dataclass(frozen=True)
class Experiment:
    """Many runs with the same settings."""

    alpha: float
    epsilon: float
    runs: tuple[Run, ...]

    @property
    def label(self) -> str:
        return f"α = {self.alpha:g}, ε = {self.epsilon:g}"


def record_run(alpha: float, epsilon: float, games: int, seed: int) -> Run:
    """Train a pair and record the data of the figures. The same seed gives the same run."""
    rng = random.Random(seed)
    pair = Pair.new(alpha=alpha, epsilon=epsilon)
    openings: dict[str, list[float]] = {name: [] for name in OPENINGS}
    replies: dict[str, list[float]] = {name: [] for name in REPLIES}
    results = bytearray()
    for game in range(1, games + 1):
        results.append(pair.play_game(rng))
        if game % EVERY == 0:
            for name, code in OPENINGS.items():
                openings[name].append(pair.x.values.get(code, math.nan))
            for name, code in REPLIES.items():
                replies[name].append(pair.o.values.get(code, math.nan))
    return Run(bytes(results), openings, replies)


def record_experiments(
    *,
    games: int = GAMES,
    runs: int = RUNS,
    alphas: tuple[float, float] = ALPHAS,
    epsilon: float = EPSILON,
    seed: int = 1,
    progress: Callable[[], None] | None = None,
) -> list[Experiment]:
    """All runs of four settings: both learning rates without exploration, then both with it.

    `progress` is called after each of the 4 x `runs`.
    """
    experiments = []
    for alpha, exploring in [(alpha, exploring) for exploring in (0.0, epsilon) for alpha in alphas]:
        recorded = []
        for number in range(runs):
            recorded.append(record_run(alpha, exploring, games, seed * 1_000_003 + number))
            if progress:
                progress()
        experiments.append(Experiment(alpha, exploring, tuple(recorded)))
    return experiments
