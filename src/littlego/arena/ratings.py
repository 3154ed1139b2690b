"""Ratings: a Bradley-Terry fit with a term for having Black, in Elo units.

    P(black beats white) = 1 / (1 + exp(-(rating[black] - rating[white] + colour)))

The fit maximises that likelihood times a prior: every player has drawn `prior` games (half of each won) against a
player rated 0, and Black has drawn as many against an equal. So no rating is infinite, and groups that never met are
centred on the same 0. The logarithm is concave: Newton's method with conjugate gradients finds its only maximum, in
memory that grows with the number of pairs that met, not with the square of the players.

Intervals come from the curvature at the mode: its inverse is the covariance of all ratings and the
colour term together. `tests/arena/test_coverage.py` simulates how often they contain the truth.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
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
_TIGHT: Final = 1e-9
"""The fit's tolerance: expected minus counted wins, as a share of all games."""
_DENSE: Final = 1500
"""Up to this many players the whole curvature is inverted; beyond, each player's variance is approximated."""

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
    _spread: _Spread = field(repr=False, compare=False)

    def of(self, name: str) -> PlayerRating:
        """Raises KeyError."""
        return self._by_name[name]

    def superiority(self, one: str, other: str) -> float | None:
        """The probability that `one` is stronger than `other`; None if their groups differ. Raises KeyError."""
        if self._group_of[one] != self._group_of[other]:
            return None
        lead = (self.of(one).rating - self.of(other).rating) / ELO
        return NormalDist().cdf(lead / self._spread.of_difference(one, other))

    @cached_property
    def _by_name(self) -> dict[str, PlayerRating]:
        return {player.name: player for player in self.players}

    @cached_property
    def _group_of(self) -> dict[str, int]:
        return {name: number for number, group in enumerate(self.groups) for name in group}


def fit_ratings(results: Sequence[PairScore], *, prior: float = PRIOR, colour: bool = True) -> Ratings:
    """Fit ratings to results; several entries for the same two players and colours add up.

    `colour` False leaves the colour term out. Raises ValueError for impossible results.
    """
    for result in results:
        distinct = result.games if result.distinct is None else result.distinct
        if (
            result.black == result.white
            or not 0 <= result.black_wins <= result.games
            or not min(1, result.games) <= distinct <= result.games
        ):
            raise ValueError(f"{result}: expected two players, and wins and distinct games within the number of games")
    names = sorted({name for result in results for name in (result.black, result.white)})
    number = {name: i for i, name in enumerate(names)}
    return fit_arrays(
        names,
        black=np.array([number[result.black] for result in results], dtype=np.int64),
        white=np.array([number[result.white] for result in results], dtype=np.int64),
        games=np.array([result.games for result in results], dtype=np.float64),
        wins=np.array([result.black_wins for result in results], dtype=np.float64),
        distinct=np.array([r.games if r.distinct is None else r.distinct for r in results], dtype=np.float64),
        prior=prior,
        colour=colour,
    )


def fit_arrays(
    names: Sequence[str],
    *,
    black: Ints,
    white: Ints,
    games: Floats,
    wins: Floats,
    distinct: Floats,
    prior: float = PRIOR,
    colour: bool = True,
) -> Ratings:
    """The same for very many results: each array has an entry for every `PairScore`, players are places in `names`."""
    if prior <= 0:
        raise ValueError(f"prior {prior}: expected more than 0")
    number = len(names)
    pairs = _added_up(black, white, distinct, wins * distinct / np.maximum(games, 1), number)
    model = _Model(pairs, number, prior, colour)
    best = model.fit()
    spread = _Spread(names, model, best)
    rating = _centred(best)
    reach = REACH_95 * spread.of
    columns = (ELO * rating, ELO * (rating - reach), ELO * (rating + reach))
    listed = zip(names, *(column[:-1].tolist() for column in columns), strict=True)
    players = [PlayerRating(name, middle, (low, high)) for name, middle, low, high in listed]
    return Ratings(
        tuple(sorted(players, key=lambda player: (-player.rating, player.name))),
        float(columns[0][-1]),
        (float(columns[1][-1]), float(columns[2][-1])) if colour else (0.0, 0.0),
        tuple(frozenset(names[i] for i in group) for group in _groups(pairs, number)),
        spread,
    )


