"""A tournament in its directory: its plan, its participants, its store, and how they change.

agents/NAME/           the files of a participant as they were given when it joined; their digest is stored
results.sqlite         beside the games:
    players(id, name, fingerprint, spelling, stage1)  who joined, in order, and what they play from
    pairings(round, first, second)                    of a Swiss; second is NULL for a bye
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from littlego.arena.building import files_digest, split_words
from littlego.arena.participants import UNCONFINED, BuiltIn, Command, Entrant, Prepared, PreparedProgram, prepare_surely
from littlego.arena.store import RESULTS, KeptGame, Store
from littlego.arena.tournament import plan as plans
from littlego.arena.tournament.plan import Listed, TournamentPlan
from littlego.core.errors import UsageError
from littlego.formats import text as phrases
from littlego.players.catalogue import MANUAL
from littlego.sandbox.client import Supervisor
from littlego.storage.files import Closing, locked, read_text, write_whole
from littlego.storage.scratch import remove_tree, temporary_directory

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS players (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, fingerprint TEXT NOT NULL, spelling TEXT NOT NULL, stage1 REAL
);
CREATE TABLE IF NOT EXISTS pairings (
    round INTEGER NOT NULL, first INTEGER NOT NULL, second INTEGER, PRIMARY KEY (round, first)
);
"""


@dataclass(frozen=True, slots=True)
class Participant:
    """A participant with its number: a row of the store, and all that counting needs."""

    id: int
    listed: Listed
    """As the plan has it; of somebody who has left the plan, as it joined."""
    fingerprint: str
    """Changes when it would play differently."""
    spelling: str
    """Its spelling with a placeholder for its directory, which `roster` fills in."""

    @property
    def name(self) -> str:
        return self.listed.name


@dataclass(frozen=True, slots=True)
class Entered(Participant):
    """A participant that has joined and can play."""

    entrant: Entrant
    """Plays from the tournament's own copy of its files."""

    @property
    def is_program(self) -> bool:
        """Whether a supervisor runs it: neither built-in players nor what runs with its owner's rights."""
        return not isinstance(self.entrant, BuiltIn) and not self.entrant.spelling.startswith(UNCONFINED)


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

    def join(self, name: str, fingerprint: str, spelling: str, stage1: float | None) -> int:
        """Number a participant, once and for all. Raises UsageError if the name is taken."""
        with self._db.transaction(name) as db:
            row = db.execute("SELECT coalesce(max(id), -1) + 1 FROM players").fetchone()
            db.execute("INSERT INTO players VALUES (?, ?, ?, ?, ?)", (row[0], name, fingerprint, spelling, stage1))
        return int(row[0])

    def players(self) -> dict[str, Participant]:
        """Everyone who ever joined, by name, in the order of joining."""
        rows = self._db.rows("SELECT id, name, fingerprint, spelling, stage1 FROM players ORDER BY id")
        return {
            name: Participant(number, Listed(name, spelling, stage1=stage1), fingerprint, spelling)
            for number, name, fingerprint, spelling, stage1 in rows
        }

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


AGENTS: Final = "agents"
_FILES: Final = Path("/@files")
"""Stands for a participant's directory in a stored spelling, so that a tournament can be moved."""

Parse = Callable[[str], Entrant]
"""Finds the entrant that a spelling means. Raises UsageError."""


def enter(
    folder: Path,
    store: TournamentStore,
    listed: Listed,
    entrant: Entrant,
    supervisor: Supervisor,
    *,
    other_than: Collection[str] = (),
) -> Entered:
    """Add a participant: copy its files, see that they can be built, number it.

    Raises UsageError, and leaves no files, also if one of `other_than` is the very same agent, and if its Python lacks
    a module that it cannot do without: it would forfeit every game.
    """
    if entrant.spelling == MANUAL:
        raise UsageError("a person cannot play in a tournament: use 'littlego play manual ...'")
    home = folder / AGENTS / listed.name
    remove_tree(home)  # left by a command that was killed before the player had joined
    try:
        entrant.copy_files(home)
        here = entrant.at(home)
        fingerprint = _fingerprint(here, home)
        for row in store.players().values():
            is_same = row.fingerprint == fingerprint and row.name in other_than
            if is_same and not isinstance(entrant, BuiltIn):  # two of those play different games
                raise UsageError(f"the same player already takes part, as {row.name}")
        with temporary_directory("littlego-build-") as workshop:
            _check_modules(prepare_surely(here, workshop / "built", supervisor))
    except BaseException as error:
        remove_tree(home)
        if isinstance(error, UsageError):
            raise UsageError(f"{listed.name}: {error}") from error
        raise
    kept = entrant.at(_FILES).spelling
    return Entered(store.join(listed.name, fingerprint, kept, listed.stage1), listed, fingerprint, kept, here)


