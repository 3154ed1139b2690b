"""Jobs, their tasks and the executors that run them: in this process, or in workers that may be killed at any time.

A worker is a separate program, started with exec, that reads tasks from standard input and writes results to standard
output. It ends when its parent dies, even in the middle of a task. When a worker dies, another gets its task.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import struct
import subprocess
import sys
import tempfile
import threading
from collections import Counter, deque
from collections.abc import Callable, Generator, Hashable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final, Protocol, TypeAlias

from littlego.arena.processes import APART, own_environment, own_python, wait_for_end
from littlego.core.errors import LittleGoError
from littlego.storage.files import Closing
from littlego.storage.scratch import remove_tree

Task: TypeAlias = Any
"""Any hashable value that can be pickled."""

TRIES: Final = 3


class Job(Protocol):
    """What its tasks share. Pickled and sent once to every worker that needs it."""

    def open(self) -> AbstractContextManager[Callable[[Any], Any]]:
        """Enters in the worker; the value does one task."""
        ...


class TaskFailed(LittleGoError):
    """A task failed in every try because of an error on our side."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed try of a task; our fault, not the players'."""

    task: Task
    reason: str


class Executor(Protocol):
    """Runs tasks: `InProcess`, `LocalPool` or `cluster.Cluster`."""

    @property
    def workers(self) -> int:
        """How many tasks run at once."""
        ...

    @property
    def is_elsewhere(self) -> bool:
        """Whether its workers cannot see this machine's files."""
        ...

    def run(
        self, job: Job, tasks: Iterable[Task], *, on_failure: Callable[[Failure], None]
    ) -> Generator[tuple[Task, Any], None, None]:
        """Every task with its result, in the order in which they end; some may appear more than once.

        `tasks` is read lazily, when a worker is free. A task that fails is tried again; TaskFailed is raised if that
        does not help, after the others have been done. Closing the iterator ends the tasks under way.
        """
        ...


class InProcess:
    """Runs tasks in this process, one after the other. Exceptions propagate."""

    workers = 1
    is_elsewhere = False

    def run(
        self,
        job: Job,
        tasks: Iterable[Task],
        *,
        on_failure: Callable[[Failure], None] = lambda _failure: None,  # noqa: ARG002 - an Executor
    ) -> Generator[tuple[Task, Any], None, None]:
        with job.open() as do:
            for task in tasks:
                yield task, do(task)


class Pending:
    """The tasks no worker has yet; those to be tried again come first."""

    def __init__(self, tasks: Iterable[Task], tries: int, on_failure: Callable[[Failure], None]) -> None:
        self._coming = iter(tasks)
        self._again: deque[Task] = deque()
        self._tries = tries
        self._failed: Counter[Hashable] = Counter()
        self._given_up: list[Failure] = []
        self._on_failure = on_failure

    def take(self) -> Task | None:
        """None if there is none at the moment."""
        return self._again.popleft() if self._again else next(self._coming, None)

    def put_back(self, failure: Failure) -> None:
        self._failed[failure.task] += 1
        self._on_failure(failure)
        if self._failed[failure.task] < self._tries:
            self._again.append(failure.task)
        else:
            self._given_up.append(failure)

    def check(self) -> None:
        """Call when nothing is left: raises TaskFailed if some tasks were given up."""
        if self._given_up:
            others = f", and {len(self._given_up) - 1} more" if len(self._given_up) > 1 else ""
            raise TaskFailed(f"a game could not be played in {self._tries} tries{others}: {self._given_up[0].reason}")


def attempt(function: Callable[..., Any], *arguments: Any) -> tuple[str, Any]:
    """("done", the function's result), or ("failed", reason) for any exception."""
    try:
        return "done", function(*arguments)
    except Exception as error:
        return "failed", f"{type(error).__name__}: {error}"


_LOOK_SECONDS: Final = 0.5
_LENGTH = struct.Struct("!Q")
_END_SECONDS: Final = 5.0
"""A worker whose output has ended gets this long to exit by itself, so that its true exit status is known."""


class _Places:
    """Places for busy workers. Whoever has none and waits comes before those who have some, and the first comes first.

    So the games of one agent run beside each other only when there are more workers than agents to play.
    """

    def __init__(self, places: int) -> None:
        self._free = places
        self._line: deque[object] = deque()
        self._changed = threading.Condition()

    def take(self, *, wait: bool) -> bool:
        """Whether a place was had; always true for those who `wait`."""
        with self._changed:
            if not wait and (self._line or not self._free):
                return False
            self._line.append(ticket := object())
            try:
                self._changed.wait_for(lambda: self._line[0] is ticket and self._free)
                self._free -= 1
            finally:
                self._line.remove(ticket)
                self._changed.notify_all()
            return True

    def give_back(self) -> None:
        with self._changed:
            self._free += 1
            self._changed.notify_all()


