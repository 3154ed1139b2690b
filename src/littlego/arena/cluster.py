"""Running tasks on a Dask cluster: processes on this machine or on many.

The job, which must be self-contained (`travelling` puts agents' files into it), is sent to the cluster once, and from
there to every worker that needs it. The scheduler gives the task of a dead worker to another, so a task may be done
more than once; its result is returned once. Dask is imported only when a cluster is used.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import hashlib
import pickle
import platform
import queue
import re
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from littlego import __version__
from littlego.arena import participants
from littlego.arena.pool import TRIES, Failure, Job, Pending, Task, attempt, cores
from littlego.core.errors import UsageError
from littlego.formats.text import plural
from littlego.storage.files import Closing

_CONNECT_SECONDS: Final = 10.0
_WORKERS_SECONDS: Final = 10.0
_QUIET_SECONDS: Final = 5.0
"""How often, and after what silence, to check which workers are alive."""
_ADDRESS: Final = re.compile(r"(?:(?:tcp|tls|wss?|ucx)://)?(?:\[[^\]]+\]|[^\s:/\[\]]+):\d{1,5}")
_AHEAD: Final = 3
"""Tasks queued per worker, so that none waits for a round trip."""

INSTALL: Final = "pip install 'littlego[cluster]'"


def start_workers(address: str) -> str:
    """The command that starts workers."""
    return f"dask worker {address} --nthreads 1 --nworkers CORES"


class ClusterLost(UsageError):
    """The scheduler is gone. Results returned before are complete."""


class Cluster(Closing):
    """A connection to a scheduler: an `Executor` and a context manager.

    Raises UsageError, which says what to do, if Dask is not installed, nothing answers at the address, there are no
    workers, or some have another version or run more tasks at once than is fair. `tell` receives messages for the user.
    """

    is_elsewhere = True

    def __init__(self, address: str, *, tell: Callable[[str], None] = lambda _text: None, tries: int = TRIES) -> None:
        self.address = address
        self._tries = tries
        self._tell = tell
        self._client = _connected(address)
        try:
            self._check_workers()
            self._seen = self._addresses()
        except BaseException:
            self.close()
            raise

    @property
    def workers(self) -> int:
        return len(self._addresses())

    def _addresses(self) -> frozenset[str]:
        return frozenset(self._client.nthreads())

    def run(
        self, job: Job, tasks: Iterable[Task], *, on_failure: Callable[[Failure], None] = lambda _failure: None
    ) -> Generator[tuple[Task, Any], None, None]:
        """As `Executor.run`; closing the iterator cancels tasks not begun, others finish unused. Raises ClusterLost."""
        pending = Pending(tasks, self._tries, on_failure)
        room, looked = _AHEAD * max(1, self.workers), time.monotonic()
        with _Run(self._client, self.address, pickle.dumps(job)) as run:
            while True:
                while len(run.under_way) < room and (task := pending.take()) is not None:
                    run.give(task)
                if not run.under_way:
                    break
                answer = run.next_answer(_QUIET_SECONDS)
                if answer is None or time.monotonic() - looked > _QUIET_SECONDS:
                    room, looked = _AHEAD * max(1, self._alive_workers()), time.monotonic()
                if isinstance(answer, Failure):
                    pending.put_back(answer)
                elif answer is not None:
                    yield answer
        with contextlib.suppress(OSError, TimeoutError, RuntimeError):
            self._note_left(self._addresses())
        pending.check()

    def close(self) -> None:
        """Disconnect; the cluster keeps running."""
        with contextlib.suppress(Exception):  # errors while disconnecting do not matter
            self._client.close(timeout=5)

    def _alive_workers(self) -> int:
        """The number of workers now. Raises ClusterLost."""
        try:
            alive = self._addresses()
        except (OSError, TimeoutError, RuntimeError, asyncio.CancelledError) as error:
            raise _lost(self.address) from error
        if not alive:
            self._tell(f"No workers are left at {self.address}: waiting. Start some: {start_workers(self.address)}")
        self._note_left(alive)
        return len(alive)

    def _note_left(self, alive: frozenset[str]) -> None:
        """Also of workers in whose place others have come: what killed them may come back."""
        seen, self._seen = self._seen, alive
        if alive and (gone := len(seen - alive)):
            left = plural(gone, "worker")
            self._tell(f"{left} at {self.address} died or left. Workers now: {len(alive)}.")

    def _check_workers(self) -> None:
        try:
            self._client.wait_for_workers(1, timeout=_WORKERS_SECONDS)
        except TimeoutError as error:
            how = start_workers(self.address)
            raise UsageError(f"{self.address}: the cluster has no workers: start some with: {how}") from error
        for worker, threads in self._client.nthreads().items():
            if threads > 1:
                raise UsageError(
                    f"{self.address}: the worker {worker} runs {threads} tasks at once in one process, which makes"
                    f" clocks unfair: start workers with: {start_workers(self.address)}"
                )
        _check_facts(self.address, self._facts())

    def _facts(self) -> list[Facts]:
        try:
            return list(self._client.run(facts).values())
        except (ImportError, AttributeError) as error:
            raise UsageError(
                f"{self.address}: a worker cannot load littlego {__version__} ({error}): install the same version there"
            ) from error


@dataclass(frozen=True, slots=True)
class Facts:
    """A worker's machine and version."""

    host: str
    cores: int
    version: str
    """Littlego's version with a digest of its code, since development versions share a number."""


def facts() -> Facts:
    """Of this process."""
    return Facts(platform.node(), cores(), code_version())


