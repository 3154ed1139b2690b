"""Whether a change helped: two versions of an agent against each other, and against others in the same games."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Final

from littlego.arena.match.plan import MatchPlan
from littlego.arena.match.sprt import Answer, Hypotheses, SequentialTest, win_rate
from littlego.arena.results import KeptGame
from littlego.stats import REACH_95, Tally

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
    sides = "above" if low > 0.5 else "below" if high < 0.5 else "on both sides of"
    hint = "more games may decide it" if sides == "on both sides of" else "likely, but not certain yet"
    return f"Not settled. {scored}, {games}: the interval lies {sides} 50%; {hint} (--games)."


@dataclass(frozen=True, slots=True)
class Swept:
    """The openings of which one version won both games; the numbers are those of their first games."""

    by_new: tuple[int, ...]
    by_old: tuple[int, ...]
    shared: int
    """The number of other openings."""


def swept_openings(plan: MatchPlan, games: Iterable[KeptGame[int]]) -> Swept:
    """Of complete pairs; the plan's first player is the new version."""
    scores = {game.key: _score(plan, game) for game in games}
    pairs = [number for number in scores if number % 2 == 0 and number + 1 in scores]
    both = {number: scores[number] + scores[number + 1] for number in sorted(pairs)}
    by_new = tuple(number + 1 for number, score in both.items() if score == 2)
    by_old = tuple(number + 1 for number, score in both.items() if score == 0)
    return Swept(by_new, by_old, len(both) - len(by_new) - len(by_old))


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
