"""A file of SQLite that results are kept in: made whole or not at all, and with words for whatever is wrong with it.

Both stores of results use it. A file that is there is never taken for a new one: if it is empty, or has not our tables,
results are gone, and a person has to know. In a directory that cannot be written to, what is there can be read.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from littlego.core.errors import FormatError, UsageError

_DAMAGED: Final = ("malformed", "not a database", "corrupt")


class Database:
    """An open file of results. Use from one thread at a time.

    `tables` are the statements that make it. `exclusive` keeps every other process out, for as long as it is open.
    Raises UsageError if it cannot be made or opened, FormatError if what is there is not what was kept.
    """

    def __init__(self, path: Path, tables: str, *, exclusive: bool = False, timeout: float = 60) -> None:
        self.path = path
        self._copy: tempfile.TemporaryDirectory[str] | None = None
        with self.saying("results"):
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                _make(path, tables)
            if path.stat().st_size == 0:
                raise FormatError(
                    f"{path}: is empty, and results were kept in it: put a copy back if there is one; if there is "
                    "none, remove the file, and everything is played again"
                )
        self.read_only = not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))
        with self.saying("results"):
            self._db = self._connect(timeout)
        try:
            with self.saying("results"):
                self._prepare(tables, exclusive=exclusive)
        except BaseException:
            self.close()
            raise

    def _connect(self, timeout: float) -> sqlite3.Connection:
        if not self.read_only:
            return sqlite3.connect(self.path, timeout=timeout, isolation_level=None)
        # A reader of a file in WAL mode writes beside it. Without unfinished business there (or in a copy) it need not.
        path = self.path
        if _is_there(log := _log(path)):
            self._copy = tempfile.TemporaryDirectory(prefix="littlego-look-")
            path = Path(self._copy.name) / path.name
            shutil.copyfile(self.path, path)
            shutil.copyfile(log, _log(path))
            return sqlite3.connect(path, timeout=timeout, isolation_level=None)
        uri = f"file:{quote(str(path.absolute()))}?immutable=1"
        return sqlite3.connect(uri, uri=True, timeout=timeout, isolation_level=None)

    def _prepare(self, tables: str, *, exclusive: bool) -> None:
        if not self.read_only:
            if exclusive:
                self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._db.execute("PRAGMA journal_mode = WAL")
        there = {name for (name,) in self._db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if exclusive and not self.read_only:
            self._db.execute("BEGIN IMMEDIATE")  # takes the lock now, not with the first game
            self._db.execute("COMMIT")
        if missing := _table_names(tables) - there:
            raise FormatError(f"{self.path}: not a file of results: it has no table {min(missing)!r}")

    def rows(self, query: str, values: Iterable[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query. Raises FormatError for a damaged file."""
        with self.saying("results"):
            return self._db.execute(query, tuple(values)).fetchall()

    def each(self, query: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a query, one after the other. Raises FormatError for a damaged file."""
        with self.saying("results"):
            yield from self._db.execute(query)

    @contextlib.contextmanager
    def transaction(self, what: str) -> Iterator[sqlite3.Connection]:
        """All that is done with the value is kept, or nothing. Raises UsageError, which says that `what` was not."""
        self.check_writable()
        with self.saying(what):
            try:
                self._db.execute("BEGIN IMMEDIATE")
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    with contextlib.suppress(sqlite3.Error):
                        self._db.execute("ROLLBACK")
                raise

    def check_writable(self) -> None:
        """Raises UsageError if nothing can be kept here."""
        if self.read_only:
            raise UsageError(f"{self.path.parent}: nothing can be kept there: it cannot be written to")

    @contextlib.contextmanager
    def saying(self, what: str) -> Iterator[None]:
        """Around anything that reads or writes the file: an error says what it was about, and what can be done."""
        try:
            yield
        except sqlite3.Error as error:
            words = str(error)
            if "locked" in words:
                raise UsageError(f"{self.path.parent}: another command is using these results: wait for it") from error
            if any(word in words for word in _DAMAGED):
                raise FormatError(
                    f"{self.path}: damaged: {words}; put a copy back if there is one, or move it away to begin anew"
                ) from error
            raise UsageError(self._cannot(what, words)) from error
        except OSError as error:
            raise UsageError(self._cannot(what, error.strerror or str(error))) from error

    def _cannot(self, what: str, why: str) -> str:
        return (
            f"{self.path.parent}: {what} cannot be kept there: {why}; nothing that was kept is lost, and this is "
            "nobody's loss: make room, or give another place, and give the same command again"
        )

    def close(self) -> None:
        """Let others use the file."""
        self._db.close()
        if self._copy:
            self._copy.cleanup()


def _make(path: Path, tables: str) -> None:
    """Put an empty file of results in its place, whole: a kill at any moment leaves none. Raises OSError."""
    with contextlib.closing(sqlite3.connect(":memory:")) as fresh:
        fresh.executescript(tables)
        content = fresh.serialize()
    beside = path.with_name(f".{path.name}.new")
    with beside.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        if path.exists():  # another process was quicker; its file, not ours, has the name now
            return
        file.truncate(0)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
        beside.rename(path)


def _log(path: Path) -> Path:
    """Where SQLite keeps what it has not yet put into the file."""
    return path.with_name(f"{path.name}-wal")


def _is_there(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0


def _table_names(tables: str) -> set[str]:
    return set(re.findall(r"CREATE TABLE (?:IF NOT EXISTS )?(\w+)", tables))
