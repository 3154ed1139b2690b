"""The store of a match or grading: finished games in SQLite, each written once, as soon as it ends, by its number.

    match(key, value)                      the plan, for people who open the file
    games(number, winner, verdict, result) result: everything else, as JSON

WAL and one transaction a game: whatever is killed, a game is stored whole or not at all.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Generic

from littlego.arena.results import GameResult, KeptGame, Key, ResultsFile, parse_result, result_to_dict
from littlego.core.errors import UsageError

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS match (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS games (
    number INTEGER PRIMARY KEY, winner TEXT, verdict TEXT NOT NULL, result TEXT NOT NULL
);
"""


class MatchStore(ResultsFile, Generic[Key]):
    """The results of one match or grading, for one process and thread at a time; a second process is refused.

    A read-only file can be read. Raises UsageError, FormatError for a damaged file. In the file a game has a number:
    the key itself, or `number_of(key)`, which `key_of` reverses.
    """

    def __init__(
        self, path: Path, *, number_of: Callable[[Any], int] = int, key_of: Callable[[int], Any] = int
    ) -> None:
        super().__init__(path, _TABLES, facts="match", exclusive=True, timeout=5)
        self._number_of, self._key_of = number_of, key_of

    def claim(self, identity: str, kind: str, differs: str) -> None:
        """Raises UsageError if the file has results of another run, of which `differs` says what may be different."""
        if (earlier := self.fact("identity")) not in (None, identity):
            raise UsageError(
                f"{self._path.parent}: holds another {kind} ({earlier}): {differs} differ. "
                "Choose another --out, or leave it out"
            )
        self.describe(identity=identity)

    def describe(self, **facts: Any) -> None:
        """Store facts about the match, for people who open the file; a read-only file stays as it is."""
        if not self._db.read_only:
            self.note(facts)

    def add(self, key: Key, result: GameResult) -> bool:
        """Store a result; False if that game had one before, and then nothing changes."""
        outcome, number = result.record.outcome, self._number_of(key)
        assert outcome is not None
        winner = outcome.winner.word if outcome.winner else None
        row = (number, winner, outcome.verdict.value, json.dumps(result_to_dict(result)))
        with self._db.transaction(f"game {number + 1}") as db:
            return db.execute("INSERT OR IGNORE INTO games VALUES (?, ?, ?, ?)", row).rowcount == 1

    def finished(self) -> set[Key]:
        return {self._key_of(number) for (number,) in self._db.rows("SELECT number FROM games")}

    def games(self) -> list[KeptGame[Key]]:
        """The finished games by number. Raises FormatError, which names the game, for a damaged row."""
        rows = self._db.rows("SELECT number, result FROM games ORDER BY number")
        return [
            KeptGame(self._key_of(number), parse_result(text, f"{self._path}: game {number + 1}"))
            for number, text in rows
        ]
