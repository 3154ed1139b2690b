"""A match that stops once the answer is known: a sequential probability ratio test over pairs of games.

    H0: the first player scores p0 a game on average       H1: it scores p1 > p0

The two games of a pair have the same opening and swapped colours, and count as one observation with a score of 0, 1/2,
1, 3/2 or 2: the games of a pair are dependent, pairs are independent. Nothing else is assumed about the distribution:
LLR is the log likelihood of the results under the likeliest distribution with mean p1 minus that under the likeliest
with mean p0. H1 is accepted when LLR reaches log((1 - beta) / alpha), H0 when it falls to log(beta / (1 - alpha)):
H1 in about alpha of the matches in which H0 is true, and H0 in beta of those in which H1 is.

Pairs are counted by number, so that the answer does not depend on how many games are played at once, on the order in
which they end, or on interruptions.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from littlego.arena.match import MatchPlan
from littlego.arena.store import GameResult, KeptGame
from littlego.core.errors import UsageError
from littlego.stats import REACH_95, Tally

SCORES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The possible scores of a pair, per game."""
_UNSEEN: Final = 0.01
"""The count of a score that was never seen: without it a single kind of result would be certain at once."""
ALPHA: Final = 0.05
"""How often H1 may be accepted when H0 is true."""
BETA: Final = 0.05
"""How often H0 may be accepted when H1 is true."""
LOWER: Final = math.log(BETA / (1 - ALPHA))
"""H0 is accepted at this LLR or below."""
UPPER: Final = math.log((1 - BETA) / ALPHA)
"""H1 is accepted at this LLR or above."""
_LEAST_PAIRS: Final = 8
_FEW_REPEATS: Final = 3
_MOST_REPEATED: Final = 0.1
"""If more pairs than this, and a larger share, are repeats, there is no answer: repeats are no new evidence, and
leaving them out would change what is measured."""


class Answer(enum.Enum):
    """The result of a test."""

    H0 = "H0"
    H1 = "H1"
    REPEATS = "repeats"
    """Undecided, and further games would only repeat."""


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """Two scores per game, between 0 and 1, the lower first."""

    p0: float
    p1: float

    def llr(self, pairs: Sequence[int]) -> float:
        """The log likelihood ratio of H1 to H0 for these numbers of pairs, by score."""
        if not sum(pairs):
            return 0.0
        counts = [max(float(count), _UNSEEN) for count in pairs]
        return _log_likelihood(counts, self.p1) - _log_likelihood(counts, self.p0)

    def answer(self, llr: float) -> Answer | None:
        return Answer.H1 if llr >= UPPER else Answer.H0 if llr <= LOWER else None


def _log_likelihood(counts: Sequence[float], mean: float) -> float:
    """Of the likeliest distribution over SCORES with that mean, up to a constant of the counts.

    Its probabilities are count / (total * (1 + tilt * (score - mean))), with the tilt that gives that mean; the sum
    that must vanish falls as the tilt grows.
    """
    total = sum(counts)
    away = [score - mean for score in SCORES]
    low, high = -1 / max(away), -1 / min(away)
    low, high = low + 1e-9 * abs(low), high - 1e-9 * abs(high)
    for _ in range(60):
        tilt = (low + high) / 2
        if sum(count * each / (1 + tilt * each) for count, each in zip(counts, away, strict=True)) > 0:
            low = tilt
        else:
            high = tilt
    return sum(count * math.log(count / total / (1 + low * each)) for count, each in zip(counts, away, strict=True))


def win_rate(elo: float) -> float:
    """The win rate of a player who is `elo` points stronger."""
    return 1 / (1 + 10 ** (-elo / 400))


def parse_bounds(text: str) -> tuple[float, float]:
    """The win rates in `0,100` (Elo) or `50%,60%`. Raises UsageError."""
    parts = [part.strip() for part in text.split(",")]
    try:
        if len(parts) != 2:
            raise ValueError
        if all(part.endswith("%") for part in parts):
            low, high = (float(part[:-1]) / 100 for part in parts)
        else:
            low, high = (win_rate(float(part)) for part in parts)
    except (ValueError, OverflowError) as error:
        raise UsageError(
            f"bounds {text!r}: expected two Elo differences such as 0,100, or two win rates such as 50%,60%"
        ) from error
    if not 0 < low < high < 1:
        raise UsageError(f"bounds {text!r}: expected the lower first, both strictly between 0% and 100%")
    return low, high