class LocalPool(Closing):
    """Worker processes on this machine, shared by any number of runs and threads. A context manager.

    A run takes the workers that are free and for which no other run waits, and returns them when it has no more tasks.
    Idle workers are kept; dead ones are replaced when needed.
    """

    is_elsewhere = False

    def __init__(self, workers: int, *, tries: int = TRIES) -> None:
        self.workers = workers
        self._tries = tries
        self._idle: list[_Worker] = []
        self._places = _Places(workers)

    def run(
        self, job: Job, tasks: Iterable[Task], *, on_failure: Callable[[Failure], None] = lambda _failure: None
    ) -> Generator[tuple[Task, Any], None, None]:
        pending, packed = Pending(tasks, self._tries, on_failure), pickle.dumps(job)
        busy: dict[_Worker, Task] = {}
        answered: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
        try:
            while True:
                while self._places.take(wait=not busy):
                    try:
                        if (task := pending.take()) is None:
                            self._places.give_back()
                            break
                        worker = self._free_worker()
                    except BaseException:
                        self._places.give_back()
                        raise
                    busy[worker] = task
                    worker.give(packed, task, answered)
                if not busy:
                    break
                # While other runs hold workers that we could use, check now and then whether some are free.
                with contextlib.suppress(queue.Empty):
                    worker = answered.get(timeout=_LOOK_SECONDS)
                    task = busy.pop(worker)
                    kind, value = worker.answer()
                    if not worker.is_dead:
                        self._idle.append(worker)
                    self._places.give_back()
                    if kind == "done":
                        yield task, value
                    else:
                        pending.put_back(Failure(task, value))
            pending.check()
        finally:
            for worker in busy:
                worker.process.kill()
            for worker in busy:
                worker.end()
                self._places.give_back()

    def close(self) -> None:
        """End the workers. No run may be under way."""
        for worker in self._idle:
            worker.input.close()  # then it ends by itself
        while self._idle:
            self._idle.pop().end()

    def _free_worker(self) -> _Worker:
        """An idle worker, or a new one."""
        try:
            return self._idle.pop()
        except IndexError:
            return _Worker()


def cores() -> int:
    """The most workers that keep clocks fair: the number of cores available to this process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Worker:
    """A worker process and the directory for its temporary files."""

    def __init__(self) -> None:
        self._home = Path(tempfile.mkdtemp(prefix="worker-"))  # ours: it is removed even if the worker is killed
        try:
            self.process = subprocess.Popen(
                own_python("littlego.arena.pool", str(os.getpid())),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=own_environment(temporary=self._home),
                **APART,  # so that Ctrl-C reaches the parent alone
            )
        except BaseException:
            remove_tree(self._home)
            raise
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.input, self.output = self.process.stdin, self.process.stdout
        self.is_dead = False
        self._job = b""
        self._message: bytes | None = None
        self._reader = threading.Thread()

    def give(self, job: bytes, task: Task, answered: queue.SimpleQueue[_Worker]) -> None:
        """Send it a task, and the job unless it has that one open. It is put into `answered` when it has answered.

        A thread waits for that, since Windows cannot wait for several pipes.
        """

        def wait() -> None:
            self._message = None
            try:
                with contextlib.suppress(ValueError):  # closed by a command that was interrupted as this began
                    self._message = _receive(self.output)
            finally:
                answered.put(self)

        with contextlib.suppress(OSError):  # then its output has ended too, and `answer` notices
            _send(self.input, pickle.dumps((job if job != self._job else None, task)))
        self._job = job
        self._reader = threading.Thread(target=wait, daemon=True)
        self._reader.start()

    def answer(self) -> tuple[str, Any]:
        """("done", result) or ("failed", reason); afterwards it may be dead."""
        message = self._message
        if message is None:
            return "failed", f"a worker process {self.end()}"
        try:
            kind, value = pickle.loads(message)  # written by our own worker, not by an agent
        except Exception as error:
            return "failed", f"a worker sent an unreadable answer: {type(error).__name__}: {error}"
        return kind, value

    def end(self) -> str:
        """Wait for a worker that is about to end, and clean up; returns how it ended, as a verb phrase."""
        self.is_dead = True
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=_END_SECONDS)
        is_stuck = self.process.poll() is None
        self.process.kill()
        status = self.process.wait()
        if self._reader.ident is not None:
            self._reader.join()
        for stream in (self.input, self.output):
            with contextlib.suppress(OSError):  # what was not sent no longer matters
                stream.close()
        remove_tree(self._home)
        from littlego.sandbox.plan import describe_ending

        return "closed its output and did not end" if is_stuck else describe_ending(status)


def _send(stream: IO[bytes], message: bytes) -> None:
    stream.write(_LENGTH.pack(len(message)) + message)
    stream.flush()


def _receive(stream: IO[bytes]) -> bytes | None:
    """The next message; None if the other side has ended."""
    header = stream.read(_LENGTH.size)
    if len(header) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(header)
    message = stream.read(length)
    return message if len(message) == length else None


def _work(source: IO[bytes], target: IO[bytes]) -> None:
    """The worker's loop: tasks until the input ends, with one job open at a time."""
    with contextlib.ExitStack() as stack:
        kind: str
        do: Any
        kind, do = "failed", "no job"
        while (message := _receive(source)) is not None:
            job, task = pickle.loads(message)
            if job is not None:
                stack.close()
                kind, do = attempt(lambda job=job: stack.enter_context(pickle.loads(job).open()))
            answer = attempt(do, task) if kind == "done" else (kind, do)
            packed, content = attempt(pickle.dumps, answer)
            _send(target, content if packed == "done" else pickle.dumps((packed, content)))


def _end_with(parent: int) -> None:
    """End when the parent does; whatever the task has started ends with this process."""
    wait_for_end(parent)
    os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=_end_with, args=(int(sys.argv[1]),), daemon=True).start()
    # Printed text must not get between the messages.
    channel = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
        _work(sys.stdin.buffer, channel)
