"""The queue of jobs. Each job runs in a process of its own, reports its progress, and can be stopped.

A job that is run again continues where it was. This happens to unfinished jobs when the server starts, and to a job
whose process was killed. A job's process ends when its server does.

    jobs(id, kind, title, state, done, total, message, result_version, crashes, created, updated, person)
    job_params(id, params)      the order; read when a process starts, shown to nobody
    job_results(id, result)     the result so far; `result_version` counts its changes
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from asyncio.subprocess import Process, SubprocessStreamProtocol
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from littlego.apps.web.cohort import rights
from littlego.apps.web.cohort.rights import OTHERS_JOB
from littlego.apps.web.services.news import Hub
from littlego.apps.web.services.store import NoRoom, NotFound, ServerStore, new_id, without_paths
from littlego.arena.processes import APART, interrupt_group, kill_group, own_environment, own_python
from littlego.core.errors import UsageError
from littlego.formats.records import Json

UNFINISHED: Final = ("waiting", "running")
QUEUE: Final = "jobs"
"""The topic of all jobs that wait or run."""
_LONG: Final = ("grade", "tournament", "train")
"""Kinds that may take hours: short jobs do not wait for them."""
_MOST_WAITING: Final = 100
_LINE_LIMIT: Final = 64 << 20
_MOST_ERRORS: Final = 1 << 16
_GRACE: Final = 5.0
"""Seconds between asking a job to stop and killing it, for it to end its own processes."""
_ROOM_EVERY: Final = 2.0
"""Seconds between two looks whether a full disk has room again."""
_QUEUE_EVERY: Final = 2.0
"""Seconds between two reports of the queue's progress."""
_MOST_KILLS: Final = 8
_MOST_MISTAKES: Final = 2
"""A process that was killed may well succeed the next time; one that met a bug hardly will."""
_LONGEST_PAUSE: Final = 5.0

_TABLES: Final = (
    """CREATE TABLE IF NOT EXISTS jobs (
        id TEXT PRIMARY KEY, kind TEXT NOT NULL, title TEXT NOT NULL, state TEXT NOT NULL, done INTEGER NOT NULL,
        total INTEGER NOT NULL, message TEXT NOT NULL, result_version INTEGER NOT NULL, crashes INTEGER NOT NULL,
        created REAL NOT NULL, updated REAL NOT NULL, person TEXT NOT NULL
    ) WITHOUT ROWID""",
    "CREATE INDEX IF NOT EXISTS newest_jobs ON jobs (created DESC)",
    "CREATE TABLE IF NOT EXISTS job_params (id TEXT PRIMARY KEY, params TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS job_results (id TEXT PRIMARY KEY, result TEXT NOT NULL)",
)
_FIELDS: Final = (
    "id", "kind", "title", "state", "done", "total", "message", "result_version", "crashes", "created", "updated",
    "person",
)  # fmt: skip
_SELECT: Final = f"SELECT {', '.join(_FIELDS)} FROM jobs"
_NOTABLE: Final = ("state", "done", "total", "message", "result_version", "crashes", "updated")
_UPDATE: Final = f"UPDATE jobs SET {', '.join(f'{name} = ?' for name in _NOTABLE)} WHERE id = ?"


@dataclass(frozen=True, slots=True)
class _Crash:
    """How a job's process ended before the job was done."""

    text: str
    tries: int
    """How often a job may end like this before it is given up."""


