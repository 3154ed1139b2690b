"""Jobs: the queue, and how pages follow it. Each job runs in a process of its own, reports its progress, and can be
stopped.

A job that is run again continues where it was. This happens to unfinished jobs when the server starts, to a job whose
process was killed, and to a long one that made room for somebody else's. A job's process ends when its server does.

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
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any, Final, Literal

from fastapi import APIRouter
from typing_extensions import TypedDict

from littlego.apps.web.auth import OfJob, Person
from littlego.apps.web.requests import Id, TheServices
from littlego.apps.web.store import NoRoom, NotFound, ServerStore, new_id, without_paths
from littlego.arena.processes import APART, interrupt_group, kill_group, own_environment, own_python
from littlego.core.errors import UsageError
from littlego.formats.records import Json

State = Literal["waiting", "running", "done", "failed", "cancelled"]


class JobAhead(TypedDict):
    """The job that another waits for; of another student's only how far it is."""

    title: str
    done: int
    total: int


class JobLine(TypedDict):
    """A job without its result."""

    id: str
    kind: str
    title: str
    state: State
    done: int
    total: int
    message: str
    result_version: int
    """Counts the changes of the result."""
    crashes: int
    """How often its process died and was started again."""
    created: float
    updated: float
    waiting_for: JobAhead | None
    seconds: float | None
    """For how long it has run, or waited if it waits; null: ended."""


class JobShown(JobLine):
    """A job with its result, as its function in `job.py` returns it."""

    result: dict[str, Any] | None


UNFINISHED: Final = ("waiting", "running")
OTHERS_JOB: Final = "another student's job"
_LONG: Final = ("grade", "tournament")
"""Kinds that may take hours: short jobs do not wait for them."""
_MOST_WAITING: Final = 100
_LINE_LIMIT: Final = 64 << 20
_MOST_ERRORS: Final = 1 << 16
_GRACE: Final = 5.0
"""Seconds between asking a job to stop and killing it, for it to end its own processes."""
_ROOM_EVERY: Final = 2.0
"""Seconds between two looks whether a full disk has room again."""
_SLICE: Final = 600.0
"""Seconds after which a long job makes room for somebody else's that waits, and waits itself."""
_LONGEST: Final = 6 * 3600.0
"""Seconds after which a student's job is stopped."""
AT_ONCE: Final = 3
"""A student's jobs that run or wait."""
A_DAY: Final = 300
"""A student's jobs."""
DAY: Final = 24 * 3600.0
"""Seconds."""
_MOST_CRASHES: Final = 5
"""How often a job's process may die before the job is given up."""
_LONGEST_PAUSE: Final = 5.0

