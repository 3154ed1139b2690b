"""Before the grade: who will not build or run, and why, in seconds for each submission."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from littlego.arena.building import ToolMissing
from littlego.arena.participants import CourseAgent, PreparedProgram, runtime_of
from littlego.core.errors import PlayerFault, UsageError
from littlego.core.position import Position
from littlego.course.check.inspection import FIRST_MOVE, Inspection, Status
from littlego.course.grading.cohort.run import ClassTerms
from littlego.course.grading.cohort.submissions import Submission, open_submission
from littlego.course.python_class.agent import ClassAgent
from littlego.sandbox.client import Supervisor
from littlego.storage.scratch import temporary_directory


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
            return Trial(submission.student, runs=False, problem=str(error))
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
    return Trial(student, not fatal, problem, inspection.runtime)


def _tried_class(student: str, agent: ClassAgent, terms: ClassTerms, supervisor: Supervisor, place: Path) -> Trial:
    try:
        prepared = agent.prepare(place / f"class-{agent.path.parent.name}", supervisor)
        assert isinstance(prepared, PreparedProgram)
        with prepared.seated(1, supervisor, terms.limits or terms.edition.limits) as player:
            player.choose(Position.initial(terms.edition.rules()))
    except (UsageError, PlayerFault) as error:
        return Trial(student, runs=False, problem=str(error))
    return Trial(student, runs=True, runtime=runtime_of(prepared))
