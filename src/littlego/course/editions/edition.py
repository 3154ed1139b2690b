"""An edition of the course, or of a course like it: everything that a teacher decides, as one value.

Edition  rules, limits, languages, and a
Scheme   the batches of an edition, and how often they are repeated
Batch    games that share a time budget: a stage, or the part of it that "submit" plays
Rubric   an opponent, and bands of points by win rate
Late     what a late submission loses
"""

from __future__ import annotations

import enum
import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from littlego.arena.building import COURSE_VERSIONS, Program, ToolMissing
from littlego.core.board import Colour
from littlego.core.errors import UsageError
from littlego.core.rules import DEFAULT_EDITION, Rules
from littlego.formats.toml import RulesTable
from littlego.sandbox.limits import Limits


@dataclass(frozen=True, slots=True)
class Band:
    """A line of a rubric: from this win rate up, fixed points, or points times the rate."""

    at_least: int
    """In per cent."""
    points: float
    times_rate: bool = True

    def value(self, rate: Fraction) -> float:
        return float(self.points * rate) if self.times_rate else float(self.points)


@dataclass(frozen=True, slots=True)
class Award:
    """Points, and the line of the rubric that gave them."""

    points: float
    line: str


@dataclass(frozen=True, slots=True)
class Rubric:
    """The bands for one opponent, best first; the last begins at 0%."""

    opponent: str
    """Its name in tables."""
    bands: tuple[Band, ...]
    player: str = ""
    """Its spelling, if that is not its name."""
    files: str = ""
    """A digest of the opponent's files, if it has any."""
    reserved: bool = False
    """Whether the students of a server for a class are not graded by it until their homework is due."""

    @property
    def spelling(self) -> str:
        return self.player or self.opponent

    @property
    def max_points(self) -> float:
        """For winning every game."""
        return self.bands[0].value(Fraction(1))

    def award(self, wins: int, games: int) -> Award:
        """Exact: 18 of 20 is 90%. No points without games."""
        if not games:
            return Award(0.0, "no games were played: 0")
        rate = Fraction(wins, games)
        k = next(k for k, band in enumerate(self.bands) if rate * 100 >= band.at_least)
        band = self.bands[k]
        where = f"{band.at_least}% or more" if band.at_least or k == 0 else f"below {self.bands[k - 1].at_least}%"
        points = band.value(rate)
        if not band.times_rate or not band.points:
            return Award(points, f"{where}: {points:g}")
        return Award(points, f"{where}: {band.points:g} x {100 * float(rate):g}% = {points:g}")


@dataclass(frozen=True, slots=True)
class Batch:
    """Games that share a budget of CPU time."""

    key: str
    """What `--stage` calls it, such as `1` or `submit2`."""
    title: str
    rubrics: tuple[Rubric, ...]
    games_per_colour: int
    budget_seconds: float
    binding: bool = True
    """Whether a batch over budget scores nothing."""
    colours: tuple[Colour, ...] = tuple(Colour)
    """The agent's."""
    on_submit: bool = False
    """Whether it is played when an agent is submitted, and is not part of the grade."""
    folder: str = ""
    """Where a submission with several agents has the one for these games."""

    @property
    def games_each(self) -> int:
        return len(self.colours) * self.games_per_colour

    @property
    def games(self) -> int:
        return self.games_each * len(self.rubrics)

    @property
    def max_points(self) -> float:
        """For winning every game."""
        return sum(rubric.max_points for rubric in self.rubrics)


ALL, SUBMIT = "all", "submit"
"""All stages of the grade; everything that is played on submission."""


@dataclass(frozen=True, slots=True)
class Scheme:
    """The grading of an edition."""

    batches: tuple[Batch, ...]
    repeats: int = 1
    """How often a stage (not a submit) is played; the best total counts."""
    instead: Mapping[str, str] = field(default_factory=dict)
    """Advice for those who ask for a stage that this edition does not grade."""

    @property
    def opponents(self) -> list[str]:
        """Names of all opponents, sorted."""
        return sorted({rubric.opponent for batch in self.batches for rubric in batch.rubrics})

    def rubrics(self) -> dict[str, Rubric]:
        """One rubric for each opponent, by its name."""
        return {rubric.opponent: rubric for batch in self.batches for rubric in batch.rubrics}

    def stages(self) -> list[str]:
        """What `selected` takes."""
        keys = [batch.key for batch in self.batches]
        return [*keys, *(word for word in (ALL, SUBMIT) if any(self._within(word)) and word not in keys)]

    def selected(self, stage: str) -> tuple[Batch, ...]:
        """The batches of a stage: its key, or `all`, or `submit`. Raises UsageError."""
        found = tuple(batch for batch in self.batches if batch.key == stage) or self._within(stage)
        if not found:
            if stage in self.instead:
                raise UsageError(f"stage {stage} is not graded in this edition: {self.instead[stage]}")
            raise UsageError(f"stage {stage!r}: expected one of {', '.join(self.stages())}")
        return found

    def _within(self, word: str) -> tuple[Batch, ...]:
        if word not in (ALL, SUBMIT):
            return ()
        return tuple(batch for batch in self.batches if batch.on_submit is (word == SUBMIT))

    def repeats_of(self, stage: str) -> int:
        return 1 if all(batch.on_submit for batch in self.selected(stage)) else self.repeats


@dataclass(frozen=True, slots=True)
class Late:
    """What a submission after the deadline loses."""

    days: int = 0
    """How many days late it may be at most; 0: the edition says nothing about it."""
    percent: float = 0.0
    """Of its points, for every day begun."""

    def share(self, days: int) -> Fraction:
        """The share of the points that is left."""
        if days <= 0:
            return Fraction(1)
        if days > self.days:
            return Fraction(0)
        return max(Fraction(0), 1 - Fraction(str(self.percent)) * days / 100)


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
