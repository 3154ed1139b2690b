"""The limits of one move of one agent, and how strictly its output is read."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB

_SHORTEST = 0.001
"""Seconds that a program gets when its clock has run out: enough to see that it uses more."""


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

    game_seconds: float | None = None
    """CPU time for all of its moves in a game; None without a clock."""
    increment_seconds: float = 0.0
    """Added to the clock after every move."""

    def for_next_move(self, used: Sequence[float]) -> Limits:
        """The limits of the next move in a game in which the earlier ones took `used` CPU seconds."""
        if self.game_seconds is None:
            return self
        left = self.game_seconds + len(used) * self.increment_seconds - sum(used)
        return dataclasses.replace(self, cpu_seconds=max(_SHORTEST, min(self.cpu_seconds, left)))

    def as_dict(self) -> dict[str, float]:
        """Without what is not set: the clock, and `strict`."""
        fields = dataclasses.asdict(self)
        if self.game_seconds is None:
            del fields["game_seconds"], fields["increment_seconds"]
        if not self.strict:
            del fields["strict"]
        return fields
