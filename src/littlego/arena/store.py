"""The store of a match, a grading or a tournament: finished games in SQLite, each written once, as soon as it ends.

    facts(key, value)          what identifies the run, and what people who open the file want to know
    games(finished, key, black, white, winner, verdict, forfeit, moves)
                               what standings need, one narrow row a game
    records(finished, result)  the same games in full, as JSON

`finished` counts games as they end. `key` identifies a game to its run, as JSON. `black` and `white` are names;
`winner` is 1 Black, 2 White, 0 nobody; `moves` is a hash of the moves and the verdict, to tell games apart. WAL and one
transaction a game: whatever is killed, a game is stored whole or not at all.
"""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from littlego.core.board import Colour
from littlego.core.errors import FormatError, UsageError
from littlego.core.game import GameRecord
from littlego.formats.fields import Fields, parse_json
from littlego.formats.records import record_from_dict, record_to_dict
from littlego.storage.database import Database
from littlego.storage.files import Closing

Key = TypeVar("Key", bound=Hashable)

TRUSTED: Final = "trusted"
"""The isolation of code that runs with its owner's rights: a GTP engine, or a class played in our own process."""


@dataclass(frozen=True, slots=True)
class GameResult:
    """A finished game and the resources it used."""

    record: GameRecord
    isolation: dict[str, str] = field(default_factory=dict)
    """What confined the players, by colour: a level and its mechanisms, or TRUSTED. Built-in players are not in it."""
    cpu_seconds: dict[str, list[float]] = field(default_factory=dict)
    """CPU time of each move, by colour of the program."""
    wall_seconds: dict[str, list[float]] = field(default_factory=dict)
    waited_seconds: dict[str, list[float]] = field(default_factory=dict)
    """Of these, while others had the processor."""
    remarks: tuple[str, ...] = ()
    capsule: dict[str, Any] | None = None
    """Reproduces a forfeit by a program."""

    @property
    def is_forfeit(self) -> bool:
        return bool(self.record.outcome and self.record.outcome.verdict.is_forfeit)


def isolation_of(results: Iterable[GameResult], player: str) -> str:
    """What confined a player in these games, for people: such as `linux: landlock 7, seccomp`, or TRUSTED.

    Empty for a built-in player, and for one who has not played.
    """
    found = {
        result.isolation[colour.word]: None
        for result in results
        for colour in Colour
        if result.record.player(colour) == player and colour.word in result.isolation
    }
    return " and ".join(found)


def result_to_dict(result: GameResult) -> dict[str, Any]:
    return {
        "record": record_to_dict(result.record),
        "isolation": result.isolation,
        "cpu_seconds": result.cpu_seconds,
        "wall_seconds": result.wall_seconds,
        "waited_seconds": result.waited_seconds,
        "remarks": list(result.remarks),
        "capsule": result.capsule,
    }


def parse_result(text: object, source: str) -> GameResult:
    """A result from a row of a store. Raises FormatError, whose message begins with `source`."""
    fields = Fields(parse_json(text, source), source)
    record = record_from_dict(fields.take("record", dict), source=f"{source}: record")
    if record.outcome is None:
        raise FormatError(f"{source}: record: outcome: missing")
    return GameResult(
        record,
        fields.take("isolation", dict),
        _seconds(fields, "cpu_seconds"),
        _seconds(fields, "wall_seconds"),
        _seconds(fields, "waited_seconds"),
        tuple(fields.take("remarks", list)),
        fields.take("capsule", dict, None),
    )


def _seconds(fields: Fields, name: str) -> dict[str, list[float]]:
    by_colour = fields.table(name)
    return {colour: by_colour.numbers(colour) for colour in ("black", "white") if colour in by_colour}


