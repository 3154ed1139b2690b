"""A scheduler and workers on this machine, like those of `dask scheduler` and `dask worker`."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from littlego.arena.own_process import own_environment, own_python
from littlego.arena.pool.cluster import INSTALL
from littlego.arena.process_groups import APART
from littlego.arena.referee.sandbox.judge import describe_ending
from littlego.core.errors import UsageError
from littlego.storage.scratch import temporary_directory

_START_SECONDS: Final = 60.0
_END_SECONDS: Final = 10.0
_SHORT_SECONDS: Final = 10.0
_SHORT_LIVES: Final = 5
"""If this many workers in a row end within `_SHORT_SECONDS`, none can run here."""


@dataclass(frozen=True, slots=True)
class LocalCluster:
    """A running cluster."""

    address: str
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]]
    _another: Callable[[], subprocess.Popen[bytes]]
    """Starts a worker."""

    def wait(self, tell: Callable[[str], None] = lambda _text: None) -> None:
        """Replace workers that end, and `tell` so; return when the scheduler has ended, or no worker lasts."""
        began, short_lives = time.monotonic(), 0
        while self.scheduler.poll() is None and short_lives < _SHORT_LIVES:
            for place, worker in enumerate(self.workers):
                if worker.poll() is not None and self.scheduler.poll() is None:
                    short_lives = short_lives + 1 if time.monotonic() - began < _SHORT_SECONDS else 0
                    began = time.monotonic()
                    self.workers[place] = self._another()
                    tell(f"A worker {describe_ending(worker.returncode)}: another takes its place.")
            time.sleep(0.2)


@contextlib.contextmanager
def local_cluster(workers: int, *, port: int = 0) -> Iterator[LocalCluster]:
    """A scheduler and single-threaded workers, ended afterwards. Raises UsageError."""
    if importlib.util.find_spec("distributed") is None:
        raise UsageError(f"a cluster needs Dask, which is not installed: {INSTALL}")
    with temporary_directory("littlego-cluster-") as scratch, contextlib.ExitStack() as stack:
        file = scratch / "scheduler.json"
        options = ("--host", "127.0.0.1", "--port", str(port), "--scheduler-file", str(file), "--no-dashboard")
        scheduler = stack.enter_context(_program("scheduler", *options))
        address = _address(file, scheduler, port)
        worker_options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(scratch))

        def another() -> subprocess.Popen[bytes]:
            return stack.enter_context(_program("worker", address, *worker_options))

        yield LocalCluster(address, scheduler, [another() for _ in range(workers)], another)


@contextlib.contextmanager
def _program(kind: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        own_python(f"distributed.cli.dask_{kind}", *arguments),
        env=own_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **APART,  # so that Ctrl-C reaches us alone, and we end them in order
    )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=_END_SECONDS)
        process.kill()
        process.wait()


def _address(file: Path, scheduler: subprocess.Popen[bytes], port: int) -> str:
    """Wait until the scheduler listens; returns its address."""
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end and scheduler.poll() is None:
        with contextlib.suppress(OSError, ValueError):  # not written yet, or not completely
            return str(json.loads(file.read_text(encoding="utf-8"))["address"])
        time.sleep(0.05)
    raise UsageError(f"the scheduler did not start{f': is port {port} taken?' if port else ''}")
