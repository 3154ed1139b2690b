"""Ratings: a Bradley-Terry fit with a term for having Black, in Elo units.

    P(black beats white) = 1 / (1 + exp(-(rating[black] - rating[white] + colour)))

The fit is the mode of that likelihood times a prior: every player has drawn `prior` games (half of
each won) against someone of rating 0, and Black has drawn as many against an equal. So nobody's
rating is infinite, and groups that never met stand around the same 0. The logarithm is concave:
Newton's method with conjugate gradients finds its one maximum, in memory that grows with the number
of pairs that met, not with the square of the players.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

ELO: Final = 400 / math.log(10)
"""Elo points for one unit of the logarithm of odds."""

_LEAST_CURVATURE: Final = 1e-3
_TIGHT: Final = 1e-9
_LOOSE: Final = 1e-5
"""How far the wins expected by a fit may be from those counted, as a share of all games: of the fit, of a resample."""

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PairScore:
    """Games of one player with Black against another with White. Void games are not counted."""

    black: str
    white: str
    games: int
    black_wins: float
    """A tie, which only boards of even size have, is half a win."""


@dataclass(frozen=True, slots=True)
class PlayerRating:
    """One player's rating."""

    name: str
    rating: float
    """In Elo; 0 is the mean of all players."""
    interval: tuple[float, float]
    games: int
    wins: float


@dataclass(frozen=True, slots=True)
class Ratings:
    """What a fit found."""

    players: tuple[PlayerRating, ...]
    """Best first; equal ones by name."""
    black_advantage: float
    """In Elo: what having Black is worth, against the same opponent."""
    black_advantage_interval: tuple[float, float]
    groups: tuple[tuple[str, ...], ...]
    """Players who met, directly or through others. Ratings of different groups cannot be compared."""
    prior: float
    bootstrap: int
    confidence: float

    def of(self, name: str) -> PlayerRating:
        """The rating of one player. Raises KeyError."""
        for player in self.players:
            if player.name == name:
                return player
        raise KeyError(name)

    def expected(self, black: str, white: str) -> float:
        """The share of games that `black` is expected to win against `white`. Raises KeyError."""
        lead = self.of(black).rating - self.of(white).rating + self.black_advantage
        return 1 / (1 + 10 ** (-lead / 400))


def fit_ratings(
    results: Sequence[PairScore],
    *,
    prior: float = 1.0,
    colour: bool = True,
    bootstrap: int = 200,
    confidence: float = 0.95,
    seed: int = 0,
) -> Ratings:
    """Fit ratings to results; several entries for the same two players and colours add up.

    What is resampled for the intervals: pairs of games. The games of two players are put together in
    twos, one with either colour, by lot, since sums do not tell which were played together; what is
    left over when one colour was had more often stands alone. As many of these as there are are drawn
    with replacement from all of them, and the fit is made again, `bootstrap` times; an interval is
    from percentile to percentile. Resampling never gives someone who won every game a loss, so the
    lower end of such a player's interval is instead the rating at which winning them all has the
    probability (1 - confidence) / 2, and likewise the upper end of someone who lost every game.
    Games repeated by deterministic players count as new evidence here: give each distinct game once
    if that is not meant. With `bootstrap` 0 the intervals are (-inf, inf).

    `colour` False leaves the colour term out. Raises ValueError for results that cannot be.
    """
    if prior <= 0 or not 0 < confidence < 1 or bootstrap < 0:
        raise ValueError(f"prior {prior}, confidence {confidence}, bootstrap {bootstrap}: not sensible")
    names, pairs = _collect(results)
    model = _Model(pairs, len(names), prior, colour)
    best = model.fit(pairs.games, pairs.wins, np.zeros(len(names) + 1), _TIGHT)
    samples = np.array([_centred(sample) for sample in _resampled_fits(model, pairs, best, bootstrap, seed)])
    tails = (1 - confidence) / 2
    low, high = (
        np.quantile(samples, [tails, 1 - tails], axis=0)
        if bootstrap
        else np.full((2, len(best)), [[-np.inf], [np.inf]])
    )
    if bootstrap:
        _widen_for_the_unbeaten(pairs, best, tails, low, high)
    rating = _centred(best)
    wins, games = _wins_and_games(pairs, len(names))
    players = [
        PlayerRating(
            name,
            ELO * float(rating[i]),
            (ELO * min(float(low[i]), float(rating[i])), ELO * max(float(high[i]), float(rating[i]))),
            round(games[i]),
            float(wins[i]),
        )
        for i, name in enumerate(names)
    ]
    return Ratings(
        tuple(sorted(players, key=lambda player: (-player.rating, player.name))),
        ELO * float(rating[-1]),
        (ELO * float(low[-1]), ELO * float(high[-1])),
        tuple(tuple(names[i] for i in group) for group in _groups(pairs, len(names))),
        prior,
        bootstrap,
        confidence,
    )


