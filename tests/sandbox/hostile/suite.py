"""Running the hostile cases at the levels of this machine, and a table of the outcomes."""

from __future__ import annotations

import concurrent.futures
import contextlib
import dataclasses
import os
import queue
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from littlego.core.rules import Verdict
from littlego.sandbox.client import MoveRequest, MoveResult, Supervisor, SupervisorFailed
from littlego.sandbox.limits import Level, probe
from littlego.sandbox.plan import STARVED
from tests.sandbox.hostile.building import play_build
from tests.sandbox.hostile.case import Case
from tests.sandbox.hostile.cases import CASES
from tests.sandbox.hostile.scene import LIMITS, PROGRAM, WITNESS, Scene

INPUT = b"1\n" + b"00000\n" * 10
_SHORT_WALL = 1.0
_SLACK = 5.0
_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """The outcome of one case at one level."""

    case: Case
    level: Level
    verdict: Verdict | None
    message: str
    breaches: tuple[str, ...]
    seconds: float

    @property
    def promised(self) -> bool:
        """Whether the level promises to contain the case."""
        return self.level in self.case.levels

    @property
    def contained(self) -> bool:
        """Whether it ended in the right verdict and touched nothing outside."""
        return self.verdict in self.case.verdicts and not self.breaches

    @property
    def ok(self) -> bool:
        """False if the level broke its promise."""
        return self.contained or not self.promised

    def __str__(self) -> str:
        word = self.case.word(self.verdict)
        if self.contained:
            return word if self.promised else "not promised"
        return f"**not contained**{'' if self.ok else ' (BROKEN PROMISE)'}"


def run_case(case: Case, supervisor: Supervisor) -> CaseOutcome:
    """Play one case in a scene of its own. A failure of ours becomes the verdict `void`."""
    started = time.monotonic()
    waits = case.verdicts == {Verdict.WALL_TIME}
    limits = dataclasses.replace(LIMITS, wall_seconds=_SHORT_WALL) if waits else LIMITS
    interpreter = Path(sys.executable).resolve()
    with Scene(case.module) as scene:
        request = MoveRequest(
            argv=(str(interpreter), "-S", PROGRAM, case.name, scene.facts),
            directory=scene.directory,
            input=INPUT,
            limits=limits,
            readable=(interpreter.parent.parent,),
        )
        if case.build:
            places = {"directory": scene.directory, "secret": scene.secret, "python": interpreter}
            verdict, message, breaches = play_build(case.build, supervisor, **places)
        else:
            verdict, message, breaches = _play(case, supervisor, request)
        seconds = time.monotonic() - started
        breaches += scene.breaches()
        if case.module == "against_keeper":
            argv = (str(interpreter), "-S", WITNESS, scene.expected_of_the_witness())
            breaches += _ask_the_witness(supervisor, dataclasses.replace(request, argv=argv, directory=scene.opponent))
    if seconds > case.moves * STARVED * limits.wall_seconds + _SLACK and not case.build:
        breaches.append(f"took {seconds:.1f} s")
    outcome = CaseOutcome(case, supervisor.level, verdict, message, tuple(breaches), seconds)
    if not outcome.contained:
        supervisor.close()  # it may be damaged: the next case gets a new one
    return outcome


def _ask_the_witness(supervisor: Supervisor, request: MoveRequest) -> list[str]:
    """The breaches that show when the same keeper plays a move of an honest opponent."""
    try:
        result = supervisor.run(dataclasses.replace(request, limits=LIMITS))
    except SupervisorFailed as failure:
        return [f"the opponent's move was void: {failure}"]
    if result.fault is None and result.output == b"2,3\n":
        return []
    return [f"the opponent did not play: {result.message} {result.stderr}"]


def _play(case: Case, supervisor: Supervisor, request: MoveRequest) -> tuple[Verdict | None, str, list[str]]:
    result: MoveResult | None = None
    try:
        for _ in range(case.moves):
            result = supervisor.run(request)
    except SupervisorFailed as failure:
        # In a game the move would be played again, and lost with the third try unless the failure is ours.
        return Verdict.VOID if failure.is_ours else Verdict.CRASH, str(failure), []
    assert result is not None
    breaches = []
    verdict = None if result.fault is None else Verdict(result.fault.value)
    if verdict is None and result.output != case.output:
        breaches.append(f"the output was {result.output!r}, not {case.output!r}")
    if len(result.stderr) > request.limits.stderr_bytes:
        breaches.append(f"{len(result.stderr)} characters of stderr were kept")
    return verdict, result.message, breaches


def runnable() -> tuple[Case, ...]:
    """All cases except builds whose compiler is not installed here."""
    return tuple(case for case in CASES if not case.build or shutil.which(case.build.tool))


def run_suite(
    levels: Iterable[Level],
    *,
    cases: Sequence[Case],
    progress: Callable[[CaseOutcome], None] = lambda _outcome: None,
    without: frozenset[str] = frozenset(),
) -> list[CaseOutcome]:
    """Every case at every level, in order, a few at a time: most of them wait rather than work.

    `without` leaves mechanisms out.
    """
    outcomes = []
    for level in levels:
        with hostile_host(), contextlib.ExitStack() as closing:
            idle: queue.SimpleQueue[Supervisor] = queue.SimpleQueue()
            for _ in range(_AT_ONCE):
                idle.put(closing.enter_context(Supervisor(level=level, without=without)))

            def play(case: Case, idle: queue.SimpleQueue[Supervisor] = idle) -> CaseOutcome:
                supervisor = idle.get()
                try:
                    return run_case(case, supervisor)
                finally:
                    idle.put(supervisor)

            with concurrent.futures.ThreadPoolExecutor(_AT_ONCE) as pool:
                for outcome in pool.map(play, cases):
                    outcomes.append(outcome)
                    progress(outcome)
    return outcomes


def main() -> None:
    """Every case at this user's own level: prints the promises that were broken, then how many cases there were."""
    outcomes = run_suite([probe().default], cases=runnable())
    for outcome in outcomes:
        if not outcome.ok:
            print(outcome.case.name, outcome.level, outcome.verdict, outcome.message, outcome.breaches)
    print(f"{len(outcomes)} cases")


@contextlib.contextmanager
def hostile_host() -> Iterator[None]:
    """Make this process a careless host: a secret in its environment, an inheritable open file."""
    os.environ["LITTLEGO_HOST_SECRET"] = "secret"
    descriptor = os.open(os.devnull, os.O_RDONLY)
    os.set_inheritable(descriptor, True)
    try:
        yield
    finally:
        os.environ.pop("LITTLEGO_HOST_SECRET", None)
        os.close(descriptor)


def table(outcomes: Iterable[CaseOutcome]) -> str:
    """The outcomes as a Markdown table: a row for each case, a column for each level."""
    outcomes = list(outcomes)
    levels = sorted({outcome.level for outcome in outcomes})
    by_place = {(outcome.case.name, outcome.level): outcome for outcome in outcomes}
    lines = [
        "| group | case | what it shows | " + " | ".join(map(str, levels)) + " |",
        "| --- | --- | --- | " + " | ".join("---" for _ in levels) + " |",
    ]
    for case in dict.fromkeys(outcome.case for outcome in outcomes):
        cells = [str(by_place.get((case.name, level), "")) for level in levels]
        lines.append(f"| {case.group} | `{case.name}` | {case.proves} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"
