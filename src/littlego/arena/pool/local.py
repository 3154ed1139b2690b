"""Processes that work off a list of tasks, any of which may be killed at any time.

A worker is a program of its own, started with exec, that reads tasks from its standard input and
writes results to its standard output. When its parent dies so does it, also in the middle of a task.
When it dies itself, its task is given to another.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import selectors
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final, Protocol

from littlego.arena.pool.own_process import own_environment, own_python
from littlego.core.errors import LittleGoError
from littlego.storage.removal import remove_tree

_LENGTH = struct.Struct("!Q")
_END_SECONDS: Final = 5.0
"""A worker whose output has ended is given so long to end by itself, so that its true ending is known."""


class Job(Protocol):
    """What all tasks have in common. Is pickled and sent to every worker once."""

    def open(self) -> AbstractContextManager[Callable[[int], Any]]:
        """Get ready in the worker; the value does one task."""
        ...


class TaskFailed(LittleGoError):
    """A task that could not be done, through our own failure, however often it was tried."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One try of a task that failed, through no fault of what the task is about."""

    task: int
    reason: str


def run_tasks(
    job: Job,
    tasks: Iterable[int],
    *,
    workers: int,
    tries: int = 3,
    on_failure: Callable[[Failure], None] = lambda _failure: None,
) -> Generator[Any, None, None]:
    """The results of all tasks, in the order in which they are done.

    The next task is taken when a worker is free for it, so `tasks` may think and may end early. A task
    whose worker fails or dies is tried again, `tries` times in all; then TaskFailed is raised, after
    the others have been done. Closing the iterator ends the workers.
    """
    coming, again, failed = iter(tasks), deque[int](), dict[int, int]()
    given_up: list[Failure] = []
    with _Crew(job) as crew:
        while True:
            while len(crew.busy) < workers and (task := again.popleft() if again else next(coming, None)) is not None:
                crew.give(task)
            if not crew.busy:
                break
            answer = crew.next_answer()
            if not isinstance(answer, Failure):
                yield answer
                continue
            failed[answer.task] = failed.get(answer.task, 0) + 1
            on_failure(answer)
            if failed[answer.task] < tries:
                again.append(answer.task)
            else:
                given_up.append(answer)
    if given_up:
        raise gave_up(given_up, tries)


def gave_up(failures: list[Failure], tries: int) -> TaskFailed:
    """The error of tasks that failed however often they were tried. Their numbers mean nothing to people."""
    others = f", and {len(failures) - 1} more" if len(failures) > 1 else ""
    return TaskFailed(f"a game could not be played in {tries} tries{others}: {failures[0].reason}")


def cores() -> int:
    """How many workers there may be so that clocks are fair: as many as there are cores for this process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Crew:
    """The worker processes: idle ones are kept, dead ones are replaced when needed."""

    def __init__(self, job: Job) -> None:
        self._job = pickle.dumps(job)
        self._idle: list[subprocess.Popen[bytes]] = []
        self._selector = selectors.DefaultSelector()
        self._homes: dict[subprocess.Popen[bytes], Path] = {}
        self.busy: dict[subprocess.Popen[bytes], int] = {}

    def give(self, task: int) -> None:
        worker = self._idle.pop() if self._idle else self._hired()
        assert worker.stdin is not None
        assert worker.stdout is not None
        self.busy[worker] = task
        self._selector.register(worker.stdout, selectors.EVENT_READ, worker)
        with contextlib.suppress(BrokenPipeError):  # then its output has ended too, and we read that
            _send(worker.stdin, pickle.dumps(task))

    def next_answer(self) -> Any:
        """The result of the next task that ends, or a Failure."""
        key, _ = self._selector.select()[0]
        worker: subprocess.Popen[bytes] = key.data
        assert worker.stdout is not None
        self._selector.unregister(worker.stdout)
        task = self.busy.pop(worker)
        message = _receive(worker.stdout)
        if message is None:
            return Failure(task, f"a worker process {self._bury(worker)}")
        self._idle.append(worker)
        try:
            kind, value = pickle.loads(message)  # written by our own worker, not by an agent
        except Exception as error:
            return Failure(task, f"an answer that cannot be read: {type(error).__name__}: {error}")
        return value if kind == "done" else Failure(task, value)

    def _hired(self) -> subprocess.Popen[bytes]:
        home = Path(tempfile.mkdtemp(prefix="worker-"))  # ours, so that it goes when the worker was killed
        try:
            worker = subprocess.Popen(
                own_python("littlego.arena.pool.local"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,  # so that Ctrl-C reaches the parent alone
                env=own_environment(temporary=home),
            )
        except OSError:
            remove_tree(home)
            raise
        self._homes[worker] = home
        assert worker.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            _send(worker.stdin, self._job)
        return worker

    def __enter__(self) -> _Crew:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._idle:
            assert worker.stdin is not None
            worker.stdin.close()  # its input has ended: it goes by itself
        for worker in self.busy:
            worker.kill()
        for worker in [*self._idle, *self.busy]:
            self._bury(worker)

    def _bury(self, worker: subprocess.Popen[bytes]) -> str:
        """Wait for a worker that is about to end, and remove what it leaves; how it ended, to go into a sentence."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            worker.wait(timeout=_END_SECONDS)
        is_stuck = worker.poll() is None
        worker.kill()
        status = worker.wait()
        for stream in (worker.stdin, worker.stdout):
            with contextlib.suppress(OSError):  # what was not sent is of no use any more
                if stream is not None:
                    stream.close()
        remove_tree(self._homes.pop(worker))
        return "closed its output and did not end" if is_stuck else _ending(status)


def _ending(status: int) -> str:
    if status >= 0:
        return f"ended with status {status}"
    try:
        return f"was ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"was ended by signal {-status}"


def _send(stream: IO[bytes], message: bytes) -> None:
    stream.write(_LENGTH.pack(len(message)) + message)
    stream.flush()


def _receive(stream: IO[bytes]) -> bytes | None:
    """The next message; None when the other side has ended."""
    header = stream.read(_LENGTH.size)
    if len(header) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(header)
    message = stream.read(length)
    return message if len(message) == length else None


def attempt(function: Callable[..., Any], *arguments: Any) -> tuple[str, Any]:
    """("done", what the function returns), or ("failed", why) for whatever it raises."""
    try:
        return "done", function(*arguments)
    except Exception as error:
        return "failed", f"{type(error).__name__}: {error}"


def _work(source: IO[bytes], target: IO[bytes]) -> None:
    """The worker's life: one job, then tasks until the input ends."""
    job = _receive(source)
    if job is None:
        return
    with contextlib.ExitStack() as stack:
        kind, do = attempt(lambda: stack.enter_context(pickle.loads(job).open()))
        while (message := _receive(source)) is not None:
            answer = attempt(_done, do, message) if kind == "done" else (kind, do)
            packed, content = attempt(pickle.dumps, answer)
            _send(target, content if packed == "done" else pickle.dumps((packed, content)))


def _done(do: Callable[[int], Any], message: bytes) -> Any:
    return do(pickle.loads(message))


def _end_with(parent: int) -> None:
    """Wait until the parent is gone, and end: whatever the task has started ends with this process."""
    if hasattr(os, "pidfd_open"):
        with contextlib.suppress(OSError):
            select.select([os.pidfd_open(parent)], [], [])
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    # Whatever prints must not get between the messages.
    channel = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
        _work(sys.stdin.buffer, channel)
