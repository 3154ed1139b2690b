"""Who takes part: players copied into the tournament's directory when they join, and built once.

agents/NAME/           the files as they were given, whose digest is kept
built/NAME/files/      the same, built; program.json beside them says how to start them
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
import shlex
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from littlego.arena.entrants.gtp_player import GtpAgent
from littlego.arena.entrants.kinds import BuiltIn, CommandAgent, Entrant, Prepared, PreparedProgram
from littlego.arena.entrants.preparing import prepare_surely
from littlego.arena.entrants.programs import Program, Speaks, files_digest
from littlego.arena.entrants.toolchain import tool_identity
from littlego.arena.referee.client import Supervisor
from littlego.arena.tournament.plan import Contestant, TournamentPlan
from littlego.arena.tournament.store import Joined, TournamentStore
from littlego.core.errors import UsageError
from littlego.players.catalogue import MANUAL
from littlego.storage.removal import remove_tree

AGENTS: Final = "agents"
BUILT: Final = "built"
_FILES: Final = Path("/@files")
"""Stands for a player's directory in a kept spelling, so that a tournament can be moved."""

Parse = Callable[[str], Entrant]
"""Finds out who is meant by a spelling. Raises UsageError."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A player of the plan with its number: all that counting needs to know of it."""

    joined: Joined
    contestant: Contestant


@dataclass(frozen=True, slots=True)
class Member(Listed):
    """A player that has joined, and can play."""

    entrant: Entrant
    """Playing from the tournament's own copy of its files."""

    @property
    def is_program(self) -> bool:
        """Whether a supervisor has to run it: not so a player of ours, nor a trusted engine that speaks GTP."""
        return not isinstance(self.entrant, BuiltIn | GtpAgent)


def enter(
    folder: Path, store: TournamentStore, contestant: Contestant, entrant: Entrant, supervisor: Supervisor
) -> Member:
    """Let a player join: copy its files, build them, give it its number. Raises UsageError, BuildFailed."""
    if entrant.spelling == MANUAL:
        raise UsageError("a person cannot play in a tournament: use 'littlego play manual ...'")
    home = folder / AGENTS / contestant.name
    remove_tree(home)  # left by a command that was killed before the player had joined
    entrant.copy_files(home)
    here = entrant.at(home)
    fingerprint = _fingerprint(here, home)
    try:
        _built(here, fingerprint, folder / BUILT / contestant.name, supervisor)
    except UsageError as error:
        raise UsageError(f"{contestant.name}: {error}") from error
    kept = entrant.at(_FILES).spelling
    return Member(store.join(contestant.name, fingerprint, kept, contestant.stage1), contestant, here)


def fingerprint_of(entrant: Entrant, scratch: Path) -> str:
    """What `enter` would keep of an entrant as it is now; `scratch` is an empty directory to use. Raises UsageError."""
    entrant.copy_files(scratch)
    return _fingerprint(entrant.at(scratch), scratch)


def _fingerprint(entrant: Entrant, home: Path) -> str:
    parts = [entrant.at(_FILES).spelling, str(getattr(entrant, "python", None) or "")]
    if home.is_dir():
        parts.append(files_digest(home))
    if isinstance(entrant, CommandAgent | GtpAgent):
        with suppress(ValueError):
            named = [Path(word) for word in shlex.split(entrant.command)]
            parts += [hashlib.sha256(path.read_bytes()).hexdigest() for path in named if path.is_file()]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def listed(plan: TournamentPlan, store: TournamentStore) -> list[Listed]:
    """All players of the plan as they are; nobody joins, and nothing is written, built or looked at.

    Those who have not joined yet have the numbers that they would get now.
    """
    joined = store.players()
    free = itertools.count(1 + max((row.id for row in joined.values()), default=-1))
    return [
        Listed(joined.get(each.name) or Joined(next(free), each.name, "", each.player, each.stage1), each)
        for each in plan.players
    ]


def roster(
    folder: Path, plan: TournamentPlan, store: TournamentStore, parse: Parse, supervisor: Supervisor
) -> list[Member]:
    """All players of the plan; those that somebody wrote into it by hand join now.

    Raises UsageError for one whose copied files are no longer what they were when it joined.
    """
    joined = store.players()
    members = []
    for contestant in plan.players:
        if contestant.name not in joined:
            members.append(enter(folder, store, contestant, parse(contestant.player), supervisor))
            continue
        row = joined[contestant.name]
        if row.stage1 != contestant.stage1:
            raise UsageError(
                f"{contestant.name} joined with {row.stage1} points of stage 1 and the plan now says "
                f"{contestant.stage1}: colours depend on it; put it back, or start another tournament"
            )
        home = (folder / AGENTS / contestant.name).absolute()
        entrant = parse(row.spelling.replace(str(_FILES), str(home)))
        if _fingerprint(entrant, home) != row.fingerprint:
            raise UsageError(
                f"{contestant.name}: the files it plays from are not those that joined ({home}). Put them back; "
                "to let a changed agent play, add it as a new player"
            )
        members.append(Member(row, contestant, entrant))
    return members


def has_changed(member: Member, parse: Parse, scratch: Path) -> bool:
    """Whether what the player was made from is no longer what joined; gone does not count as changed."""
    try:
        return fingerprint_of(parse(member.contestant.player), scratch) != member.joined.fingerprint
    except UsageError:
        return False


def prepare_member(folder: Path, member: Member, supervisor: Supervisor) -> Prepared:
    """A player ready to play, built unless it is. Raises UsageError, BuildFailed."""
    into = folder / BUILT / member.contestant.name
    return _built(member.entrant, member.joined.fingerprint, into, supervisor)


def _built(entrant: Entrant, fingerprint: str, folder: Path, supervisor: Supervisor) -> Prepared:
    """The entrant built in `folder`, as an earlier call left it there or anew."""
    said = folder / "program.json"
    files = (folder / "files").absolute()
    with suppress(OSError, ValueError, KeyError):
        data = json.loads(said.read_text())
        program = _program_from(data, files)
        if data["fingerprint"] == fingerprint and _runs_as_built(program):
            return PreparedProgram(program)
    remove_tree(folder)
    prepared = prepare_surely(entrant, files, supervisor)
    if isinstance(prepared, PreparedProgram) and prepared.program.files is not None:
        said.write_text(json.dumps({"fingerprint": fingerprint, **_program_to(prepared.program)}, indent=1))
    return prepared


def _runs_as_built(program: Program) -> bool:
    """Whether what a kept build is run with is still what it was built with."""
    runtime = Path(program.argv[0])
    if not runtime.is_absolute():
        return True
    return runtime.exists() and tool_identity(runtime) in program.made_with


def _program_to(program: Program) -> dict[str, Any]:
    told = {field.name: getattr(program, field.name) for field in dataclasses.fields(program)}
    return {**told, "files": None, "readable": [str(path) for path in program.readable], "speaks": program.speaks.value}


def _program_from(data: dict[str, Any], files: Path) -> Program:
    return Program(
        tuple(data["argv"]),
        files,
        tuple(Path(path) for path in data["readable"]),
        data["environment"],
        data["language"],
        Speaks(data["speaks"]),
        data["digest"],
        data["made_with"],
    )
