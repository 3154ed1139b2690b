"""Playing a grading: the games that are not finished, each stored as soon as it ends, and how long they will take."""

from __future__ import annotations

import contextlib
import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from littlego.arena.building import GRADES, BuildFailed
from littlego.arena.games import Fixture, GamesJob, play_missing
from littlego.arena.participants import (
    CourseAgent,
    Entrant,
    Prepared,
    PreparedProgram,
    lacking_of,
    prepare_surely,
    runtime_of,
    travelling,
)
from littlego.arena.pool import Executor, Failure, TaskFailed
from littlego.arena.store import RESULTS, GameResult, KeptGame, Store, isolation_of
from littlego.arena.untrusted import decode_state
from littlego.core.errors import FormatError, UnknownPlayer, UsageError
from littlego.core.position import Position
from littlego.core.rules import Rules, Verdict
from littlego.course.edition import Edition
from littlego.course.failures import TOO_LONG, where_it_hangs
from littlego.course.grading.plan import AGENT, GradingPlan, Round, Slot, StagedAgent
from littlego.course.grading.report import GradeReport, agent_cpu, graded_repeats
from littlego.course.grading.words import causes_of
from littlego.course.inspection import Inspection
from littlego.course.seats import parse_entrant
from littlego.players.catalogue import MANUAL, PLAYERS
from littlego.sandbox.client import Supervisor
from littlego.sandbox.limits import Level, Limits
from littlego.storage.files import now, plain_name
from littlego.storage.scratch import temporary_directory

_PLACES: Final = "places"
_DATE: Final = "date"
"""The fact of a store that says when its last game was played."""

Graded: TypeAlias = Entrant | StagedAgent
"""Who can be graded."""


@dataclass(frozen=True)
class GradingTerms:
    """What is chosen for a grading, whoever is graded."""

    edition: Edition
    stage: str = "1"
    repeats: int | None = None
    """None for the edition's own number."""
    seed: int = 1
    level: Level | None = None
    limits: Limits | None = None
    """None for the edition's own."""

    @property
    def games(self) -> int:
        """For each agent."""
        scheme = self.edition.scheme
        repeats = self.repeats or scheme.repeats_of(self.stage)
        return repeats * sum(batch.games for batch in scheme.selected(self.stage))


def grading_plan(
    entrant: Graded,
    terms: GradingTerms,
    *,
    name: str | None = None,
    late_days: int = 0,
    by_hand: tuple[float, str] = (0.0, ""),
) -> GradingPlan:
    """The plan for an agent; `name` replaces its own, `by_hand` are points to add and why. Raises UsageError."""
    if entrant.spelling == MANUAL:
        raise UsageError("a person cannot be graded: use 'littlego play manual ...'")
    staged = entrant.agents if isinstance(entrant, StagedAgent) else {}
    name = name or entrant.name
    name = f"{name}-agent" if name in terms.edition.scheme.rubrics() else name
    return GradingPlan(
        entrant.spelling,
        name,
        terms.edition,
        terms.stage,
        terms.seed,
        terms.limits or terms.edition.limits,
        terms.level,
        terms.repeats,
        tuple((folder, agent.spelling) for folder, agent in staged.items()),
        late_days,
        *by_hand,
    )