class JobStore:
    """The tables of jobs in a store. Methods that write raise NoRoom when the disk is full."""

    def __init__(self, store: ServerStore) -> None:
        self._store = store
        for statement in _TABLES:
            store.execute(statement)

    def add(self, kind: str, title: str, params: Json, person: str = "") -> Json:
        """Store a new job of a person, and return its row. Raises NoRoom."""
        job, now = new_id(), time.time()
        with self._store.transaction():
            self._store.execute(
                f"INSERT INTO jobs ({', '.join(_FIELDS)}) VALUES (?, ?, ?, 'waiting', 0, 0, '', 0, 0, ?, ?, ?)",
                (job, kind, title, now, now, person),
            )
            self._store.execute("INSERT INTO job_params VALUES (?, ?)", (job, json.dumps(params)))
        return self.row(job)

    def row(self, job: str) -> Json:
        """A job without its params and its result. Raises NotFound."""
        rows = self._rows("WHERE id = ?", (job,))
        if not rows:
            raise NotFound(job)
        return rows[0]

    def newest(self, most: int, *, kind: str | None = None, person: str | None = None) -> list[Json]:
        """The last jobs, of a kind or a person if given."""
        return self._rows(
            "WHERE (?1 IS NULL OR person = ?1) AND (?2 IS NULL OR kind = ?2) ORDER BY created DESC, id LIMIT ?3",
            (person, kind, most),
        )

    def unfinished(self) -> list[Json]:
        """The jobs that wait or run, oldest first."""
        return self._rows("WHERE state IN (?, ?) ORDER BY created, id", UNFINISHED)

    def _rows(self, which: str, values: tuple[Any, ...]) -> list[Json]:
        return [dict(zip(_FIELDS, row, strict=True)) for row in self._store.execute(f"{_SELECT} {which}", values)]

    def count_since(self, person: str, when: float) -> int:
        """How many jobs a person has begun since a time."""
        rows = self._store.execute("SELECT count(*) FROM jobs WHERE person = ? AND created > ?", (person, when))
        return int(rows[0][0])

    def params(self, job: str) -> Json:
        """The order that the job's process is given. Raises NotFound."""
        rows = self._store.execute("SELECT params FROM job_params WHERE id = ?", (job,))
        if not rows:
            raise NotFound(job)
        params: Json = json.loads(rows[0][0])
        return params

    def result(self, job: str) -> Any:
        rows = self._store.execute("SELECT result FROM job_results WHERE id = ?", (job,))
        return json.loads(rows[0][0]) if rows else None

    def parts_of_result(self, job: str, names: Sequence[str]) -> Json:
        """Some fields of a job's result, None where one is missing. The others are not even parsed."""
        columns = ", ".join("json_extract(result, ?)" for _ in names)
        places = tuple(f"$.{name}" for name in names)
        rows = self._store.execute(f"SELECT {columns} FROM job_results WHERE id = ?", (*places, job))
        return dict(zip(names, rows[0] if rows else [None] * len(names), strict=True))

    def note(self, job: str, **changes: Any) -> Json:
        """Change a job, `result` included, and return its row."""
        row = self.row(job)
        with self._store.transaction():
            if "result" in changes:
                text = json.dumps(changes.pop("result"))
                self._store.execute("INSERT OR REPLACE INTO job_results VALUES (?, ?)", (job, text))
                row["result_version"] += 1
            assert changes.keys() <= set(_NOTABLE), changes
            row = {**row, **changes, "updated": time.time()}
            self._store.execute(_UPDATE, (*(row[name] for name in _NOTABLE), job))
        return row


