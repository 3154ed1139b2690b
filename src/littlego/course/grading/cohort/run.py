"""Grading a whole class: one row for every submission, whatever happens to any of them; before that, a dry run.

    OUT/class.csv, class.json, class.html           all rows, with names
    OUT/leaderboard.csv, leaderboard.html           ranks under pseudonyms
    OUT/students/NAME/report.html, report.json      one submission in full
    OUT/students/NAME/results.json                  the same for Gradescope
    OUT/students/NAME/games-KEY/                    its games; the same command continues them

Each submission is graded in a thread that mostly waits for workers; all threads share one pool of workers, so that
none is idle while any submission has games left. A thread writes only its own submission's files, atomically; the
calling thread writes the rest.
"""

from __future__ import annotations

import contextlib
import json
import queue
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from littlego.arena.building import ToolMissing, find_python
from littlego.arena.games import void_words
from littlego.arena.participants import CourseAgent
from littlego.arena.pool import Executor, Failure
from littlego.core.errors import LittleGoError, PlayerFault, UsageError
from littlego.core.position import Position
from littlego.course.classes import ClassAgent
from littlego.course.grading.cohort.rows import (
    PAGE,
    Row,
    SubmissionStatus,
    every_report,
    failed_row,
    keep_outcome,
    pseudonyms,
    set_aside,
    stored_report,
    write_report,
)
from littlego.course.grading.cohort.similarity import shape_of, write_shape
from littlego.course.grading.cohort.submissions import Opened, Submission, open_submission
from littlego.course.grading.gradescope import gradescope_results
from littlego.course.grading.html import grade_page
from littlego.course.grading.plan import GradingPlan
from littlego.course.grading.report import GradeReport, graded_repeats
from littlego.course.grading.run import Graded, GradingTerms, grading_plan, open_grading
from littlego.course.grading.words import causes_of, causes_to_list, losses, points_of, write_capsules
from littlego.course.inspection import FIRST_MOVE, Inspection, Status
from littlego.sandbox import SandboxError
from littlego.sandbox.client import Supervisor
from littlego.storage.files import locked, now, write_whole
from littlego.storage.scratch import temporary_directory


@dataclass(frozen=True)
class ClassTerms(GradingTerms):
    """What is chosen for every submission."""

    python: str | None = None
    late: Mapping[str, int] = field(default_factory=dict)
    """Days late, by student; 0 for those who are not in it."""
    by_hand: Mapping[str, tuple[float, str]] = field(default_factory=dict)
    """Points that the teacher adds, by student, and why."""

    def identity(self, student: str) -> str:
        """Equal if a student's files would get the same grade again."""
        limits = (self.limits or self.edition.limits).as_dict()
        facts = [self.edition.digest(), self.stage, self.repeats, self.seed, self.late.get(student, 0), self.python]
        return json.dumps([*facts, self.level, limits, self.by_hand.get(student)])

    def check(self) -> None:
        """Raises UsageError for what no submission could be graded with."""
        if self.python is not None:
            find_python(self.python)
        for days in {0, *self.late.values()}:
            GradingPlan("", "", self.edition, self.stage, repeats=self.repeats, late_days=days)


@dataclass(frozen=True)
class SubmissionProgress:
    """The progress of a submission, after every game; at the end it has a row."""

    submission: Submission
    played: int = 0
    planned: int = 0
    row: Row | None = None
    remark: str = ""
    """Of a game that is void because of an error on our side."""


RESULTS_JSON: Final = "results.json"
"""Of a submission whose grade is final: as Gradescope takes it from an autograder."""


class _Stopped(Exception):
    """Ends a thread between games."""


