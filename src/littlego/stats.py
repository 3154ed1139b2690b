"""Tallies and intervals. Knows nothing of Go."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Self

REACH_95 = NormalDist().inv_cdf(0.975)
"""Standard deviations from the middle of a 95% interval to its ends."""


def wilson_interval(successes: float, trials: int) -> tuple[float, float]:
    """Wilson's 95% score interval for a rate; (0, 1) when nothing was tried.

    Unlike the normal approximation it stays within 0..1 and has a width at 0% and 100%.
    """
    if trials == 0:
        return 0.0, 1.0
    z = REACH_95
    rate = successes / trials
    centre = rate + z * z / (2 * trials)
    spread = z * math.sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


def wins_and_losses(tally: Tally) -> str:
    """`3-2`, or `3-2-1` with a tie."""
    return f"{tally.wins}-{tally.losses}" + (f"-{tally.ties}" if tally.ties else "")


def whole(value: float) -> str:
    """A number without its fraction, and never as -0."""
    return f"{round(value):d}"


@dataclass(frozen=True, slots=True)
class Tally:
    """Wins, losses and ties of one side."""

    wins: int = 0
    losses: int = 0
    ties: int = 0

    @classmethod
    def of(cls, results: Iterable[bool | None]) -> Self:
        """The tally of results: True a win, False a loss, None a tie.

        >>> lg.Tally.of([True, True, False, None])
        Tally(wins=2, losses=1, ties=1)
        """
        listed = list(results)
        return cls(listed.count(True), listed.count(False), listed.count(None))

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.wins + other.wins, self.losses + other.losses, self.ties + other.ties)

    @property
    def points(self) -> float:
        """A win is 1, a tie 1/2."""
        return self.wins + self.ties / 2

    @property
    def share(self) -> float:
        """Points a game; 0 without games."""
        return self.points / self.games if self.games else 0.0

    @property
    def games(self) -> int:
        return self.wins + self.losses + self.ties

    @property
    def win_rate(self) -> float:
        """Wins per game; a tie is not a win. 0 without games."""
        return self.wins / self.games if self.games else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the win rate."""
        return wilson_interval(self.wins, self.games)
