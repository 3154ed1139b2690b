"""How far a run of games has come: its rate, the time left, the score so far, games in play and forfeits."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from littlego.arena.store import GameResult
from littlego.core.board import Colour
from littlego.formats.text import plural
from littlego.stats import Tally


class GamesProgress:
    """Counts games as they end.

    `planned` is their number in all, `workers` how many are played at once. `known` are results of earlier runs: they
    count for the score, but not for the rate. `about` is the player whose score is reported; None for the leader.
    """

    def __init__(
        self,
        planned: int,
        *,
        workers: int = 1,
        known: Iterable[GameResult] = (),
        about: str | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.planned = planned
        self.done = 0
        self.forfeits = 0
        self._workers, self._about, self._clock = workers, about, clock
        self._tallies: dict[str, Tally] = {}
        for result in known:
            self.add(result)
        self._before, self._began = self.done, clock()

    def add(self, result: GameResult) -> None:
        self.done += 1
        self.forfeits += result.is_forfeit
        if (outcome := result.record.outcome) is not None:
            for colour in Colour:
                name = result.record.player(colour)
                self._tallies[name] = self._tallies.get(name, Tally()) + Tally.of([outcome.won_by(colour)])

    @property
    def in_play(self) -> int:
        return max(0, min(self._workers, self.planned - self.done))

    @property
    def rate(self) -> float | None:
        """Games a second in this run; None before the first has ended."""
        seconds = self._clock() - self._began
        return (self.done - self._before) / seconds if self.done > self._before and seconds > 0 else None

    @property
    def seconds_left(self) -> float | None:
        return None if self.rate is None else max(0, self.planned - self.done) / self.rate

    @property
    def score(self) -> tuple[str, Tally] | None:
        """The player it is about, or the one with the most points a game so far, and its tally."""
        if self._about is not None:
            return self._about, self._tallies.get(self._about, Tally())
        leader = max(self._tallies, key=lambda name: self._tallies[name].share, default=None)
        return None if leader is None else (leader, self._tallies[leader])

    def status(self) -> str:
        """Everything but the count, in words."""
        parts = []
        if (rate := self.rate) is not None:
            parts.append(f"{rate:.1f} a second" if rate >= 1 else f"{60 * rate:.1f} a minute")
        if (left := self.seconds_left) is not None and self.done < self.planned:
            parts.append(f"{duration(left)} left")
        if self.in_play:
            parts.append(f"{self.in_play} in play")
        parts.append(plural(self.forfeits, "forfeit") if self.forfeits else "no forfeits")
        if (score := self.score) is not None and score[1].games:
            (low, high), rate = score[1].interval, score[1].win_rate
            parts.append(f"{score[0]} wins {100 * rate:.0f}% ({100 * low:.0f}-{100 * high:.0f}%)")
        return ", ".join(parts)

    def line(self) -> str:
        return f"{self.done} of {self.planned} games: {self.status()}"


def duration(seconds: float) -> str:
    """An approximate duration, in the unit a person would use."""
    if seconds < 90:
        return f"about {seconds:.0f} s"
    return f"about {seconds / 60:.0f} min" if seconds < 90 * 60 else f"about {seconds / 3600:.1f} h"
