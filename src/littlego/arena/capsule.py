"""Capsules, which reproduce a forfeit: the input, the agent's own files, the limits."""

from __future__ import annotations

import hashlib
import json
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
from littlego.formats.records import record_from_dict, record_to_dict

SCHEMA: Final = 1
TRUSTED: Final = "trusted command"
"""Stands in for a level of isolation: a GTP engine runs with its owner's rights."""


@dataclass(frozen=True, slots=True)
class Capsule:
    """A forfeit that can be replayed."""

    agent: str
    """The agent's spelling."""
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
    def of_forfeit(cls, spelling: str, player: ProgramPlayer, record: GameRecord, level: str) -> Capsule:
        assert player.last is not None
        assert record.outcome is not None
        last = player.last
        return cls(
            spelling,
            player.program.digest,
            player.program.language,
            record,
            last.move_number,
            last.input,
            last.state,
            player.limits,
            level,
            record.outcome.verdict,
            record.outcome.reason,
            last.result.stderr,
            last.result.status,
            last.result.cpu_seconds,
            last.result.wall_seconds,
        )

    @classmethod
    def of_engine(cls, spelling: str, player: GtpPlayer, record: GameRecord) -> Capsule:
        assert record.outcome is not None
        return cls(
            spelling,
            hashlib.sha256(PreparedEngine(player.argv).identity().encode()).hexdigest(),
            "gtp",
            record,
            player.move_number,
            player.transcript,
            {},
            player.limits,
            TRUSTED,
            record.outcome.verdict,
            record.outcome.reason,
            player.stderr,
            player.status,
            0.0,
            player.wall_seconds[-1] if player.wall_seconds else 0.0,
        )

    @classmethod
    def of_loser(cls, spelling: str, player: Player, record: GameRecord, level: str) -> Capsule | None:
        """The capsule of the game that `player` has just forfeited; None for a built-in player."""
        if isinstance(player, GtpPlayer):
            return cls.of_engine(spelling, player, record)
        return cls.of_forfeit(spelling, player, record, level) if isinstance(player, ProgramPlayer) else None

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "kind": "littlego capsule",
            "agent": self.agent,
            "digest": self.digest,
            "language": self.language,
            "record": record_to_dict(self.record),
            "move_number": self.move_number,
            "input": self.input,
            "state": encode_state(self.state),
            "limits": self.limits.as_dict(),
            "level": self.level,
            "verdict": self.verdict.value,
            "reason": self.reason,
            "stderr": self.stderr,
            "status": self.status,
            "cpu_seconds": self.cpu_seconds,
            "wall_seconds": self.wall_seconds,
        }


def read_capsule(path: Path) -> Capsule:
    """Raises FormatError."""
    try:
        data = json.loads(path.read_text())
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path}: not JSON: {error}") from error
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
