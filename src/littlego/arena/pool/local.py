"""Worker processes on this machine, any of which may be killed at any time.

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
from collections.abc import Callable, Generator, Iterable
from pathlib import Path
from typing import IO, Any, Final

from littlego.arena.pool.own_process import own_environment, own_python
from littlego.arena.pool.tasks import TRIES, Failure, Job, Pending, Task, attempt
from littlego.storage.removal import remove_tree

_LOOK_SECONDS: Final = 0.5
_LENGTH = struct.Struct("!Q")
_END_SECONDS: Final = 5.0
"""A worker whose output has ended is given so long to end by itself, so that its true ending is known."""


class LocalPool:
    """Worker processes on this machine, used by any number of runs, in threads of their own too. A context manager.

    A run takes whatever workers are free, and gives them back when it has no more tasks. Idle ones are kept, dead ones
    are replaced when needed.
    """

    is_elsewhere = False

    def __init__(self, workers: int, *, tries: int = TRIES) -> None:
        self.workers = workers
        self._tries = tries
        self._idle: list[_Worker] = []
        self._hired = 0
        self._changed = threading.Condition()

    def run(
        self, job: Job, tasks: Iterable[Task], *, on_failure: Callable[[Failure], None] = lambda _failure: None
    ) -> Generator[tuple[Task, Any], None, None]:
        """Every task with its result, as an `Executor` does."""
        pending, packed = Pending(tasks, self._tries, on_failure), pickle.dumps(job)
        busy: dict[_Worker, Task] = {}
        selector = selectors.DefaultSelector()
        try:
            while True:
                is_more = True
                while is_more and (worker := self._taken(wait=not busy)) is not None:
                    if is_more := (task := pending.take()) is not None:
                        busy[worker] = task
                        selector.register(worker.output, selectors.EVENT_READ, worker)
                        worker.give(packed, task)
                    else:
                        self._give_back(worker)
                if not busy:
                    break
                # While others have workers that we could use, it is looked now and then whether some are free.
                for key, _ in selector.select(_LOOK_SECONDS if is_more else None):
                    worker = key.data
                    selector.unregister(worker.output)
                    task = busy.pop(worker)
                    kind, value = worker.answer()
                    if worker.is_dead:
                        self._lose()
                    else:
                        self._give_back(worker)
                    if kind == "done":
                        yield task, value
                    else:
                        pending.put_back(Failure(task, value))
            pending.check()
        finally:
            selector.close()
            for worker in busy:
                worker.process.kill()
            for worker in busy:
                worker.end()
                self._lose()

    def close(self) -> None:
        """End the workers, all of which are idle when no run is under way."""
        for worker in self._idle:
            worker.input.close()  # it goes by itself
        while self._idle:
            self._idle.pop().end()
            self._hired -= 1

    def __enter__(self) -> LocalPool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _taken(self, *, wait: bool) -> _Worker | None:
        with self._changed:
            while not self._idle and self._hired >= self.workers:
                if not wait:
                    return None
                self._changed.wait()
            if self._idle:
                return self._idle.pop()
            self._hired += 1
        try:
            return _Worker()
        except BaseException:
            self._lose()
            raise

    def _give_back(self, worker: _Worker) -> None:
        with self._changed:
            self._idle.append(worker)
            self._changed.notify()

    def _lose(self) -> None:
        with self._changed:
            self._hired -= 1
            self._changed.notify()


def cores() -> int:
    """How many workers there may be so that clocks are fair: as many as there are cores for this process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Worker:
    """A worker process, and the directory for all that is temporary in it."""

    def __init__(self) -> None:
        self._home = Path(tempfile.mkdtemp(prefix="worker-"))  # ours, so that it goes when the worker was killed
        try:
            self.process = subprocess.Popen(
                own_python("littlego.arena.pool.local"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,  # so that Ctrl-C reaches the parent alone
                env=own_environment(temporary=self._home),
            )
        except BaseException:
            remove_tree(self._home)
            raise
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.input, self.output = self.process.stdin, self.process.stdout
        self.is_dead = False
        self._job = b""

    def give(self, job: bytes, task: Task) -> None:
        """Have it do a task, with the job if it has another one open."""
        with contextlib.suppress(BrokenPipeError):  # then its output has ended too, and we read that
            _send(self.input, pickle.dumps((job if job != self._job else None, task)))
        self._job = job

    def answer(self) -> tuple[str, Any]:
        """("done", the result of its task) or ("failed", why); afterwards it may be dead."""
        message = _receive(self.output)
        if message is None:
            return "failed", f"a worker process {self.end()}"
        try:
            kind, value = pickle.loads(message)  # written by our own worker, not by an agent
        except Exception as error:
            return "failed", f"an answer that cannot be read: {type(error).__name__}: {error}"
        return kind, value

    def end(self) -> str:
        """Wait for a worker that is about to end, and remove what it leaves; how it ended, to go into a sentence."""
        self.is_dead = True
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=_END_SECONDS)
        is_stuck = self.process.poll() is None
        self.process.kill()
        status = self.process.wait()
        for stream in (self.input, self.output):
            with contextlib.suppress(OSError):  # what was not sent is of no use any more
                stream.close()
        remove_tree(self._home)
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


def _work(source: IO[bytes], target: IO[bytes]) -> None:
    """The worker's life: tasks until the input ends, with one job open at a time."""
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
