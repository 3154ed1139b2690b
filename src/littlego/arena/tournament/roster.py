"""Who takes part: how participants join a tournament, with their files, and play from the copy of these."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from littlego.arena.building import files_digest, split_words
from littlego.arena.participants import BuiltIn, Command, Entrant, PreparedProgram, prepare_surely
from littlego.arena.store import RESULTS
from littlego.arena.tournament import plan as plans
from littlego.arena.tournament.folder import Participant, Tournament, TournamentStore
from littlego.arena.tournament.plan import TournamentPlan
from littlego.core.errors import UsageError
from littlego.formats.text import listed
from littlego.players.catalogue import MANUAL
from littlego.sandbox.client import Supervisor
from littlego.storage.files import locked, write_whole
from littlego.storage.scratch import remove_tree, temporary_directory

_AGENTS: Final = "agents"
_FILES: Final = Path("/@files")
"""Stands for a participant's directory in a stored spelling, so that a tournament can be moved."""

Parse: TypeAlias = Callable[[str], Entrant]
"""Finds the entrant that a spelling means. Raises UsageError."""


@dataclass(frozen=True, slots=True)
class Newcomer:
    """An entrant about to join."""

    name: str
    """If it is taken, the participant is called NAME-2, NAME-3, ..."""
    entrant: Entrant
    challenger: bool = False
    stage1: float | None = None
    guest: bool = False


def create(
    folder: Path,
    plan: TournamentPlan,
    newcomers: Iterable[Newcomer],
    *,
    on_broken: Callable[[str, UsageError], None] | None = None,
) -> list[Participant]:
    """Make a tournament; returns its first participants.

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
    joined = []
    try:
        with TournamentStore(folder / RESULTS) as store, Supervisor() as supervisor:
            for newcomer in newcomers:
                try:
                    joined.append(_enter(folder, store, newcomer, supervisor))
                except UsageError as error:
                    if on_broken is None:
                        raise
                    on_broken(newcomer.name, error)
        if len(joined) < 2:
            raise UsageError("a tournament needs at least two players that can be run")
        write_whole(folder / plans.FILE, plans.write_plan(plan))
    except BaseException:
        remove_tree(folder / _AGENTS)
        for path in folder.glob(f"{RESULTS}*"):
            path.unlink()
        with contextlib.suppress(OSError):
            folder.rmdir()
        raise
    return joined


def join(tournament: Tournament, newcomer: Newcomer) -> Participant:
    """Add a participant. Raises UsageError if the very same one takes part already, or cannot be built."""
    with locked(tournament.folder / "join.lock"), Supervisor() as supervisor:
        playing = tournament.store.players()
        return _enter(tournament.folder, tournament.store, newcomer, supervisor, other_than=playing)


def _enter(
    folder: Path,
    store: TournamentStore,
    newcomer: Newcomer,
    supervisor: Supervisor,
    *,
    other_than: Iterable[Participant] = (),
) -> Participant:
    """Add a participant: copy its files, see that they can be built, number it.

    Raises UsageError, and leaves no files, also if one of `other_than` is the very same agent, and if its Python lacks
    a module that it cannot do without: it would forfeit every game.
    """
    entrant = newcomer.entrant
    if entrant.spelling == MANUAL:
        raise UsageError("a person cannot play in a tournament: use 'littlego play manual ...'")
    name = _free_name(newcomer.name, {player.name for player in store.players(also_left=True)})
    home = folder / _AGENTS / name
    remove_tree(home)  # left by a command that was killed before the player had joined
    try:
        entrant.copy_files(home)
        here = entrant.at(home)
        fingerprint = _fingerprint(here, home)
        same = [player.name for player in other_than if player.fingerprint == fingerprint]
        if same and not isinstance(entrant, BuiltIn):  # two of those play different games
            raise UsageError(f"the same player already takes part, as {same[0]}")
        with temporary_directory("littlego-build-") as workshop:
            prepared = prepare_surely(here, workshop / "built", supervisor)
        if isinstance(prepared, PreparedProgram) and (lacking := prepared.program.lacking):
            raise UsageError(
                f"it imports {listed(lacking)}, which {prepared.program.language} here does not have: name a "
                "Python that has it with --python, or add the file if it is the agent's own"
            )
    except BaseException as error:
        remove_tree(home)
        if isinstance(error, UsageError):
            raise UsageError(f"{newcomer.name}: {error}") from error
        raise
    return store.join(
        name,
        entrant.spelling,
        challenger=newcomer.challenger,
        stage1=newcomer.stage1,
        guest=newcomer.guest,
        fingerprint=fingerprint,
        spelling=entrant.at(_FILES).spelling,
    )


def _free_name(name: str, taken: set[str]) -> str:
    """NAME, NAME-2, NAME-3, ... Raises UsageError for one that cannot name a directory or a column."""
    if not re.fullmatch(r"[\w.+ -]{1,60}", name) or name.strip(". ") != name:
        raise UsageError(f"the name {name!r}: expected letters, digits and . _ + - inside, at most 60")
    names = itertools.chain([name], (f"{name}-{number}" for number in itertools.count(2)))
    return next(each for each in names if each not in taken)


def fingerprint_of(entrant: Entrant, scratch: Path) -> str:
    """The fingerprint of a participant that is made from this entrant; `scratch` must not exist. Raises UsageError."""
    entrant.copy_files(scratch)
    return _fingerprint(entrant.at(scratch), scratch)


def _fingerprint(entrant: Entrant, home: Path) -> str:
    parts = [entrant.at(_FILES).spelling, str(getattr(entrant, "python", None) or "")]
    if home.is_dir():
        parts.append(files_digest(home))
    if isinstance(entrant, Command):
        with contextlib.suppress(ValueError):
            named = [Path(word) for word in split_words(entrant.command)]
            parts += [hashlib.sha256(path.read_bytes()).hexdigest() for path in named if path.is_file()]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def entrant_of(participant: Participant, folder: Path, parse: Parse) -> Entrant:
    """Plays from the tournament's own copy. Raises UsageError if that has changed since it joined."""
    home = (folder / _AGENTS / participant.name).absolute()
    entrant = parse(participant.spelling.replace(str(_FILES), str(home)))
    if _fingerprint(entrant, home) != participant.fingerprint:
        raise UsageError(
            f"{participant.name}: its files have changed since it joined ({home}). Restore them; "
            "to let the changed agent play, add it as a new player"
        )
    return entrant


def changed(participants: Sequence[Participant], parse: Parse) -> list[Participant]:
    """Those whose original has changed since they joined, and has not joined again since.

    A missing one does not count as changed.
    """
    known = {participant.fingerprint for participant in participants}
    found = []
    for participant in participants:
        with contextlib.suppress(UsageError), temporary_directory("littlego-look-") as scratch:
            if fingerprint_of(parse(participant.player), scratch / "files") not in known:
                found.append(participant)
    return found
