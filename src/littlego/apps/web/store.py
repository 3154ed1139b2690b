"""What must survive a restart: games, jobs and everything else that is worth a row, in SQLite.

    things(kind, id, created, updated, data)    data: JSON

One table for all kinds: none has many rows that must be searched by what is inside. Calls take well
under a millisecond and may come from any thread.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any, Final

from littlego.core.errors import UsageError

Json = dict[str, Any]

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS things (
    kind TEXT NOT NULL, id TEXT NOT NULL, created REAL NOT NULL, updated REAL NOT NULL, data TEXT NOT NULL,
    PRIMARY KEY (kind, id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS newest ON things (kind, updated DESC);
"""


def new_id() -> str:
    """A short name that nobody guesses: it is the link that shares a thing."""
    return secrets.token_urlsafe(9)


class NotThere(KeyError):
    """Nothing is kept under this name. Not any KeyError: those would be mistakes of ours."""


class Store:
    """JSON by kind and id."""

    def __init__(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, timeout=10, isolation_level=None, check_same_thread=False)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.executescript(_TABLES)
        except (OSError, sqlite3.Error) as error:
            raise UsageError(f"{path}: cannot be used: {error}; give another --data") from error
        self._lock = threading.Lock()

    def put(self, kind: str, name: str, data: Json) -> None:
        """Write a thing, new or changed."""
        now = time.time()
        with self._lock:
            self._db.execute(
                "INSERT INTO things VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT (kind, id) DO UPDATE SET updated = excluded.updated, data = excluded.data",
                (kind, name, now, now, json.dumps(data)),
            )

    def get(self, kind: str, name: str) -> Json | None:
        """A thing, or None."""
        with self._lock:
            row = self._db.execute("SELECT data FROM things WHERE kind = ? AND id = ?", (kind, name)).fetchone()
        return None if row is None else json.loads(row[0])

    def newest(self, kind: str, most: int = 100) -> list[Json]:
        """Things of a kind, the last changed first, each with `id`, `created` and `updated`."""
        with self._lock:
            rows = self._db.execute(
                "SELECT id, created, updated, data FROM things WHERE kind = ? ORDER BY updated DESC LIMIT ?",
                (kind, most),
            ).fetchall()
        return [{"id": row[0], "created": row[1], "updated": row[2], **json.loads(row[3])} for row in rows]

    def delete(self, kind: str, name: str) -> bool:
        """Forget a thing; whether there was one."""
        with self._lock:
            return self._db.execute("DELETE FROM things WHERE kind = ? AND id = ?", (kind, name)).rowcount > 0

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._db.close()
