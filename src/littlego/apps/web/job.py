"""The program that does one job. It reads its order from standard input and reports on standard output.

The order is one line of JSON. Its kind names the function below that does it: `KIND(params, data, progress)` returns
the job's result. Each imports what it needs: a job's process does not load the web server. What strangers wrote is read
here and never in the server.

Each line of the output is JSON: progress (`done`, `total`, `message`), the result so far (`result`), or the end
(`state`). The end of the input means that the server is gone: the job ends, too, and the next server restarts it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Protocol, TextIO

from littlego.apps.web.store import GRADES, REPORT, TOURNAMENTS, NoRoom, full_spelling, is_full
from littlego.arena.processes import heed_interruptions, interrupt_ourselves, kill_ourselves
from littlego.core.errors import LittleGoError
from littlego.sandbox import SandboxError
from littlego.storage.files import locked
from littlego.storage.scratch import command_scratch

_OTHERS_PATIENCE: Final = 60.0
"""Seconds to wait while another command plays the same tournament."""
_GRACE: Final = 3.0
"""Seconds that a job has to end its own processes once its server is gone."""
_LOCK: Final = "job.lock"
_PROGRESS_EVERY: Final = 0.2
_RESULT_EVERY: Final = 1.0
"""Seconds between two reports."""


class Progress(Protocol):
    """Called with how much is done, of how much, what is being done, and the result so far.

    `result` may be a function, which is called only if the result is sent. Calls soon after the last are not sent.
    """

    def __call__(self, done: int, total: int, message: str = "", result: Any = None) -> None: ...


def check(params: dict[str, Any], data: Path, progress: Progress) -> dict[str, Any]:
    """The findings of all checks of an agent by an edition, in order. Raises UsageError if it has no files."""
    from littlego.apps.web.store import Editions
    from littlego.arena.building import without_path
    from littlego.course.grading.cohort.submissions import stages_below
    from littlego.course.inspection import inspect
    from littlego.sandbox.client import Supervisor
    from littlego.storage.scratch import temporary_directory

    spelling = full_spelling(params["spelling"], data)
    checks: list[dict[str, Any]] = []
    edition = Editions(data).find(params["edition"])
    with Supervisor() as supervisor, temporary_directory("littlego-stages-") as place:
        agents = stages_below(Path(spelling), place, edition) or {"": Path(spelling)}
        for stage, path in agents.items():
            with inspect(str(path) if stage else spelling, supervisor, edition=edition) as inspection:
                most = len(checks) + len(inspection.titles())
                for found in inspection.checks():
                    title = f"{stage}: {found.title}" if stage else found.title
                    detail = without_path(found.detail)
                    checks.append(
                        {"title": title, "status": found.status.value, "detail": detail, "advice": found.advice}
                    )
                    progress(len(checks), most, title, {"checks": checks})
    return {"checks": checks}


def grade(params: dict[str, Any], data: Path, progress: Progress) -> dict[str, Any]:
    """Play the missing games of a grading by an edition's rubric, and write its report."""
    from littlego.apps.web.store import Editions
    from littlego.arena.building import without_path
    from littlego.arena.pool import LocalPool, cores
    from littlego.course.grading.cohort.submissions import open_named
    from littlego.course.grading.html import grade_page
    from littlego.course.grading.report import GradeReport
    from littlego.course.grading.run import GradingTerms, grading_plan, open_grading
    from littlego.course.in_page import inputs_of
    from littlego.storage.files import write_whole

    edition = Editions(data).find(params["edition"])
    folder = data / GRADES / params["grading"]
    folder.mkdir(parents=True, exist_ok=True)
    spelling = full_spelling(params["spelling"], data)
    entrant = open_named(spelling, folder / "unpacked", python=edition.default_python, edition=edition)
    terms = GradingTerms(edition, params["stage"])
    planned = grading_plan(entrant, terms, name=params["name"])
    # The identity of a grading must not change when the data directory is moved.
    name = f"agent:{params['agent']}"
    stages = tuple((stage, f"{name}/{stage}") for stage, _ in planned.stage_agents)
    plan = dataclasses.replace(planned, agent=name, stage_agents=stages)

    def result_of(report: GradeReport) -> dict[str, Any]:
        fields = {key: value for key, value in report.to_dict().items() if key != "directory"}
        return fields | {"runtime": without_path(report.runtime), "inputs": inputs_of(report)}

    # Locked, for a server that was killed may have left a process with this job, which ends soon.
    with locked(folder / _LOCK), open_grading(entrant, plan, out=folder) as grading, LocalPool(cores()) as pool:

        def step() -> None:
            report = grading.report()
            progress(report.played, plan.games, "games", lambda: result_of(report))

        step()
        grading.play(pool, on_result=step)
        report = grading.report()
    write_whole(folder / REPORT, grade_page(report))
    return result_of(report)