def _check_modules(prepared: Prepared) -> None:
    if isinstance(prepared, PreparedProgram) and (lacking := prepared.program.lacking):
        raise UsageError(
            f"it imports {phrases.listed(lacking)}, which {prepared.program.language} here does not have: name a "
            "Python that has it with --python, or add the file if it is the agent's own"
        )


def fingerprint_of(entrant: Entrant, scratch: Path) -> str:
    """The fingerprint `enter` would store for an entrant as it is now; `scratch` must not exist. Raises UsageError."""
    entrant.copy_files(scratch)
    return _fingerprint(entrant.at(scratch), scratch)


def _fingerprint(entrant: Entrant, home: Path) -> str:
    parts = [entrant.at(_FILES).spelling, str(getattr(entrant, "python", None) or "")]
    if home.is_dir():
        parts.append(files_digest(home))
    if isinstance(entrant, Command):
        with suppress(ValueError):
            named = [Path(word) for word in split_words(entrant.command)]
            parts += [hashlib.sha256(path.read_bytes()).hexdigest() for path in named if path.is_file()]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def listed_participants(plan: TournamentPlan, store: TournamentStore) -> list[Participant]:
    """All participants of the plan; nobody joins, and nothing is written, built or checked.

    Those who have not joined yet get the numbers they would have if they joined now.
    """
    joined = store.players()
    free = itertools.count(1 + max((row.id for row in joined.values()), default=-1))
    return [
        replace(row, listed=line) if (row := joined.get(line.name)) else Participant(next(free), line, "", line.player)
        for line in plan.players
    ]


def roster(
    folder: Path, plan: TournamentPlan, store: TournamentStore, parse: Parse, supervisor: Supervisor
) -> list[Entered]:
    """All participants of the plan; those added to it by hand join now.

    Raises UsageError for one whose copied files have changed since it joined.
    """
    joined = store.players()
    participants = []
    for listed in plan.players:
        if listed.name not in joined:
            participants.append(enter(folder, store, listed, parse(listed.player), supervisor))
            continue
        row = joined[listed.name]
        if row.listed.stage1 != listed.stage1:
            raise UsageError(
                f"{listed.name} joined with {row.listed.stage1} points from stage 1, and the plan now says "
                f"{listed.stage1}: colours depend on it; restore it, or make a new tournament"
            )
        home = (folder / AGENTS / listed.name).absolute()
        entrant = parse(row.spelling.replace(str(_FILES), str(home)))
        if _fingerprint(entrant, home) != row.fingerprint:
            raise UsageError(
                f"{listed.name}: its files have changed since it joined ({home}). Restore them; "
                "to let the changed agent play, add it as a new player"
            )
        participants.append(Entered(row.id, listed, row.fingerprint, row.spelling, entrant))
    return participants


def has_changed(participant: Entered, everybody: Sequence[Entered], parse: Parse, scratch: Path) -> bool:
    """Whether the original has changed since it joined, and has not joined again since.

    A missing one does not count as changed.
    """
    try:
        now = fingerprint_of(parse(participant.listed.player), scratch)
    except UsageError:
        return False
    return now not in {each.fingerprint for each in everybody}


@dataclass(frozen=True, slots=True)
class Newcomer:
    """A participant about to join."""

    listed: Listed
    """Its name may still be taken."""
    entrant: Entrant


