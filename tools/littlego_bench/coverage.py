"""How often the intervals of ratings contain the truth, in simulated tournaments."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from littlego.arena.ratings import PairScore, fit_ratings


@dataclass(frozen=True, slots=True)
class Field:
    """A tournament to simulate: players of normally distributed strength, everyone against everyone."""

    players: int
    games: int
    """For each two players, half of them with each colour."""
    spread: float
    """The standard deviation of their strength, in Elo."""
    black: float
    """What having Black is worth, in Elo."""


FIELDS: Final = (
    Field(2, 20, 100, 0),
    Field(2, 20, 400, 100),
    Field(4, 10, 200, 50),
    Field(6, 4, 200, 50),
    Field(6, 4, 500, 50),
    Field(10, 2, 300, 50),
    Field(10, 10, 100, 0),
    Field(20, 2, 600, 100),
    Field(8, 40, 400, 100),
)


@dataclass(frozen=True, slots=True)
class Coverage:
    """The share of 95% intervals that contained what they should."""

    field: Field
    ratings: float
    black: float
    width: float
    """Of a rating's interval, on average, in Elo."""


def simulate(field: Field, *, trials: int, seed: int = 1, progress: Callable[[], None] = lambda: None) -> Coverage:
    """Play `trials` tournaments of players whose strength is known, and fit each."""
    rng = np.random.default_rng([seed, field.players, field.games, int(field.spread)])
    names = [f"p{i}" for i in range(field.players)]
    hits = black_hits = 0
    width = 0.0
    for _ in range(trials):
        strength = rng.normal(0, field.spread, field.players)
        strength -= strength.mean()
        results = [
            PairScore(names[i], names[j], field.games // 2, int(rng.binomial(field.games // 2, chance)))
            for i, j in itertools.permutations(range(field.players), 2)
            for chance in [1 / (1 + 10 ** (-(strength[i] - strength[j] + field.black) / 400))]
        ]
        ratings = fit_ratings(results)
        true = dict(zip(names, strength, strict=True))
        hits += sum(player.interval[0] <= true[player.name] <= player.interval[1] for player in ratings.players)
        width += sum(player.interval[1] - player.interval[0] for player in ratings.players)
        low, high = ratings.black_advantage_interval
        black_hits += low <= field.black <= high
        progress()
    number = trials * field.players
    return Coverage(field, hits / number, black_hits / trials, width / number)
