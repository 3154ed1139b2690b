"""What a program may use, how well it is held, and what it did wrong."""

from __future__ import annotations

import dataclasses
import enum
import functools
import json
import os
import sys
from dataclasses import dataclass

from littlego.sandbox import SandboxError

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB

IS_LINUX = sys.platform == "linux"
"""Elsewhere there is no supervisor: this process watches the moves (`portable`)."""
IS_BROWSER = sys.platform == "emscripten"
"""There this process is the page's own Python (`browser`)."""

_PROGRAM = os.path.join(os.path.dirname(__file__), "supervisor.py")
_PROBE_SECONDS = 60


class LevelRefused(SandboxError, ValueError):
    """This machine does not offer the level of isolation, or there is no such level."""


class Fault(enum.Enum):
    """What a program did wrong in a move. The values are those of the verdicts of a game."""

    BAD_FORMAT = "bad_format"
    NO_OUTPUT = "no_output"
    CRASH = "crash"
    CPU_TIME = "cpu_time"
    WALL_TIME = "wall_time"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True)
class Limits:
    """Exceeding any of them forfeits the game."""

    cpu_seconds: float = 10.0
    """CPU time, user and system, of the agent's whole process tree, with threads and children."""
    wall_seconds: float = 30.0
    """Real time from the start of the program to its end, against programs that only wait."""
    memory_bytes: int = GIB
    """Resident memory of the whole tree at any moment. Address space is not limited: a JVM reserves far more."""
    processes: int = 64
    """Processes alive at once. The kernel's own limits, where available, also count threads: eight times this."""
    file_bytes: int = 64 * MIB
    """The size of any file that the agent writes, sparse or not."""
    directory_files: int = 1000
    """Files and directories in the work directory, with the agent's own program."""
    directory_bytes: int = 256 * MIB
    """Bytes of all files in the work directory, with the agent's own program."""
    stderr_bytes: int = 8 * KIB
    """How much of the end of standard error is kept. More may be written, and is discarded."""
    output_bytes: int = 64 * KIB
    """The size of `output.txt`. Only its first line matters; debug prints after it are common."""
    strict: bool = False
    """Whether `output.txt` must be to the letter of the course's documents; else what its host took gets a remark."""

    def as_dict(self) -> dict[str, float]:
        """Without `strict` if it is not set."""
        fields = dataclasses.asdict(self)
        if not self.strict:
            del fields["strict"]
        return fields


class Level(enum.IntEnum):
    """A level of isolation. Higher ones contain more; `str` gives the word that options, reports and JSON use."""

    PORTABLE = 0
    LINUX = 1
    ROOT = 2

    @property
    def description(self) -> str:
        return _DESCRIPTIONS[self]

    def __str__(self) -> str:
        return self.name.lower()


_DESCRIPTIONS = {
    Level.PORTABLE: "any system: limits, the process tree, a wall clock, careful files; trusts the agent otherwise",
    Level.LINUX: "Linux, any user: no-new-privileges, Landlock, seccomp, namespaces where available",
    Level.ROOT: "Linux, as root: besides, a user for each agent and a cgroup for each move",
}


def parse_level(text: str) -> Level:
    """Raises LevelRefused."""
    for level in Level:
        if text.lower() == str(level):
            return level
    raise LevelRefused(f"level {text!r}: expected one of {', '.join(map(str, Level))}")


@dataclass(frozen=True, slots=True)
class Probe:
    """What this machine can do, found by trying."""

    levels: tuple[Level, ...]
    """The levels that passed a trial, lowest first; portable is always among them."""
    refused: dict[Level, str]
    """Why each of the other levels is not possible."""
    mechanisms: dict[Level, tuple[str, ...]]
    """The mechanisms of each level, as results name them."""

    @property
    def default(self) -> Level:
        """The level that is used if none is asked for: the one that contains the most."""
        return self.levels[-1]


def command(action: str, argument: str, without: frozenset[str]) -> list[str]:
    """The command line of the supervisor program, which needs the standard library alone."""
    return [sys.executable, "-I", "-S", _PROGRAM, action, argument, ",".join(sorted(without))]


@functools.cache
def probe(without: frozenset[str] = frozenset()) -> Probe:
    """Try every mechanism in another process; `without` leaves some out, for tests and comparisons.

    Raises OSError or subprocess.SubprocessError if that process fails: then not even the portable level works.
    """
    if IS_LINUX:
        import subprocess  # which the supervisor does not need

        words = command("probe", "-", without)
        done = subprocess.run(words, capture_output=True, timeout=_PROBE_SECONDS, check=True, stdin=subprocess.DEVNULL)
        found = json.loads(done.stdout)
    else:
        from littlego.sandbox import portable

        found = portable.probe()
    return Probe(
        levels=tuple(map(Level, found["levels"])),
        refused={Level(int(level)): why for level, why in found["refused"].items()},
        mechanisms={Level(int(level)): tuple(names) for level, names in found["mechanisms"].items()},
    )
