"""Locks between processes: a file that one of them holds, and that falls free however its process ends."""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def locked(path: Path, *, wait: bool = True) -> Iterator[None]:
    """While this lasts no other process has the lock. Raises BlockingIOError if one has it and we do not wait."""
    with path.open("w") as file:
        if wait:
            fcntl.flock(file, fcntl.LOCK_EX)
        else:
            with _nobody_looks(path):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield


def is_locked(path: Path) -> bool:
    """Whether some process has the lock now."""
    try:
        with path.open("r") as file, _nobody_looks(path):
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            fcntl.flock(file, fcntl.LOCK_UN)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


@contextlib.contextmanager
def _nobody_looks(path: Path) -> Iterator[None]:
    """For a moment nobody else takes or tries the lock: a look must not make somebody fail who takes it."""
    with path.with_name(f".{path.name}.look").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
