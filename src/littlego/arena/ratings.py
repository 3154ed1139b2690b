"""Ratings: a Bradley-Terry fit with a term for having Black, in Elo units.

    P(black beats white) = 1 / (1 + exp(-(rating[black] - rating[white] + colour)))

The fit maximises that likelihood times a prior: every player has drawn `prior` games (half of each won) against a
player rated 0, and Black has drawn as many against an equal. So no rating is infinite, and groups that never met are
centred on the same 0. The logarithm is concave: Newton's method finds its only maximum.

Intervals come from the curvature at the mode: its inverse is the covariance of all ratings and the
colour term together. `tests/arena/test_coverage.py` simulates how often they contain the truth.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import NormalDist
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from littlego.stats import REACH_95

ELO: Final = 400 / math.log(10)
"""Elo points per unit of log odds."""

PRIOR: Final = 0.5
"""With this many drawn games for everyone, 95% intervals contain the truth in 93 to 97% of simulated tournaments, from
two players to twenty, from two games a pair to forty, and up to a spread of 600 Elo; with 1 it is 88% in some."""
_LEAST_CURVATURE: Final = 1e-3
"""Far out the prior is straight and has no curvature left to divide by; a floor keeps steps finite."""
_TIGHT: Final = 1e-9
"""The fit's tolerance: expected minus counted wins, as a share of all games."""

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PairScore:
    """The games of one player with Black against another with White, without void games."""

    black: str
    white: str
    games: int
    black_wins: float
    """A tie, possible on even board sizes only, is half a win."""
    distinct: int | None = None
    """How many of them are different; None if all are. Repeated games count together as if each distinct one had been
    played once, with the same share of wins: else deterministic players would prove anything by repeating one game."""


@dataclass(frozen=True, slots=True)
class PlayerRating:
    """One player's rating."""

    name: str
    rating: float
    """In Elo; 0 is the mean of all players."""
    interval: tuple[float, float]


@dataclass(frozen=True)
class Ratings:
    """The result of a fit."""

    players: tuple[PlayerRating, ...]
    """Best first; ties by name."""
    black_advantage: float
    """What having Black is worth, in Elo."""
    black_advantage_interval: tuple[float, float]
    groups: tuple[frozenset[str], ...]
    """Players connected by games, directly or through others. Ratings of different groups cannot be compared."""
    _covariance: Floats = field(repr=False, compare=False)
    """Of the centred ratings, in log odds, by name, and of the colour term, which is last."""

    def of(self, name: str) -> PlayerRating:
        """Raises KeyError."""
        return self._by_name[name]

    def superiority(self, one: str, other: str) -> float | None:
        """The probability that `one` is stronger than `other`; None if their groups differ. Raises KeyError."""
        if self._group_of[one] != self._group_of[other]:
            return None
        lead = (self.of(one).rating - self.of(other).rating) / ELO
        i, j = self._place[one], self._place[other]
        variance = float(self._covariance[i, i] + self._covariance[j, j] - 2 * self._covariance[i, j])
        return NormalDist().cdf(lead / math.sqrt(max(variance, 1e-12)))

    @cached_property
    def _by_name(self) -> dict[str, PlayerRating]:
        return {player.name: player for player in self.players}

    @cached_property
    def _place(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(sorted(self._by_name))}

    @cached_property
    def _group_of(self) -> dict[str, int]:
        return {name: number for number, group in enumerate(self.groups) for name in group}


