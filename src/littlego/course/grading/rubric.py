"""What every edition of the course plays, and the points it gives, as data.

Scheme   an edition: its batches, and how often they are repeated
Batch    games that share a time budget: a stage, or the part of it that "submit" plays
Rubric   an opponent, and bands of points by win rate
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from littlego.core.errors import UsageError
from littlego.core.rules import EDITIONS


@dataclass(frozen=True, slots=True)
class Band:
    """A line of a rubric: from this win rate up, fixed points, or points times the rate."""

    at_least: int
    """In per cent."""
    points: int
    times_rate: bool = True

    def value(self, rate: Fraction) -> float:
        return float(self.points * rate) if self.times_rate else float(self.points)


@dataclass(frozen=True, slots=True)
class Award:
    """Points, and the line of the rubric that gave them."""

    points: float
    line: str


@dataclass(frozen=True, slots=True)
class Rubric:
    """The bands for one opponent, best first; the last begins at 0%."""

    opponent: str
    bands: tuple[Band, ...]

    @property
    def max_points(self) -> float:
        """For winning every game."""
        return self.bands[0].value(Fraction(1))

    def award(self, wins: int, games: int) -> Award:
        """Exact: 18 of 20 is 90%. No points without games."""
        if not games:
            return Award(0.0, "no games were played: 0")
        rate = Fraction(wins, games)
        k = next(k for k, band in enumerate(self.bands) if rate * 100 >= band.at_least)
        band, above = self.bands[k], self.bands[k - 1].at_least
        where = f"{band.at_least}% or more" if band.at_least else f"below {above}%"
        points = band.value(rate)
        if not band.times_rate or not band.points:
            return Award(points, f"{where}: {points:g}")
        return Award(points, f"{where}: {band.points} x {100 * float(rate):g}% = {points:g}")


@dataclass(frozen=True, slots=True)
class Batch:
    """Games that share a budget of CPU time."""

    key: str
    """`1`, `2`, `submit1` or `submit2`."""
    title: str
    rubrics: tuple[Rubric, ...]
    games_per_colour: int
    budget_seconds: float
    binding: bool = True
    """Whether a batch over budget scores nothing."""

    @property
    def games_each(self) -> int:
        return 2 * self.games_per_colour

    @property
    def games(self) -> int:
        return self.games_each * len(self.rubrics)

    @property
    def max_points(self) -> float:
        """For winning every game."""
        return sum(rubric.max_points for rubric in self.rubrics)


@dataclass(frozen=True, slots=True)
class Scheme:
    """The grading of an edition."""

    edition: str
    batches: tuple[Batch, ...]
    repeats: int = 1
    """How often a stage (not a submit) is played; the best total counts."""

    @property
    def opponents(self) -> list[str]:
        """Names of all opponents, sorted."""
        return sorted({rubric.opponent for batch in self.batches for rubric in batch.rubrics})

    def selected(self, stage: str) -> tuple[Batch, ...]:
        """The batches of a stage: 1, 2, all, submit, submit1 or submit2. Raises UsageError."""
        keys = {"all": ("1", "2"), "submit": ("submit1", "submit2")}.get(stage, (stage,))
        if stage not in STAGES:
            raise UsageError(f"stage {stage!r}: expected one of {', '.join(STAGES)}")
        found = tuple(batch for batch in self.batches if batch.key in keys)
        if not found:
            raise UsageError(f"edition {self.edition} has no stage {stage} to grade: {_INSTEAD_IN_2019[stage[0]]}")
        return found

    def repeats_of(self, stage: str) -> int:
        return 1 if stage.startswith("submit") else self.repeats


STAGES: Final = ("1", "2", "all", "submit", "submit1", "submit2")

_INSTEAD_IN_2019: Final = {
    "2": "it was a competition between all agents, 11 games a pair: see 'littlego tournament'",
    "s": "use --stage 1",
}


def _bands(full: int, middle: int, low: int) -> tuple[Band, ...]:
    return Band(90, full, times_rate=False), Band(70, middle), Band(0, low)


_RANDOM = Rubric("random", _bands(25, 15, 0))
_GREEDY = Rubric("greedy", _bands(25, 15, 0))
_AGGRESSIVE = Rubric("aggressive", _bands(25, 20, 10))
_ALPHABETA = Rubric("alphabeta", _bands(15, 10, 5))
_QLEARNING = Rubric("qlearning", _bands(5, 5, 0))
_CHAMPION = Rubric("champion", _bands(5, 5, 2))

# "Submit" leaves alphabeta out, and plays half of stage 2's games.
_BATCHES: Final = (
    Batch("1", "Stage 1", (_RANDOM, _GREEDY, _AGGRESSIVE, _ALPHABETA), 10, 7200),
    Batch("2", "Stage 2", (_QLEARNING, _CHAMPION), 10, 3600),
    Batch("submit1", "Stage 1, submit", (_RANDOM, _GREEDY, _AGGRESSIVE), 10, 5400),
    Batch("submit2", "Stage 2, submit", (_QLEARNING, _CHAMPION), 5, 1800),
)

_RUBRICS_2019: Final = (
    Rubric("random", _bands(30, 20, 0)),
    Rubric("greedy", _bands(30, 20, 0)),
    Rubric("aggressive", _bands(20, 15, 10)),
    Rubric("smart", _bands(20, 15, 10)),
)

SCHEMES: Final = {
    "2019": Scheme("2019", (Batch("1", "Stage 1", _RUBRICS_2019, 50, 1200, binding=False),)),
    "2022": Scheme("2022", _BATCHES),
    "2024": Scheme("2024", _BATCHES),
    "2025": Scheme("2025", _BATCHES, repeats=3),
}


def scheme(edition: str) -> Scheme:
    """Raises UsageError."""
    if edition not in SCHEMES:
        raise UsageError(f"edition {edition!r}: expected one of {', '.join(EDITIONS)}")
    return SCHEMES[edition]