def grade_submissions(
    submissions: list[Submission],
    out: Path,
    terms: ClassTerms,
    executor: Executor,
    *,
    on_progress: Callable[[SubmissionProgress], None] = lambda _progress: None,
    on_stop: Callable[[], None] = lambda: None,
) -> None:
    """Grade what is not graded yet; `on_progress` receives every row, including earlier ones.

    KeyboardInterrupt calls `on_stop` and stops after the games under way; a second one stops at once. Either way the
    same call resumes later. Raises UsageError for impossible terms, and if another process is grading into `out`:
    then nothing has changed there.
    """
    terms.check()
    with _alone_in(out):
        names: dict[str, str] = {}
        with contextlib.suppress(OSError):  # a full disk, which the submissions report themselves
            names = pseudonyms((submission.student for submission in submissions), out)
        class_run = _ClassRun(out, terms, executor, names)
        waiting: queue.SimpleQueue[Submission] = queue.SimpleQueue()
        for submission in submissions:
            waiting.put(submission)
        threads = [
            threading.Thread(target=class_run.work, args=(waiting,), daemon=True)
            for _ in range(min(executor.workers, len(submissions)))
        ]
        for thread in threads:
            thread.start()
        rows = 0
        try:
            while rows < len(submissions):
                progress = class_run.progress.get()
                rows += progress.row is not None
                on_progress(progress)
        except BaseException as error:
            class_run.stop.set()
            if isinstance(error, KeyboardInterrupt):
                on_stop()
            for thread in threads:
                thread.join()
            raise


@contextlib.contextmanager
def _alone_in(out: Path) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        try:
            out.mkdir(parents=True, exist_ok=True)
            stack.enter_context(locked(out / ".lock", wait=False))
        except BlockingIOError as error:
            raise UsageError(f"{out}: another command is grading this class: wait for it") from error
        except OSError as error:
            raise UsageError(
                f"{out}: results cannot be stored there: {error.strerror}; choose another --out"
            ) from error
        yield


@dataclass(frozen=True)
class _ClassRun:
    """State shared by the threads of a run."""

    _out: Path
    _terms: ClassTerms
    _executor: Executor
    _pseudonyms: Mapping[str, str]
    progress: queue.SimpleQueue[SubmissionProgress] = field(default_factory=queue.SimpleQueue)
    stop: threading.Event = field(default_factory=threading.Event)

    def work(self, waiting: queue.SimpleQueue[Submission]) -> None:
        """A thread's loop: one submission after the other, none of which can end it."""
        while not self.stop.is_set():
            try:
                submission = waiting.get_nowait()
            except queue.Empty:
                return
            place = self._out / "students" / submission.slug
            try:
                row = self._graded(submission, place)
            except _Stopped:
                return
            except Exception as error:  # whatever it is, it is our fault, and the others are graded anyway
                problem = (
                    str(error)
                    if isinstance(error, LittleGoError | SandboxError)
                    else f"{type(error).__name__}: {error}"
                )
                row = failed_row(place, submission.student, problem)
            with contextlib.suppress(OSError):  # a full disk may be the very problem
                keep_outcome(place, self._terms.identity(submission.student), row)
            self.progress.put(SubmissionProgress(submission, row=row))

    def _graded(self, submission: Submission, place: Path) -> Row:
        place.mkdir(parents=True, exist_ok=True)
        try:
            opened = self._opened(submission, place)
        except UsageError as error:
            return self._without_agent(submission, place, _without_name(error, submission))
        plan = self._plan(opened.entrant, submission)
        key = plan.question(opened)
        known = _known(place, key, submission)
        if known is not None and not known.forfeits:
            return known
        with open_grading(opened.entrant, plan, below=place, title="games") as grading:
            if known is not None:  # its forfeits are not for lack of a package that the edition has named since
                return known

            def report_progress(remark: str = "") -> None:
                self.progress.put(SubmissionProgress(submission, grading.played, plan.games, remark=remark))

            def report_void(failure: Failure) -> None:
                report_progress(void_words(failure, f"A game of {submission.student}"))

            report_progress()
            grading.play(self._executor, on_result=report_progress, on_void=report_void, stopping=self.stop.is_set)
            report = grading.report()
        if self.stop.is_set():
            raise _Stopped
        write_capsules(report)
        write_shape(place, shape_of(opened))
        return self._written(submission, place, key, report, opened.digest)

    def _without_agent(self, submission: Submission, place: Path, problem: str) -> Row:
        key = f"no agent: {problem} {self._terms.identity(submission.student)}"
        if (known := _known(place, key, submission)) is not None:
            return known
        plan = self._plan(CourseAgent(submission.path), submission)
        problems = dict.fromkeys(map(plan.chair, plan.scheme.batches), problem)
        report = GradeReport(plan, graded_repeats(plan, {}, problems), level="")
        return self._written(submission, place, key, report, "", without=SubmissionStatus.NO_AGENT)

    def _plan(self, entrant: Graded, submission: Submission) -> GradingPlan:
        late = self._terms.late.get(submission.student, 0)
        by_hand = self._terms.by_hand.get(submission.student, (0.0, ""))
        return grading_plan(entrant, self._terms, name=submission.student, late_days=late, by_hand=by_hand)

    def _written(
        self,
        submission: Submission,
        place: Path,
        key: str,
        report: GradeReport,
        digest: str,
        *,
        without: SubmissionStatus = SubmissionStatus.NOT_BUILT,
    ) -> Row:
        """The row of a report, which is written unless games are missing and an earlier one stands.

        `without` is the status of a submission that cannot be run. Raises OSError.
        """
        fields, terms = report.to_dict(), self._terms.identity(submission.student)
        row = replace(_row(submission, report, fields, without), digest=digest, key=key, terms=terms)
        if row.status.is_final:
            row = replace(row, date=row.date or now(), earlier=set_aside(place, key))
        elif stored_report(place) is not None:
            return replace(row, earlier=every_report(place))
        earlier = [_in_words(each) for each in row.earlier]
        page = grade_page(report, earlier=earlier, pseudonym=self._pseudonyms.get(submission.student, ""))
        write_report(place, row, fields, page)
        write_whole(place / RESULTS_JSON, json.dumps(gradescope_results(report), indent=1) + "\n")
        return row

    def _opened(self, submission: Submission, place: Path) -> Opened:
        """The agent in a submission. Raises UsageError only if a second, fresh attempt finds none."""
        opening = partial(open_submission, submission, place, python=self._terms.python, edition=self._terms.edition)
        try:
            return opening()
        except UsageError:
            return opening(afresh=True)


