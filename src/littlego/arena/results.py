"""The result of a game, its JSON form, and what all files of results share."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from littlego.core.errors import FormatError
from littlego.core.game import GameRecord
from littlego.formats.records import Fields, parse_json, record_from_dict, record_to_dict
from littlego.storage.closing import Closing
from littlego.storage.database import Database

Key = TypeVar("Key", bound=Hashable)

RESULTS: Final = "results.sqlite"
"""The store in the folder of a match, a grading or a tournament."""


@dataclass(frozen=True, slots=True)
class GameResult:
    """A finished game and the resources it used."""

    record: GameRecord
    level: str
    mechanisms: tuple[str, ...] = ()
    cpu_seconds: dict[str, list[float]] = field(default_factory=dict)
    """CPU time of each move, by colour of the program."""
    wall_seconds: dict[str, list[float]] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    capsule: dict[str, Any] | None = None
    """Reproduces a forfeit by a program."""

    @property
    def is_forfeit(self) -> bool:
        return bool(self.record.outcome and self.record.outcome.verdict.is_forfeit)


@dataclass(frozen=True, slots=True)
class KeptGame(Generic[Key]):
    """A stored result and its key."""

    key: Key
    result: GameResult


def result_to_dict(result: GameResult) -> dict[str, Any]:
    return {
        "record": record_to_dict(result.record),
        "level": result.level,
        "mechanisms": list(result.mechanisms),
        "cpu_seconds": result.cpu_seconds,
        "wall_seconds": result.wall_seconds,
        "remarks": list(result.remarks),
        "capsule": result.capsule,
    }


def parse_result(text: object, source: str) -> GameResult:
    """A result from a row of a store. Raises FormatError, whose message begins with `source`."""
    fields = Fields(parse_json(text, source), source)
    record = record_from_dict(fields.get("record", dict), source=f"{source}: record")
    if record.outcome is None:
        raise FormatError(f"{source}: record: outcome: missing")
    return GameResult(
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


class ResultsFile(Closing):
    """A file of results and of facts about them, the latter in the table `facts`. Arguments as for `Database`."""

    def __init__(self, path: Path, tables: str, *, facts: str, exclusive: bool = False, timeout: float = 60) -> None:
        self._path, self._facts = path, facts
        self._db = Database(path, tables, exclusive=exclusive, timeout=timeout)

    def check_writable(self) -> None:
        """Raises UsageError if no game can be stored here."""
        self._db.check_writable()

    def fact(self, key: str) -> Any:
        """The value of a fact, None if there is none. Raises FormatError."""
        rows = self._db.rows(f"SELECT value FROM {self._facts} WHERE key = ?", (key,))
        return parse_json(rows[0][0], f"{self._path}: {key}") if rows else None

    def note(self, facts: Mapping[str, Any]) -> None:
        """Store facts; unchanged ones are not written again. Raises UsageError."""
        new = [(key, json.dumps(value)) for key, value in facts.items() if self.fact(key) != value]
        if new:
            with self._db.transaction("the settings") as db:
                db.executemany(f"INSERT OR REPLACE INTO {self._facts} VALUES (?, ?)", new)

    def close(self) -> None:
        self._db.close()
