"""How long the grading of a class will take, from the games that this run has played."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(slots=True)
class _UnderWay:
    began: float
    played_before: int
    """Games of earlier runs, which took no time now."""
    played: int
    planned: int


class Pace:
    """Of all submissions together, and of each one under way: a program that sleeps has a pace of its own."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began = clock()
        self._under_way: dict[str, _UnderWay] = {}
        self._played = 0
        self._planned = 0

    def note(self, name: str, played: int, planned: int) -> None:
        """A submission has so many of its games."""
        self._planned = planned
        known = self._under_way.get(name)
        if known is None:
            self._under_way[name] = _UnderWay(self._clock(), played, played, planned)
        else:
            self._played += played - known.played
            known.played = played

    def done(self, name: str) -> None:
        self._under_way.pop(name, None)

    def seconds_left(self, waiting: int) -> float | None:
        """Until all are done, with so many submissions that have not begun; None if nothing is known yet."""
        now = self._clock()
        if not self._played:
            return None
        left = self._planned * waiting + sum(one.planned - one.played for one in self._under_way.values())
        return max([left * (now - self._began) / self._played, *map(self._left_of, self._under_way.values())])

    def _left_of(self, one: _UnderWay) -> float:
        """For one submission alone. If it has not finished a game, one game takes at least as long as it has had."""
        games = max(1, one.played - one.played_before)
        return (one.planned - one.played) * (self._clock() - one.began) / games