class Jobs:
    """The jobs of a server. `at_once` long jobs and `at_once` short ones run at a time; the others wait."""

    def __init__(self, store: ServerStore, hub: Hub, data: Path, at_once: int = 1) -> None:
        self._store = store
        self._jobs = JobStore(store)
        self._hub = hub
        self._data = data
        self._turns = {is_long: asyncio.Semaphore(at_once) for is_long in (False, True)}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._running_since: dict[str, float] = {}
        self._stopping: dict[str, set[asyncio.Task[None]]] = {}
        """Tasks of cancelled jobs whose processes are still ending."""
        self._reporting: asyncio.Task[None] | None = None

    def begin(
        self,
        kind: str,
        title: str,
        params: Json,
        *,
        person: str = "",
        by: str | None = None,
        keep: Callable[[str], object] = lambda _job: None,
    ) -> Json:
        """Queue a job of a person. Raises UsageError if too many wait, NoRoom, and whatever `keep` raises.

        `by` is who asks for it, if not that person: a student's limits are no limits to the teacher.
        `keep` gets the job's id and stores what belongs to it, in the same transaction as the job.
        """
        self._check_length(person if by is None else by)
        with self._store.transaction():
            job: str = self._jobs.add(kind, title, params, person)["id"]
            keep(job)
        self._start(job)
        return self.find(job)

    def resume(self) -> None:
        """Restart the jobs that the last server left unfinished."""
        for row in self._jobs.unfinished():
            self._start(row["id"])

    def go_on(self, job: str, *, by: str) -> Json:
        """Continue a job that was stopped or has failed, as somebody asks. Raises NotFound, UsageError."""
        row = self._jobs.row(job)
        if row["state"] in ("cancelled", "failed"):
            self._check_length(by)
            self._jobs.note(job, state="waiting", message="", crashes=0)
            self._start(job)
        return self.find(job)

    def find(self, job: str) -> Json:
        """A job with its result. Raises NotFound."""
        return {**self._public(self._jobs.row(job)), "result": self._jobs.result(job)}

    def row(self, job: str) -> Json:
        """A job without its result. Raises NotFound."""
        return self._public(self._jobs.row(job))

    def parts_of_result(self, job: str, names: Sequence[str]) -> Json:
        return self._jobs.parts_of_result(job, names)

    def person_of(self, job: str) -> str | None:
        """Whose a job is; None if it does not exist."""
        try:
            return str(self._jobs.row(job)["person"])
        except NotFound:
            return None

    def newest(self, most: int, *, kind: str | None = None, person: str | None = None) -> list[Json]:
        """The last jobs, of a kind or a person if given, without their results."""
        return [self._public(row) for row in self._jobs.newest(most, kind=kind, person=person)]

    def queue(self, *, person: str | None = None) -> list[Json]:
        """The jobs that run or wait, or those of a person, in order."""
        rows = self._jobs.unfinished()
        return [self._public(row, rows) for row in rows if person in (None, row["person"])]

    def cancel(self, job: str) -> Json:
        """Stop a job, keeping its work so far. Raises NotFound."""
        if self._jobs.row(job)["state"] in UNFINISHED:
            # Now, not when its process has ended: a task that has not started yet would never do it.
            self._change(job, state="cancelled", message="stopped")
        # Cancelled only once: a second time would interrupt the ending of its process.
        if (task := self._tasks.pop(job, None)) is not None:
            self._stopping.setdefault(job, set()).add(task)
            task.cancel()
        return self.find(job)

    async def stop(self, job: str) -> None:
        """Stop a job and wait for the end of its process. Raises NotFound."""
        self.cancel(job)
        if stopping := self._stopping.get(job):
            await asyncio.wait(set(stopping))

    async def close(self) -> None:
        """Stop all jobs. The next server continues them."""
        for task in self._tasks.values():
            task.cancel()
        stopping = [task for tasks in self._stopping.values() for task in tasks]
        await asyncio.gather(*self._tasks.values(), *stopping, return_exceptions=True)
        if self._reporting is not None:
            self._reporting.cancel()

    def _check_length(self, by: str) -> None:
        if len(self._tasks) >= _MOST_WAITING:
            raise UsageError(f"{_MOST_WAITING} jobs are waiting: try again later")
        if by and len(self.queue(person=by)) >= rights.JOBS:
            raise UsageError(f"{rights.JOBS} of your jobs run or wait: stop one, or wait until one is done")
        if by and self._jobs.count_since(by, time.time() - rights.DAY) >= rights.JOBS_A_DAY:
            raise UsageError(f"you have begun {rights.JOBS_A_DAY} jobs in a day: try again tomorrow")

    def _start(self, job: str) -> None:
        task = self._tasks[job] = asyncio.create_task(self._run(job))
        task.add_done_callback(lambda ended: self._ended(job, ended))
        self._publish_queue()

    def _ended(self, job: str, task: asyncio.Task[None]) -> None:
        self._running_since.pop(job, None)
        if self._tasks.get(job) is task:
            del self._tasks[job]
        elif stopping := self._stopping.get(job):
            stopping.discard(task)
            if not stopping:
                del self._stopping[job]
        self._publish_queue()

    def _public(self, row: Json, queue: list[Json] | None = None) -> Json:
        """A job as pages see it, and since when: the one that it waits for, of another student's only how far it is.

        `queue` are the rows of all unfinished jobs, if they are known.
        """
        since = self._running_since.get(row["id"]) or row["created"]
        seconds = round(max(0.0, time.time() - since), 1) if row["state"] in UNFINISHED else None
        public = {**row, "waiting_for": None, "seconds": seconds}
        person = public.pop("person")
        if row["state"] == "waiting":
            others = self._jobs.unfinished() if queue is None else queue
            running = [one for one in others if one["state"] == "running" and _is_long(one) == _is_long(row)]
            if running:
                first = {key: running[0][key] for key in ("id", "title", "done", "total")}
                hidden = {"id": "", "title": OTHERS_JOB} if person not in ("", running[0]["person"]) else {}
                public["waiting_for"] = first | hidden
        return public

    def _change(self, job: str, **changes: Any) -> None:
        """Change a job and publish it. Raises NoRoom."""
        self._note(job, **changes)
        self._publish_queue()

    async def _settle(self, job: str, **changes: Any) -> None:
        """The same, as soon as the disk has room."""
        while True:
            try:
                return self._change(job, **changes)
            except NoRoom:
                await asyncio.sleep(_ROOM_EVERY)

    def _note(self, job: str, **changes: Any) -> None:
        """Change a job and publish it; the queue follows soon. Raises NoRoom."""
        if "message" in changes:
            changes["message"] = without_paths(changes["message"], self._data)
        row = self._jobs.note(job, **changes)
        self._hub.publish(f"job:{job}", {"job": self._public(row)})
        if self._reporting is None or self._reporting.done():
            self._reporting = asyncio.create_task(self._report_soon())

    async def _report_soon(self) -> None:
        await asyncio.sleep(_QUEUE_EVERY)
        self._publish_queue()

    def _publish_queue(self) -> None:
        """Send the queue to all who look at it, read once for all of them."""
        rows: list[Json] = []
        students = self._hub.students_listening(QUEUE)
        is_heard = self._hub.has_listeners(QUEUE)
        waiting = [job for job in self._tasks if self._hub.has_listeners(f"job:{job}")]
        if is_heard or students or waiting:
            rows = self._jobs.unfinished()
        public = [(row["person"], self._public(row, rows)) for row in rows]
        if is_heard:
            self._hub.publish(QUEUE, {"jobs": [job for _, job in public]})
        for student in students:
            self._hub.publish(QUEUE, {"jobs": [job for whose, job in public if whose == student]}, student=student)
        for _, job in public:
            if job["state"] == "waiting":
                self._hub.publish(f"job:{job['id']}", {"job": job})

    async def _run(self, job: str) -> None:
        try:
            if stopping := self._stopping.get(job):
                await asyncio.wait(stopping)
            async with self._turns[_is_long(self._jobs.row(job))]:
                while (crash := await self._run_process(job)) is not None:
                    await self._after_crash(job, crash)
        except UsageError as error:
            await self._settle(job, state="failed", message=str(error))
        except Exception as error:  # a bug; a job without a process must not be shown as running
            await self._settle(job, state="failed", message=f"{type(error).__name__}: {error}"[:500])

    async def _after_crash(self, job: str, crash: _Crash) -> None:
        """Wait a little before the next try. Raises UsageError after the last."""
        crashes = self._jobs.row(job)["crashes"] + 1
        if crashes >= crash.tries:
            raise UsageError(f"{crash.text}, {crashes} times: given up; 'Resume' continues from there")
        await self._settle(job, crashes=crashes, message=f"{crash.text}: trying again, {crashes + 1} of {crash.tries}")
        await asyncio.sleep(min(2.0 ** (crashes - 2), _LONGEST_PAUSE))

    async def _run_process(self, job: str) -> _Crash | None:
        """Run a job's process to its end; returns its crash if the job did not get done."""
        row = self._jobs.row(job)
        self._running_since.setdefault(job, time.time())
        await self._settle(job, state="running", message=row["message"] if row["crashes"] else "")
        # Like asyncio.create_subprocess_exec, which does not give out the transport that `_end` needs.
        loop = asyncio.get_running_loop()
        transport, protocol = await loop.subprocess_exec(
            lambda: SubprocessStreamProtocol(_LINE_LIMIT, loop),
            *own_python("littlego.apps.web.jobs.main"),
            env=own_environment(),
            **APART,
        )
        process = Process(transport, protocol, loop)
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        errors = asyncio.create_task(_last_of(process.stderr))
        try:
            order = {"kind": row["kind"], "params": self._jobs.params(job), "data": str(self._data), "job": job}
            # The pipe stays open: when it closes, the process knows that the server is gone.
            process.stdin.write(json.dumps(order).encode() + b"\n")
            async for line in process.stdout:
                news = json.loads(line)
                if news.get("state"):
                    await self._settle(job, **news)
                    return None
                with contextlib.suppress(NoRoom):  # the next progress may find room
                    self._note(job, **news)
            return _crash_of(await process.wait(), await errors)
        finally:
            ending = asyncio.create_task(_end(process, transport))
            try:
                await asyncio.shield(ending)
            except asyncio.CancelledError:  # the server ends while the job is already ending
                await ending
                raise
            finally:
                errors.cancel()


def _is_long(row: Json) -> bool:
    return row["kind"] in _LONG


async def _last_of(stream: asyncio.StreamReader) -> str:
    """The last part of a stream, once it has ended."""
    kept = b""
    while chunk := await stream.read(_MOST_ERRORS):
        kept = (kept + chunk)[-_MOST_ERRORS:]
    return kept.decode(errors="replace")


def _crash_of(status: int, errors: str) -> _Crash:
    if status < 0:
        return _Crash(f"its process was killed (signal {-status})", _MOST_KILLS)
    lines = errors.strip().splitlines()
    return _Crash(f"its process failed ({lines[-1][:400] if lines else f'status {status}'})", _MOST_MISTAKES)


async def _end(process: Process, transport: asyncio.SubprocessTransport) -> None:
    """Stop a job's process and all that it started, and close its pipes."""
    assert process.stdin is not None
    process.stdin.close()
    if process.returncode is None:
        interrupt_group(process.pid)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _GRACE)
    kill_group(process.pid)
    await process.wait()
    with contextlib.suppress(OSError):
        await process.stdin.wait_closed()
    transport.close()  # processes that it started may still hold the other ends
    await asyncio.sleep(0)