@dataclass
class Grading:
    """A grading under way, made by `open_grading`."""

    plan: GradingPlan
    _players: _Players
    _store: Store[Slot] | None
    folder: Path
    remark: str = ""
    """Whether the edition's points have changed since these games were played."""
    _failures: list[str] = field(default_factory=list)
    _results: dict[Slot, GameResult] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self._store is not None:
            for game in self._store.games():
                _check_stored(game, self.plan.rules, self.folder)
                self._results[game.key] = game.result

    def play(
        self,
        executor: Executor,
        *,
        on_result: Callable[[], None] = lambda: None,
        on_void: Callable[[Failure], None] = lambda _failure: None,
        stopping: Callable[[], bool] = lambda: False,
    ) -> None:
        """Play the games that are missing. Games that fail because of an error on our side are listed in the report.

        A batch in which the agent has used up its time is not continued. No game begins once `stopping` returns true.
        Stopping at any moment loses no finished game.
        """
        self._failures = []
        if self._store is None:
            return
        played = len(self._results)
        job = self._players.job(self.plan, elsewhere=executor.is_elsewhere)

        def count(fixture: Fixture[Slot], result: GameResult) -> None:
            self._results[fixture.key] = result
            on_result()

        try:
            for each in (each for each in self.plan.rounds() if self.plan.chair(each.batch) in self._players.agents):
                fixtures = itertools.takewhile(lambda _fixture: not stopping(), self.plan.fixtures(each))
                enough = partial(self._is_overdrawn, each)
                try:
                    play_missing(job, fixtures, self._store, executor, on_result=count, on_void=on_void, enough=enough)
                except TaskFailed as error:
                    self._failures.append(f"{each.batch.title}: {error}")
        finally:
            if len(self._results) > played:
                self._store.note(**{_DATE: now()})
        if not stopping():
            self._locate(self._store)

    def _locate(self, store: Store[Slot]) -> None:
        """Find out where the agent is when its time runs out, in one game of each kind."""
        known = self._places()
        with Supervisor(level=self.plan.level) as supervisor:
            for cause in causes_of(self.report().grades, known):
                if cause.verdict not in TOO_LONG or cause.number in known:
                    continue
                game = cause.games[0][1]
                chair = self.plan.chair(self.plan.scheme.batches[game.key.batch])
                capsule, (_, prepared) = game.result.capsule, self._players.agents.get(chair, (None, None))
                if capsule and isinstance(prepared, PreparedProgram):
                    files, limits = decode_state(capsule["state"]), self.plan.limits
                    frames = where_it_hangs(prepared.program, capsule["input"], files, supervisor, limits)
                    known[cause.number] = frames[0] if frames else ""
        store.note(**{_PLACES: {str(number): place for number, place in known.items()}})

    def _places(self) -> dict[int, str]:
        found = self._store.fact(_PLACES) if self._store else None
        return {int(number): place for number, place in (found or {}).items()}

    def _is_overdrawn(self, each: Round) -> bool:
        """Whether the agent has used up the time of a round; that of its opponents is not counted."""
        played = (KeptGame(slot, self._results[slot]) for slot in each.slots() if slot in self._results)
        return each.batch.binding and sum(sum(agent_cpu(game)) for game in played) > each.batch.budget_seconds

    @property
    def played(self) -> int:
        """Games of the plan played so far."""
        return sum(slot in self._results for each in self.plan.rounds() for slot in each.slots())

    def report(self) -> GradeReport:
        places = self._store.finished() if self._store else {}
        games = {slot: KeptGame(slot, result, places[slot]) for slot, result in self._results.items()}
        return GradeReport(
            self.plan,
            graded_repeats(self.plan, games, self._players.problems),
            isolation_of(self._results.values(), self.plan.name),
            tuple(self._failures),
            str(self.folder),
            runtime=self._players.runtime,
            date=(self._store.fact(_DATE) or "") if self._store else "",
            digest=self._players.digest,
            lacking=tuple(self._players.lacking),
            places=self._places(),
            remarks=tuple(self._players.remarks),
        )


@dataclass
class _Players:
    """Everybody in a grading, built."""

    agents: dict[str, tuple[Entrant, Prepared]] = field(default_factory=dict)
    """By chair."""
    opponents: dict[str, tuple[Entrant, Prepared]] = field(default_factory=dict)
    """By name; those that are built in need no place here."""
    remarks: list[str] = field(default_factory=list)
    """On the agents' files, as `littlego check` has them."""
    problems: dict[str, str] = field(default_factory=dict)
    """Why an agent cannot be run, by chair."""

    @property
    def digest(self) -> str:
        """Of the agents' files."""
        programs = [each for _, each in self.agents.values() if isinstance(each, PreparedProgram)]
        return " ".join(each.program.digest for each in programs)

    @property
    def lacking(self) -> list[str]:
        """Modules that the agents import and their interpreters do not have."""
        return [module for _, prepared in self.agents.values() for module in lacking_of(prepared)]

    @property
    def runtime(self) -> str:
        """What the agents run with, for people: with the folder, if there is one for each stage."""
        named = {chair.strip("/"): runtime_of(prepared) for chair, (_, prepared) in self.agents.items()}
        return "; ".join(f"{name}: {runtime}" if name else runtime for name, runtime in named.items() if runtime)

    def job(self, plan: GradingPlan, *, elsewhere: bool) -> GamesJob:
        agents, opponents = (
            {key: travelling(*each) if elsewhere else each[1] for key, each in group.items()}
            for group in (self.agents, self.opponents)
        )
        return plan.job(agents, opponents)


def _prepared(entrant: Graded, plan: GradingPlan, workshop: Path, supervisor: Supervisor) -> _Players:
    """Raises UsageError for an opponent that cannot be run, which it names, and for something that is not an agent."""
    players = _Players()
    agents = (
        {f"/{folder}": each for folder, each in entrant.agents.items()}
        if isinstance(entrant, StagedAgent)
        else {AGENT: entrant}
    )
    for number, (chair, agent) in enumerate(agents.items()):
        try:
            players.agents[chair] = agent, prepare_surely(agent, workshop / f"agent{number}", supervisor)
        except BuildFailed as error:
            players.problems[chair] = str(error)
        if isinstance(agent, CourseAgent):
            with Inspection(agent.path, supervisor, plan.limits, agent.python, plan.edition) as inspection:
                players.remarks += [remark for remark in inspection.remarks() if remark not in players.remarks]
    for batch in plan.scheme.selected(plan.stage):
        if (chair := plan.chair(batch)) not in agents:
            players.problems[chair] = f"there is no agent in {batch.folder}/, and only that one plays {batch.title}"
    foreign = [rubric for rubric in plan.scheme.rubrics().values() if rubric.spelling not in PLAYERS]
    for number, rubric in enumerate(foreign if players.agents else ()):
        try:
            opponent = parse_entrant(rubric.spelling, python=plan.edition.default_python, edition=plan.edition.like)
            prepared = prepare_surely(opponent, workshop / f"opponent{number}", supervisor)
        except UnknownPlayer:
            continue  # our failure, reported where its games are missing
        except UsageError as error:
            raise UsageError(f"the opponent {rubric.opponent} cannot be run: {error}") from error
        players.opponents[rubric.opponent] = opponent, prepared
    return players


