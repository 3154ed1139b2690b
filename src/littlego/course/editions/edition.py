"""An edition of the course, or of a course like it: everything that a teacher decides, as one value."""

from __future__ import annotations

import enum
import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from littlego.arena.building import COURSE_VERSIONS, Program, ToolMissing
from littlego.core.errors import UsageError
from littlego.core.rules import DEFAULT_EDITION, Rules
from littlego.course.editions.rubric import Late, Scheme
from littlego.formats.toml import RulesTable
from littlego.sandbox.limits import Limits


class Language(enum.Enum):
    """What agents may be written in."""

    PYTHON = "python"
    CPP = "c++"
    JAVA = "java"


COURSE_PACKAGES: Final = ("numpy",)
"""What the course was seen to have."""

SUFFIXES: Final = {".py": Language.PYTHON, ".cpp": Language.CPP, ".java": Language.JAVA}


class Kit(enum.Enum):
    """What `littlego new` writes, and what agents are by default."""

    PROGRAM = "program"
    """A program, started for every move."""
    CLASS = "class"
    """A Python class, as in 2019."""


@dataclass(frozen=True, slots=True)
class Edition:
    """Rules, limits, opponents and points. An equal value is the same edition."""

    name: str
    """Letters, digits and dashes; what records and tables call it."""
    board: RulesTable
    scheme: Scheme
    title: str = ""
    limits: Limits = field(default_factory=Limits)
    """Of a move, and of a game if it has a clock."""
    languages: tuple[Language, ...] = tuple(Language)
    python: str | None = None
    """The version of Python that agents run with at the course."""
    packages: tuple[str, ...] = COURSE_PACKAGES
    """What that Python has besides its own library."""
    kit: Kit = Kit.PROGRAM
    late: Late = field(default_factory=Late)

    def rules(self, size: int | None = None) -> Rules:
        """On a board of this size, by default the edition's own. Raises UsageError."""
        return self.board.rules(self.name, size)

    @property
    def default_python(self) -> str | None:
        """For `find_python`: the edition's version, where it is installed; None for that of the shipped editions."""
        return None if self.python in (None, COURSE_VERSIONS["my_player3.py"]) else f"{self.python}?"

    def check_language(self, main: Path) -> None:
        """Raises UsageError for an agent's main file in a language that the edition does not take."""
        if SUFFIXES.get(main.suffix) not in self.languages:
            allowed = " or ".join(language.value for language in self.languages)
            raise UsageError(f"{main.name}: edition {self.name} takes agents in {allowed} only")

    def check_packages(self, program: Program) -> None:
        """Raises ToolMissing if this machine lacks a package that the course has: no student loses points for that."""
        if lacks := [name for name in program.lacking if name in self.packages]:
            names = ", ".join(lacks)
            raise ToolMissing(
                f"it imports {names}, which the course has but {program.language} here ({program.argv[0]}) does not: "
                f"install {names} for it, or name another with --python"
            )

    @property
    def needs_files(self) -> bool:
        """Whether some opponents are agents, in directories beside the edition's file."""
        return any(rubric.files for rubric in self.scheme.rubrics().values())

    @property
    def like(self) -> str:
        """The edition that comes with the package whose kit and classes this one uses."""
        return "2019" if self.kit is Kit.CLASS else DEFAULT_EDITION

    def digest(self) -> str:
        """A short hash of all that decides: not titles, advice, who is reserved, and where opponents' files are."""
        fields = asdict(self)
        fields.pop("title")
        fields.pop("packages")  # whether it can be graded here, not what it gets
        fields["scheme"].pop("instead")
        for batch in fields["scheme"]["batches"]:
            batch.pop("title")
            for rubric in batch["rubrics"]:
                rubric.pop("reserved")  # when it may be met, not what it gives
                if rubric["files"]:
                    rubric.pop("player")
        text = json.dumps(fields, sort_keys=True, default=_plain)
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def _plain(value: Any) -> Any:
    assert isinstance(value, enum.Enum), value
    return value.value