class _Spread:
    """Standard deviations from the curvature: of each rating around the mean and, last, of the colour term."""

    def __init__(self, names: Sequence[str], model: _Model, best: Floats) -> None:
        self._number = {name: i for i, name in enumerate(names)}
        self._covariance: Floats | None = None
        if len(best) <= _DENSE + 1:
            covariance = np.asarray(np.linalg.inv(model.curvature(best)), dtype=np.float64)
            if (players := len(best) - 1) > 0:
                centring = np.eye(len(best))
                centring[:players, :players] -= 1 / players
                covariance = np.asarray(centring @ covariance @ centring.T, dtype=np.float64)
            self._covariance = covariance
            variances = np.diag(covariance)
        else:
            variances = model.rough_variances(best)
        self.of: Floats = np.sqrt(np.maximum(variances, 1e-12))

    def of_difference(self, one: str, other: str) -> float:
        """Of the difference of two ratings."""
        i, j = self._number[one], self._number[other]
        variance = float(self.of[i] ** 2 + self.of[j] ** 2)
        if self._covariance is not None:
            variance -= 2 * float(self._covariance[i, j])
        return math.sqrt(max(variance, 1e-12))


@dataclass(frozen=True, slots=True)
class _Pairs:
    """The results as arrays, one entry for every ordered pair of players."""

    black: Ints
    white: Ints
    games: Floats
    wins: Floats
    """Of Black."""