@contextlib.contextmanager
def open_grading(
    entrant: Graded,
    plan: GradingPlan,
    *,
    out: Path | None = None,
    below: Path = Path(GRADES),
    title: str | None = None,
) -> Iterator[Grading]:
    """Build the agent and open the directory of its results. Raises UsageError, FormatError for damaged results.

    An agent whose build failed twice because of its own files gets a grading without games. Raises BuildInterrupted if
    the build failed twice because of an error on our side, and ToolMissing if only this machine lacks what it needs.
    Without `out`, the directory is in `below`, named after `title` (or the agent and the edition) and the identity of
    the grading.
    """
    with contextlib.ExitStack() as stack:
        workshop = stack.enter_context(temporary_directory("littlego-build-"))
        with Supervisor(level=plan.level) as supervisor:
            players = _prepared(entrant, plan, workshop, supervisor)
            if not players.agents:
                yield Grading(plan, players, None, out or Path())
                return
        for _, prepared in players.agents.values():
            if isinstance(prepared, PreparedProgram):
                plan.edition.check_packages(prepared.program)
        identity = plan.identity(*(prepared for _, prepared in players.agents.values()))
        folder = out or below / f"{title or f'{plain_name(plan.name)}-{plan.edition.name}'}-{identity}"
        store: Store[Slot] = stack.enter_context(Store(folder / RESULTS, key_of=Slot._make))
        _check_place(entrant, folder, store)
        store.claim(identity, "grading", "the agent's files, the edition's rules, limits or opponents, or the seed")
        digest, before = plan.edition.digest(), store.fact("edition_digest")
        store.note(
            agent=plan.agent,
            name=plan.name,
            edition=plan.edition.name,
            edition_digest=digest,
            seed=plan.seed,
        )
        remark = _CHANGED if before not in (None, digest) else ""
        yield Grading(plan, players, store, folder, remark)


def _check_place(entrant: Graded, folder: Path, store: Store[Slot]) -> None:
    """Raises UsageError for stored games that the agent's author could have handed in with it."""
    path = getattr(entrant, "given", None) or getattr(entrant, "path", None)
    if path is None or not store.finished():
        return
    own = path.resolve() if path.is_dir() else path.resolve().parent
    if path.suffix.lower() != ".zip" and folder.resolve().is_relative_to(own):
        raise UsageError(
            f"{folder}: holds games, and is inside the agent's own folder, where its author could have put them: "
            f"remove it, or move it out of {own} to continue from there"
        )


def _check_stored(game: KeptGame[Slot], rules: Rules, source: Path) -> None:
    """Raises FormatError for a result that its own moves contradict."""
    record = game.result.record
    end, outcome = record.final(), record.outcome
    assert outcome is not None
    on_board = end.outcome()
    if outcome.verdict is Verdict.SCORE:
        agrees = on_board is not None and on_board.winner is outcome.winner
    else:
        agrees = on_board is None and outcome.winner is end.to_move.opponent
    if record.start != Position.initial(rules) or not agrees:
        raise FormatError(f"{source}: the game against seed {record.seed}: its moves do not lead to '{outcome}'")


_CHANGED: Final = "The edition has changed since these games were played: their points are counted by the new one."


class Pace:
    """How long the games that are left will take: as long as those that have ended since it was made."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._began = clock, clock()
        self._before: dict[str, int] = {}
        """Games of earlier runs, which took no time now, by submission."""
        self._played: dict[str, int] = {}
        self._left: dict[str, int] = {}

    def note(self, name: str, played: int, planned: int) -> None:
        self._before.setdefault(name, played)
        self._played[name], self._left[name] = played, planned - played

    def done(self, name: str) -> None:
        """However many games were planned: a batch that exceeds its time ends early."""
        self._left[name] = 0

    def seconds_left(self, waiting: int = 0) -> float | None:
        """With `waiting` games of submissions that have not begun; None before the first game has ended."""
        games = sum(self._played.values()) - sum(self._before.values())
        return (sum(self._left.values()) + waiting) * (self._clock() - self._began) / games if games else None