def tournament(params: dict[str, Any], data: Path, progress: Progress) -> dict[str, Any]:
    """Play the games of a tournament that are missing."""
    from littlego.arena.games import GamesProgress, void_words
    from littlego.arena.pool import LocalPool, cores
    from littlego.arena.store import GameResult
    from littlego.arena.tournament.folder import Tournament
    from littlego.arena.tournament.runner import RunWatcher, Wave, run_tournament
    from littlego.course.seats import parse_for_plan

    with Tournament(data / TOURNAMENTS / params["tournament"]) as played:
        workers = cores()
        games = GamesProgress(0)

        @contextlib.contextmanager
        def watch(wave: Wave) -> Iterator[Callable[[GameResult], None]]:
            nonlocal games
            games = GamesProgress(len(wave.games), workers=workers)
            label = "games" if wave.label == "games" else f"games of {wave.label}"

            def count(result: GameResult) -> None:
                games.add(result)
                progress(games.done, games.planned, f"{label}: {games.status()}")

            progress(0, games.planned, label)
            yield count

        watcher = RunWatcher(watch, lambda failure: progress(games.done, games.planned, void_words(failure)))
        with LocalPool(workers) as pool:
            run_tournament(played, parse_for_plan, pool, watcher, patience=_OTHERS_PATIENCE)
        return {"games": played.store.count()}


KINDS: Final[Mapping[str, Callable[[dict[str, Any], Path, Progress], dict[str, Any]]]] = MappingProxyType(
    {each.__name__: each for each in (check, grade, tournament)}
)


class Reporter:
    """Sends reports to the server."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._next_progress = self._next_result = 0.0

    def send(self, **fields: Any) -> None:
        self._out.write(json.dumps(fields) + "\n")
        self._out.flush()

    def progress(self, done: int, total: int, message: str = "", result: Any = None) -> None:
        """A `Progress` that always sends the last step."""
        now, is_last = time.monotonic(), done >= total
        fields: dict[str, Any] = {}
        if is_last or now >= self._next_progress:
            self._next_progress = now + _PROGRESS_EVERY
            fields = {"done": done, "total": total, "message": message}
        if result is not None and (is_last or now >= self._next_result):
            self._next_result = now + _RESULT_EVERY
            fields["result"] = result() if callable(result) else result
        if fields:
            self.send(**fields)


def main() -> int:
    heed_interruptions()
    order = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_server, daemon=True).start()
    reporter = Reporter(sys.stdout)
    sys.stdout = sys.stderr  # so that stray prints do not reach the server
    data = Path(order["data"])
    try:
        result = KINDS[order["kind"]](order["params"], data, reporter.progress)
        reporter.send(state="done", message="", result=result)
    except (LittleGoError, SandboxError) as error:
        reporter.send(state="failed", message=str(error))
    except (OSError, sqlite3.OperationalError) as error:
        if isinstance(error, BrokenPipeError):
            return 130
        if not is_full(error, data):
            raise
        reporter.send(state="failed", message=str(NoRoom()))
    except KeyboardInterrupt:
        return 130
    return 0


def _end_with_server() -> None:
    """Wait until the server is gone, then end this process and all that it started."""
    while os.read(0, 4096):
        pass
    interrupt_ourselves()
    time.sleep(_GRACE)
    kill_ourselves()
    os._exit(130)


if __name__ == "__main__":
    with command_scratch():
        sys.exit(main())