_TABLES: Final = (
    """CREATE TABLE IF NOT EXISTS jobs (
        id TEXT PRIMARY KEY, kind TEXT NOT NULL, title TEXT NOT NULL, state TEXT NOT NULL, done INTEGER NOT NULL,
        total INTEGER NOT NULL, message TEXT NOT NULL, result_version INTEGER NOT NULL, crashes INTEGER NOT NULL,
        created REAL NOT NULL, updated REAL NOT NULL, person TEXT NOT NULL
    ) WITHOUT ROWID""",
    "CREATE INDEX IF NOT EXISTS jobs_by_state ON jobs (state)",
    "CREATE INDEX IF NOT EXISTS jobs_by_person ON jobs (person, created)",
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


class Turns:
    """Whose job runs next: of those who wait, that of the person who was served longest ago."""

    def __init__(self, at_once: int) -> None:
        self._free = at_once
        self._waiting: list[tuple[str, asyncio.Future[None]]] = []
        self._served: defaultdict[str, int] = defaultdict(int)
        self._number = 0

    @contextlib.asynccontextmanager
    async def turn(self, person: str) -> AsyncIterator[None]:
        """Wait for a turn of this person's, and give it back in the end."""
        called: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((person, called))
        self._call()
        try:
            await called
            yield
        finally:
            if called.cancelled():
                with contextlib.suppress(ValueError):
                    self._waiting.remove((person, called))
            else:
                self._free += 1
            self._call()

    def is_wanted_by_others(self, person: str) -> bool:
        return any(other != person for other, _ in self._waiting)

    def _call(self) -> None:
        while self._free and (waiting := [one for one in self._waiting if not one[1].done()]):
            first = min(waiting, key=lambda one: self._served[one[0]])  # of equals the one that came first
            self._waiting.remove(first)
            self._free -= 1
            self._number += 1
            self._served[first[0]] = self._number
            first[1].set_result(None)


class Jobs:
    """The jobs of a server. `at_once` long jobs and `at_once` short ones run at a time; the others wait."""

    def __init__(self, store: ServerStore, data: Path, at_once: int = 1) -> None:
        self._store = store
        self.stored = JobStore(store)
        self._data = data
        self._turns = {is_long: Turns(at_once) for is_long in (False, True)}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._running_since: dict[str, float] = {}
        self._ending: set[asyncio.Task[None]] = set()
        """Those of cancelled jobs whose processes are still ending; each has its job's name."""

    def begin(
        self,
        kind: str,
        title: str,
        params: Json,
        *,
        person: str = "",
        by: str | None = None,
        keep: Callable[[str], object] = lambda _job: None,
    ) -> JobShown:
        """Queue a job of a person. Raises UsageError if too many wait, NoRoom, and whatever `keep` raises.

        `by` is who asks for it, if not that person: a student's limits are no limits to the teacher.
        `keep` gets the job's id and stores what belongs to it, in the same transaction as the job.
        """
        self._check_length(person if by is None else by)
        with self._store.transaction():
            job: str = self.stored.add(kind, title, params, person)["id"]
            keep(job)
        self._start(job)
        return self.find(job)

    def resume(self) -> None:
        """Restart the jobs that the last server left unfinished."""
        for row in self.stored.unfinished():
            self._start(row["id"])

    def go_on(self, job: str, *, by: str) -> JobShown:
        """Continue a job that was stopped or has failed, as somebody asks. Raises NotFound, UsageError."""
        row = self.stored.row(job)
        if row["state"] in ("cancelled", "failed"):
            self._check_length(by)
            self.stored.note(job, state="waiting", message="", crashes=0)
            self._start(job)
        return self.find(job)

    def find(self, job: str, *, seen: int | None = None) -> JobShown:
        """A job with its result, unless that is the version that was `seen`. Raises NotFound."""
        line = self._public(self.stored.row(job))
        return {**line, "result": None if line["result_version"] == seen else self.stored.result(job)}

    def person_of(self, job: str) -> str | None:
        """Whose a job is; None if it does not exist."""
        try:
            return str(self.stored.row(job)["person"])
        except NotFound:
            return None

    def queue(self, *, person: str | None = None) -> list[JobLine]:
        """The jobs that run or wait, or those of a person, in order."""
        rows = self.stored.unfinished()
        return [self._public(row, rows) for row in rows if person in (None, row["person"])]

    def cancel(self, job: str) -> JobShown:
        """Stop a job, keeping its work so far. Raises NotFound."""
        if self.stored.row(job)["state"] in UNFINISHED:
            # Now, not when its process has ended: a task that has not started yet would never do it.
            self._note(job, state="cancelled", message="stopped")
        # Cancelled only once: a second time would interrupt the ending of its process.
        if (task := self._tasks.pop(job, None)) is not None:
            self._ending.add(task)
            task.cancel()
        return self.find(job)

    async def stop(self, job: str) -> None:
        """Stop a job and wait for the end of its process. Raises NotFound."""
        self.cancel(job)
        await self._end_of(job)

    async def _end_of(self, job: str) -> None:
        """Wait until no process of a cancelled job is left."""
        if ending := {task for task in self._ending if task.get_name() == job}:
            await asyncio.wait(ending)

    async def close(self) -> None:
        """Stop all jobs. The next server continues them."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), *self._ending, return_exceptions=True)

    def _check_length(self, by: str) -> None:
        if len(self._tasks) >= _MOST_WAITING:
            raise UsageError(f"{_MOST_WAITING} jobs are waiting: try again later")
        if by and len(self.queue(person=by)) >= AT_ONCE:
            raise UsageError(f"{AT_ONCE} of your jobs run or wait: stop one, or wait until one is done")
        if by and self.stored.count_since(by, time.time() - DAY) >= A_DAY:
            raise UsageError(f"you have begun {A_DAY} jobs in a day: try again tomorrow")

    def _start(self, job: str) -> None:
        task = self._tasks[job] = asyncio.create_task(self._run(job), name=job)
        task.add_done_callback(lambda ended: self._ended(job, ended))

    def _ended(self, job: str, task: asyncio.Task[None]) -> None:
        self._running_since.pop(job, None)
        self._ending.discard(task)
        if self._tasks.get(job) is task:
            del self._tasks[job]

    def _public(self, row: Json, queue: list[Json] | None = None) -> JobLine:
        """A job as pages see it. `queue` are the rows of all unfinished jobs, if they are known."""
        since = self._running_since.get(row["id"]) or row["created"]
        seconds = round(max(0.0, time.time() - since), 1) if row["state"] in UNFINISHED else None
        public = {**row, "waiting_for": None, "seconds": seconds}
        person = public.pop("person")
        if row["state"] == "waiting":
            others = self.stored.unfinished() if queue is None else queue
            running = [one for one in others if one["state"] == "running" and _is_long(one) == _is_long(row)]
            if running:
                is_known = person in ("", running[0]["person"])
                title = running[0]["title"] if is_known else OTHERS_JOB
                public["waiting_for"] = {"title": title, "done": running[0]["done"], "total": running[0]["total"]}
        return public  # type: ignore[return-value] # its columns are the fields of JobLine

    async def _settle(self, job: str, **changes: Any) -> None:
        """Change a job as soon as the disk has room."""
        while True:
            try:
                return self._note(job, **changes)
            except NoRoom:
                await asyncio.sleep(_ROOM_EVERY)

    def _note(self, job: str, **changes: Any) -> None:
        """Change a job. Raises NoRoom."""
        if "message" in changes:
            changes["message"] = without_paths(changes["message"], self._data)
        self.stored.note(job, **changes)

    async def _run(self, job: str) -> None:
        try:
            await self._end_of(job)
            row = self.stored.row(job)
            turns, person = self._turns[_is_long(row)], row["person"]
            is_over = False
            while not is_over:
                async with turns.turn(person), asyncio.timeout(_LONGEST if person else None):
                    is_over = await self._run_process(job, lambda: turns.is_wanted_by_others(person))
        except TimeoutError:
            hours = f"{_LONGEST / 3600:g} hours"
            await self._settle(job, state="failed", message=f"stopped after {hours}; 'Resume' continues from there")
        except UsageError as error:
            await self._settle(job, state="failed", message=str(error))
        except Exception as error:  # a bug; a job without a process must not be shown as running
            await self._settle(job, state="failed", message=f"{type(error).__name__}: {error}"[:500])

    async def _after_crash(self, job: str, crash: str) -> None:
        """Wait a little before the next try. Raises UsageError after the last."""
        crashes = self.stored.row(job)["crashes"] + 1
        if crashes >= _MOST_CRASHES:
            raise UsageError(f"{crash}, {crashes} times: given up; 'Resume' continues from there")
        await self._settle(job, crashes=crashes, message=f"{crash}: trying again, {crashes + 1} of {_MOST_CRASHES}")
        await asyncio.sleep(min(2.0 ** (crashes - 2), _LONGEST_PAUSE))

    async def _run_process(self, job: str, others_wait: Callable[[], bool]) -> bool:
        """Run a job's process; False if it must run again, after a crash or because others wait. Raises UsageError."""
        row = self.stored.row(job)
        self._running_since.setdefault(job, time.time())
        began = time.monotonic()
        await self._settle(job, state="running", message=row["message"] if row["crashes"] else "")
        # Like asyncio.create_subprocess_exec, which does not give out the transport that `_end` needs.
        loop = asyncio.get_running_loop()
        transport, protocol = await loop.subprocess_exec(
            lambda: SubprocessStreamProtocol(_LINE_LIMIT, loop),
            *own_python("littlego.apps.web.job"),
            env=own_environment(),
            **APART,
        )
        process = Process(transport, protocol, loop)
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        errors = asyncio.create_task(_last_of(process.stderr))
        try:
            order = {"kind": row["kind"], "params": self.stored.params(job), "data": str(self._data), "job": job}
            # The pipe stays open: when it closes, the process knows that the server is gone.
            process.stdin.write(json.dumps(order).encode() + b"\n")
            async for line in process.stdout:
                news = json.loads(line)
                if news.get("state"):
                    await self._settle(job, **news)
                    return True
                with contextlib.suppress(NoRoom):  # the next progress may find room
                    self._note(job, **news)
                is_on = news.get("done", 0) > row["done"]  # or two jobs that start slowly would never get anywhere
                if is_on and time.monotonic() - began > _SLICE and others_wait():
                    await self._settle(job, state="waiting", message="")
                    return False
            crash = _crash_of(await process.wait(), await errors)
        finally:
            ending = asyncio.create_task(_end(process, transport))
            try:
                await asyncio.shield(ending)
            except asyncio.CancelledError:  # the server ends while the job is already ending
                await ending
                raise
            finally:
                errors.cancel()
        await self._after_crash(job, crash)
        return False


def _is_long(row: Json) -> bool:
    return row["kind"] in _LONG


async def _last_of(stream: asyncio.StreamReader) -> str:
    """The last part of a stream, once it has ended."""
    kept = b""
    while chunk := await stream.read(_MOST_ERRORS):
        kept = (kept + chunk)[-_MOST_ERRORS:]
    return kept.decode(errors="replace")


def _crash_of(status: int, errors: str) -> str:
    """How a job's process ended before the job was done."""
    if status < 0:
        return f"its process was killed (signal {-status})"
    lines = errors.strip().splitlines()
    return f"its process failed ({lines[-1][:400] if lines else f'status {status}'})"


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


router = APIRouter(prefix="/api/jobs", tags=["jobs"])


@router.get("/queue")
async def queue(services: TheServices, person: Person) -> list[JobLine]:
    """The jobs that run or wait, or a student's own. `waiting_for` is what a waiting job waits for."""
    return services.jobs.queue(person=person or None)


@router.get("/{job}")
async def find(job: Id, services: TheServices, _person: OfJob, seen: int | None = None) -> JobShown:
    """A job with its result; without it if its `result_version` is the one that was `seen`."""
    return services.jobs.find(job, seen=seen)


@router.post("/{job}/cancel")
async def cancel(job: Id, services: TheServices, _person: OfJob) -> JobShown:
    """Stop a job. Its work so far is kept."""
    return services.jobs.cancel(job)


@router.post("/{job}/resume", status_code=202)
async def go_on(job: Id, services: TheServices, person: OfJob) -> JobShown:
    """Continue a job that was stopped or has failed."""
    return services.jobs.go_on(job, by=person)
