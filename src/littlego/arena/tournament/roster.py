"""Who takes part: participants are copied into the tournament's directory when they join, and built once.

agents/NAME/           the files as they were given; their digest is stored
built/NAME/files/      the same, built; program.json beside them says how to start them
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from littlego.arena.entrants.commands import split_words
from littlego.arena.entrants.gtp_player import GtpAgent
from littlego.arena.entrants.kinds import BuiltIn, Command, Entrant, Prepared, PreparedProgram
from littlego.arena.entrants.preparing import prepare_surely
from littlego.arena.entrants.programs import Program, Speaks, files_digest
from littlego.arena.entrants.toolchain import tool_identity
from littlego.arena.referee.client import Supervisor
from littlego.arena.tournament.plan import Listed, TournamentPlan
from littlego.arena.tournament.store import Joined, TournamentStore
from littlego.core.errors import UsageError
from littlego.players.catalogue import MANUAL
from littlego.storage.removal import remove_tree

AGENTS: Final = "agents"
BUILT: Final = "built"
_FILES: Final = Path("/@files")
"""Stands for a participant's directory in a stored spelling, so that a tournament can be moved."""

Parse = Callable[[str], Entrant]
"""Finds the entrant that a spelling means. Raises UsageError."""


@dataclass(frozen=True, slots=True)
class Participant:
    """A participant of the plan with its number: all that counting needs."""

    joined: Joined
    listed: Listed

    @property
    def id(self) -> int:
        return self.joined.id

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
        """Whether a supervisor runs it: not for built-in players and trusted GTP engines."""
        return not isinstance(self.entrant, BuiltIn | GtpAgent)


def enter(folder: Path, store: TournamentStore, listed: Listed, entrant: Entrant, supervisor: Supervisor) -> Entered:
    """Add a participant: copy its files, build them, number it. Raises UsageError, BuildFailed."""
    if entrant.spelling == MANUAL:
        raise UsageError("a person cannot play in a tournament: use 'littlego play manual ...'")
    home = folder / AGENTS / listed.name
    remove_tree(home)  # left by a command that was killed before the player had joined
    entrant.copy_files(home)
    here = entrant.at(home)
    fingerprint = _fingerprint(here, home)
    try:
        _built(here, fingerprint, folder / BUILT / listed.name, supervisor)
    except UsageError as error:
        raise UsageError(f"{listed.name}: {error}") from error
    kept = entrant.at(_FILES).spelling
    return Entered(store.join(listed.name, fingerprint, kept, listed.stage1), listed, here)


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
        Participant(joined.get(line.name) or Joined(next(free), line.name, "", line.player, line.stage1), line)
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
        if row.stage1 != listed.stage1:
            raise UsageError(
                f"{listed.name} joined with {row.stage1} points from stage 1, and the plan now says "
                f"{listed.stage1}: colours depend on it; restore it, or make a new tournament"
            )
        home = (folder / AGENTS / listed.name).absolute()
        entrant = parse(row.spelling.replace(str(_FILES), str(home)))
        if _fingerprint(entrant, home) != row.fingerprint:
            raise UsageError(
                f"{listed.name}: its files have changed since it joined ({home}). Restore them; "
                "to let the changed agent play, add it as a new player"
            )
        participants.append(Entered(row, listed, entrant))
    return participants


def has_changed(participant: Entered, everybody: Sequence[Entered], parse: Parse, scratch: Path) -> bool:
    """Whether the original has changed since it joined, and has not joined again since.

    A missing one does not count as changed.
    """
    try:
        now = fingerprint_of(parse(participant.listed.player), scratch)
    except UsageError:
        return False
    return now not in {each.joined.fingerprint for each in everybody}


def prepare_participant(folder: Path, participant: Entered, supervisor: Supervisor) -> Prepared:
    """Builds it if necessary. Raises UsageError, BuildFailed."""
    into = folder / BUILT / participant.name
    return _built(participant.entrant, participant.joined.fingerprint, into, supervisor)


def _built(entrant: Entrant, fingerprint: str, folder: Path, supervisor: Supervisor) -> Prepared:
    """The entrant built in `folder`, by an earlier call or now."""
    description = folder / "program.json"
    files = (folder / "files").absolute()
    with suppress(OSError, ValueError, KeyError):
        data = json.loads(description.read_text())
        program = _program_from(data, files)
        if data["fingerprint"] == fingerprint and _runs_as_built(program):
            return PreparedProgram(program)
    remove_tree(folder)
    prepared = prepare_surely(entrant, files, supervisor)
    if isinstance(prepared, PreparedProgram) and prepared.program.files is not None:
        description.write_text(json.dumps({"fingerprint": fingerprint, **_program_to(prepared.program)}, indent=1))
    return prepared


def _runs_as_built(program: Program) -> bool:
    """Whether the interpreter of a stored build is still the one it was built with."""
    runtime = Path(program.argv[0])
    if not runtime.is_absolute():
        return True
    return runtime.exists() and tool_identity(runtime) in program.made_with


def _program_to(program: Program) -> dict[str, Any]:
    values = {field.name: getattr(program, field.name) for field in dataclasses.fields(program)}
    return {
        **values,
        "files": None,
        "readable": [str(path) for path in program.readable],
        "speaks": program.speaks.value,
    }


def _program_from(data: dict[str, Any], files: Path) -> Program:
    return Program(
        tuple(data["argv"]),
        files,
        tuple(Path(path) for path in data["readable"]),
        data["language"],
        Speaks(data["speaks"]),
        data["digest"],
        data["made_with"],
        tuple(data["packages"]),
        tuple(data["remarks"]),
        tuple(data.get("lacking", ())),
    )
