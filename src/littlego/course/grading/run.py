"""Playing a grading: on with the games that are not finished, each kept as soon as it is."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from littlego.arena.entrants.kinds import BuiltIn, Entrant, Prepared
from littlego.arena.entrants.preparing import prepare_surely
from littlego.arena.entrants.programs import GRADES, BuildFailed
from littlego.arena.match.plan import GameResult
from littlego.arena.match.run import Spending
from littlego.arena.match.store import Store
from littlego.arena.pool.local import Failure, TaskFailed, run_tasks
from littlego.arena.referee.client import Supervisor
from littlego.arena.referee.levels import Level
from littlego.arena.referee.limits import Limits
from littlego.core.errors import UsageError
from littlego.core.rules import DEFAULT_EDITION
from littlego.course.grading.plan import GradingJob, GradingPlan, Round
from littlego.course.grading.report import GradeReport, make_report
from littlego.course.grading.rubric import scheme
from littlego.players.catalogue import MANUAL

RESULTS: Final = "results.sqlite"


def grade(
    entrant: Entrant,
    *,
    edition: str = DEFAULT_EDITION,
    stage: str = "1",
    out: Path | None = None,
    jobs: int = 1,
    seed: int = 1,
    level: Level | None = None,
    repeats: int | None = None,
    limits: Limits | None = None,
    on_result: Callable[[GameResult], None] = lambda _result: None,
    on_void: Callable[[Failure], None] = lambda _failure: None,
) -> GradeReport:
    """Grade an agent; the same call goes on where an earlier one was stopped.

    An agent that cannot be built has a report too, with no points and the compiler's words in
    `problem`. Raises UsageError when there is nothing to grade, or `out` holds something else.
    """
    plan = grading_plan(entrant, edition=edition, stage=stage, seed=seed, level=level, repeats=repeats, limits=limits)
    with open_grading(entrant, plan, out=out) as grading:
        grading.play(jobs=jobs, on_result=on_result, on_void=on_void)
        return grading.report()


def grading_plan(
    entrant: Entrant,
    *,
    edition: str,
    stage: str,
    seed: int = 1,
    level: Level | None = None,
    repeats: int | None = None,
    limits: Limits | None = None,
) -> GradingPlan:
    """The plan for an agent. Raises UsageError."""
    if entrant.spelling == MANUAL:
        raise UsageError("a person cannot be graded: use 'littlego play manual ...'")
    by = scheme(edition)
    opponents = {rubric.opponent for batch in by.batches for rubric in batch.rubrics}
    name = f"{entrant.name}-agent" if entrant.name in opponents else entrant.name
    return GradingPlan(entrant.spelling, name, by, stage, seed, limits or Limits(), level, repeats)


class Grading:
    """A grading under way; `open_grading` makes it."""

    def __init__(
        self, plan: GradingPlan, prepared: Prepared | None, store: Store | None, folder: Path, level: str, problem: str
    ) -> None:
        self.plan = plan
        self.folder = folder
        self.level = level
        """How programs are kept in their place, in a line; empty if the agent cannot be run."""
        self._prepared = prepared
        self._store = store
        self._problem = problem
        self._failures: list[str] = []
        self._results = {result.number: result for result in store.results()} if store else {}

    def play(
        self,
        *,
        jobs: int = 1,
        on_result: Callable[[GameResult], None] = lambda _result: None,
        on_void: Callable[[Failure], None] = lambda _failure: None,
    ) -> None:
        """Play what is left. A game that cannot be played, through our fault, is told in the report.

        A batch that has used up its time is not played on. Stopping at any moment loses no finished game.
        """
        self._failures = []
        for each in self.plan.rounds():
            try:
                self._play_round(each, jobs, on_result, on_void)
            except TaskFailed as error:
                self._failures.append(f"{each.batch.title}: {error}")

    def report(self) -> GradeReport:
        """What was found so far."""
        return make_report(
            self.plan,
            list(self._results.values()),
            level=self.level,
            problem=self._problem,
            failures=self._failures,
            directory=str(self.folder),
        )

    def _play_round(
        self, each: Round, jobs: int, on_result: Callable[[GameResult], None], on_void: Callable[[Failure], None]
    ) -> None:
        if self._store is None or self._prepared is None:
            return
        slots = each.slots()
        # The agent is first in every match and game numbers keep its colour, so one account serves the whole batch.
        account = replace(
            self.plan.match_of(slots[0]), budget_seconds=each.batch.budget_seconds if each.batch.binding else None
        )
        numbers = [slot.number for slot in slots]
        spent = Spending(account, [self._results[number] for number in numbers if number in self._results])
        missing = [number for number in numbers if number not in self._results]
        if not missing:
            return
        self._store.check_writable()
        games = run_tasks(GradingJob(self.plan, self._prepared), missing, workers=jobs, on_failure=on_void)
        with contextlib.closing(games):
            while not spent.overdrawn() and (result := next(games, None)) is not None:
                if self._store.add(result):  # else it came twice, and was counted the first time
                    spent.add(result)
                    self._results[result.number] = result
                    on_result(result)


@contextlib.contextmanager
def open_grading(
    entrant: Entrant,
    plan: GradingPlan,
    *,
    out: Path | None = None,
    below: Path = Path(GRADES),
    title: str | None = None,
) -> Iterator[Grading]:
    """Build the agent and open the directory of its results. Raises UsageError.

    An agent that cannot be built has failed twice for a reason that lies in its files, and gets a grading without
    games. Raises BuildInterrupted if the build failed twice through us. `out` None takes a directory in `below` that is
    named after `title` (else the agent and the edition) and the identity of the grading.
    """
    with contextlib.ExitStack() as stack:
        workshop = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="littlego-build-")))
        with Supervisor(level=plan.level) as supervisor:
            try:
                prepared = prepare_surely(entrant, workshop, supervisor)
            except BuildFailed as error:
                yield Grading(plan, None, None, out or Path(), "", str(error))
                return
            in_process = isinstance(prepared, BuiltIn)
            level = "in process" if in_process else f"{supervisor.level}: {', '.join(supervisor.mechanisms)}"
        identity = plan.identity(prepared)
        folder = out or below / f"{title or f'{_plain(plan.name)}-{plan.edition}'}-{identity}"
        store = stack.enter_context(Store(folder / RESULTS))
        if (earlier := store.fact("identity")) not in (None, identity):
            raise UsageError(
                f"{folder}: holds another grading ({earlier}): the agent's files, the edition, the limits or the seed"
                " differ. Give another --out, or none"
            )
        store.describe(identity=identity, agent=plan.agent, name=plan.name, edition=plan.edition, seed=plan.seed)
        yield Grading(plan, prepared, store, folder, level, "")


def _plain(name: str) -> str:
    """A name that is good in a file's name."""
    return "".join(char if char.isalnum() or char in "._-" else "_" for char in name)[:40]
