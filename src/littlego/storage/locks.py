"""Locks between processes: files that are unlocked however the process that holds them ends."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

if sys.platform == "win32":
    import msvcrt

    _BEYOND: Final = 1 << 40
    """The byte that is locked: on Windows nobody can read or write a locked byte, so it lies beyond any content."""

    def take(file: int, *, wait: bool) -> None:
        """Lock an open file until it is closed. Raises BlockingIOError if it is locked and `wait` is false."""
        while True:
            try:
                os.lseek(file, _BEYOND, os.SEEK_SET)
                msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
                return
            except OSError as error:
                if not wait:
                    raise BlockingIOError(errno.EAGAIN, "another process holds the lock") from error
            time.sleep(0.02)

else:
    import fcntl

    def take(file: int, *, wait: bool) -> None:
        """Lock an open file until it is closed. Raises BlockingIOError if it is locked and `wait` is false."""
        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextlib.contextmanager
def locked(path: Path, *, wait: bool = True) -> Iterator[None]:
    """Hold the lock. Raises BlockingIOError if another process holds it and `wait` is false."""
    with path.open("wb") as file:
        take(file.fileno(), wait=wait)
        yield
