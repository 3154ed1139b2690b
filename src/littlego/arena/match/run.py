"""Playing a match: on with the games that are not finished, each kept as soon as it is."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from littlego.arena.entrants.kinds import Prepared
from littlego.arena.match.plan import GameResult, MatchPlan, Table
from littlego.arena.match.store import Store
from littlego.arena.pool.local import Failure, Job, run_tasks
from littlego.arena.referee.client import Supervisor


@dataclass(frozen=True, slots=True)
class MatchJob:
    """What a worker needs to play games of a match."""

    plan: MatchPlan
    names: tuple[str, str]
    prepared: tuple[Prepared, Prepared]

    @contextlib.contextmanager
    def open(self) -> Iterator[Callable[[int], GameResult]]:
        """Start a supervisor; the value plays a game by its number."""
        with Supervisor(level=self.plan.level) as supervisor:
            yield Table(self.plan, self.names, self.prepared, supervisor).play


class Executor(Protocol):
    """Where tasks are done: `workers.run_tasks` with a number of processes, or `cluster.Cluster.run_tasks`."""

    def __call__(
        self, job: Job, tasks: Iterable[int], *, on_failure: Callable[[Failure], None]
    ) -> Generator[Any, None, None]:
        """The results of all tasks, in the order in which they are done, some perhaps more than once."""
        ...


def run_match(
    job: MatchJob,
    store: Store,
    *,
    workers: int = 1,
    executor: Executor | None = None,
    on_result: Callable[[GameResult], None] = lambda _result: None,
    on_void: Callable[[Failure], None] = lambda _failure: None,
    enough: Callable[[], bool] = lambda: False,
) -> None:
    """Play all games of the plan that `store` does not have, and keep each when it ends.

    They are played by `executor`, or else by so many `workers` here; none is begun once `enough` says so.

    A game that fails through our fault is void and played again. Raises TaskFailed if that does not
    help; everything else has been played by then, and calling again goes on. When a program has
    used up its budget, the games to come are its losses and are not played; games under way are not kept.
    Raises UsageError if there is something to play and the store cannot be written to.
    """
    missing = _missing(job.plan, store)
    if missing:
        store.check_writable()
    spent = Spending(job.plan, store.results())
    execute = executor or functools.partial(run_tasks, workers=workers)
    games = execute(job, missing, on_failure=on_void)
    with contextlib.closing(games):
        while not enough() and not spent.overdrawn() and (result := next(games, None)) is not None:
            if store.add(result):  # else it came twice, and was counted the first time
                spent.add(result)
                on_result(result)
    if not enough() and (who := spent.overdrawn()):
        with Supervisor(level=job.plan.level) as supervisor:
            table = Table(job.plan, job.names, job.prepared, supervisor)
            for number in _missing(job.plan, store):
                first = job.plan.first_colour(number)
                forfeit = table.forfeit(number, first if who == 1 else first.opponent, spent.seconds[who - 1])
                if store.add(forfeit):
                    on_result(forfeit)


def _missing(plan: MatchPlan, store: Store) -> list[int]:
    finished = store.numbers()
    return [number for number in range(plan.games) if number not in finished]


class Spending:
    """The CPU time that each entrant has used, game by game."""

    def __init__(self, plan: MatchPlan, results: list[GameResult]) -> None:
        self._plan = plan
        self.seconds = [0.0, 0.0]
        for result in results:
            self.add(result)

    def add(self, result: GameResult) -> None:
        """Count a finished game."""
        first = self._plan.first_colour(result.number).name.lower()
        for colour, seconds in result.cpu_seconds.items():
            self.seconds[0 if colour == first else 1] += sum(seconds)

    def overdrawn(self) -> int:
        """1 or 2 for the entrant that has used more than the match allows; else 0."""
        budget = self._plan.budget_seconds
        if budget is None or max(self.seconds) <= budget:
            return 0
        return 1 + self.seconds.index(max(self.seconds))
