"""A Dask scheduler and workers on this machine, for tests and measurements, like those of `dask scheduler`."""

from __future__ import annotations

import contextlib
import json
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from littlego.arena.processes import APART, own_environment, own_python

_START_SECONDS = 300.0
"""Dask takes long to import on a busy machine."""


@dataclass(frozen=True, slots=True)
class LocalCluster:
    """A running cluster."""

    address: str
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]]
    """Not replaced when they die."""


@contextlib.contextmanager
def local_cluster(workers: int) -> Iterator[LocalCluster]:
    """A scheduler and single-threaded workers, ended afterwards."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch, contextlib.ExitStack() as stack:
        file = Path(scratch) / "scheduler.json"
        options = ("--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file), "--no-dashboard")
        scheduler = stack.enter_context(_program("scheduler", *options))
        address = _address(file, scheduler)
        own = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", scratch)
        programs = [stack.enter_context(_program("worker", address, *own)) for _ in range(workers)]
        yield LocalCluster(address, scheduler, programs)


@contextlib.contextmanager
def _program(kind: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        own_python(f"distributed.cli.dask_{kind}", *arguments),
        env=own_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **APART,
    )
    try:
        yield process
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=10)
        process.kill()
        process.wait()


def _address(file: Path, scheduler: subprocess.Popen[bytes]) -> str:
    """Where the scheduler listens, once it does."""
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end and scheduler.poll() is None:
        with contextlib.suppress(OSError, ValueError):  # not written yet, or not completely
            return str(json.loads(file.read_text(encoding="utf-8"))["address"])
        time.sleep(0.05)
    raise RuntimeError("the scheduler did not start")
