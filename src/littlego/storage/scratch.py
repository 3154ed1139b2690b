"""Temporary directories that go, whatever happens to those who made them.

A command has one directory among the system's temporary files, and everything temporary of it and of its processes lies
in there. It is locked as long as the command lives, so that the next command can tell a dead one's, and removes it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from littlego.storage.removal import remove_tree

PREFIX: Final = "littlego-scratch-"


@contextlib.contextmanager
def command_scratch(tell: Callable[[str], None] = lambda _text: None) -> Iterator[None]:
    """While this lasts `tempfile` makes files in a directory of this command's own, which is removed afterwards.

    Directories of commands that were killed are removed first. `tell` hears of what cannot be removed. Where no
    directory can be made there is none, and whoever needs one will say so.
    """
    try:
        base = Path(tempfile.gettempdir())
        sweep(base, tell)
        home, lock = _claimed(base)
    except OSError:
        yield
        return
    before, tempfile.tempdir = tempfile.tempdir, str(home)
    try:
        yield
    finally:
        tempfile.tempdir = before
        if left := remove_tree(home):
            tell(left)
        os.close(lock)


@contextlib.contextmanager
def temporary_directory(prefix: str) -> Iterator[Path]:
    """An empty directory, removed afterwards whatever is in it.

    If something cannot be removed now, the command tries again at its end, and tells.
    """
    directory = Path(tempfile.mkdtemp(prefix=prefix))
    try:
        yield directory
    finally:
        remove_tree(directory)


def sweep(base: Path, tell: Callable[[str], None] = lambda _text: None) -> None:
    """Remove the directories in `base` of commands of this user that are no longer alive."""
    for path in base.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                if os.fstat(lock).st_uid != os.geteuid():
                    continue
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails while its command lives
                if left := remove_tree(path):
                    tell(left)
            finally:
                os.close(lock)


def _claimed(base: Path) -> tuple[Path, int]:
    """A new directory, locked. Raises OSError."""
    while True:
        path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=base))
        try:
            lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            continue  # another command took it for a dead one's, before it was locked
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(lock), path.stat(follow_symlinks=False)):
                return path, lock
        except (BlockingIOError, FileNotFoundError):
            pass
        os.close(lock)
