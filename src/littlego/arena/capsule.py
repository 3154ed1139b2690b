"""Capsules, which reproduce a forfeit: the input, the agent's own files, the limits."""

from __future__ import annotations

import dataclasses
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from littlego.arena.entrants.gtp_player import GtpPlayer, PreparedEngine
from littlego.arena.entrants.program_player import ProgramPlayer
from littlego.arena.entrants.state_files import StateFiles, decode_state, encode_state
from littlego.arena.referee.limits import Limits
from littlego.core.errors import FormatError
from littlego.core.game import GameRecord, Player
from littlego.core.verdict import Verdict
from littlego.formats.records import read_json, record_from_dict, record_to_dict
from littlego.storage.whole_files import write_whole

SCHEMA: Final = 1
TRUSTED: Final = "trusted command"
"""Stands in for a level of isolation: a GTP engine runs with its owner's rights."""


@dataclass(frozen=True, slots=True)
class Capsule:
    """A forfeit that can be replayed."""

    agent: str
    """Its spelling."""
    digest: str
    """Of its files."""
    language: str
    record: GameRecord
    """The game up to the forfeit."""
    move_number: int
    input: str
    """The exact `input.txt`; for a GTP engine the transcript."""
    state: StateFiles
    """The files that the agent had written in earlier moves."""
    limits: Limits
    level: str
    verdict: Verdict
    reason: str
    stderr: str
    status: int | None
    cpu_seconds: float
    wall_seconds: float

    @classmethod
    def of_loser(cls, spelling: str, player: Player, record: GameRecord, level: str) -> Capsule | None:
        """The capsule of the game that `player` has just forfeited; None for a built-in player."""
        assert record.outcome is not None
        shared: dict[str, Any] = {
            "agent": spelling,
            "record": record,
            "verdict": record.outcome.verdict,
            "reason": record.outcome.reason,
        }
        if isinstance(player, GtpPlayer):
            return cls(
                digest=PreparedEngine(player.argv).digest,
                language="gtp",
                move_number=player.move_number,
                input=player.transcript,
                state={},
                limits=player.limits,
                level=TRUSTED,
                stderr=player.stderr,
                status=player.status,
                cpu_seconds=0.0,
                wall_seconds=player.wall_seconds[-1] if player.wall_seconds else 0.0,
                **shared,
            )
        if isinstance(player, ProgramPlayer) and (last := player.last):
            return cls(
                digest=player.program.digest,
                language=player.program.language,
                move_number=last.move_number,
                input=last.input,
                state=last.state,
                limits=last.limits,
                level=level,
                stderr=without_scratch(last.result.stderr, player.directory),
                status=last.result.status,
                cpu_seconds=last.result.cpu_seconds,
                wall_seconds=last.result.wall_seconds,
                **shared,
            )
        return None

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "kind": "littlego capsule",
            **{field.name: getattr(self, field.name) for field in dataclasses.fields(self)},
            "record": record_to_dict(self.record),
            "state": encode_state(self.state),
            "limits": self.limits.as_dict(),
            "verdict": self.verdict.value,
        }


def without_scratch(stderr: str, directory: Path) -> str:
    """An agent's words with the names of its files, and not where the referee had copied them."""
    for place in {str(directory), str(directory.resolve())}:
        stderr = stderr.replace(f"{place}/", "")
    return stderr


def with_own_paths(stderr: str, agent: str) -> str:
    """An agent's words with the full paths of its files in tracebacks, for editors and terminals that follow them.

    `agent` is its spelling: names stay as they are if it has no such files.
    """
    place = Path(agent.removeprefix("class:").partition(":")[0])
    folder = place if place.is_dir() else place.parent

    def full(match: re.Match[str]) -> str:
        path = folder / match[1]
        try:
            return f'File "{path}"' if ".." not in path.parts and path.is_file() else match[0]
        except OSError:  # a name that is too long
            return match[0]

    return re.sub(r'File "([^"/][^"]*\.py)"', full, stderr) if place.is_absolute() else stderr


def capsule_path(folder: Path, number: int) -> Path:
    """Where the capsule of a game, counted from 1, is in the folder of its match or grading."""
    return folder / "capsules" / f"game-{number}.json"


def write_capsule(path: Path, capsule: dict[str, Any]) -> None:
    """Write a capsule for `littlego replay`, unless it is there already. Raises OSError."""
    text = json.dumps(capsule, indent=1)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(exist_ok=True)
        write_whole(path, text)


def read_capsule(path: Path) -> Capsule:
    """Raises FormatError."""
    data = read_json(path)
    if not isinstance(data, dict) or data.get("kind") != "littlego capsule":
        raise FormatError(f"{path}: not a capsule: expected a file that a match wrote for a forfeit")
    if data.get("schema") != SCHEMA:
        raise FormatError(f"{path}: schema: expected {SCHEMA}, got {data.get('schema')!r}")
    try:
        return _from_dict(data, str(path))
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"{path}: not a complete capsule: {error!r}") from error


def _from_dict(data: dict[str, Any], source: str) -> Capsule:
    return Capsule(
        agent=str(data["agent"]),
        digest=str(data["digest"]),
        language=str(data["language"]),
        record=record_from_dict(data["record"], source=f"{source}: record"),
        move_number=int(data["move_number"]),
        input=str(data["input"]),
        state=decode_state(data["state"]),
        limits=Limits(**data["limits"]),
        level=str(data["level"]),
        verdict=Verdict(data["verdict"]),
        reason=str(data["reason"]),
        stderr=str(data["stderr"]),
        status=data["status"],
        cpu_seconds=float(data["cpu_seconds"]),
        wall_seconds=float(data["wall_seconds"]),
    )