class Tournament(Closing):
    """An open tournament. `parse_for` gives a plan's parser of spellings: higher layers know more kinds of players."""

    def __init__(self, folder: Path, parse_for: Callable[[TournamentPlan], Parse]) -> None:
        self.folder = folder
        self._parse_for = parse_for
        self.plan = read_plan(folder)
        path = folder / RESULTS
        if not path.exists():  # it was made with the plan
            raise UsageError(f"{path}: is missing, and with it all results: restore a copy, or make a new tournament")
        self.store = TournamentStore(path)
        self.participants: list[Entered] = []

    @property
    def parse(self) -> Parse:
        return self._parse_for(self.plan)

    def look(self) -> tuple[TournamentPlan, list[Participant]]:
        """Reread the plan and its participants without changing anything: nobody joins, nothing is built.

        Raises UsageError if a setting changed that finished games depend on.
        """
        plan = read_plan(self.folder)
        self._check_settled(plan)
        self.plan = plan
        return plan, listed_participants(plan, self.store)

    def reload(self) -> tuple[TournamentPlan, list[Entered]]:
        """Reread the plan, which others may have changed, and enter everyone new.

        Raises UsageError if a setting changed that finished games depend on.
        """
        with plan_locked(self.folder), Supervisor() as supervisor:
            plan = read_plan(self.folder)
            if not self.store.count():
                self.store.note(settled=plan.settled())
            self._check_settled(plan)
            self.plan = plan
            self.participants = roster(self.folder, plan, self.store, self.parse, supervisor)
        return self.plan, self.participants

    def _check_settled(self, plan: TournamentPlan) -> None:
        earlier, now = self.store.fact("settled"), plan.settled()
        if earlier is None or not self.store.count():
            return
        if changed := [key for key in now if earlier.get(key) != now[key]]:
            was = ", ".join(f"{key} = {earlier.get(key)!r}" for key in changed)
            raise UsageError(
                f"{self.folder / plans.FILE}: {' and '.join(changed)} changed after games had been played "
                f"({was} then): restore it, or make a new tournament"
            )

    def join(self, newcomer: Newcomer) -> Entered:
        """Add a participant. Raises UsageError if the very same one takes part already, or cannot be built.

        If its name is taken, by an earlier version of it or by another, it gets a new one.
        """
        with plan_locked(self.folder), Supervisor() as supervisor:
            plan = read_plan(self.folder)
            listed, entrant = newcomer.listed, newcomer.entrant
            playing = [player.name for player in plan.players]
            listed = renamed(listed, {*self.store.players(), *playing})
            plan = plan.joined_by(listed)
            participant = enter(self.folder, self.store, listed, entrant, supervisor, other_than=playing)
            write_whole(self.folder / plans.FILE, plans.write_plan(plan))
        self.plan = plan
        return participant

    def leave(self, name: str) -> None:
        """Take a participant out of the plan: its games stand, and it plays no more. Raises UsageError."""
        with plan_locked(self.folder):
            self.plan = read_plan(self.folder).without(name)
            write_whole(self.folder / plans.FILE, plans.write_plan(self.plan))

    def scores(self) -> dict[int, float]:
        """The points of every participant by its number: a win is one, a tie a half."""
        joined = self.store.players()
        scores = {player.id: 0.0 for player in joined.values()}
        for met in self.store.meetings():
            scores[joined[met.black].id] += met.black_wins + met.ties / 2
            scores[joined[met.white].id] += met.white_wins + met.ties / 2
        return scores

    def close(self) -> None:
        self.store.close()


def create(
    folder: Path,
    plan: TournamentPlan,
    newcomers: Sequence[Newcomer],
    *,
    on_broken: Callable[[str, UsageError], None] | None = None,
) -> TournamentPlan:
    """Make a tournament with its first participants; returns the plan as written.

    Raises UsageError, and leaves nothing behind, if there is one already or someone cannot join. With `on_broken`,
    which is called with the name and the error, the others play if at least two remain.
    """
    if (folder / plans.FILE).exists():
        raise UsageError(f"{folder}: already holds a tournament: add players with 'littlego tournament add'")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be made: {error.strerror}") from error
    if any(folder.iterdir()):
        raise UsageError(f"{folder}: is not empty: give a new directory")
    try:
        joining: list[Listed] = []
        with TournamentStore(folder / RESULTS) as store, Supervisor() as supervisor:
            for newcomer in newcomers:
                listed = renamed(newcomer.listed, {one.name for one in joining})
                plans.checked(plan.joined_by(listed), "tournament")
                try:
                    enter(folder, store, listed, newcomer.entrant, supervisor)
                except UsageError as error:
                    if on_broken is None:
                        raise
                    on_broken(listed.name, error)
                    continue
                joining.append(listed)
            if len(joining) < 2:
                raise UsageError("a tournament needs at least two players that can be run")
        plan = plan.joined_by(*joining)
        write_whole(folder / plans.FILE, plans.write_plan(plan))
    except BaseException:
        remove_tree(folder / AGENTS)
        for path in folder.glob(f"{RESULTS}*"):
            path.unlink()
        with contextlib.suppress(OSError):
            folder.rmdir()
        raise
    return plan


def read_plan(folder: Path) -> TournamentPlan:
    """The plan of a tournament. Raises UsageError if the directory holds none, FormatError."""
    path = folder / plans.FILE
    if not path.exists():
        raise UsageError(f"{folder}: no tournament here: make one with 'littlego tournament new {folder} PLAYER...'")
    return plans.parse_plan(read_text(path), source=str(path))


def renamed(listed: Listed, taken: set[str]) -> Listed:
    """With a name that is not taken: NAME, NAME-2, NAME-3, ..."""
    name, number = listed.name, 2
    while name in taken:
        name, number = f"{listed.name}-{number}", number + 1
    return replace(listed, name=name)


def plan_locked(folder: Path) -> contextlib.AbstractContextManager[None]:
    """Keep other processes from changing the plan or adding players."""
    return locked(folder / "plan.lock")
