"""What a hostile case is: what it does, how it must end, and which levels promise to contain it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath

from littlego.core.rules import Verdict
from littlego.sandbox.limits import Level

GOOD = None
"""No verdict: the agent played, and whatever else it tried was refused."""
EVERY = frozenset(Level)
SANDBOXED = EVERY - {Level.PORTABLE}


@dataclass(frozen=True, slots=True, eq=False)
class Build:
    """An agent whose danger lies in being built."""

    files: Mapping[str, str]
    """Its files by name, the agent's main file first. SECRET in them stands for the path of a file it must not read."""
    words: str = ""
    """A regular expression for the message of a refusal."""
    links: tuple[str, ...] = ()
    """Names of symbolic links to the secret."""
    hurried: bool = False
    """Whether it would never end, and so gets tight limits."""

    @property
    def tool(self) -> str:
        """The program that builds it, which may not be installed."""
        return {".py": "python3", ".cpp": "g++", ".java": "javac"}[PurePath(next(iter(self.files))).suffix]


@dataclass(frozen=True, slots=True)
class Case:
    """One misdeed, or one honest act that must not be mistaken for one."""

    name: str
    """Selects it in `act.py`."""
    proves: str
    """What it shows if it ends as expected; a cell of the table."""
    verdicts: frozenset[Verdict | None]
    """The verdicts in which it may end where it is contained."""
    levels: frozenset[Level] = EVERY
    """The levels that promise to contain it."""
    moves: int = 1
    """How many moves are played in the same directory; the last one is judged."""
    output: bytes = b"2,3\n"
    """The output that it leaves if it ends without a verdict."""
    group: str = ""
    module: str = "agent"
    """The module that declares it."""
    build: Build | None = None
    """Built instead of played; then no verdict means that it was built, and CRASH that it was refused."""

    def word(self, verdict: Verdict | None) -> str:
        """The verdict as the table shows it."""
        if self.build and verdict is not Verdict.VOID:
            return "refused" if verdict else "builds"
        return verdict.value if verdict else "plays on"