def _without_name(error: UsageError, submission: Submission) -> str:
    """What is wrong, for tables that name the student."""
    return str(error).removeprefix(f"{submission.student}: ")


def _known(place: Path, key: str, submission: Submission) -> Row | None:
    """The row of a report that still counts, under today's name."""
    stored = stored_report(place)
    return replace(stored, student=submission.student) if stored is not None and stored.key == key else None


def _row(submission: Submission, report: GradeReport, fields: dict[str, Any], without: SubmissionStatus) -> Row:
    """From the `fields` of a report's file, and what the class says of it."""
    problem, example = report.problem, ""
    if problem:
        status = without
    elif report.complete:
        broken = [f"{batch.batch.title}: {batch.problem}" for batch in report.counted if batch.problem]
        status = SubmissionStatus.GRADED
        problem, example = ("\n".join(broken), "") if broken else _many_forfeits(report)
    else:
        status, problem = SubmissionStatus.UNFINISHED, "; ".join(report.failures)
    lines = [
        {**{name: line[name] for name in line if name != "lost"}, "stage": batch["stage"], "batch": batch["title"]}
        for batch in fields["repeats"][report.best]["batches"]
        for line in batch["opponents"]
    ]
    own: dict[str, Any] = {
        "student": submission.student,
        "slug": submission.slug,
        "status": status,
        "problem": problem,
        "example": example,
        "submission": submission.path.name,
        "page": f"students/{submission.slug}/{PAGE}",
        "opponents": lines,
        **{name: sum(line[name] for line in lines) for name in ("wins", "games", "forfeits")},
        "slowest_seconds": max((line["slowest_move_seconds"] for line in lines), default=0.0),
        "overrun": any(batch.overrun for batch in report.counted),
        "causes": causes_to_list(report),
        "date": report.date,
        **({} if status.is_final else {"points": None, "earned": None}),
    }
    return Row(**{name: fields[name] for name in Row.__dataclass_fields__ if name in fields} | own)


def _in_words(earlier: Row) -> str:
    files = f", files {earlier.digest}" if earlier.digest else ""
    return f"{points_of(earlier.points or 0.0, earlier.max_points)} points on {earlier.date}{files}"


