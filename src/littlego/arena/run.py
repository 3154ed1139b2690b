"""Playing a match: on with the games that are not finished, each kept as soon as it is."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from littlego.arena.entrants import Prepared
from littlego.arena.match import GameResult, MatchPlan, Table
from littlego.arena.store import Store
from littlego.arena.supervised import Supervisor
from littlego.arena.workers import Failure, run_tasks


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


def run_match(
    job: MatchJob,
    store: Store,
    *,
    workers: int = 1,
    on_result: Callable[[GameResult], None] = lambda _result: None,
    on_void: Callable[[Failure], None] = lambda _failure: None,
) -> None:
    """Play all games of the plan that `store` does not have, and keep each when it ends.

    A game that fails through our fault is void and played again. Raises TaskFailed if that does not
    help; everything else has been played by then, and calling again goes on.
    """
    finished = store.numbers()
    todo = [number for number in range(job.plan.games) if number not in finished]
    for result in run_tasks(job, todo, workers=min(workers, len(todo)), on_failure=on_void):
        if store.add(result):
            on_result(result)
