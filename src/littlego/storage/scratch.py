"""Temporary directories that are removed, whatever happens to the processes that made them.

A command has one directory among the system's temporary files, which holds all temporary files of the command and its
processes. It is locked while the command lives, so that the next command can recognise and remove a dead one's.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from littlego.storage.locks import take
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
        home, lock = _claim(base)
    except OSError:
        yield
        return
    before, tempfile.tempdir = tempfile.tempdir, str(home)
    try:
        yield
    finally:
        tempfile.tempdir = before
        if sys.platform == "win32":  # where an open file cannot be removed
            os.close(lock)
        if left := remove_tree(home):
            tell(left)
        if sys.platform != "win32":
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
            if (lock := _lock(path)) is None:
                continue
            if sys.platform == "win32":
                os.close(lock)
            if left := remove_tree(path):
                tell(left)
            if sys.platform != "win32":
                os.close(lock)


def _claim(base: Path) -> tuple[Path, int]:
    """A new directory, locked. Raises OSError."""
    while True:
        path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=base))
        # Another command may take it for a dead one's before it is locked.
        with contextlib.suppress(BlockingIOError, FileNotFoundError):
            if (lock := _lock(path, is_new=True)) is not None:
                return path, lock


if sys.platform == "win32":
    _MOMENT: Final = 60.0
    """Seconds in which a command locks the directory that it has made."""

    def _lock(path: Path, *, is_new: bool = False) -> int | None:
        """Lock a file in a directory, since Windows locks no directories; None if it is too new to be a dead one's.

        Raises OSError, also while its command lives.
        """
        file = path / "lock"
        if not is_new and not file.exists() and time.time() - path.stat().st_mtime < _MOMENT:
            return None
        lock = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOINHERIT)
        try:
            take(lock, wait=False)
        except BaseException:
            os.close(lock)
            raise
        return lock

else:

    def _lock(path: Path, *, is_new: bool = False) -> int | None:
        """Lock a directory; None if it is another user's, or no longer at that path.

        Raises OSError, also while its command lives.
        """
        lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            found = os.fstat(lock)
            if is_new or found.st_uid == os.geteuid():  # some file systems show one owner for everybody's
                take(lock, wait=False)
                if not is_new or os.path.samestat(found, path.stat(follow_symlinks=False)):
                    return lock
        except BaseException:
            os.close(lock)
            raise
        os.close(lock)
        return None
