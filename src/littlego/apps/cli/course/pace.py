"""How long the grading of a class will take, from the games that this run has played.

The submissions under way share the workers, and those that are left alone at the end get all of them. So what is
counted for each is its share of the time, and the time left is the sum of what all games left will take.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

_UNUSUAL: Final = 3
"""A first game that takes so many times the mean says more about its program than the mean does."""


@dataclass(slots=True)
class _UnderWay:
    planned: int
    played: int
    new: int = 0
    """Games of this run; those of earlier ones took no time now."""
    seconds: float = 0.0
    """Its share of the time."""

    def a_game(self, mean: float) -> float:
        """Seconds for each of its games: the mean of all submissions counts as one of its own."""
        if self.new:
            return (self.seconds + mean) / (self.new + 1)
        return self.seconds if self.seconds > _UNUSUAL * mean else mean


class Pace:
    """Of all submissions together, and of each one under way: a program that sleeps has a pace of its own."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._noted = clock()
        self._under_way: dict[str, _UnderWay] = {}
        self._ended_seconds, self._ended_games = 0.0, 0
        self._planned = 0

    def note(self, name: str, played: int, planned: int) -> None:
        """A submission has so many of its games."""
        self._share_time()
        self._planned = planned
        one = self._under_way.setdefault(name, _UnderWay(planned, played))
        one.new += played - one.played
        one.played = played

    def done(self, name: str) -> None:
        self._share_time()
        if (one := self._under_way.pop(name, None)) is not None:
            self._ended_seconds += one.seconds
            self._ended_games += one.new

    def seconds_left(self, waiting: int) -> float | None:
        """Until all are done, with so many submissions that have not begun; None if nothing is known yet."""
        self._share_time()
        games = self._ended_games + sum(one.new for one in self._under_way.values())
        if not games:
            return None
        mean = (self._ended_seconds + sum(one.seconds for one in self._under_way.values())) / games
        begun = sum((one.planned - one.played) * one.a_game(mean) for one in self._under_way.values())
        return begun + self._planned * waiting * mean

    def _share_time(self) -> None:
        """Divide the time since the last call among those under way. Nobody is charged for unpacking and building."""
        now = self._clock()
        for one in self._under_way.values():
            one.seconds += (now - self._noted) / len(self._under_way)
        self._noted = now
