"""Playing a grading: the games that are not finished, each stored as soon as it ends."""

from __future__ import annotations

import contextlib
import itertools
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Final

from littlego.arena.entrants.kinds import BuiltIn, Entrant, Prepared
from littlego.arena.entrants.preparing import prepare_surely
from littlego.arena.entrants.programs import GRADES, BuildFailed
from littlego.arena.entrants.travel import travelling
from littlego.arena.games import Fixture, Spending, play_missing
from littlego.arena.match.store import Store
from littlego.arena.pool.local import LocalPool
from littlego.arena.pool.tasks import Executor, Failure, TaskFailed
from littlego.arena.referee.client import Supervisor
from littlego.arena.referee.levels import Level
from littlego.arena.referee.limits import Limits
from littlego.arena.results import GameResult
from littlego.core.errors import UsageError
from littlego.core.rules import DEFAULT_EDITION
from littlego.course.grading.plan import GradingPlan, Round, Slot
from littlego.course.grading.report import GradeReport, make_report
from littlego.course.grading.rubric import Scheme
from littlego.course.grading.rubric import scheme as edition_scheme
from littlego.players.catalogue import MANUAL
from littlego.storage.whole_files import plain_name

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
    on_result: Callable[[], None] = lambda: None,
    on_void: Callable[[Failure], None] = lambda _failure: None,
) -> GradeReport:
    """Grade an agent; the same call resumes where an earlier one stopped.

    An agent that cannot be built gets a report without points, with the compiler's output in `problem`. Raises
    UsageError if there is nothing to grade, or `out` holds another grading.
    """
    plan = grading_plan(entrant, GradingTerms(edition, stage, repeats, seed, level, limits or Limits()))
    with open_grading(entrant, plan, out=out) as grading, LocalPool(jobs) as pool:
        grading.play(pool, on_result=on_result, on_void=on_void)
        return grading.report()


@dataclass(frozen=True)
class GradingTerms:
    """What is chosen for a grading, whoever is graded."""

    edition: str = DEFAULT_EDITION
    stage: str = "1"
    repeats: int | None = None
    """None for the edition's own number."""
    seed: int = 1
    level: Level | None = None
    limits: Limits = field(default_factory=Limits)
    special_scheme: Scheme | None = None
    """Replaces the edition's own."""

    @property
    def scheme(self) -> Scheme:
        """Raises UsageError."""
        return self.special_scheme or edition_scheme(self.edition)


def grading_plan(entrant: Entrant, terms: GradingTerms, *, name: str | None = None) -> GradingPlan:
    """The plan for an agent; `name` replaces the agent's own. Raises UsageError."""
    if entrant.spelling == MANUAL:
        raise UsageError("a person cannot be graded: use 'littlego play manual ...'")
    scheme, name = terms.scheme, name or entrant.name
    name = f"{name}-agent" if name in scheme.opponents else name
    return GradingPlan(
        entrant.spelling, name, scheme, terms.stage, terms.seed, terms.limits, terms.level, terms.repeats
    )


@dataclass
class Grading:
    """A grading under way, made by `open_grading`."""

    plan: GradingPlan
    _entrant: Entrant
    _prepared: Prepared | None
    _store: Store[Slot] | None
    folder: Path
    level: str
    """The level and mechanisms of isolation; empty if the agent cannot be run."""
    _problem: str
    _failures: list[str] = field(default_factory=list)
    _results: dict[Slot, GameResult] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self._store is not None:
            self._results = {game.key: game.result for game in self._store.games()}

    def play(
        self,
        executor: Executor,
        *,
        on_result: Callable[[], None] = lambda: None,
        on_void: Callable[[Failure], None] = lambda _failure: None,
        stopping: Callable[[], bool] = lambda: False,
    ) -> None:
        """Play the games that are missing. Games that fail through our fault are listed in the report.

        A batch that has used up its time is not continued. No game begins once `stopping` returns true. Stopping at any
        moment loses no finished game.
        """
        self._failures = []
        if self._store is None or self._prepared is None:
            return
        prepared = travelling(self._entrant, self._prepared) if executor.is_elsewhere else self._prepared
        job = self.plan.job(prepared)
        for each in self.plan.rounds():
            spent = self._spending(each)

            def count(fixture: Fixture[Slot], result: GameResult, spent: Spending = spent) -> None:
                self._results[fixture.key] = result
                spent.add(fixture, result)
                on_result()

            def is_overdrawn(spent: Spending = spent) -> bool:
                return spent.overdrawn() is not None

            fixtures = itertools.takewhile(lambda _fixture: not stopping(), self.plan.fixtures(each))
            try:
                play_missing(
                    job,
                    fixtures,
                    self._store,
                    executor,
                    on_result=count,
                    on_void=on_void,
                    enough=is_overdrawn,
                )
            except TaskFailed as error:
                self._failures.append(f"{each.batch.title}: {error}")

    def _spending(self, each: Round) -> Spending:
        """The time that a round has used so far."""
        spent = Spending(each.batch.budget_seconds if each.batch.binding else None)
        for fixture in self.plan.fixtures(each):
            if fixture.key in self._results:
                spent.add(fixture, self._results[fixture.key])
        return spent

    @property
    def played(self) -> int:
        """Games of the plan played so far."""
        return self.report().played

    def report(self) -> GradeReport:
        return make_report(
            self.plan,
            self._results,
            level=self.level,
            problem=self._problem,
            failures=self._failures,
            directory=str(self.folder),
        )


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

    An agent whose build failed twice because of its own files gets a grading without games. Raises BuildInterrupted if
    the build failed twice through our fault. Without `out`, the directory is in `below`, named after `title` (or the
    agent and the edition) and the identity of the grading.
    """
    with contextlib.ExitStack() as stack:
        workshop = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="littlego-build-")))
        with Supervisor(level=plan.level) as supervisor:
            try:
                prepared = prepare_surely(entrant, workshop / "agent", supervisor)
            except BuildFailed as error:
                yield Grading(plan, entrant, None, None, out or Path(), "", str(error))
                return
            in_process = isinstance(prepared, BuiltIn)
            level = "in process" if in_process else f"{supervisor.level}: {', '.join(supervisor.mechanisms)}"
        identity = plan.identity(prepared)
        folder = out or below / f"{title or f'{plain_name(plan.name)}-{plan.edition}'}-{identity}"
        store: Store[Slot] = stack.enter_context(
            Store(folder / RESULTS, number_of=attrgetter("number"), key_of=Slot.of)
        )
        if (earlier := store.fact("identity")) not in (None, identity):
            raise UsageError(
                f"{folder}: holds another grading ({earlier}): the agent's files, the edition, the limits or the seed"
                " differ. Choose another --out, or leave it out"
            )
        store.describe(identity=identity, agent=plan.agent, name=plan.name, edition=plan.edition, seed=plan.seed)
        yield Grading(plan, entrant, prepared, store, folder, level, "")
