"""Proven bounds on disk, so that no answer is worked out twice: one SQLite file, safe to kill."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from littlego.core.errors import UsageError
from littlego.kernel.bits import Words
from littlego.kernel.packing import pack_value
from littlego.solve.engine import Proven

_SCHEMA = """
CREATE TABLE IF NOT EXISTS bound (
    size INTEGER NOT NULL,   -- of the board
    key INTEGER NOT NULL,    -- as in kernel/packing.py
    low INTEGER NOT NULL,    -- the margin of the side to move is at least this
    high INTEGER NOT NULL,   -- and at most this
    move INTEGER NOT NULL,   -- a move that reaches low, -1 unknown, 25 pass
    nodes INTEGER NOT NULL,  -- what it took
    PRIMARY KEY (size, key)
) WITHOUT ROWID
"""
_KEEP = """
INSERT INTO bound VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    move = CASE WHEN excluded.low > low THEN excluded.move ELSE move END,
    low = max(low, excluded.low), high = min(high, excluded.high), nodes = nodes + excluded.nodes
"""


class Store:
    """A file of proven bounds. Several programs may use one file at once."""

    def __init__(self, path: Path | str) -> None:
        """Open the file, or make it. Raises UsageError if it is something else."""
        self.path = path
        try:
            # The oracle's threads take turns, so sharing the connection is safe.
            self._database = sqlite3.connect(path, timeout=60, check_same_thread=False)
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = NORMAL")
            self._database.execute(_SCHEMA)
        except sqlite3.Error as error:
            raise UsageError(f"{path}: expected a store of solved positions, or no file yet: {error}") from None

    def keep(self, size: int, items: Iterable[Proven]) -> None:
        """Add bounds, at once and for good."""
        rows = [(size, item.key, item.low, item.high, item.move, item.nodes) for item in items]
        with self._database:
            self._database.executemany(_KEEP, rows)

    def known(self, size: int) -> tuple[Words, Words]:
        """Every bound for a board size: keys, and values as `Engine.teach` takes them."""
        rows = self._database.execute("SELECT key, low, high, move FROM bound WHERE size = ?", (size,)).fetchall()
        columns: Words = np.array(rows, dtype=np.int64).reshape(-1, 4)
        key, low, high, move = columns.T
        return key.copy(), pack_value(low, high, move)

    def __len__(self) -> int:
        (count,) = self._database.execute("SELECT count(*) FROM bound").fetchone()
        return int(count)

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()
