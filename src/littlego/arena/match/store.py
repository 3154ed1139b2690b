"""The one store of record: finished games in SQLite, each written once, at once, under its number.

    match(key, value)                      what the plan was, for people who open the file
    games(number, winner, verdict, result) result: everything else, as JSON

WAL and one transaction a game: whatever is killed, a game is there whole or not at all.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from littlego.arena.match.plan import GameResult
from littlego.core.errors import FormatError
from littlego.formats.records import Fields, parse_json, record_from_dict, record_to_dict
from littlego.storage.database import Database

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS match (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS games (
    number INTEGER PRIMARY KEY, winner TEXT, verdict TEXT NOT NULL, result TEXT NOT NULL
);
"""


class Store:
    """The results of one match. Use from one process and thread at a time; a second one is refused.

    Where nothing can be written, what is there can be read. Raises UsageError, FormatError for a damaged file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._db = Database(path, _TABLES, exclusive=True, timeout=5)

    def check_writable(self) -> None:
        """Raises UsageError if no game can be kept here."""
        self._db.check_writable()

    def describe(self, **facts: Any) -> None:
        """Note facts about the match, for people who open the file. Writes nothing that is there already."""
        new = {key: value for key, value in facts.items() if self.fact(key) != value}
        if not new or self._db.read_only:
            return
        with self._db.transaction("what the match is") as db:
            for key, value in new.items():
                db.execute("INSERT OR REPLACE INTO match VALUES (?, ?)", (key, json.dumps(value)))

    def fact(self, key: str) -> Any:
        """A noted fact, or None."""
        rows = self._db.rows("SELECT value FROM match WHERE key = ?", (key,))
        return parse_json(rows[0][0], f"{self._path}: {key}") if rows else None

    def add(self, result: GameResult) -> bool:
        """Keep a result; False if that game had one already, which then stays."""
        outcome = result.record.outcome
        assert outcome is not None
        winner = outcome.winner.name.lower() if outcome.winner else None
        row = (result.number, winner, outcome.verdict.value, json.dumps(result_to_dict(result)))
        with self._db.transaction(f"game {result.number + 1}") as db:
            return db.execute("INSERT OR IGNORE INTO games VALUES (?, ?, ?, ?)", row).rowcount == 1

    def numbers(self) -> set[int]:
        """The games that are finished."""
        return {number for (number,) in self._db.rows("SELECT number FROM games")}

    def results(self) -> list[GameResult]:
        """The finished games, in order. Raises FormatError, which names the game, if the file was tampered with."""
        rows = self._db.rows("SELECT number, result FROM games ORDER BY number")
        return [parse_result(number, text, f"{self._path}: game {number + 1}") for number, text in rows]

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


def parse_result(number: int, text: object, source: str) -> GameResult:
    """The result in a row of a store. Raises FormatError, whose message begins with `source`."""
    return result_from_dict(number, parse_json(text, source), source)


def result_from_dict(number: int, data: object, source: str) -> GameResult:
    """The result of JSON values. Raises FormatError."""
    fields = Fields(data, source)
    record = record_from_dict(fields.get("record", dict), source=f"{source}: record")
    if record.outcome is None:
        raise FormatError(f"{source}: record: outcome: missing")
    return GameResult(
        number,
        record,
        fields.get("level", str),
        tuple(fields.get("mechanisms", list)),
        _seconds(fields, "cpu_seconds"),
        _seconds(fields, "wall_seconds"),
        tuple(fields.get("remarks", list)),
        fields.get("capsule", dict, None),
    )


def _seconds(fields: Fields, name: str) -> dict[str, list[float]]:
    by_colour = fields.inside(name)
    return {colour: by_colour.numbers(colour) for colour in by_colour.data}
