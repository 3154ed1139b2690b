"""A SQLite file for results: created atomically, with clear messages for whatever is wrong with it.

An existing file is never taken for a new one: if it is empty, or lacks our tables, results are gone, and a person has
to know. In a read-only directory existing results can be read."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from littlego.core.errors import FormatError, UsageError
from littlego.storage.files import take

_DAMAGED: Final = ("malformed", "not a database", "corrupt")


class Database:
    """An open file of results, for one thread at a time.

    `tables` are the statements that create it. `exclusive` locks out every other process while it is open. Raises
    UsageError if it cannot be created or opened, FormatError if it is damaged.
    """

    def __init__(self, path: Path, tables: str, *, exclusive: bool = False, timeout: float = 60) -> None:
        self.path = path
        self._copy: tempfile.TemporaryDirectory[str] | None = None
        with self.explaining("results"):
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                _make(path, tables)
            if path.stat().st_size == 0:
                raise FormatError(
                    f"{path}: is empty, but used to hold results: restore a copy if there is one; otherwise "
                    "remove the file, and everything is played again"
                )
        self.read_only = not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))
        with self.explaining("results"):
            self._db = self._connect(timeout)
        try:
            with self.explaining("results"):
                self._prepare(tables, exclusive=exclusive)
        except BaseException:
            self.close()
            raise

    def _connect(self, timeout: float) -> sqlite3.Connection:
        if not self.read_only:
            return sqlite3.connect(self.path, timeout=timeout, isolation_level=None)
        # Reading in WAL mode writes files beside it; not so with an empty log, or in a copy.
        path = self.path
        log = _log(path)
        if log.exists() and log.stat().st_size > 0:
            self._copy = tempfile.TemporaryDirectory(prefix="littlego-look-")
            path = Path(self._copy.name) / path.name
            shutil.copyfile(self.path, path)
            shutil.copyfile(log, _log(path))
            return sqlite3.connect(path, timeout=timeout, isolation_level=None)
        uri = f"file:{quote(str(path.absolute()))}?immutable=1"
        return sqlite3.connect(uri, uri=True, timeout=timeout, isolation_level=None)

    def _prepare(self, tables: str, *, exclusive: bool) -> None:
        if exclusive and not self.read_only:  # first: two that have both looked would each hold what the other needs
            self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
        there = {name for (name,) in self._db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if missing := set(re.findall(r"CREATE TABLE (?:IF NOT EXISTS )?(\w+)", tables)) - there:
            raise FormatError(f"{self.path}: not a file of results: it lacks the table {min(missing)!r}")
        if self.read_only:
            return
        self._db.execute("PRAGMA journal_mode = WAL")
        if exclusive:
            self._db.execute("BEGIN IMMEDIATE")  # takes the lock now, not with the first game
            self._db.execute("COMMIT")

    def rows(self, query: str, values: Iterable[Any] = ()) -> list[tuple[Any, ...]]:
        """Raises FormatError for a damaged file."""
        with self.explaining("results"):
            return self._db.execute(query, tuple(values)).fetchall()

    def each(self, query: str, values: Iterable[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows one by one. Raises FormatError for a damaged file."""
        with self.explaining("results"):
            yield from self._db.execute(query, tuple(values))

    @contextlib.contextmanager
    def transaction(self, what: str) -> Iterator[sqlite3.Connection]:
        """Commits all or nothing. Raises UsageError, which says that `what` was not stored."""
        self.check_writable()
        with self.explaining(what), all_or_nothing(self._db):
            yield self._db

    def check_writable(self) -> None:
        """Raises UsageError if nothing can be stored here."""
        if self.read_only:
            raise UsageError(f"{self.path.parent}: nothing can be stored there: the directory is read-only")

    @contextlib.contextmanager
    def explaining(self, what: str) -> Iterator[None]:
        """Turns errors of reading and writing into messages that say what failed, and what to do."""
        try:
            yield
        except sqlite3.Error as error:
            reason = str(error)
            if "locked" in reason:
                raise UsageError(f"{self.path.parent}: another command is using these results: wait for it") from error
            if any(word in reason for word in _DAMAGED):
                raise FormatError(
                    f"{self.path}: damaged: {reason}; restore a copy, or move it away to start again"
                ) from error
            is_full = "full" in reason or "I/O" in reason  # SQLite's words for it
            raise UsageError(self._cannot(what, reason, is_full=is_full)) from error
        except OSError as error:
            is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            raise UsageError(self._cannot(what, error.strerror or str(error), is_full=is_full)) from error

    def _cannot(self, what: str, why: str, *, is_full: bool) -> str:
        return (
            f"{self.path.parent}: {what} cannot be stored there: {why}; stored results are safe, and nobody loses "
            f"a game: {'free some space, or ' if is_full else ''}choose another place, and run the same command again"
        )

    def close(self) -> None:
        self._db.close()
        if self._copy:
            self._copy.cleanup()


@contextlib.contextmanager
def all_or_nothing(database: sqlite3.Connection) -> Iterator[None]:
    """A transaction, which is rolled back if anything fails. Raises sqlite3.Error."""
    try:
        database.execute("BEGIN IMMEDIATE")
        yield
        database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:
            with contextlib.suppress(sqlite3.Error):
                database.execute("ROLLBACK")
        raise


def _make(path: Path, tables: str) -> None:
    """Create an empty file of results atomically. Raises OSError."""
    with contextlib.closing(sqlite3.connect(":memory:")) as fresh:
        fresh.executescript(tables)
        content = fresh.serialize()
    if sys.platform == "win32":  # where an open file cannot be renamed, and a rename replaces nothing
        own = path.with_name(f".{path.name}.{os.getpid()}")
        own.write_bytes(content)
        try:
            own.rename(path)
        except FileExistsError:
            own.unlink()
        return
    beside = path.with_name(f".{path.name}.new")
    with beside.open("ab") as file:
        take(file.fileno(), wait=True)
        if path.exists():  # another process was quicker; its file, not ours, has the name now
            return
        file.truncate(0)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
        beside.rename(path)


def _log(path: Path) -> Path:
    """SQLite's write-ahead log."""
    return path.with_name(f"{path.name}-wal")
