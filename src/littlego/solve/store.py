"""Proven bounds on disk, so that no answer is worked out twice: one SQLite file, safe to kill.

It is a cache: a disk that is full or a file that is damaged costs the answers to come nothing but time.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from littlego.core.errors import UsageError
from littlego.kernel.words import NO_KO, Words, pack_key, pack_value

VERSION: Final = 1
"""Raised when the meaning of keys or values changes, or when earlier proofs may be wrong."""
_SCHEMA: Final = f"""
CREATE TABLE IF NOT EXISTS bound_{VERSION} (
    size INTEGER NOT NULL,   -- of the board
    key INTEGER NOT NULL,    -- as in kernel/words.py
    low INTEGER NOT NULL,    -- the margin of the side to move is at least this
    high INTEGER NOT NULL,   -- and at most this
    move INTEGER NOT NULL,   -- a move that reaches low, -1 unknown, 25 pass
    nodes INTEGER NOT NULL,  -- what it took
    PRIMARY KEY (size, key)
) WITHOUT ROWID
"""
_KEEP: Final = f"""
INSERT INTO bound_{VERSION} VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    move = CASE WHEN excluded.low > low THEN excluded.move ELSE move END,
    low = max(low, excluded.low), high = min(high, excluded.high), nodes = nodes + excluded.nodes
"""


@dataclass(frozen=True, slots=True)
class Proven:
    """What is proven about a key: the margin is between `low` and `high`; `nodes` is what the proof took."""

    key: int
    low: int
    high: int
    move: int
    nodes: int


class BoundStore:
    """A file of proven bounds, which several programs may use at once. Each version has a table of its own."""

    def __init__(self, path: Path | str) -> None:
        """Open the file, or create it. Raises UsageError if it is not a store, or if none can be made there.

        A full disk is no reason to refuse: nothing is kept then, and `trouble` says so.
        """
        expected = f"{path}: expected a store of solved positions, or no file yet"
        self.path = path
        self.trouble = ""
        """Why nothing more is stored, once writing or reading has failed."""
        try:
            # The oracle's threads take turns, so sharing the connection is safe.
            self._database = sqlite3.connect(path, timeout=60, check_same_thread=False)
            tables = [name for (name,) in self._database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            if tables and not any(name.startswith("bound") for name in tables):
                raise UsageError(f"{expected}: it has a table {tables[0]!r}")
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = NORMAL")
            self._database.execute(_SCHEMA)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_FULL:
                raise UsageError(f"{path}: proven values cannot be stored there: {error}") from None
            self._forget(error)
        except sqlite3.Error as error:
            raise UsageError(f"{expected}: {error}") from None

    def _forget(self, error: sqlite3.Error) -> None:
        """Go on in memory, with nothing known: the file can be neither written nor, half made, read."""
        self.trouble = str(error)
        self._database.close()
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        self._database.execute(_SCHEMA)

    def keep(self, size: int, items: Iterable[Proven]) -> None:
        """Add bounds in one transaction, unless that has failed before; `trouble` then says why."""
        if self.trouble:
            return
        rows = [(size, item.key, item.low, item.high, item.move, item.nodes) for item in items]
        try:
            with self._database:
                self._database.executemany(_KEEP, rows)
        except sqlite3.Error as error:
            self.trouble = str(error)

    def known(self, size: int) -> tuple[Words, Words]:
        """Every bound for a board size, as keys and values for `Engine.teach`."""
        return self._bounds("WHERE size = ?", size)

    def most_expensive(self, size: int, *, least_left: int, all_left: int, entries: int) -> tuple[Words, Words]:
        """Bounds with at least `least_left` plies left: those with `all_left` first, then by the nodes they took."""
        at_least, first = (pack_key(0, 0, NO_KO, left) for left in (least_left, all_left))
        condition = "WHERE size = ? AND key >= ? ORDER BY key >= ? DESC, nodes DESC LIMIT ?"
        return self._bounds(condition, size, at_least, first, entries)

    def _bounds(self, condition: str, *values: int) -> tuple[Words, Words]:
        query = f"SELECT key, low, high, move FROM bound_{VERSION} {condition}"
        try:
            rows = self._database.execute(query, values).fetchall()
        except sqlite3.Error as error:
            self.trouble, rows = str(error), []
        columns: Words = np.array(rows, dtype=np.int64).reshape(-1, 4)
        key, low, high, move = columns.T
        return key.copy(), pack_value(low, high, move)

    def close(self) -> None:
        self._database.close()