@functools.cache
def code_version() -> str:
    """The version, and a digest of all code that affects games."""
    package = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for folder in ("core", "formats", "storage", "kernel", "solve", "learn", "players", "arena", "course"):
        for path in sorted((package / folder).rglob("*.py")):
            digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    return f"{__version__} (code {digest.hexdigest()[:8]})"


def _check_facts(address: str, workers: list[Facts]) -> None:
    ours = code_version()
    for worker in workers:
        if worker.version != ours:
            raise UsageError(
                f"{address}: a worker on {worker.host} has littlego {worker.version}, and this one is {ours}:"
                " games could differ; install one version everywhere and restart the workers"
            )
    for host, number in Counter(worker.host for worker in workers).items():
        cores = next(worker.cores for worker in workers if worker.host == host)
        if number > cores:
            raise UsageError(
                f"{address}: {host} has {cores} cores and {number} workers, which makes clocks unfair: stop"
                f" {number - cores} of them"
            )


def _connected(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError as error:
        raise UsageError(f"a cluster needs Dask, which is not installed: {INSTALL}") from error
    where = {"scheduler_file": address} if Path(address).is_file() else {"address": address}
    if "address" in where and not _ADDRESS.fullmatch(address):
        # Dask's own client would report this too, but with a traceback.
        raise UsageError(
            f"{address}: not the address of a cluster: expected one such as tcp://127.0.0.1:8786, as 'dask scheduler'"
            " prints it, or a scheduler's file"
        )
    try:
        return Client(**where, timeout=_CONNECT_SECONDS, set_as_default=False, name="littlego")
    except (OSError, TimeoutError, ValueError) as error:
        raise UsageError(
            f"{address}: no scheduler answers there ({_first_line(error)}): start one with 'dask scheduler',"
            " and use the address that it prints, such as tcp://127.0.0.1:8786"
        ) from error


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _lost(address: str) -> ClusterLost:
    return ClusterLost(
        f"{address}: the scheduler is gone. Finished games are kept: restart it with workers, and run the same command"
    )


class _Run:
    """The tasks of one job at the scheduler. A context manager that cancels them."""

    def __init__(self, client: Any, address: str, job: bytes) -> None:
        self._client, self._address = client, address
        self._key = f"littlego-{hashlib.sha256(job).hexdigest()[:12]}-{uuid.uuid4().hex[:8]}"
        # A task, not scattered data: the scheduler can recompute it when the workers that had it are gone.
        self._job = client.submit(_itself, job, key=f"{self._key}-job", pure=False)
        self._ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._begun = 0
        self.under_way: dict[str, tuple[Task, Any]] = {}
        """Tasks and their futures by key."""

    def give(self, task: Task) -> None:
        self._begun += 1
        key = f"{self._key}-{self._begun}"
        try:
            future = self._client.submit(perform, self._job, self._key, code_version(), task, key=key, pure=False)
        except RuntimeError as error:  # Dask has noticed, and has closed the connection
            raise _lost(self._address) from error
        self.under_way[key] = task, future
        future.add_done_callback(self._ended.put)

    def next_answer(self, seconds: float) -> tuple[Task, Any] | Failure | None:
        """The next task that ends, and its result; None if none ends in time."""
        try:
            future = self._ended.get(timeout=seconds)
        except queue.Empty:
            return None
        task, _ = self.under_way.pop(future.key)
        try:
            kind, value = future.result()
        except (Exception, asyncio.CancelledError) as error:  # from the task, or because workers or the scheduler died
            if future.cancelled() or self._client.status != "running":
                raise _lost(self._address) from error
            return Failure(task, f"{type(error).__name__}: {_first_line(error)}")
        return (task, value) if kind == "done" else Failure(task, value)

    def __enter__(self) -> _Run:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(Exception):  # the scheduler may be gone, and then there is nothing to cancel
            self._client.cancel([*(future for _, future in self.under_way.values()), self._job], force=True)


def _itself(job: bytes) -> bytes:
    return job


_open: dict[str, tuple[contextlib.ExitStack, Callable[[Task], Any]]] = {}
"""In a worker: its open jobs, the most recently used last. Few, since each keeps a supervisor."""
_MOST_OPEN: Final = 4


def perform(job: bytes, key: str, version: str, task: Task) -> tuple[str, Any]:
    """Runs a task in a worker: ("done", result), or ("failed", reason) for our own failures."""
    if version != code_version():
        return "failed", f"{platform.node()} has littlego {code_version()}, and the task needs {version}"
    kind, value = attempt(lambda: _opened(job, key)(task))
    return kind, value if kind == "done" else f"on {platform.node()}: {value}"


def _opened(job: bytes, key: str) -> Callable[[Task], Any]:
    if key not in _open:
        from distributed import get_worker

        # Dask removes a dead worker's directory when the next one starts, so temporary files go there.
        home = Path(get_worker().local_directory) / "littlego"
        participants.build_in(home)
        tempfile.tempdir = str(home)
        close_jobs(but=_MOST_OPEN - 1)
        with contextlib.ExitStack() as stack:
            do = stack.enter_context(pickle.loads(job).open())  # sent by our own client, which the cluster trusts
            _open[key] = stack.pop_all(), do
    _open[key] = _open.pop(key)
    return _open[key][1]


def close_jobs(*, but: int = 0) -> None:
    """Close this worker's jobs except the `but` most recently used."""
    while len(_open) > but:
        _open.pop(next(iter(_open)))[0].close()