def _added_up(black: Ints, white: Ints, games: Floats, wins: Floats, players: int) -> _Pairs:
    """One entry for every two players and their colours."""
    keys, entry = np.unique(black * max(1, players) + white, return_inverse=True)
    width = max(1, players)
    return _Pairs(keys // width, keys % width, _totals(entry, games, len(keys)), _totals(entry, wins, len(keys)))


def _totals(entry: Ints, amounts: Floats, length: int) -> Floats:
    return np.bincount(entry, amounts, length).astype(np.float64, copy=False)


def _centred(solution: Floats) -> Floats:
    """With the mean rating at 0; the last entry is the colour term."""
    if len(solution) == 1:
        return solution
    return np.append(solution[:-1] - solution[:-1].mean(), solution[-1])


def _sigmoid(x: Floats) -> Floats:
    return 0.5 * (1 + np.tanh(0.5 * x))


def _softplus(x: Floats, sigmoid: Floats) -> Floats:
    """log(1 + exp(x)), several times faster than numpy's logaddexp because the sigmoid is known."""
    result: Floats = np.maximum(x, 0) - np.log(np.maximum(sigmoid, 1 - sigmoid))
    return result


class _Model:
    """The log posterior as a function of the ratings and, last, the colour term."""

    def __init__(self, pairs: _Pairs, players: int, prior: float, colour: bool) -> None:
        self._black, self._white, self._players = pairs.black, pairs.white, players
        self._games, self._wins = pairs.games, pairs.wins
        self._prior = np.append(np.full(players, prior), prior)
        self._colour = colour

    def fit(self) -> Floats:
        """The maximum."""
        at = np.zeros(self._players + 1)
        value, gradient, weights = self._look(at)
        enough = _TIGHT * max(1.0, float(self._games.sum())) / math.sqrt(len(at))
        for _ in range(200):
            size = float(np.linalg.norm(gradient))
            if size <= enough:
                break
            step = self._newton_step(at, gradient, weights, max(0.5 * enough, min(0.01, size) * size))
            length = 1.0
            while True:
                there = at + length * step
                new = self._look(there)
                # Concave, so some length of the step goes up, until rounding hides it.
                if new[0] >= value:
                    break
                if length < 1e-6:
                    return at
                length /= 2
            at, (value, gradient, weights) = there, new
        return at

    def curvature(self, at: Floats) -> Floats:
        """Minus the second derivative at a point, as a matrix."""
        weights, own = self._weights(at)
        size, last = self._players + 1, self._players
        matrix = np.zeros((size, size))
        np.add.at(matrix, (self._black, self._white), -weights)
        matrix += matrix.T
        matrix[range(size), range(size)] = self._diagonal(weights, own)
        if self._colour:
            matrix[:last, last] = matrix[last, :last] = self._sums(weights)[:-1]
        return matrix

    def rough_variances(self, at: Floats) -> Floats:
        """About the diagonal of the inverse curvature: as if the opponents of each player's opponents were fixed."""
        weights, own = self._weights(at)
        diagonal = self._diagonal(weights, own)
        keys, entry = np.unique(
            np.minimum(self._black, self._white) * self._players + np.maximum(self._black, self._white),
            return_inverse=True,
        )
        low, high = keys // self._players, keys % self._players
        squares = _totals(entry, weights, len(keys)) ** 2
        through = np.zeros_like(diagonal)
        through[:-1] = np.bincount(low, squares / diagonal[high], self._players)
        through[:-1] += np.bincount(high, squares / diagonal[low], self._players)
        result: Floats = 1 / (diagonal - through)
        return result

    def _weights(self, at: Floats) -> tuple[Floats, Floats]:
        """The weights of each pair and of each player's prior in the second derivative."""
        chance, own = _sigmoid(self._leads(at)), _sigmoid(at)
        # Far out the prior is straight and has no curvature left to divide by; a floor keeps steps finite.
        return self._games * chance * (1 - chance), self._prior * np.maximum(own * (1 - own), _LEAST_CURVATURE)

    def _diagonal(self, weights: Floats, own: Floats) -> Floats:
        diagonal = own.copy()
        diagonal[:-1] += np.bincount(self._black, weights, self._players)
        diagonal[:-1] += np.bincount(self._white, weights, self._players)
        diagonal[-1] += weights.sum() if self._colour else 0.0
        return diagonal

    def _leads(self, at: Floats) -> Floats:
        leads: Floats = at[self._black] - at[self._white] + at[-1]
        return leads

    def _sums(self, entries: Floats) -> Floats:
        """The transpose of `_leads`."""
        sums = np.empty(self._players + 1)
        sums[:-1] = np.bincount(self._black, entries, self._players)
        sums[:-1] -= np.bincount(self._white, entries, self._players)
        sums[-1] = entries.sum() if self._colour else 0.0
        return sums

    def _look(self, at: Floats) -> tuple[float, Floats, Floats]:
        """The value and gradient at a point, and the weight of each pair in the second derivative."""
        games, leads, own = self._games, self._leads(at), _sigmoid(at)
        chance = _sigmoid(leads)
        # Sums, not dot products: those start threads, which on busy machines wait for each other far longer.
        value = float((self._wins * leads - games * _softplus(leads, chance)).sum())
        value += float((self._prior * (0.5 * at - _softplus(at, own))).sum())
        gradient = self._sums(self._wins - games * chance) + self._prior * (0.5 - own)
        return value, gradient, games * chance * (1 - chance)

    def _newton_step(self, at: Floats, gradient: Floats, weights: Floats, tolerance: float) -> Floats:
        """Solve (minus the second derivative) step = gradient, to the tolerance."""
        chance = _sigmoid(at)
        own = self._prior * np.maximum(chance * (1 - chance), _LEAST_CURVATURE)
        diagonal = self._diagonal(weights, own)
        step, left = np.zeros_like(gradient), gradient.copy()
        direction = eased = left / diagonal
        product = float(left @ eased)
        for _ in range(10 * len(at)):
            if float(np.linalg.norm(left)) <= tolerance:
                break
            image = self._sums(weights * self._leads(direction)) + own * direction
            length = product / float(direction @ image)
            step = step + length * direction
            left = left - length * image
            eased = left / diagonal
            before, product = product, float(left @ eased)
            direction = eased + product / before * direction
        return step


def _groups(pairs: _Pairs, players: int) -> list[list[int]]:
    """Players connected by games, largest group first."""
    label = np.arange(players)
    black, white = pairs.black[pairs.games > 0], pairs.white[pairs.games > 0]
    while True:
        # Everyone takes the smallest label among opponents, then that one's label, until nothing changes.
        least = np.minimum(label[black], label[white])
        new = label.copy()
        np.minimum.at(new, black, least)
        np.minimum.at(new, white, least)
        new = new[new]
        if np.array_equal(new, label):
            break
        label = new
    order = np.argsort(label, kind="stable")
    starts = np.flatnonzero(np.diff(label[order], prepend=-1))
    groups = [group.tolist() for group in np.split(order, starts[1:])] if players else []
    return sorted(groups, key=lambda group: (-len(group), group))
