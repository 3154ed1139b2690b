"""The limits of one move of one agent."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB


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

    def as_dict(self) -> dict[str, float]:
        return dataclasses.asdict(self)
