"""What one move of one agent may use."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one move. Going over any of them forfeits the game."""

    cpu_seconds: float = 10.0
    """CPU time, user and system, of the agent's whole process tree: threads and children included."""

    wall_seconds: float = 30.0
    """Real time from the start of the program to its end, a guard against programs that only wait."""

    memory_bytes: int = GIB
    """Resident memory of the whole tree at any moment. Address space is not limited: a JVM reserves far more."""

    processes: int = 64
    """Processes alive at once. The kernel's own caps, where they can be had, also count threads: eight times this."""

    file_bytes: int = 64 * MIB
    """The size of any one file the agent writes, sparse or not."""

    directory_files: int = 1000
    """Files and directories in the work directory, the agent's own program included."""

    directory_bytes: int = 256 * MIB
    """Bytes of all files in the work directory together, the agent's own program included."""

    stderr_bytes: int = 8 * KIB
    """How much of the end of standard error is kept. More may be written, and is thrown away."""

    output_bytes: int = 64 * KIB
    """The size of `output.txt`. Only its first line matters; debug prints after it are common."""

    def as_dict(self) -> dict[str, float]:
        """The limits by name, as stored with a result."""
        return dataclasses.asdict(self)