RESULTS: Final = "results.sqlite"
"""The store in the folder of a match, a grading or a tournament."""

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS facts (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS games (
    finished INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, black TEXT NOT NULL, white TEXT NOT NULL,
    winner INTEGER NOT NULL, verdict TEXT NOT NULL, forfeit INTEGER NOT NULL, moves INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS records (finished INTEGER PRIMARY KEY, result TEXT NOT NULL);
"""


def game_number(key: object, finished: int) -> int:
    """The number, from 1, that people know a game by: its place in a match, else its place among the finished games."""
    return key + 1 if isinstance(key, int) else finished


def review_command(folder: Path | str, number: int) -> str:
    """The command that shows where a stored game was lost."""
    return f"littlego review {shlex.quote(str(folder))} --game {number}"


@dataclass(frozen=True, slots=True)
class KeptGame(Generic[Key]):
    """A stored result and its key."""

    key: Key
    result: GameResult
    finished: int = 0
    """Its place in the order in which games ended, from 1."""

    @property
    def number(self) -> int:
        return game_number(self.key, self.finished)


@dataclass(frozen=True, slots=True)
class Meeting:
    """The games of two players with these colours, counted."""

    black: str
    white: str
    games: int
    black_wins: int
    white_wins: int
    ties: int
    black_forfeits: int
    """Games that Black lost by its own fault."""
    white_forfeits: int
    distinct_games: int
    """By their moves; deterministic players repeat theirs."""


class Store(Closing, Generic[Key]):
    """An open store. `key_of` makes a key from its JSON value.

    `shared`: several processes may read while one writes; otherwise a second process is refused. A read-only file can
    be read. `patience` are seconds to wait for others. Raises UsageError, FormatError for a damaged file.
    """

    def __init__(
        self,
        path: Path,
        *,
        key_of: Callable[[Any], Key] = lambda key: key,
        tables: str = "",
        shared: bool = False,
        patience: float | None = None,
    ) -> None:
        self._path, self._key_of = path, key_of
        if patience is None:
            patience = 60 if shared else 5
        self._db = Database(path, _TABLES + tables, exclusive=not shared, timeout=patience)

    def check_writable(self) -> None:
        """Raises UsageError if no game can be stored here."""
        self._db.check_writable()

    def close(self) -> None:
        self._db.close()

    def fact(self, key: str) -> Any:
        """The value of a fact, None if there is none. Raises FormatError."""
        rows = self._db.rows("SELECT value FROM facts WHERE key = ?", (key,))
        return parse_json(rows[0][0], f"{self._path}: {key}") if rows else None

    def note(self, **facts: Any) -> None:
        """Store facts, unless the file is read-only; unchanged ones are not written again. Raises UsageError."""
        new = [(key, json.dumps(value)) for key, value in facts.items() if self.fact(key) != value]
        if new and not self._db.read_only:
            with self._db.transaction("the settings") as db:
                db.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", new)

    def claim(self, identity: str, kind: str, differs: str) -> None:
        """Raises UsageError if the file has results of another run, of which `differs` says what may be different."""
        if (earlier := self.fact("identity")) not in (None, identity):
            raise UsageError(
                f"{self._path.parent}: holds another {kind} ({earlier}): {differs} differ. "
                "Choose another --out, or leave it out"
            )
        self.note(identity=identity)

    def add(self, key: Key, result: GameResult) -> bool:
        """Store a result; False if that game had one before, and then nothing changes."""
        record, outcome = result.record, result.record.outcome
        assert outcome is not None
        row = (
            json.dumps(key),
            record.black,
            record.white,
            outcome.winner.value if outcome.winner else 0,
            outcome.verdict.value,
            outcome.verdict.is_forfeit,
            moves_hash(record),
        )
        with self._db.transaction(f"the game of {record.black} and {record.white}") as db:
            cursor = db.execute(
                "INSERT OR IGNORE INTO games (key, black, white, winner, verdict, forfeit, moves)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                row,
            )
            new = cursor.rowcount == 1
            if new:
                text = json.dumps(result_to_dict(result), separators=(",", ":"))
                db.execute("INSERT INTO records VALUES (?, ?)", (cursor.lastrowid, text))
        return new

    def finished(self) -> dict[Key, int]:
        """The finished games, each with its place in the order in which they ended."""
        rows = self._db.rows("SELECT key, finished FROM games")
        keys = parse_json(f"[{','.join(key for key, _ in rows)}]", f"{self._path}: the table of games")
        return {self._read_key(key): finished for key, (_, finished) in zip(keys, rows, strict=True)}

    def count(self) -> int:
        return int(self._db.rows("SELECT count(*) FROM games")[0][0])

    def games(self) -> list[KeptGame[Key]]:
        """The finished games by key. Raises FormatError, which names the game, for a damaged row."""
        return sorted(self.stream(), key=lambda game: game.key)  # type: ignore[arg-type,return-value]  # keys have an order

    def stream(self, *, forfeits_only: bool = False) -> Iterator[KeptGame[Key]]:
        """The games one by one, in the order in which they ended. Raises FormatError."""
        return self._kept(f"{'WHERE forfeit' if forfeits_only else ''} ORDER BY finished")

    def last_games(
        self, count: int, *, forfeits_only: bool = False, players: Collection[str] | None = None
    ) -> list[KeptGame[Key]]:
        """The last games, of everybody or of some players, latest first. Raises FormatError."""
        wanted = ["forfeit"] if forfeits_only else []
        names = list(players or ())
        if players is not None:
            places = ", ".join("?" for _ in names)
            wanted.append(f"(black IN ({places}) OR white IN ({places}))")
        where = f"WHERE {' AND '.join(wanted)}" if wanted else ""
        return list(self._kept(f"{where} ORDER BY finished DESC LIMIT {int(count)}", [*names, *names]))

    def game(self, finished: int) -> KeptGame[Key] | None:
        """The game with this place in the order in which games ended, or None. Raises FormatError."""
        return next(self._kept("WHERE finished = ?", [finished]), None)

    def meetings(self, *, until: int | None = None) -> list[Meeting]:
        """Every two players and their colours, counted; of the first `until` games, or of all."""
        rows = self._db.rows(
            "SELECT black, white, count(*), sum(winner = 1), sum(winner = 2), sum(winner = 0),"
            " sum(forfeit AND winner = 2), sum(forfeit AND winner = 1), count(DISTINCT moves)"
            " FROM games WHERE finished <= ? GROUP BY black, white",
            [1 << 62 if until is None else until],
        )
        return [Meeting(*row) for row in rows]

    def verdicts(self) -> dict[str, int]:
        """The number of games by verdict, the most frequent first."""
        query = "SELECT verdict, count(*) FROM games GROUP BY verdict ORDER BY count(*) DESC, min(finished)"
        return dict(self._db.rows(query))

    def _kept(self, which: str, values: Collection[Any] = ()) -> Iterator[KeptGame[Key]]:
        query = f"SELECT finished, key, result FROM games JOIN records USING (finished) {which}"
        for finished, text, result in self._db.each(query, values):
            key = self._read_key(parse_json(text, f"{self._path}: the key of game {finished}"))
            number = game_number(key, finished)
            yield KeptGame(key, parse_result(result, f"{self._path}: game {number}"), finished)

    def _read_key(self, value: Any) -> Key:
        try:
            return self._key_of(value)
        except (TypeError, ValueError) as error:
            raise FormatError(f"{self._path}: {value!r:.80}: not the key of a game here") from error


def moves_hash(record: GameRecord) -> int:
    """A hash of 63 bits of the moves and the verdict."""
    verdict = record.outcome.verdict.value if record.outcome else ""
    text = json.dumps([[record.start.move_name(move) for move in record.moves], verdict])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def read_stored_games(path: Path) -> dict[int, GameRecord]:
    """The finished games in any store by number. Raises UsageError, FormatError."""
    if not path.exists():  # a new one is not what was asked for
        raise UsageError(f"{path}: there is no such file")
    with Store[Any](path, shared=True, patience=2) as store:  # a match may be under way for hours
        return {game.number: game.result.record for game in sorted(store.stream(), key=lambda game: game.number)}
