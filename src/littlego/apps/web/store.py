"""Whatever must survive a restart: agents, gradings and tournaments, in SQLite; and editions, as files.

    things(kind, id, created, updated, data, person)    data: JSON; person: whose it is, a student's key or empty

One table for all kinds, since none is searched by its contents. Jobs have tables of their own (`jobs.py`).
Calls take well under a millisecond and may come from any thread.

A player is stored by its spelling, with `@data` for the data directory: `@data/agents/ID/upload`, or `class:@data/...`.
"""

from __future__ import annotations

import contextlib
import errno
import json
import secrets
import shutil
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from typing_extensions import TypedDict

from littlego.core.errors import LittleGoError, UsageError
from littlego.core.rules import EDITIONS
from littlego.course.edition import Edition, find_edition, format_edition, read_edition, shipped_edition
from littlego.formats.records import Json
from littlego.storage.database import all_or_nothing
from littlego.storage.files import write_whole

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS things (
    kind TEXT NOT NULL, id TEXT NOT NULL, created REAL NOT NULL, updated REAL NOT NULL, data TEXT NOT NULL,
    person TEXT NOT NULL DEFAULT '', PRIMARY KEY (kind, id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS newest ON things (kind, updated DESC);
"""
_FORMAT: Final = 3
"""The version of what is stored. There is no way from another one."""
_DATA: Final = "@data/"
"""In a stored spelling, the data directory."""
_LITTLE_ROOM: Final = 1 << 20
"""Bytes: with less free space than this, an input/output error is taken for a full disk."""


def new_id() -> str:
    """A short id that cannot be guessed."""
    return secrets.token_urlsafe(9)


AGENTS: Final = "agents"
GRADES: Final = "grades"
REPORT: Final = "report.html"
"""Of a grading, in its directory."""
TOURNAMENTS: Final = "tournaments"
"""All of them are folders of the data directory."""


class NotFound(KeyError):
    """Nothing is stored under this id. Other KeyErrors are bugs."""


class NoRoom(LittleGoError):
    """The disk is full. Nothing stored is lost, and the request can be repeated."""

    def __init__(self) -> None:
        super().__init__(
            "the server's disk is full: nothing is lost, but this could not be stored; free some space and try again"
        )


def is_full(error: BaseException, folder: Path) -> bool:
    """Whether an error of the operating system or of SQLite means that the disk of `folder` is full."""
    if isinstance(error, OSError):
        return error.errno in (errno.ENOSPC, errno.EDQUOT)
    if not isinstance(error, sqlite3.OperationalError):
        return False
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_IOERR:
        return shutil.disk_usage(folder).free < _LITTLE_ROOM
    return code == sqlite3.SQLITE_FULL


class ServerStore:
    """JSON by kind and id. Methods that write raise NoRoom when the disk is full."""

    def __init__(self, path: Path) -> None:
        self._folder = path.parent
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, timeout=10, isolation_level=None, check_same_thread=False)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            found = self._db.execute("PRAGMA user_version").fetchone()[0]
            if self._db.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() and found != _FORMAT:
                raise UsageError(f"{path}: of another version of Little-Go (format {found}): give another --data")
            self._db.execute(f"PRAGMA user_version = {_FORMAT}")
            self._db.executescript(_TABLES)
        except (OSError, sqlite3.Error) as error:
            raise UsageError(f"{path}: cannot be used: {error}; give another --data") from error
        self._lock = threading.RLock()

    def execute(self, statement: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """The rows of a statement. Raises NoRoom."""
        with self._lock, self._noticing_a_full_disk():
            return self._db.execute(statement, values).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything executed in it is stored, or nothing. Raises NoRoom."""
        with self._lock:
            if self._db.in_transaction:  # nested: part of the outer one
                yield
                return
            with self._noticing_a_full_disk(), all_or_nothing(self._db):
                yield

    @contextmanager
    def _noticing_a_full_disk(self) -> Iterator[None]:
        """Raises NoRoom in place of an error that means that the disk is full."""
        try:
            yield
        except sqlite3.OperationalError as error:
            if is_full(error, self._folder):
                raise NoRoom from error
            raise

    def put(self, kind: str, name: str, data: Json, person: str = "") -> None:
        """Store a thing. Whose it is was decided when it was stored first."""
        now = time.time()
        self.execute(
            "INSERT INTO things (kind, id, created, updated, data, person) VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (kind, id) DO UPDATE SET updated = excluded.updated, data = excluded.data",
            (kind, name, now, now, json.dumps(data), person),
        )

    def person_of(self, kind: str, name: str) -> str | None:
        """Whose a thing is; None if it does not exist."""
        rows = self.execute("SELECT person FROM things WHERE kind = ? AND id = ?", (kind, name))
        return str(rows[0][0]) if rows else None

    def find(self, kind: str, name: str) -> Json:
        """A thing with `id`, `created` and `updated`. Raises NotFound."""
        rows = self.execute("SELECT id, created, updated, data FROM things WHERE kind = ? AND id = ?", (kind, name))
        if not rows:
            raise NotFound(name)
        return _thing(*rows[0])

    def newest(self, kind: str, most: int | None = None, *, person: str | None = None) -> list[Json]:
        """Things of a kind, last changed first, each with `id`, `created` and `updated`; only a person's, if given."""
        rows = self.execute(
            "SELECT id, created, updated, data FROM things WHERE kind = ?1 AND (?2 IS NULL OR person = ?2) "
            "ORDER BY updated DESC, id DESC LIMIT ?3",
            (kind, person, -1 if most is None else most),
        )
        return [_thing(*row) for row in rows]

    def delete(self, kind: str, name: str) -> None:
        self.execute("DELETE FROM things WHERE kind = ? AND id = ?", (kind, name))

    def close(self) -> None:
        with self._lock:
            self._db.close()


def _thing(name: str, created: float, updated: float, data: str) -> Json:
    return {**json.loads(data), "id": name, "created": created, "updated": updated}


def kept_spelling(spelling: str, data: Path) -> str:
    """The spelling of an uploaded player to be stored, so that the data directory can be moved."""
    return spelling.replace(f"{data.resolve()}/", _DATA, 1)


def full_spelling(kept: str, data: Path) -> str:
    """The inverse of `kept_spelling`, for the present place of the data directory."""
    return kept.replace(_DATA, f"{data.resolve()}/", 1)


def without_paths(text: str, data: Path) -> str:
    """A message without the path of the data directory."""
    for place in sorted({str(data.resolve()), str(data.absolute())}, key=len, reverse=True):
        if len(place) > 1:
            text = text.replace(f"{place}/", "").replace(place, "the data directory")
    return text


FOLDER: Final = "editions"


class EditionLine(TypedDict):
    """An edition of the course, or another course."""

    name: str
    stages: list[str]
    """What can be graded."""


class Editions:
    """The editions that a server offers: the package's, and copies of the files that `web --edition` was given.

    They are in `editions/NAME.toml` of the data directory. Jobs, in other processes, have an object of their own.
    """

    def __init__(self, data: Path) -> None:
        self._folder = data / FOLDER

    def add(self, file: str) -> Edition:
        """Keep a copy of an edition's file, in place of an earlier one of the same name. Raises UsageError, OSError."""
        edition = find_edition(file)
        if edition.name not in EDITIONS:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_whole(self._folder / f"{edition.name}.toml", format_edition(edition))
        return edition

    def names(self) -> list[str]:
        """The newest that comes with the package first, the owner's own last."""
        return [*reversed(EDITIONS), *sorted(path.stem for path in self._folder.glob("*.toml"))]

    def find(self, name: str) -> Edition:
        """Raises UsageError for a name that is not among `names`, and for a file that can no longer be read."""
        if name in EDITIONS:
            return shipped_edition(name)
        if name not in self.names():
            raise UsageError(f"edition {name!r}: expected one of {', '.join(self.names())}")
        return read_edition(self._folder / f"{name}.toml")

    def described(self) -> list[EditionLine]:
        """Names and stages, for pages.

        Without those that can no longer be read, as when an opponent's files have moved: `find` says why.
        """
        found: list[EditionLine] = []
        for name in self.names():
            with contextlib.suppress(UsageError):
                found.append({"name": name, "stages": self.find(name).scheme.stages()})
        return found