def fit_ratings(results: Iterable[PairScore], *, prior: float = PRIOR) -> Ratings:
    """Fit ratings to results; several entries for the same two players and colours add up.

    Raises ValueError for impossible results.
    """
    if prior <= 0:
        raise ValueError(f"prior {prior}: expected more than 0")
    totals: dict[tuple[str, str], tuple[float, float]] = {}
    for result in results:
        distinct = result.games if result.distinct is None else result.distinct
        if (
            result.black == result.white
            or not 0 <= result.black_wins <= result.games
            or not min(1, result.games) <= distinct <= result.games
        ):
            raise ValueError(f"{result}: expected two players, and wins and distinct games within the number of games")
        games, wins = totals.get(pair := (result.black, result.white), (0.0, 0.0))
        totals[pair] = games + distinct, wins + result.black_wins * distinct / max(result.games, 1)
    names = sorted({name for pair in totals for name in pair})
    place = {name: i for i, name in enumerate(names)}
    pairs = sorted(totals)
    model = _Model(
        np.array([place[black] for black, _ in pairs], dtype=np.int64),
        np.array([place[white] for _, white in pairs], dtype=np.int64),
        np.array([totals[pair][0] for pair in pairs], dtype=np.float64),
        np.array([totals[pair][1] for pair in pairs], dtype=np.float64),
        len(names),
        prior,
    )
    best = model.maximum()
    centring = np.eye(len(best))
    centring[:-1, :-1] -= 1 / max(1, len(names))
    covariance = centring @ np.linalg.inv(model.look(best)[2]) @ centring.T
    middle, reach = centring @ best, REACH_95 * np.sqrt(np.maximum(np.diag(covariance), 1e-12))
    *rated, advantage = zip(*((ELO * each).tolist() for each in (middle, middle - reach, middle + reach)), strict=True)
    players = [PlayerRating(name, each, (low, high)) for name, (each, low, high) in zip(names, rated, strict=True)]
    return Ratings(
        tuple(sorted(players, key=lambda player: (-player.rating, player.name))),
        advantage[0],
        (advantage[1], advantage[2]),
        _groups(names, [pair for pair in pairs if totals[pair][0] > 0]),
        np.asarray(covariance, dtype=np.float64),
    )


@dataclass(frozen=True, slots=True)
class _Model:
    """The log posterior as a function of the ratings and, last, the colour term."""

    black: Ints
    """With the next three, one entry for every two players and their colours."""
    white: Ints
    games: Floats
    wins: Floats
    """Of Black."""
    players: int
    prior: float

    def maximum(self) -> Floats:
        at = np.zeros(self.players + 1)
        value, gradient, curvature = self.look(at)
        enough = _TIGHT * max(1.0, float(self.games.sum())) / math.sqrt(len(at))
        for _ in range(200):
            if float(np.linalg.norm(gradient)) <= enough:
                break
            step, length = np.linalg.solve(curvature, gradient), 1.0
            # Concave, so some length of the step goes up, until rounding hides it.
            while (new := self.look(at + length * step))[0] < value:
                if length < 1e-6:
                    return at
                length /= 2
            at, (value, gradient, curvature) = at + length * step, new
        return at

    def look(self, at: Floats) -> tuple[float, Floats, Floats]:
        """The value, the gradient, and minus the second derivative at a point."""
        lead, own = at[self.black] - at[self.white] + at[-1], _sigmoid(at)
        chance = _sigmoid(lead)
        value = float((self.wins * lead - self.games * _softplus(lead)).sum())
        value += self.prior * float((0.5 * at - _softplus(at)).sum())
        gradient = self._sums(self.wins - self.games * chance) + self.prior * (0.5 - own)
        weights = self.games * chance * (1 - chance)
        curvature = np.zeros((len(at), len(at)))
        curvature[self.black, self.white] = weights
        met = curvature + curvature.T
        curvature = np.diag(met.sum(axis=0) + self.prior * np.maximum(own * (1 - own), _LEAST_CURVATURE)) - met
        curvature[-1, :-1] = curvature[:-1, -1] = self._sums(weights)[:-1]
        curvature[-1, -1] += weights.sum()
        return value, gradient, curvature

    def _sums(self, entries: Floats) -> Floats:
        """For each player the entries of its games with Black minus those with White; last, all of them."""
        black, white = (np.bincount(side, entries, self.players) for side in (self.black, self.white))
        return np.append(black - white, entries.sum())


def _sigmoid(x: Floats) -> Floats:
    return 0.5 * (1 + np.tanh(0.5 * x))


def _softplus(x: Floats) -> Floats:
    """log(1 + exp(x))"""
    result: Floats = np.logaddexp(0, x)
    return result


def _groups(names: Sequence[str], pairs: Iterable[tuple[str, str]]) -> tuple[frozenset[str], ...]:
    """Players connected by games, largest group first."""
    group_of = {name: {name} for name in names}
    for one, other in pairs:
        smaller, larger = sorted((group_of[one], group_of[other]), key=len)
        if smaller is not larger:
            larger |= smaller
            group_of |= dict.fromkeys(smaller, larger)
    groups = {id(group): frozenset(group) for group in group_of.values()}
    return tuple(sorted(groups.values(), key=lambda group: (-len(group), min(group))))