class SequentialTest:
    """A test under way. Games may be added in any order and are counted by number."""

    def __init__(self, hypotheses: Hypotheses, plan: MatchPlan, games: Iterable[KeptGame[int]] = ()) -> None:
        self.hypotheses = hypotheses
        self.pairs = [0] * len(SCORES)
        """The number of pairs with each score, without a gap from the first."""
        self.repeated = 0
        """How many of them repeat an earlier pair, move for move."""
        self.answer: Answer | None = None
        self._plan = plan
        self._seen: set[object] = set()
        self._waiting: dict[int, GameResult] = {}
        for game in games:
            self.add(game)

    @property
    def games(self) -> int:
        """Games that were counted."""
        return 2 * sum(self.pairs)

    @property
    def llr(self) -> float:
        return self.hypotheses.llr(self.pairs)

    @property
    def estimate(self) -> float:
        """The score per game so far; a half before the first."""
        number = sum(self.pairs)
        return sum(map(float.__mul__, SCORES, map(float, self.pairs))) / number if number else 0.5

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the score, from the variance of pairs; (0, 1) for fewer than two."""
        number = sum(self.pairs)
        if number < 2:
            return 0.0, 1.0
        counts = [max(float(count), _UNSEEN) for count in self.pairs]
        mean = sum(map(float.__mul__, SCORES, counts)) / sum(counts)
        spread = sum(count * (score - mean) ** 2 for count, score in zip(counts, SCORES, strict=True)) / sum(counts)
        reach = REACH_95 * math.sqrt(spread / (number - 1))
        return max(0.0, mean - reach), min(1.0, mean + reach)

    def add(self, game: KeptGame[int]) -> None:
        """Once there is an answer nothing changes."""
        self._waiting[game.key] = game.result
        while self.answer is None and {self.games, self.games + 1} <= self._waiting.keys():
            self._count(self.games)
            if self.repeated > _FEW_REPEATS + _MOST_REPEATED * sum(self.pairs):
                self.answer = Answer.REPEATS
            elif sum(self.pairs) >= _LEAST_PAIRS:
                self.answer = self.hypotheses.answer(self.llr)

    def _count(self, first: int) -> None:
        """Count the pair that begins with a game."""
        twice = 0
        played: list[object] = []
        for number in (first, first + 1):
            record = self._waiting.pop(number).record
            assert record.outcome is not None
            winner, colour = record.outcome.winner, self._plan.first_colour(number)
            twice += 1 if winner is None else 2 * (winner is colour)
            played.append((record.moves, record.outcome.verdict, winner))
        self.pairs[twice] += 1
        self.repeated += tuple(played) in self._seen
        self._seen.add(tuple(played))

    def line(self) -> str:
        low, high = (f"{100 * end:.0f}" for end in self.interval)
        repeated = f", {self.repeated} repeated" if self.repeated else ""
        return f"scores {100 * self.estimate:.1f}% ({low}-{high}%){repeated}"

    def verdict(self, first: str) -> str:
        low, high = (f"{100 * rate:.1f}%" for rate in (self.hypotheses.p0, self.hypotheses.p1))
        counted = f"{sum(self.pairs)} pairs of games: {self.line()}"
        if self.answer is Answer.H1:
            return f"H1 accepted: {first} scores {high} or more, not {low} (H0). {counted}."
        if self.answer is Answer.H0:
            return f"H0 accepted: {first} scores {low} or less, not {high} (H1). {counted}."
        if self.answer is Answer.REPEATS:
            return (
                f"No answer: the players repeat the same games, so further games would add nothing. {counted}. "
                "More openings give more distinct games: --openings 3."
            )
        return f"No answer yet between {low} (H0) and {high} (H1). {counted}."

    def as_dict(self) -> dict[str, Any]:
        return {
            "p0": self.hypotheses.p0,
            "p1": self.hypotheses.p1,
            "alpha": ALPHA,
            "beta": BETA,
            "games": self.games,
            "pairs": self.pairs,
            "repeated_pairs": self.repeated,
            "score": self.estimate,
            "interval_95": list(self.interval),
            "llr": self.llr,
            "lower": LOWER,
            "upper": UPPER,
            "answer": self.answer.value if self.answer else None,
        }


ELO: Final = 50.0
"""The test decides between this much weaker and this much stronger: 43% and 57% of the points."""
_UNLIKELY: Final = 0.05
HYPOTHESES: Final = Hypotheses(win_rate(-ELO), win_rate(ELO))


def head_to_head(test: SequentialTest, old: str, new: str) -> str:
    """The answer of a test of the new version (first) against the old one, in words."""
    low, high = test.interval
    scored = f"It scores {100 * test.estimate:.0f}% against {old} (95% interval {100 * low:.0f}-{100 * high:.0f}%)"
    games = f"in {test.games} games from {test.games // 2} openings, each with both colours"
    if test.answer is Answer.H1:
        return f"Yes: {new} is better. {scored}, {games}."
    if test.answer is Answer.H0:
        return f"No: {new} is worse. {scored}, {games}."
    if test.answer is Answer.REPEATS:
        return f"No answer: they repeat the same games, so more games would add nothing. {scored}, {games}."
    if low > 0.5 or high < 0.5:
        better = "better" if low > 0.5 else "worse"
        return f"Almost certainly {better}: {new}. {scored}, {games}; more would make it certain (--games)."
    return f"Undecided. {scored}, {games}: the interval lies on both sides of 50%; more games may decide it (--games)."


@dataclass(frozen=True, slots=True)
class Against:
    """Both versions against one opponent, in games with the same openings, colours and seeds."""

    opponent: str
    games: int
    """That both versions have played."""
    before: float
    """Points of the old version: a win is one, a tie a half."""
    after: float
    gained: tuple[int, ...]
    """Games, from 1, that went better than before."""
    lost: tuple[int, ...]
    """Games that went worse."""

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the change per game. Games are pairs of equal ones, so that only differences count."""
        if self.games < 2:
            return -1.0, 1.0
        mean = (self.after - self.before) / self.games
        # A difference that was not seen could still come next: without it twenty equal games would be certain.
        changed = len(self.gained) + len(self.lost) + 1
        spread = math.sqrt(max(changed / self.games - mean**2, 1 / self.games) / self.games)
        reach = REACH_95 * spread
        return max(-1.0, mean - reach), min(1.0, mean + reach)

    @property
    def chance(self) -> float:
        """How likely two equal versions differ as much or more: the sign test, on the games that changed."""
        changed, more = len(self.gained) + len(self.lost), max(len(self.gained), len(self.lost))
        as_far = sum(math.comb(changed, k) for k in range(more, changed + 1))
        return min(1.0, as_far / float(2 ** (changed - 1))) if changed else 1.0

    @property
    def sentence(self) -> str:
        low, high = (100 * end for end in self.interval)
        verdict = "no clear difference"
        if self.chance < _UNLIKELY:
            verdict = "better" if self.after > self.before else "worse"
        change = 100 * (self.after - self.before) / self.games if self.games else 0.0
        return (
            f"Against {self.opponent}: {self.before:g} of {self.games} before, {self.after:g} after, "
            f"{change:+.0f} points in a hundred ({low:+.0f} to {high:+.0f}): {verdict}."
        )

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "interval_95": list(self.interval), "sentence": self.sentence}


def against(opponent: str, plan: MatchPlan, old: Iterable[KeptGame[int]], new: Iterable[KeptGame[int]]) -> Against:
    """Compare the games of two matches with plans that differ in their first player alone."""
    before = {game.key: _score(plan, game) for game in old}
    after = {game.key: _score(plan, game) for game in new}
    both = sorted(before.keys() & after.keys())
    return Against(
        opponent,
        len(both),
        sum(before[number] for number in both),
        sum(after[number] for number in both),
        tuple(number + 1 for number in both if after[number] > before[number]),
        tuple(number + 1 for number in both if after[number] < before[number]),
    )


def _score(plan: MatchPlan, game: KeptGame[int]) -> float:
    """Of the first player."""
    return Tally.of([plan.first_won(game)]).points
