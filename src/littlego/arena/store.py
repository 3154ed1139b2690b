"""The one store of record: finished games in SQLite, each written once, at once, under its number.

    match(key, value)                      what the plan was, for people who open the file
    games(number, winner, verdict, result) result: everything else, as JSON

WAL and one transaction a game: whatever is killed, a game is there whole or not at all.
"""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from littlego.arena.match import GameResult
from littlego.core.errors import UsageError
from littlego.formats.records import record_from_dict, record_to_dict

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS match (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS games (
    number INTEGER PRIMARY KEY, winner TEXT, verdict TEXT NOT NULL, result TEXT NOT NULL
);
"""


class Store:
    """The results of one match. Use from one process and thread at a time; a second one is refused."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, timeout=5, isolation_level=None)
        except (OSError, sqlite3.Error) as error:
            raise UsageError(f"{path.parent}: results cannot be kept there: {error}; give another --out") from error
        try:
            self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.executescript(_TABLES)
        except sqlite3.Error as error:
            self._db.close()
            if "locked" in str(error):
                raise UsageError(f"{path.parent}: another command is playing this match: wait for it") from error
            raise UsageError(f"{path.parent}: results cannot be kept there: {error}; give another --out") from error

    def describe(self, **facts: Any) -> None:
        """Note facts about the match, for people who open the file."""
        for key, value in facts.items():
            self._db.execute("INSERT OR REPLACE INTO match VALUES (?, ?)", (key, json.dumps(value)))

    def fact(self, key: str) -> Any:
        """A noted fact, or None."""
        row = self._db.execute("SELECT value FROM match WHERE key = ?", (key,)).fetchone()
        return json.loads(row[0]) if row else None

    def add(self, result: GameResult) -> bool:
        """Keep a result; False if that game had one already, which then stays."""
        outcome = result.record.outcome
        assert outcome is not None
        winner = outcome.winner.name.lower() if outcome.winner else None
        row = (result.number, winner, outcome.verdict.value, json.dumps(result_to_dict(result)))
        try:
            return self._db.execute("INSERT OR IGNORE INTO games VALUES (?, ?, ?, ?)", row).rowcount == 1
        except sqlite3.Error as error:
            raise UsageError(
                f"{self._path.parent}: game {result.number + 1} cannot be kept: {error}; it is not lost for anyone:"
                " make room and give the same command again"
            ) from error

    def numbers(self) -> set[int]:
        """The games that are finished."""
        return {number for (number,) in self._db.execute("SELECT number FROM games")}

    def results(self) -> list[GameResult]:
        """The finished games, in order. Raises FormatError if the file was tampered with."""
        rows = self._db.execute("SELECT number, result FROM games ORDER BY number")
        return [result_from_dict(number, json.loads(text), f"{self._path}: game {number}") for number, text in rows]

    def close(self) -> None:
        """Let others use the file."""
        self._db.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def result_to_dict(result: GameResult) -> dict[str, Any]:
    """Everything about a result but its number, as JSON values."""
    return {
        "record": record_to_dict(result.record),
        "level": result.level,
        "mechanisms": list(result.mechanisms),
        "cpu_seconds": result.cpu_seconds,
        "wall_seconds": result.wall_seconds,
        "remarks": list(result.remarks),
        "capsule": result.capsule,
    }


def result_from_dict(number: int, data: dict[str, Any], source: str) -> GameResult:
    """The result of JSON values. Raises FormatError."""
    return GameResult(
        number,
        record_from_dict(data["record"], source=source),
        data["level"],
        tuple(data["mechanisms"]),
        data["cpu_seconds"],
        data["wall_seconds"],
        tuple(data["remarks"]),
        data["capsule"],
    )
