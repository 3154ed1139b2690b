"""How long a grading will take, from the games that this run has played.

Strong opponents come last and think longest, and so do programs against them: what is counted is the time of a game
against each opponent, and how much faster or slower than others a program is. The submissions under way share the
workers, and those that are left alone at the end get all of them. So what is counted for each is its share of the
time, and the time left is the sum of what all games left will take.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

_UNUSUAL: Final = 3
"""A first game that takes this many times the mean says more about its program than the mean does."""


@dataclass(slots=True)
class _Stretch:
    """Games of this run; those of earlier ones took no time now."""

    games: int = 0
    seconds: float = 0.0

    def add(self, games: int, seconds: float) -> None:
        self.games += games
        self.seconds += seconds


@dataclass(slots=True)
class _UnderWay:
    against: Mapping[str, tuple[int, int]]
    """Games played and planned, by opponent."""
    stretches: dict[str, _Stretch] = field(default_factory=dict)
    pending: float = 0.0
    """Its share of the time since its last game."""


class Pace:
    """Of all submissions together, and of each one under way: a program that sleeps has a pace of its own."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._noted = clock()
        self._under_way: dict[str, _UnderWay] = {}
        self._ended: dict[str, _Stretch] = {}
        self._planned: Mapping[str, int] = {}

    def note(self, name: str, against: Mapping[str, tuple[int, int]]) -> None:
        """How many games a submission has played, and how many are planned, by opponent."""
        self._share_time()
        self._planned = {opponent: planned for opponent, (_, planned) in against.items()}
        one = self._under_way.setdefault(name, _UnderWay(against))
        new = {opponent: played - one.against[opponent][0] for opponent, (played, _) in against.items()}
        one.against = against
        if not (total := sum(new.values())):
            return
        for opponent, games in new.items():
            one.stretches.setdefault(opponent, _Stretch()).add(games, one.pending * games / total)
        one.pending = 0.0

    def done(self, name: str) -> None:
        self._share_time()
        if (one := self._under_way.pop(name, None)) is not None:
            for opponent, stretch in one.stretches.items():
                self._ended.setdefault(opponent, _Stretch()).add(stretch.games, stretch.seconds)

    def seconds_left(self, waiting: int) -> float | None:
        """Until all are done, with `waiting` submissions that have not begun; None if nothing is known yet."""
        self._share_time()
        means = self._means()
        if not means:
            return None
        # The opponents that nobody has met are the last ones, and hardly quicker than the slowest so far.
        means = {opponent: means.get(opponent, max(means.values())) for opponent in self._planned}
        each = sum(games * means[opponent] for opponent, games in self._planned.items())
        return waiting * each + sum(_left(one, means) for one in self._under_way.values())

    def _means(self) -> dict[str, float]:
        """Seconds of a game, by opponent."""
        sums: dict[str, _Stretch] = {}
        for opponent, stretch in self._stretches():
            sums.setdefault(opponent, _Stretch()).add(stretch.games, stretch.seconds)
        return {opponent: found.seconds / found.games for opponent, found in sums.items() if found.games}

    def _stretches(self) -> Iterator[tuple[str, _Stretch]]:
        yield from self._ended.items()
        for one in self._under_way.values():
            yield from one.stretches.items()

    def _share_time(self) -> None:
        """Divide the time since the last call among those under way. Nobody is charged for unpacking and building."""
        now = self._clock()
        for one in self._under_way.values():
            one.pending += (now - self._noted) / len(self._under_way)
        self._noted = now


def _left(one: _UnderWay, means: Mapping[str, float]) -> float:
    """Seconds for the games left of a submission: the mean of all counts as a game of its own."""
    factor = _slowness(one, means)
    seconds = 0.0
    for opponent, (played, planned) in one.against.items():
        stretch = one.stretches.get(opponent, _Stretch())
        a_game = (stretch.seconds + factor * means[opponent]) / (stretch.games + 1)
        seconds += (planned - played) * a_game
    return seconds


def _slowness(one: _UnderWay, means: Mapping[str, float]) -> float:
    """How many times as long as others a program takes for the same games."""
    games = sum(stretch.games for stretch in one.stretches.values())
    usual = sum(stretch.games * means[opponent] for opponent, stretch in one.stretches.items())
    if games:
        mean = usual / games
        return (sum(stretch.seconds for stretch in one.stretches.values()) + mean) / (usual + mean) if mean else 1.0
    mean = sum(means.values()) / len(means)
    return one.pending / mean if one.pending > _UNUSUAL * mean else 1.0
