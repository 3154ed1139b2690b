"""A match that stops when the answer is known: Wald's sequential probability ratio test.

    H0: the first player wins a share p0 of its games      H1: it wins p1 > p0
    LLR = wins * log(p1 / p0) + losses * log((1 - p1) / (1 - p0))

H1 is accepted when LLR reaches log((1 - beta) / alpha), H0 when it falls to log(beta / (1 - alpha)).
H1 is then accepted in at most about alpha of the matches in which H0 is true, H0 in beta of those in
which H1 is. A player that wins more with one colour than with the other makes both rarer still,
since the colours alternate. Games are counted by their numbers, in twos, so that the answer is the
same however many are played at once, in whatever order they end, and however often one stopped.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from littlego.arena.match.plan import MatchPlan
from littlego.arena.results import GameResult, KeptGame
from littlego.core.colour import Colour
from littlego.core.errors import UsageError

NOTHING_NEW: Final = 20
"""So many games in a row that had all been played before show that the players only repeat themselves."""


class Answer(enum.Enum):
    """What a test has found."""

    H0 = "H0"
    H1 = "H1"
    REPEATS = "repeats"
    """Undecided, and more games would be the same ones."""


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """Two shares of games won, and how often each may be rejected though true."""

    p0: float
    p1: float
    alpha: float = 0.05
    """How often H1 may be accepted when H0 is true."""
    beta: float = 0.05
    """How often H0 may be accepted when H1 is true."""

    def __post_init__(self) -> None:
        if not 0 < self.p0 < self.p1 < 1:
            raise UsageError(f"bounds {self.p0:g} and {self.p1:g}: expected two win rates, the lower one first")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise UsageError(f"alpha {self.alpha:g}, beta {self.beta:g}: expected error rates between 0 and 0.5")

    @property
    def lower(self) -> float:
        """H0 is accepted at this LLR or below."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """H1 is accepted at this LLR or above."""
        return math.log((1 - self.beta) / self.alpha)

    def llr(self, wins: float, losses: float) -> float:
        """The logarithm of how much likelier the results are under H1. A tie is half of each."""
        return wins * math.log(self.p1 / self.p0) + losses * math.log((1 - self.p1) / (1 - self.p0))

    def answer(self, llr: float) -> Answer | None:
        """What an LLR says, if anything."""
        return Answer.H1 if llr >= self.upper else Answer.H0 if llr <= self.lower else None


def win_rate(elo: float) -> float:
    """The share of games won by a player so many Elo points stronger."""
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
        raise UsageError(f"bounds {text!r}: expected the lower one first, both short of certainty")
    return low, high


class SequentialTest:
    """A test under way. Tell it of games in any order; it counts them in theirs.

    A game that was played before, move for move with the same colours, is no new evidence and is
    counted once: deterministic players would else prove anything by repeating one game.
    """

    def __init__(self, hypotheses: Hypotheses, plan: MatchPlan, games: Iterable[KeptGame[int]] = ()) -> None:
        self.hypotheses = hypotheses
        self.games = 0
        """Games that were counted or found to be repeated, in order from the first."""
        self.distinct = 0
        self.wins = 0.0
        self.losses = 0.0
        self.answer: Answer | None = None
        self._plan = plan
        self._seen: set[object] = set()
        self._waiting: dict[int, GameResult] = {}
        self._stale = 0
        for game in games:
            self.add(game)

    @property
    def llr(self) -> float:
        """Of the distinct games so far."""
        return self.hypotheses.llr(self.wins, self.losses)

    def add(self, game: KeptGame[int]) -> None:
        """Tell of a finished game. Nothing changes once there is an answer."""
        self._waiting[game.key] = game.result
        while self.answer is None and {self.games, self.games + 1} <= self._waiting.keys():
            for _ in range(2):
                self._count(self._plan.first_colour(self.games), self._waiting.pop(self.games))
                self.games += 1
            self.answer = self.hypotheses.answer(self.llr)
            if self.answer is None and self._stale >= NOTHING_NEW:
                self.answer = Answer.REPEATS

    def line(self) -> str:
        """How it stands, in a few words."""
        bounds = f"{self.hypotheses.lower:.2f} to {self.hypotheses.upper:.2f}"
        repeated = f", {self.games - self.distinct} repeated" if self.games > self.distinct else ""
        return f"LLR {self.llr:.2f} ({bounds}){repeated}"

    def verdict(self, first: str) -> str:
        """The answer in a sentence."""
        low, high = (f"{100 * rate:.1f}%" for rate in (self.hypotheses.p0, self.hypotheses.p1))
        counted = f"{self.games} games, {self.distinct} of them distinct: {self.line()}"
        if self.answer is Answer.H1:
            return f"H1 accepted: {first} wins {high} of its games or more, against {low} (H0). {counted}."
        if self.answer is Answer.H0:
            return f"H0 accepted: {first} wins {low} of its games or less, against {high} (H1). {counted}."
        if self.answer is Answer.REPEATS:
            return f"No answer: the players repeat the same games, and more would tell nothing. {counted}."
        return f"No answer yet between {low} (H0) and {high} (H1). {counted}."

    def as_dict(self) -> dict[str, Any]:
        """The test as JSON values."""
        return {
            "p0": self.hypotheses.p0,
            "p1": self.hypotheses.p1,
            "alpha": self.hypotheses.alpha,
            "beta": self.hypotheses.beta,
            "games": self.games,
            "distinct_games": self.distinct,
            "wins": self.wins,
            "losses": self.losses,
            "llr": self.llr,
            "lower": self.hypotheses.lower,
            "upper": self.hypotheses.upper,
            "answer": self.answer.value if self.answer else None,
        }

    def _count(self, colour: Colour, result: GameResult) -> None:
        outcome = result.record.outcome
        assert outcome is not None
        game = (colour, result.record.moves, outcome.verdict, outcome.winner)
        self._stale += 1
        if game in self._seen:
            return
        self._seen.add(game)
        self._stale = 0
        self.distinct += 1
        won = 0.5 if outcome.winner is None else float(outcome.winner is colour)
        self.wins += won
        self.losses += 1 - won
