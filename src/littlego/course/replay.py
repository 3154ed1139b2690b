"""Replaying the move of a capsule: through the referee, or laid out for a debugger."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from littlego.arena.building import BUILT, Program
from littlego.arena.games import Capsule, without_scratch
from littlego.arena.participants import UNCONFINED, PreparedProgram, prepare_surely
from littlego.arena.program import judged_move
from littlego.arena.untrusted import copy_tree, write_state
from littlego.core.errors import IllegalMove, PlayerFault, UsageError
from littlego.course.failures import where_it_hangs
from littlego.course.seats import classes_like, parse_entrant
from littlego.formats.text import printable
from littlego.sandbox.client import Supervisor
from littlego.sandbox.limits import Fault
from littlego.storage.files import writing
from littlego.storage.scratch import temporary_directory

_LEGAL: Final = "legal"
_CODE: Final = (".py", ".pyc", ".pyo", ".pyd", ".so", ".pth", ".sh", ".class", ".jar")


@dataclass(frozen=True, slots=True)
class ReplayedMove:
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
    hangs: tuple[str, ...] = ()
    """After a time-out: where a Python program was, innermost first."""

    @property
    def is_fault(self) -> bool:
        """Whether the move was lost, for whatever reason."""
        return self.verdict != _LEGAL


def replay_capsule(
    capsule: Capsule,
    supervisor: Supervisor,
    *,
    agent: str | None = None,
    python: str | None = None,
    times: int = 1,
) -> list[ReplayedMove]:
    """Run the move of a capsule `times` times with the same input, state and limits. Raises UsageError."""
    with _prepared(capsule, supervisor, agent, python) as prepared:
        return [_replayed(capsule, prepared, supervisor) for _ in range(times)]


def lay_out(
    capsule: Capsule, supervisor: Supervisor, into: Path, *, agent: str | None = None, python: str | None = None
) -> Program:
    """Write the agent's directory as it was before the move, with its own files and `input.txt`, to `into`.

    Returns the program, to be run there. Raises UsageError if `into` is not empty, and if the capsule brings code of
    its own.
    """
    if code := next((name for name in capsule.state if _may_run(name)), None):
        raise UsageError(f"the capsule holds {printable(code)!r:.80}, which would run as part of the agent")
    with _prepared(capsule, supervisor, agent, python) as prepared:
        if prepared.program.files is None:
            raise UsageError(f"{agent or capsule.agent}: a command has no directory to lay out")
        with writing(into):
            into.mkdir(parents=True, exist_ok=True)
            if any(into.iterdir()):
                raise UsageError(f"{into}: is not empty: give a new directory")
            copy_tree(prepared.program.files, into, BUILT)
            write_state(capsule.state, into)
            (into / "input.txt").write_text(capsule.input)
        return replace(prepared.program, files=into)


def _may_run(name: str) -> bool:
    """Whether a file could be run by an agent or a debugger in its directory, where nothing confines it."""
    return name.startswith(".") or name.lower().endswith(_CODE)


@contextmanager
def _prepared(
    capsule: Capsule, supervisor: Supervisor, agent: str | None, python: str | None
) -> Iterator[PreparedProgram]:
    """The agent of a capsule, built, or another in its place. Raises UsageError."""
    with temporary_directory("littlego-replay-") as scratch:
        if agent is None and Path(capsule.agent).is_absolute() and not Path(capsule.agent).exists():
            raise UsageError(f"{capsule.agent}: the agent is no longer there: give its new place with --agent")
        rules = capsule.record.start.rules
        spelling = agent or capsule.agent
        if spelling.startswith(UNCONFINED):
            raise UsageError(f"{printable(spelling)!r:.200}: only programs that are confined can be replayed")
        entrant = parse_entrant(spelling, python=python, edition=classes_like(rules))
        prepared = prepare_surely(entrant, scratch / "build", supervisor)
        if not isinstance(prepared, PreparedProgram):
            raise UsageError(f"{spelling}: only programs can be replayed")
        yield prepared


def _replayed(capsule: Capsule, prepared: PreparedProgram, supervisor: Supervisor) -> ReplayedMove:
    position = capsule.record.final()
    with prepared.seated(0, supervisor, capsule.limits) as player:
        write_state(capsule.state, player.directory)
        result = player.run(capsule.input)
        stderr = without_scratch(result.stderr, player.directory)
    try:
        move = judged_move(result, position, strict=capsule.limits.strict).move
        verdict, reason = _LEGAL, position.move_name(move)
    except PlayerFault as fault:
        verdict, reason = fault.verdict.value, str(fault)
    except IllegalMove as error:
        verdict, reason = error.why.verdict.value, str(error)
    hangs: list[str] = []
    if result.fault in (Fault.CPU_TIME, Fault.WALL_TIME):
        hangs = where_it_hangs(prepared.program, capsule.input, capsule.state, supervisor, capsule.limits)
    return ReplayedMove(
        verdict == capsule.verdict.value,
        verdict,
        reason,
        prepared.program.digest != capsule.digest,
        stderr,
        result.cpu_seconds,
        result.wall_seconds,
        tuple(hangs),
    )
