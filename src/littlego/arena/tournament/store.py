"""The store of a tournament: SQLite, one transaction a game, each game once.

    facts(key, value)                          what the first game fixed
    players(id, name, fingerprint, spelling, stage1)  who joined, in order, and what they play from
    games(finished, black, white, number, winner, verdict, forfeit, moves)
                                               what standings need, one narrow row a game
    records(finished, result)                  the same games in full, as JSON
    pairings(round, first, second)             of a Swiss; second is NULL for a bye
    blocks(last, games, verdicts)              the games once more, packed, once there are thousands of them

`finished` counts games as they end. `winner` is 1 Black, 2 White, 0 nobody. `moves` is a hash of
the moves and the verdict, to tell games apart. Whatever is killed, a game is stored whole or not at all.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from littlego.arena.results import GameResult, ResultsFile, parse_result, result_to_dict
from littlego.arena.tournament import blocks
from littlego.core.errors import FormatError
from littlego.core.game import GameRecord

if TYPE_CHECKING:
    import numpy as np

T = TypeVar("T")

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS facts (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS players (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, fingerprint TEXT NOT NULL, spelling TEXT NOT NULL, stage1 REAL
);
CREATE TABLE IF NOT EXISTS games (
    finished INTEGER PRIMARY KEY, black INTEGER NOT NULL, white INTEGER NOT NULL, number INTEGER NOT NULL,
    winner INTEGER NOT NULL, verdict TEXT NOT NULL, forfeit INTEGER NOT NULL, moves INTEGER NOT NULL,
    UNIQUE (black, white, number)
);
CREATE TABLE IF NOT EXISTS records (finished INTEGER PRIMARY KEY, result TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS pairings (
    round INTEGER NOT NULL, first INTEGER NOT NULL, second INTEGER, PRIMARY KEY (round, first)
);
"""


