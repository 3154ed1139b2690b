"""A tournament in its directory: its plan, participants and store, and how they change."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from littlego.arena.entrants.kinds import Entrant
from littlego.arena.referee.client import Supervisor
from littlego.arena.results import RESULTS
from littlego.arena.tournament import plan as plans
from littlego.arena.tournament.plan import Listed, TournamentPlan
from littlego.arena.tournament.roster import (
    AGENTS,
    BUILT,
    Entered,
    Parse,
    Participant,
    enter,
    fingerprint_of,
    listed_participants,
    roster,
)
from littlego.arena.tournament.store import TournamentStore
from littlego.core.errors import UsageError
from littlego.storage.closing import Closing
from littlego.storage.locks import locked
from littlego.storage.removal import remove_tree
from littlego.storage.scratch import temporary_directory
from littlego.storage.whole_files import read_text, write_whole

_SETTLED: Final = "settled"


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
    def stop_file(self) -> Path:
        """Exists once a running tournament has been asked to stop."""
        return self.folder / "stop"

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
                self.store.note({_SETTLED: plan.settled()})
            self._check_settled(plan)
            self.plan = plan
            self.participants = roster(self.folder, plan, self.store, self.parse, supervisor)
        return self.plan, self.participants

    def _check_settled(self, plan: TournamentPlan) -> None:
        earlier, now = self.store.fact(_SETTLED), plan.settled()
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
            with temporary_directory("littlego-join-") as scratch:
                fingerprint = fingerprint_of(entrant, scratch / "files")
            joined = self.store.players()
            same = [row.name for row in joined.values() if row.fingerprint == fingerprint]
            if same := [player.name for player in plan.players if player.name in same]:
                raise UsageError(f"{entrant.spelling}: already takes part, as {same[0]}")
            taken = {*joined, *(player.name for player in plan.players)}
            listed = renamed(listed, taken)
            plan = plan.joined_by(listed)
            participant = enter(self.folder, self.store, listed, entrant, supervisor)
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
        import numpy as np

        columns = self.store.columns()
        scores: dict[int, float] = {}
        for field, wins in (("black", 1), ("white", 2)):
            points = np.where(columns["winner"] == wins, 1.0, np.where(columns["winner"] == 0, 0.5, 0.0))
            sums = np.bincount(columns[field], weights=points)
            for player in np.unique(columns[field]):
                scores[int(player)] = scores.get(int(player), 0.0) + float(sums[player])
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
                    remove_tree(folder / AGENTS / listed.name)
                    remove_tree(folder / BUILT / listed.name)
                    on_broken(listed.name, error)
                    continue
                joining.append(listed)
            if len(joining) < 2:
                raise UsageError("a tournament needs at least two players that can be run")
        plan = plan.joined_by(*joining)
        write_whole(folder / plans.FILE, plans.write_plan(plan))
    except BaseException:
        for name in (AGENTS, BUILT):
            remove_tree(folder / name)
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