@dataclass(frozen=True, slots=True)
class _Pairs:
    """The results as arrays, an entry for every two players and their colours, in order."""

    black: Ints
    white: Ints
    games: Floats
    wins: Floats
    """Of Black."""


def _collect(results: Sequence[PairScore]) -> tuple[list[str], _Pairs]:
    for result in results:
        if result.black == result.white or result.games < 0 or not 0 <= result.black_wins <= result.games:
            raise ValueError(f"{result}: expected two players, and wins from 0 to the number of games")
    names = sorted({name for result in results for name in (result.black, result.white)})
    number = {name: i for i, name in enumerate(names)}
    black = np.array([number[result.black] for result in results], dtype=np.int64)
    white = np.array([number[result.white] for result in results], dtype=np.int64)
    keys, entry = np.unique(black * max(1, len(names)) + white, return_inverse=True)
    games = _totals(entry, np.array([result.games for result in results], dtype=np.float64), len(keys))
    wins = _totals(entry, np.array([result.black_wins for result in results], dtype=np.float64), len(keys))
    return names, _Pairs(keys // max(1, len(names)), keys % max(1, len(names)), games, wins)


def _totals(entry: Ints, amounts: Floats, length: int) -> Floats:
    """The sum of the amounts of each entry."""
    return np.bincount(entry, amounts, length).astype(np.float64, copy=False)


def _centred(solution: Floats) -> Floats:
    """With the mean of the ratings at 0; the last entry is the colour term."""
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
    """The logarithm of likelihood and prior as a function of the ratings and, last, the colour term."""

    def __init__(self, pairs: _Pairs, players: int, prior: float, colour: bool) -> None:
        self._black, self._white, self._players = pairs.black, pairs.white, players
        self._prior = np.append(np.full(players, prior), prior)
        self._colour = colour

    def fit(self, games: Floats, wins: Floats, start: Floats, tolerance: float) -> Floats:
        """The maximum, found from `start`."""
        at = start
        value, gradient, weights = self._look(games, wins, at)
        enough = tolerance * max(1.0, float(games.sum())) / math.sqrt(len(at))
        for _ in range(200):
            size = float(np.linalg.norm(gradient))
            if size <= enough:
                break
            step = self._newton_step(at, gradient, weights, max(0.5 * enough, min(0.01, size) * size))
            length = 1.0
            while True:
                there = at + length * step
                new = self._look(games, wins, there)
                # Concave, so some length of the step goes up, until rounding hides it.
                if new[0] >= value:
                    break
                if length < 1e-6:
                    return at
                length /= 2
            at, (value, gradient, weights) = there, new
        return at

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

    def _look(self, games: Floats, wins: Floats, at: Floats) -> tuple[float, Floats, Floats]:
        """The value and the gradient at a point, and what each pair weighs in the second derivative."""
        leads = self._leads(at)
        chance = _sigmoid(leads)
        own = _sigmoid(at)
        # Sums, not dot products: those start threads, which on busy machines wait for each other far longer.
        value = float((wins * leads - games * _softplus(leads, chance)).sum())
        value += float((self._prior * (0.5 * at - _softplus(at, own))).sum())
        gradient = self._sums(wins - games * chance) + self._prior * (0.5 - own)
        return value, gradient, games * chance * (1 - chance)

    def _newton_step(self, at: Floats, gradient: Floats, weights: Floats, tolerance: float) -> Floats:
        """Solve (minus the second derivative) step = gradient, as well as the tolerance asks."""
        chance = _sigmoid(at)
        # Far out the prior is straight and has no curvature left to divide by; a floor keeps the step finite.
        own = self._prior * np.maximum(chance * (1 - chance), _LEAST_CURVATURE)
        diagonal = own.copy()
        diagonal[:-1] += np.bincount(self._black, weights, self._players)
        diagonal[:-1] += np.bincount(self._white, weights, self._players)
        diagonal[-1] += weights.sum()
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


def _resampled_fits(model: _Model, pairs: _Pairs, best: Floats, bootstrap: int, seed: int) -> list[Floats]:
    rng = np.random.default_rng(seed)
    entry, score = _single_games(pairs, rng)
    unit, units = _pairs_of_games(pairs, entry)
    fits = []
    for _ in range(bootstrap):
        drawn = np.bincount(rng.integers(0, max(1, units), units), minlength=units)[unit].astype(np.float64)
        games = _totals(entry, drawn, len(pairs.games))
        wins = _totals(entry, drawn * score, len(pairs.games))
        fits.append(model.fit(games, wins, best, _LOOSE))
    return fits


def _single_games(pairs: _Pairs, rng: np.random.Generator) -> tuple[Ints, Floats]:
    """For every game its entry in `pairs` and Black's score, in an order within the entry that is drawn by lot.

    Sums tell of whole wins, whole losses and at most one game that was neither.
    """
    counts = pairs.games.astype(np.int64)
    entry = np.repeat(np.arange(len(counts)), counts)
    place = np.arange(len(entry)) - np.repeat(np.cumsum(counts) - counts, counts)
    score = np.clip(pairs.wins[entry] - place, 0.0, 1.0)
    return entry, score[np.lexsort((rng.random(len(entry)), entry))]


def _pairs_of_games(pairs: _Pairs, entry: Ints) -> tuple[Ints, int]:
    """For every game the pair of games it belongs to, and the number of these."""
    counts = pairs.games.astype(np.int64)
    place = np.arange(len(entry)) - np.repeat(np.cumsum(counts) - counts, counts)
    width = int(max(pairs.black.max(initial=0), pairs.white.max(initial=0))) + 1
    low, high = np.minimum(pairs.black, pairs.white), np.maximum(pairs.black, pairs.white)
    key = (low * width + high)[entry] * (int(counts.max(initial=0)) + 1) + place
    kinds, unit = np.unique(key, return_inverse=True)
    return unit.astype(np.int64), len(kinds)


def _wins_and_games(pairs: _Pairs, players: int) -> tuple[Floats, Floats]:
    won = _totals(pairs.black, pairs.wins, players) + _totals(pairs.white, pairs.games - pairs.wins, players)
    return won, _totals(pairs.black, pairs.games, players) + _totals(pairs.white, pairs.games, players)


def _widen_for_the_unbeaten(pairs: _Pairs, best: Floats, tail: float, low: Floats, high: Floats) -> None:
    """Put the ends that resampling cannot find where the results as they are would be that unlikely."""
    shift = float(best[:-1].mean()) if len(best) > 1 else 0.0
    players = len(best) - 1
    won, played = _wins_and_games(pairs, players)
    for i in np.flatnonzero((played > 0) & ((won == played) | (won == 0))):
        sign = 1.0 if won[i] else -1.0
        as_black, as_white = pairs.black == i, pairs.white == i
        against = np.concatenate(
            [best[pairs.white[as_black]] - best[-1], best[pairs.black[as_white]] + best[-1]]
        )  # fmt: skip
        games = np.concatenate([pairs.games[as_black], pairs.games[as_white]])
        end = _rating_of_a_clean_score(sign * against, games, tail)
        if sign > 0:
            low[i] = min(low[i], end - shift)
        else:
            high[i] = max(high[i], -end - shift)


def _rating_of_a_clean_score(against: Floats, games: Floats, chance: float) -> float:
    """The rating at which winning all games against these ratings has this probability."""
    low, high = float(against.min()) - 40.0, float(against.max()) + 40.0
    for _ in range(80):
        middle = (low + high) / 2
        if float(-games @ np.logaddexp(0, against - middle)) < math.log(chance):
            low = middle
        else:
            high = middle
    return low


def _groups(pairs: _Pairs, players: int) -> list[list[int]]:
    """Who is connected by games, largest group first."""
    leader = list(range(players))

    def find(i: int) -> int:
        while leader[i] != i:
            leader[i] = leader[leader[i]]
            i = leader[i]
        return i

    for black, white, games in zip(pairs.black.tolist(), pairs.white.tolist(), pairs.games.tolist(), strict=True):
        if games:
            leader[find(black)] = find(white)
    groups: dict[int, list[int]] = {}
    for i in range(players):
        groups.setdefault(find(i), []).append(i)
    return sorted(groups.values(), key=lambda group: (-len(group), group))
