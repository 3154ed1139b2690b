"""Levels of isolation, and which of them this machine offers."""

from __future__ import annotations

import enum
import functools
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from littlego.arena.own_process import own_program
from littlego.arena.referee.windows import moves
from littlego.core.errors import UsageError

PROGRAM = Path(__file__).with_name("supervisor.py")
_PROBE_SECONDS = 60


class Level(enum.IntEnum):
    """A level of isolation. Higher ones contain more; `str` gives the name stored with a result."""

    L0 = 0
    L1 = 1
    L2 = 2
    L3 = 3

    @property
    def description(self) -> str:
        return _DESCRIPTIONS[self]

    def __str__(self) -> str:
        return self.name


def parse_level(text: str) -> Level:
    """Raises UsageError."""
    if text.upper() not in Level.__members__:
        raise UsageError(f"level {text!r}: expected one of {', '.join(Level.__members__)}")
    return Level[text.upper()]


_DESCRIPTIONS = {
    Level.L0: "any POSIX: limits, a process group, a wall clock, careful file handling; trusts the agent otherwise"
    if moves.CAN_FORK
    else "Windows: limits and a wall clock for a job object; trusts the agent otherwise",
    Level.L1: "Linux without packages: no-new-privileges, Landlock, seccomp, namespaces where available",
    Level.L2: "as L1, in namespaces and a file system view made by bubblewrap",
    Level.L3: "as root: as L1, with a user for each agent and a cgroup for each move",
}


@dataclass(frozen=True, slots=True)
class Probe:
    """What this machine can do, found by trying."""

    levels: tuple[Level, ...]
    """The levels that passed a trial, lowest first; L0 is always among them."""
    default: Level
    """Used if none is asked for: the cheapest of those that contain the most."""
    refused: dict[Level, str]
    """Why each of the other levels is not possible."""
    mechanisms: dict[Level, tuple[str, ...]]
    """The mechanisms of each level, as results name them."""
    details: dict[str, Any]
    """The individual findings: system, root, landlock (its version), seccomp, namespaces, bubblewrap, perf, cgroup."""


def command(action: str, argument: str, without: frozenset[str]) -> list[str]:
    """The command line of the supervisor program."""
    return own_program(PROGRAM, action, argument, ",".join(sorted(without)))


@functools.cache
def probe(without: frozenset[str] = frozenset()) -> Probe:
    """Try every mechanism in another process; `without` leaves some out, for tests and comparisons.

    Raises OSError or subprocess.SubprocessError if that process fails: then even L0 does not work.
    """
    if moves.CAN_FORK:
        words = command("probe", "-", without)
        done = subprocess.run(words, capture_output=True, timeout=_PROBE_SECONDS, check=True, stdin=subprocess.DEVNULL)
        found = json.loads(done.stdout)
    else:
        found = moves.probe()
    return Probe(
        levels=tuple(map(Level, found.pop("levels"))),
        default=Level(found.pop("default")),
        refused={Level(int(level)): why for level, why in found.pop("refused").items()},
        mechanisms={Level(int(level)): tuple(names) for level, names in found.pop("mechanisms").items()},
        details=found,
    )
