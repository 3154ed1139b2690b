"""A tournament in its directory: the plan, the players and the store, and how each is changed."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Final

from littlego.arena.entrants.kinds import Entrant
from littlego.arena.referee.client import Supervisor
from littlego.arena.tournament import plan as plans
from littlego.arena.tournament import store as stores
from littlego.arena.tournament.plan import Contestant, TournamentPlan
from littlego.arena.tournament.roster import AGENTS, BUILT, Listed, Member, Parse, enter, fingerprint_of, listed, roster
from littlego.arena.tournament.store import TournamentStore
from littlego.core.errors import UsageError
from littlego.storage.locks import locked
from littlego.storage.removal import remove_tree
from littlego.storage.whole_files import write_whole

_SETTLED: Final = "settled"


@dataclass(frozen=True, slots=True)
class Applicant:
    """Somebody who wants to join."""

    contestant: Contestant
    """Its name may still be taken."""
    entrant: Entrant


class Tournament:
    """An open tournament.

    `parse_for` gives, for a plan, what finds out who is meant by a spelling: the layers above know more
    kinds of players than this one.
    """

    def __init__(self, folder: Path, parse_for: Callable[[TournamentPlan], Parse]) -> None:
        self.folder = folder
        self._parse_for = parse_for
        self.plan = read_plan(folder)
        path = folder / stores.FILE
        if not path.exists():  # it was made with the plan
            raise UsageError(f"{path}: is gone, and with it all results: put a copy back, or make a new tournament")
        self.store = TournamentStore(path)
        self.members: list[Member] = []

    @property
    def stop_file(self) -> Path:
        """Is there when a running tournament has been asked to stop."""
        return self.folder / "stop"

    @property
    def parse(self) -> Parse:
        """Finds out who is meant by a spelling."""
        return self._parse_for(self.plan)

    def look(self) -> tuple[TournamentPlan, list[Listed]]:
        """Read the plan again, and who plays by it, without a change to anything: nobody joins, nothing is built.

        Raises UsageError if something was changed that games have been played by.
        """
        plan = read_plan(self.folder)
        self._check_settled(plan)
        self.plan = plan
        return plan, listed(plan, self.store)

    def reload(self) -> tuple[TournamentPlan, list[Member]]:
        """Read the plan again, as others may have changed it, and let everyone new join.

        Raises UsageError if something was changed that games have been played by.
        """
        with plan_locked(self.folder), Supervisor() as supervisor:
            plan = read_plan(self.folder)
            if not self.store.count() and self.store.fact(_SETTLED) != plan.settled():
                self.store.note(_SETTLED, plan.settled())
            self._check_settled(plan)
            self.plan = plan
            self.members = roster(self.folder, plan, self.store, self.parse, supervisor)
        return self.plan, self.members

    def _check_settled(self, plan: TournamentPlan) -> None:
        earlier, now = self.store.fact(_SETTLED), plan.settled()
        if earlier is None or not self.store.count():
            return
        if changed := [key for key in now if earlier.get(key) != now[key]]:
            was = ", ".join(f"{key} = {earlier.get(key)!r}" for key in changed)
            raise UsageError(
                f"{self.folder / plans.FILE}: {' and '.join(changed)} changed after games had been played "
                f"({was} then): put it back, or make a new tournament"
            )

    def join(self, applicant: Applicant) -> Member:
        """Let a player join. Raises UsageError if the very same has joined, or cannot be built.

        One whose name is taken, because it has changed or is another of that name, gets a new name.
        """
        with plan_locked(self.folder), Supervisor() as supervisor:
            plan = read_plan(self.folder)
            contestant, entrant = applicant.contestant, applicant.entrant
            with tempfile.TemporaryDirectory(prefix="littlego-join-") as scratch:
                fingerprint = fingerprint_of(entrant, Path(scratch) / "files")
            joined = self.store.players()
            same = [row.name for row in joined.values() if row.fingerprint == fingerprint]
            if listed := [player.name for player in plan.players if player.name in same]:
                raise UsageError(f"{entrant.spelling}: takes part already, as {listed[0]}")
            taken = {*joined, *(player.name for player in plan.players)}
            contestant = renamed(contestant, taken)
            plan = plan.joined_by(contestant)
            member = enter(self.folder, self.store, contestant, entrant, supervisor)
            write_whole(self.folder / plans.FILE, plans.write_plan(plan))
        self.plan = plan
        return member

    def scores(self) -> dict[int, float]:
        """The points of every player by its number: a win is one, a tie a half."""
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
        """Let go of the store."""
        self.store.close()

    def __enter__(self) -> Tournament:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def create(
    folder: Path,
    plan: TournamentPlan,
    applicants: Sequence[Applicant],
    *,
    on_broken: Callable[[str, UsageError], None] | None = None,
) -> TournamentPlan:
    """Make a tournament with its first players; the plan as it was written.

    Raises UsageError, and then leaves nothing behind, if there is one already or a player cannot join;
    with `on_broken`, which is told who and why, the others play, if they are two or more.
    """
    if (folder / plans.FILE).exists():
        raise UsageError(f"{folder}: holds a tournament already: 'littlego tournament add' lets players join it")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be made: {error.strerror}") from error
    if any(folder.iterdir()):
        raise UsageError(f"{folder}: is not empty: give a new directory")
    try:
        contestants: list[Contestant] = []
        with TournamentStore(folder / stores.FILE) as store, Supervisor() as supervisor:
            for applicant in applicants:
                contestant = renamed(applicant.contestant, {one.name for one in contestants})
                plans.checked(plan.joined_by(contestant), "tournament")
                try:
                    enter(folder, store, contestant, applicant.entrant, supervisor)
                except UsageError as error:
                    if on_broken is None:
                        raise
                    remove_tree(folder / AGENTS / contestant.name)
                    remove_tree(folder / BUILT / contestant.name)
                    on_broken(contestant.name, error)
                    continue
                contestants.append(contestant)
            if len(contestants) < 2:
                raise UsageError("a tournament needs two players or more that can be run")
        plan = plan.joined_by(*contestants)
        write_whole(folder / plans.FILE, plans.write_plan(plan))
    except BaseException:
        for name in (AGENTS, BUILT):
            remove_tree(folder / name)
        for path in folder.glob(f"{stores.FILE}*"):
            path.unlink()
        with contextlib.suppress(OSError):
            folder.rmdir()
        raise
    return plan


def read_plan(folder: Path) -> TournamentPlan:
    """The plan of a tournament. Raises UsageError if the directory holds none, FormatError."""
    path = folder / plans.FILE
    try:
        text = path.read_text()
    except FileNotFoundError:
        raise UsageError(
            f"{folder}: no tournament here: make one with 'littlego tournament new {folder} PLAYER...'"
        ) from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot be read: {error}") from error
    return plans.parse_plan(text, source=str(path))


def renamed(contestant: Contestant, taken: set[str]) -> Contestant:
    """The contestant under a name that is not taken: NAME, NAME-2, NAME-3, ..."""
    name, number = contestant.name, 2
    while name in taken:
        name, number = f"{contestant.name}-{number}", number + 1
    return replace(contestant, name=name)


def plan_locked(folder: Path) -> contextlib.AbstractContextManager[None]:
    """While this lasts no other process changes the plan or lets players join."""
    return locked(folder / "plan.lock")
