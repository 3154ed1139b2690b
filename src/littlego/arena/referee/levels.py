"""How well agents are kept apart from the machine and from each other, and what this machine can do about it."""

from __future__ import annotations

import enum
import functools
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from littlego.arena.pool.own_process import own_program

PROGRAM = Path(__file__).with_name("supervisor.py")
_PROBE_SECONDS = 60


class Level(enum.IntEnum):
    """A level of isolation. Higher ones contain more; `str` gives the word stored with a result."""

    L0 = 0
    L1 = 1
    L2 = 2
    L3 = 3

    @property
    def description(self) -> str:
        """The level in a line."""
        return _DESCRIPTIONS[self]

    def __str__(self) -> str:
        return self.name


_DESCRIPTIONS = {
    Level.L0: "any POSIX: limits, a process group, a wall clock, careful file handling; trusts the agent otherwise",
    Level.L1: "Linux without packages: no-new-privileges, Landlock, seccomp, namespaces where they can be had",
    Level.L2: "as L1, in namespaces and a file system view made by bubblewrap",
    Level.L3: "as root: as L1, with a user for each agent and a cgroup for each move",
}


@dataclass(frozen=True, slots=True)
class Probe:
    """What this machine can do, found out by doing it."""

    levels: tuple[Level, ...]
    """The levels that stood a trial here, lowest first; L0 is always there."""
    default: Level
    """The one to use when none is asked for: of those that contain as much, the cheapest."""
    refused: dict[Level, str]
    """Why each of the others cannot be had."""
    mechanisms: dict[Level, tuple[str, ...]]
    """For each of them what is in force, in words fit for a result."""
    cpu_sources: dict[Level, str]
    """For each of them how CPU time is measured: `cgroup`, `perf` or `wait4`."""
    details: dict[str, Any]
    """The findings one by one: system, root, landlock (its version), seccomp, namespaces, bubblewrap, perf, cgroup."""


def command(action: str, argument: str, without: frozenset[str]) -> list[str]:
    """The command line of the supervisor program."""
    return own_program(PROGRAM, action, argument, ",".join(sorted(without)))


@functools.cache
def probe(without: frozenset[str] = frozenset()) -> Probe:
    """Try every mechanism in a process of its own; `without` leaves some out, for tests and comparisons.

    Raises OSError or subprocess.SubprocessError when that process fails: then even L0 will not work.
    """
    words = command("probe", "-", without)
    done = subprocess.run(words, capture_output=True, timeout=_PROBE_SECONDS, check=True, stdin=subprocess.DEVNULL)
    found = json.loads(done.stdout)
    return Probe(
        levels=tuple(map(Level, found.pop("levels"))),
        default=Level(found.pop("default")),
        refused={Level(int(level)): why for level, why in found.pop("refused").items()},
        mechanisms={Level(int(level)): tuple(names) for level, names in found.pop("mechanisms").items()},
        cpu_sources={Level(int(level)): source for level, source in found.pop("cpu_sources").items()},
        details=found,
    )
