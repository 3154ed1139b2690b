"""The games in any file of results, a match's, a grading's or a tournament's, read without locking it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from littlego.core.errors import UsageError
from littlego.core.game import GameRecord
from littlego.formats.records import parse_json, record_from_dict

NUMBERING: Final = "numbering"
"""The fact of a grading's store that numbers its games: by series, the thousands of a stored number, how many come
before."""


def stored_games(path: Path) -> dict[int, GameRecord]:
    """The finished games by number: the one that a match or a grading gave it, or its place in a tournament.

    Raises UsageError, FormatError.
    """
    with _reading(path) as database:
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if "records" in tables:
            rows = list(enumerate(_texts(database, "SELECT result FROM records ORDER BY finished"), start=1))
        elif {"games", "match"} <= tables:
            stored = database.execute("SELECT number, result FROM games ORDER BY number").fetchall()
            numbering = next(_texts(database, "SELECT value FROM match WHERE key = ?", NUMBERING), None)
            before = parse_json(numbering, str(path)) if numbering else None
            rows = [(_shown_number(number, before), text) for number, text in stored]
        else:
            rows = []
    return {number: _record(text, f"{path}: game {number}") for number, text in rows}


def _shown_number(stored: int, before: dict[str, int] | None) -> int:
    return 1 + (stored if before is None else before[f"{stored // 1000}"] + stored % 1000)


def _record(text: object, source: str) -> GameRecord:
    data = parse_json(text, source)
    return record_from_dict(data.get("record") if isinstance(data, dict) else None, source=source)


def _texts(database: sqlite3.Connection, query: str, *values: str) -> Iterator[object]:
    return (text for (text,) in database.execute(query, values))


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    """An open store. Raises UsageError for anything wrong with it, also within."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=2)) as database:
            yield database
    except sqlite3.Error as error:
        if "locked" in str(error):
            raise UsageError(f"{path}: games are still being played: wait until they are done") from error
        raise UsageError(f"{path}: not a store of results: {error}") from error
