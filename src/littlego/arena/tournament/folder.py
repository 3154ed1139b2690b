"""A tournament in its directory: the plan, who takes part, the finished games, and how to look at them.

tournament.toml        the plan
agents/NAME/           the files of a participant as they were given when it joined; their digest is stored
results.sqlite         beside the games:
    players(id, name, player, challenger, stage1, guest, fingerprint, spelling, has_left)  in the order of joining
    pairings(round, first, second)                    of a Swiss; second is NULL for a bye
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from littlego.arena.store import RESULTS, KeptGame, Store
from littlego.arena.tournament import plan as plans
from littlego.arena.tournament.plan import TournamentPlan
from littlego.core.errors import UsageError
from littlego.storage.files import Closing, read_text

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS players (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, player TEXT NOT NULL, challenger INTEGER NOT NULL, stage1 REAL,
    guest INTEGER NOT NULL, fingerprint TEXT NOT NULL, spelling TEXT NOT NULL, has_left INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS pairings (
    round INTEGER NOT NULL, first INTEGER NOT NULL, second INTEGER, PRIMARY KEY (round, first)
);
"""


class Participant(NamedTuple):
    """A row of the store: somebody who has joined."""

    id: int
    """Counted from 0, once and for all."""
    name: str
    """Unique; what tables call it."""
    player: str
    """Its spelling when it joined."""
    challenger: bool
    """In a gauntlet: whether it is one of the challengers."""
    stage1: float | None
    """In the competition of 2019: its points from stage 1."""
    guest: bool
    """There: a teaching assistant's, who plays everyone and takes no rank."""
    fingerprint: str
    """Changes when it would play differently."""
    spelling: str
    """That of the tournament's own copy, with a placeholder for its directory."""


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


FinishedGame: TypeAlias = KeptGame[GameKey]


class TournamentStore(Store[GameKey]):
    """The results of a tournament. Several processes may read while one writes."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, key_of=GameKey._make, tables=_TABLES, shared=True)

    def join(
        self,
        name: str,
        player: str,
        *,
        challenger: bool = False,
        stage1: float | None = None,
        guest: bool = False,
        fingerprint: str,
        spelling: str,
    ) -> Participant:
        """Number a participant, once and for all. Raises UsageError if the name is taken."""
        with self._db.transaction(name) as db:
            (number,) = db.execute("SELECT count(*) FROM players").fetchone()
            row = Participant(number, name, player, challenger, stage1, guest, fingerprint, spelling)
            db.execute("INSERT INTO players VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)", row)
        return row

    def leave(self, name: str) -> None:
        """Take a participant out: its games stand, and it plays no more. Raises UsageError."""
        with self._db.transaction(name) as db:
            names = [player.name for player in self.players()]
            if name not in names:
                raise UsageError(f"no player is called {name!r}; the players are {', '.join(names)}")
            if len(names) < 3:
                raise UsageError(f"without {name} there would be nobody to play: add another player first")
            db.execute("UPDATE players SET has_left = 1 WHERE name = ?", (name,))

    def players(self, *, also_left: bool = False) -> list[Participant]:
        """Those who take part, in the order of joining; with `also_left` everyone who ever joined."""
        columns = ", ".join(Participant._fields)
        rows = self._db.rows(f"SELECT {columns} FROM players WHERE NOT has_left OR ? ORDER BY id", (also_left,))
        return list(map(Participant._make, rows))

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


class Tournament(Closing):
    """An open tournament."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.plan = read_plan(folder)
        path = folder / RESULTS
        if not path.exists():  # it was made with the plan
            raise UsageError(f"{path}: is missing, and with it all results: restore a copy, or make a new tournament")
        self.store = TournamentStore(path)
        self.participants = self.store.players()

    def reload(self) -> None:
        """Reread the plan and who takes part, which others may have changed.

        Raises UsageError if a setting changed that finished games depend on.
        """
        plan = read_plan(self.folder)
        now = plan.settled()
        earlier = self.store.fact("settled") if self.store.count() else now
        if changed := [key for key in now if earlier.get(key) != now[key]]:
            was = ", ".join(f"{key} = {earlier.get(key)!r}" for key in changed)
            raise UsageError(
                f"{self.folder / plans.FILE}: {' and '.join(changed)} changed after games had been played "
                f"({was} then): restore it, or make a new tournament"
            )
        self.plan, self.participants = plan, self.store.players()

    def scores(self) -> dict[int, float]:
        """The points of everyone who ever joined by number: a win is one, a tie a half."""
        numbers = {player.name: player.id for player in self.store.players(also_left=True)}
        scores = dict.fromkeys(numbers.values(), 0.0)
        for met in self.store.meetings():
            scores[numbers[met.black]] += met.black_wins + met.ties / 2
            scores[numbers[met.white]] += met.white_wins + met.ties / 2
        return scores

    def close(self) -> None:
        self.store.close()


def read_plan(folder: Path) -> TournamentPlan:
    """The plan of a tournament. Raises UsageError if the directory holds none, FormatError."""
    path = folder / plans.FILE
    if not path.exists():
        raise UsageError(f"{folder}: no tournament here: make one with 'littlego tournament new {folder} PLAYER...'")
    return plans.parse_plan(read_text(path), source=str(path))
