"""Locks between processes: files that are unlocked however the process that holds them ends."""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def locked(path: Path, *, wait: bool = True) -> Iterator[None]:
    """Hold the lock. Raises BlockingIOError if another process holds it and `wait` is false."""
    with path.open("w") as file:
        if wait:
            fcntl.flock(file, fcntl.LOCK_EX)
        else:
            with _no_tests(path):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield


def is_locked(path: Path) -> bool:
    try:
        with path.open("r") as file, _no_tests(path):
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            fcntl.flock(file, fcntl.LOCK_UN)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


@contextlib.contextmanager
def _no_tests(path: Path) -> Iterator[None]:
    """Keep `is_locked` of other processes from taking the lock for a moment, which would make `locked` fail."""
    with path.with_name(f".{path.name}.look").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