@dataclass(frozen=True, slots=True)
class Joined:
    """A participant as it joined."""

    id: int
    name: str
    fingerprint: str
    """Changes when it would play differently."""
    spelling: str
    """Its spelling with a placeholder for its directory, which `roster` fills in."""
    stage1: float | None


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two participants who meet in a round of a Swiss, the first with Black in the first game; or one with a bye."""

    first: int
    second: int | None


class GameKey(NamedTuple):
    """Identifies a game. Participants are numbered in the order in which they joined, once and for all.

    A key does not depend on who else takes part, so a new participant changes no game.
    """

    black: int
    white: int
    number: int
    """Counted from 0 over all games of the two, whoever has Black."""


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """A finished game in full."""

    finished: int
    key: GameKey
    result: GameResult


class TournamentStore(ResultsFile):
    """The results of a tournament. Several processes may read while one writes."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, _TABLES, facts="facts")

    def join(self, name: str, fingerprint: str, spelling: str, stage1: float | None) -> Joined:
        """Number a participant, once and for all. Raises UsageError if the name is taken."""
        with self._db.transaction(name) as db:
            row = db.execute("SELECT coalesce(max(id), -1) + 1 FROM players").fetchone()
            db.execute("INSERT INTO players VALUES (?, ?, ?, ?, ?)", (row[0], name, fingerprint, spelling, stage1))
        return Joined(row[0], name, fingerprint, spelling, stage1)

    def players(self) -> dict[str, Joined]:
        """Everyone who ever joined, by name, in the order of joining."""
        rows = self._db.rows("SELECT id, name, fingerprint, spelling, stage1 FROM players ORDER BY id")
        return {row[1]: Joined(*row) for row in rows}

    def add(self, key: GameKey, result: GameResult) -> bool:
        """Store a game; False if it had been stored before, and then nothing changes."""
        outcome = result.record.outcome
        assert outcome is not None
        row = (
            key.black,
            key.white,
            key.number,
            outcome.winner.value if outcome.winner else 0,
            outcome.verdict.value,
            outcome.verdict.is_forfeit,
            moves_hash(result.record),
        )
        with self._db.transaction(f"game {key.number + 1} of two players") as db:
            cursor = db.execute(
                "INSERT OR IGNORE INTO games (black, white, number, winner, verdict, forfeit, moves)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                row,
            )
            new = cursor.rowcount == 1
            if new:
                record = json.dumps(result_to_dict(result), separators=(",", ":"))
                db.execute("INSERT INTO records VALUES (?, ?)", (cursor.lastrowid, record))
                if cursor.lastrowid and cursor.lastrowid % blocks.SIZE == 0:
                    with contextlib.suppress(ValueError, TypeError, OverflowError):  # a damaged row: reading says so
                        blocks.store_full(db)
        return new

    def finished(self) -> set[GameKey]:
        return set(map(GameKey._make, self._db.each("SELECT black, white, number FROM games")))

    def count(self) -> int:
        return int(self._db.rows("SELECT count(*) FROM games")[0][0])

    def columns(self) -> np.ndarray[Any, Any]:
        """A structured array of all games, in the order in which they ended: what standings need."""
        return self._packed(blocks.read_columns)

    def verdicts(self) -> dict[str, int]:
        """The number of games by verdict, the most frequent first."""
        return dict(self._packed(blocks.count_verdicts).most_common())

    def _packed(self, read: Callable[[blocks.RunQuery], T]) -> T:
        try:
            return read(self._db.each)
        except (TypeError, ValueError, OverflowError) as error:
            raise FormatError(f"{self._path}: the table of games: {error}") from error

    def games(self, *, forfeits_only: bool = False) -> Iterator[FinishedGame]:
        """In the order in which they ended. Raises FormatError."""
        where = "WHERE forfeit" if forfeits_only else ""
        return self._kept(f"{where} ORDER BY finished")

    def last_games(
        self, count: int, *, forfeits_only: bool = False, players: Collection[int] | None = None
    ) -> list[FinishedGame]:
        """The last games, of everybody or of some participants, latest first. Raises FormatError."""
        wanted = ["forfeit"] if forfeits_only else []
        if players is not None:
            numbers = ", ".join(str(int(player)) for player in players)
            wanted.append(f"(black IN ({numbers}) OR white IN ({numbers}))")
        where = f"WHERE {' AND '.join(wanted)}" if wanted else ""
        return list(self._kept(f"{where} ORDER BY finished DESC LIMIT {int(count)}"))

    def game(self, finished: int) -> FinishedGame | None:
        """The game with this place in the order in which games ended, or None. Raises FormatError."""
        return next(self._kept(f"WHERE finished = {int(finished)}"), None)

    def _kept(self, which: str) -> Iterator[FinishedGame]:
        query = f"SELECT finished, black, white, number, result FROM games JOIN records USING (finished) {which}"
        for finished, black, white, number, text in self._db.each(query):
            source = f"{self._path}: game {finished}"
            yield FinishedGame(finished, GameKey(black, white, number), parse_result(text, source))

    def rounds(self) -> list[list[Pairing]]:
        """The pairings of a Swiss by round."""
        rounds: list[list[Pairing]] = []
        for number, first, second in self._db.rows("SELECT round, first, second FROM pairings ORDER BY round, rowid"):
            while len(rounds) <= number:
                rounds.append([])
            rounds[number].append(Pairing(first, second))
        return rounds

    def pair(self, number: int, pairings: Iterable[Pairing]) -> None:
        """Store the pairings of a round, unless it has been paired before."""
        with self._db.transaction(f"round {number + 1}") as db:
            if db.execute("SELECT 1 FROM pairings WHERE round = ?", (number,)).fetchone() is None:
                rows = [(number, pairing.first, pairing.second) for pairing in pairings]
                db.executemany("INSERT INTO pairings VALUES (?, ?, ?)", rows)


def moves_hash(record: GameRecord) -> int:
    """A hash of 63 bits of the moves and the verdict."""
    verdict = record.outcome.verdict.value if record.outcome else ""
    text = json.dumps([[record.start.move_name(move) for move in record.moves], verdict])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1
