"""Replaying the move of a capsule."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from littlego.arena.capsule import Capsule
from littlego.arena.entrants.gtp_player import GtpPlayer, PreparedEngine
from littlego.arena.entrants.kinds import PreparedProgram
from littlego.arena.entrants.program_player import judged_move
from littlego.arena.entrants.state_files import write_state
from littlego.arena.referee.client import Supervisor
from littlego.core.errors import IllegalMove, PlayerFault, UsageError
from littlego.core.points import Move
from littlego.core.position import Position
from littlego.course.spelling import UNCONFINED, classes_like, parse_entrant
from littlego.formats.printable import printable
from littlego.storage.scratch import temporary_directory


@dataclass(frozen=True, slots=True)
class Replay:
    """How the move ended in the replay."""

    reproduced: bool
    verdict: str
    """The verdict, or `legal`."""
    reason: str
    """The reason of the verdict, or the move."""
    files_changed: bool
    """Whether the agent's files have changed since."""
    stderr: str
    cpu_seconds: float
    wall_seconds: float


def replay_capsule(
    capsule: Capsule, supervisor: Supervisor, *, agent: str | None = None, python: str | None = None
) -> Replay:
    """Run the move of a capsule with the same input, state and limits. Raises UsageError."""
    position = capsule.record.final()
    with temporary_directory("littlego-replay-") as scratch:
        if agent is None and capsule.agent.startswith("/") and not Path(capsule.agent).exists():
            raise UsageError(f"{capsule.agent}: the agent is no longer there: give its new place with --agent")
        if agent is None and capsule.agent.startswith(UNCONFINED):
            raise UsageError(
                f"the capsule asks for {printable(capsule.agent)!r:.200}, which nothing confines: give it with --agent "
                f"if you trust it"
            )
        entrant = parse_entrant(agent or capsule.agent, python=python, edition=classes_like(position.rules))
        prepared = entrant.prepare(scratch / "build", supervisor)
        if isinstance(prepared, PreparedEngine):
            return _replayed_engine(capsule, prepared)
        if not isinstance(prepared, PreparedProgram):
            raise UsageError(f"{entrant.spelling}: only programs can be replayed")
        with prepared.seated(0, supervisor, capsule.limits) as player:
            write_state(capsule.state, player.directory)
            result = player.run(capsule.input)
        verdict, reason = _judged(position, lambda: judged_move(result, position, strict=capsule.limits.strict).move)
    return Replay(
        verdict == capsule.verdict.value,
        verdict,
        reason,
        prepared.program.digest != capsule.digest,
        result.stderr,
        result.cpu_seconds,
        result.wall_seconds,
    )


def _judged(position: Position, choose: Callable[[], Move]) -> tuple[str, str]:
    """The verdict and its reason, or `legal` and the move."""
    try:
        return "legal", position.move_name(choose())
    except PlayerFault as fault:
        return fault.verdict.value, str(fault)
    except IllegalMove as error:
        return error.why.verdict.value, str(error)


def _replayed_engine(capsule: Capsule, engine: PreparedEngine) -> Replay:
    """Replay a GTP engine's move after the same game."""
    player = GtpPlayer(engine.argv, capsule.limits)
    positions = list(capsule.record.positions())
    for move, (before, after) in zip(capsule.record.moves, pairwise(positions), strict=True):
        player.observe(before, move, after)
    try:
        verdict, reason = _judged(positions[-1], lambda: player.choose(positions[-1]))
    finally:
        player.close()
    changed = hashlib.sha256(engine.identity().encode()).hexdigest() != capsule.digest
    seconds = player.wall_seconds[-1]
    return Replay(verdict == capsule.verdict.value, verdict, reason, changed, player.stderr, 0.0, seconds)
