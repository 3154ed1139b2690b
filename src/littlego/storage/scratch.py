"""Temporary directories that are removed, whatever happens to the processes that made them.

A command has one directory among the system's temporary files, which holds all temporary files of the command and its
processes. It is locked while the command lives, so that the next command can recognise and remove a dead one's.
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
    """Make `tempfile` use a directory of this command's own, which is removed afterwards.

    Directories of killed commands are removed first. `tell` receives a message about what cannot be removed. If no
    directory can be made, nothing changes, and whatever needs one will fail with its own message.
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

    What cannot be removed now the command tries again at its end, with a message.
    """
    directory = Path(tempfile.mkdtemp(prefix=prefix))
    try:
        yield directory
    finally:
        remove_tree(directory)


def sweep(base: Path, tell: Callable[[str], None] = lambda _text: None) -> None:
    """Remove the directories in `base` of this user's dead commands."""
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
