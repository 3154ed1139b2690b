"""What must survive a restart: games, jobs and everything else that is worth a row, in SQLite.

    things(kind, id, created, updated, data)    data: JSON

One table for all kinds but jobs, which have their own (`job_store`): none has many rows that must be searched by
what is inside. Calls take well under a millisecond and may come from any thread.
"""

from __future__ import annotations

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

from littlego.core.errors import LittleGoError, UsageError

Json = dict[str, Any]

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS things (
    kind TEXT NOT NULL, id TEXT NOT NULL, created REAL NOT NULL, updated REAL NOT NULL, data TEXT NOT NULL,
    PRIMARY KEY (kind, id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS newest ON things (kind, updated DESC);
"""
_LITTLE_ROOM: Final = 1 << 20
"""Bytes: with less free than this an input/output error is taken for a full disk."""


def new_id() -> str:
    """A short id that cannot be guessed: a link with it is what shares a game."""
    return secrets.token_urlsafe(9)


class NotFound(KeyError):
    """Nothing is stored under this id. Other KeyErrors are mistakes of ours."""


class NoRoom(LittleGoError):
    """The disk is full. Nothing that was kept is lost, and what was asked can be asked again."""

    def __init__(self) -> None:
        super().__init__("the server's disk is full: nothing is lost, but this could not be kept; make room, try again")


def is_full(error: BaseException, folder: Path) -> bool:
    """Whether an error of the system or of SQLite means that the disk of `folder` is full."""
    if isinstance(error, OSError):
        return error.errno in (errno.ENOSPC, errno.EDQUOT)
    if not isinstance(error, sqlite3.OperationalError):
        return False
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_IOERR:
        return shutil.disk_usage(folder).free < _LITTLE_ROOM
    return code == sqlite3.SQLITE_FULL


class Store:
    """JSON by kind and id. Whatever writes raises NoRoom when the disk is full."""

    def __init__(self, path: Path) -> None:
        self._folder = path.parent
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, timeout=10, isolation_level=None, check_same_thread=False)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.executescript(_TABLES)
        except (OSError, sqlite3.Error) as error:
            raise UsageError(f"{path}: cannot be used: {error}; give another --data") from error
        self._lock = threading.RLock()

    def execute(self, statement: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """The rows of a statement. Raises NoRoom."""
        try:
            with self._lock:
                return self._db.execute(statement, values).fetchall()
        except sqlite3.OperationalError as error:
            if is_full(error, self._folder):
                raise NoRoom from error
            raise

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of what is executed meanwhile is kept, or nothing. Raises NoRoom."""
        with self._lock:
            if self._db.in_transaction:  # then it is part of that one
                yield
                return
            self.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def put(self, kind: str, name: str, data: Json) -> None:
        """Write a thing, new or changed. Raises NoRoom."""
        now = time.time()
        self.execute(
            "INSERT INTO things VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (kind, id) DO UPDATE SET updated = excluded.updated, data = excluded.data",
            (kind, name, now, now, json.dumps(data)),
        )

    def get(self, kind: str, name: str) -> Json | None:
        """What is stored under a kind and id; None if nothing is."""
        rows = self.execute("SELECT data FROM things WHERE kind = ? AND id = ?", (kind, name))
        return json.loads(rows[0][0]) if rows else None

    def newest(self, kind: str, most: int = 100) -> list[Json]:
        """Things of a kind, the last changed first, each with `id`, `created` and `updated`."""
        rows = self.execute(
            "SELECT id, created, updated, data FROM things WHERE kind = ? ORDER BY updated DESC LIMIT ?", (kind, most)
        )
        return [{"id": row[0], "created": row[1], "updated": row[2], **json.loads(row[3])} for row in rows]

    def delete(self, kind: str, name: str) -> bool:
        """Delete a thing; whether there was one. Raises NoRoom."""
        with self._lock:
            self.execute("DELETE FROM things WHERE kind = ? AND id = ?", (kind, name))
            return bool(self.execute("SELECT changes()")[0][0])

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._db.close()