def _many_forfeits(report: GradeReport) -> tuple[str, str]:
    """Why at least half of the games were forfeited, if they were, and how the first of them came about."""
    grades = report.grades
    played, forfeits = sum(grade.tally.games for grade in grades), sum(grade.forfeits for grade in grades)
    if not forfeits or 2 * forfeits < played:
        return "", ""
    lost = [story for story in losses(grades) if (end := story.game.result.record.outcome) and end.verdict.is_forfeit]
    first = causes_of(grades, report.places)[0]
    summary = f"{forfeits} of {played} games were forfeited, {len(first.games)} because {first.sentence}."
    example = f"{lost[0].title}: {lost[0].sentence}"
    return summary, "\n".join([example, *(f"  | {line}" for line in lost[0].last_words())])


@dataclass(frozen=True, slots=True)
class Trial:
    """Whether a submission can be graded."""

    student: str
    runs: bool
    problem: str = ""
    """What its author has to fix, or a remark on one that runs."""
    runtime: str = ""


def try_submissions(
    submissions: Sequence[Submission],
    terms: ClassTerms,
    *,
    jobs: int = 1,
    on_trial: Callable[[Trial], None] = lambda _trial: None,
) -> list[Trial]:
    """Open, build and start each submission once; in the order of the submissions. Plays no games.

    Raises UsageError for impossible terms.
    """
    terms.check()
    with ThreadPoolExecutor(jobs) as threads:
        futures = {threads.submit(_tried, submission, terms): submission for submission in submissions}
        trials = {}
        for future in as_completed(futures):
            trials[futures[future].slug] = future.result()
            on_trial(future.result())
    return [trials[submission.slug] for submission in submissions]


def _tried(submission: Submission, terms: ClassTerms) -> Trial:
    with temporary_directory("littlego-dry-run-") as place, Supervisor(level=terms.level) as supervisor:
        try:
            opened = open_submission(submission, place, python=terms.python, edition=terms.edition)
        except UsageError as error:
            return Trial(submission.student, runs=False, problem=_without_name(error, submission))
        except (OSError, MemoryError) as error:
            return Trial(
                submission.student, runs=False, problem=f"it could not be read because of an error on our side: {error}"
            )
        trials = [_tried_agent(submission.student, agent, terms, supervisor, place) for agent in opened.agents]
    return next((trial for trial in trials if not trial.runs), trials[0])


def _tried_agent(
    student: str, agent: CourseAgent | ClassAgent, terms: ClassTerms, supervisor: Supervisor, place: Path
) -> Trial:
    limits = terms.limits or terms.edition.limits
    if isinstance(agent, ClassAgent):
        return _tried_class(student, agent, terms, supervisor, place)
    checks = []
    try:
        with Inspection(agent.path, supervisor, limits, agent.python, terms.edition) as inspection:
            for check in inspection.checks():
                checks.append(check)
                if inspection.program is not None:
                    terms.edition.check_packages(inspection.program)
                if check.title == FIRST_MOVE:
                    break
    except ToolMissing as error:
        return Trial(student, runs=False, problem=f"this machine cannot run it: {error}")
    failed = [check for check in checks if check.status is Status.FAILED]
    fatal = [check for check in failed if check.title in inspection.fatal]
    problem = "; ".join(
        f"{inspection.fatal.get(check.title, check.title)}: {check.detail}" for check in fatal or failed
    )
    remarks = "; ".join(check.detail for check in checks if check.status is Status.REMARK)
    said = "; ".join(filter(None, (problem, remarks))).replace(str(place), student)
    return Trial(student, not fatal, said, inspection.program.runtime if inspection.program else "")


def _tried_class(student: str, agent: ClassAgent, terms: ClassTerms, supervisor: Supervisor, place: Path) -> Trial:
    try:
        prepared = agent.prepare(place / f"class-{agent.path.parent.name}", supervisor)
        with prepared.seated(1, supervisor, terms.limits or terms.edition.limits) as player:
            player.choose(Position.initial(terms.edition.rules()))
    except (UsageError, PlayerFault) as error:
        return Trial(student, runs=False, problem=str(error))
    return Trial(student, runs=True, runtime=prepared.program.runtime)
