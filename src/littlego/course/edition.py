"""An edition of the course, or of a course like it: everything that a teacher decides, as a value, a file and words.

Edition  rules, limits, languages, and a
Scheme   the batches of an edition, and how often they are repeated
Batch    games that share a time budget: a stage, or the part of it that "submit" plays
Rubric   an opponent, and bands of points by win rate
Late     what a late submission loses

`find_edition` takes what `--edition` does: a name, or a file in TOML, which may only say what differs from another.
"""

from __future__ import annotations

import enum
import hashlib
import json
import os
import re
import tomllib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Final

from littlego.arena.building import COURSE_VERSIONS, Program, ToolMissing, files_digest, main_file
from littlego.core.errors import UsageError
from littlego.core.rules import DEFAULT_EDITION, EDITIONS, Ending, Ko, Rules
from littlego.formats.fields import Fields
from littlego.formats.text import plural
from littlego.formats.toml import RulesTable, format_rules_table, parse_rules_table, toml_text
from littlego.players.catalogue import MANUAL, PLAYERS
from littlego.sandbox.limits import MIB, Limits
from littlego.storage.files import read_text


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
        band, where = self.bands[k], self._where(k)
        points = band.value(rate)
        if not band.times_rate or not band.points:
            return Award(points, f"{where}: {points:g}")
        return Award(points, f"{where}: {band.points:g} x {100 * float(rate):g}% = {points:g}")

    def _where(self, k: int) -> str:
        """The win rates of a band."""
        start = self.bands[k].at_least
        return f"{start}% or more" if start or k == 0 else f"below {self.bands[k - 1].at_least}%"

    @property
    def words(self) -> str:
        """All bands, in the words of an award."""
        lines = []
        for k, band in enumerate(self.bands):
            lines.append(f"{self._where(k)}: {band.points:g}{' x rate' if band.times_rate and band.points else ''}")
        return "; ".join(lines)


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
    on_submit: bool = False
    """Whether it is played when an agent is submitted, and is not part of the grade."""
    folder: str = ""
    """Where a submission with several agents has the one for these games."""

    @property
    def games_each(self) -> int:
        return 2 * self.games_per_colour

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
    """Of a move."""
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
        for batch in fields["scheme"]["batches"]:
            batch.pop("title")
            for rubric in batch["rubrics"]:
                rubric.pop("reserved")  # when it may be met, not what it gives
                if rubric["files"]:
                    rubric.pop("player")
        text = json.dumps(fields, sort_keys=True, default=lambda each: each.value)
        return hashlib.sha256(text.encode()).hexdigest()[:12]


_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
_OUTSIDE: Final = ("cmd:", "gtp:", "class:")
_MOST_BATCHES: Final = 10
_MOST_OPPONENTS: Final = 10
_MOST_GAMES: Final = 1000
_LONGEST: Final = 1e7


def parse_edition(text: str, *, source: str, folder: Path | None = None) -> Edition:
    """The edition in a text of TOML; paths of opponents are relative to `folder`. Raises FormatError."""
    table = Fields.of_toml(text, source)
    if like := table.take("like", str, ""):
        if like not in EDITIONS:
            raise table.error("like", f"expected one of {', '.join(EDITIONS)}, got {like!r:.60}")
        own = tomllib.loads(text)
        del own["like"]
        table = Fields(_over(_shipped_table(like), own), source)
    name = table.take("name", str)
    if not _NAME.fullmatch(name):
        raise table.error("name", f"expected at most 40 letters, digits, - and _, got {name!r:.60}")
    time, programs, late = table.table("time"), table.table("programs"), table.table("late")
    edition = Edition(
        name,
        parse_rules_table(table.table("rules")),
        _scheme(table, folder or Path()),
        _title(table, ""),
        _limits(time, programs),
        _languages(programs),
        _python(programs),
        _packages(programs),
        table.take_word("kit", Kit, Kit.PROGRAM),
        Late(
            late.take_number("days", 0, 365, 0, whole=True),
            late.take_number("percent_per_day", 0, 100, 0.0),
        ),
    )
    for each in (time, programs, late, table):
        each.end()
    return edition


def _shipped_text(name: str) -> str:
    return (FOLDER / f"{name}.toml").read_text(encoding="utf-8")


def _shipped_table(name: str) -> dict[str, Any]:
    own = tomllib.loads(_shipped_text(name))
    like = own.pop("like", None)
    return _over(_shipped_table(like), own) if like else own


def _over(base: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """What an edition says in place of the one it is like: tables key by key, all else as a whole."""
    merged = {**base, **own}
    for key, value in own.items():
        if isinstance(value, dict) and isinstance(base.get(key), dict):
            merged[key] = {**base[key], **value}
    return merged


def _title(table: Fields, default: str) -> str:
    """It is shown as it is, on terminals too."""
    title = str(table.take("title", str, default))
    if not title.isprintable():
        raise table.error("title", f"expected a line without control characters, got {title!r:.60}")
    return title


def _limits(time: Fields, programs: Fields) -> Limits:
    usual = Limits()
    cpu = time.take_number("cpu_seconds", 0.01, _LONGEST, usual.cpu_seconds)
    return Limits(
        cpu_seconds=float(cpu),
        wall_seconds=float(time.take_number("wall_seconds", 0.01, _LONGEST, 3 * cpu)),
        memory_bytes=programs.take_number("memory_mib", 16, 1 << 20, usual.memory_bytes // MIB, whole=True) * MIB,
        processes=programs.take_number("processes", 1, 10_000, usual.processes, whole=True),
    )


def _languages(programs: Fields) -> tuple[Language, ...]:
    words = programs.take("languages", list, [language.value for language in Language])
    known = [language.value for language in Language]
    if not words or any(word not in known for word in words):
        raise programs.error("languages", f"expected some of {', '.join(known)}, got {words!r:.60}")
    return tuple(language for language in Language if language.value in words)


def _python(programs: Fields) -> str | None:
    version: str | None = programs.take("python", str, None)
    if version is not None and not re.fullmatch(r"[23]\.\d{1,2}(\.\d{1,2})?", version):
        raise programs.error("python", f"expected a version such as '3.11', got {version!r:.60}")
    return version


def _packages(programs: Fields) -> tuple[str, ...]:
    names = programs.take("packages", list, list(COURSE_PACKAGES))
    if not all(isinstance(name, str) and name.isidentifier() for name in names):
        raise programs.error("packages", f"expected names of modules, such as 'numpy', got {names!r:.60}")
    return tuple(sorted(names))


def _scheme(table: Fields, folder: Path) -> Scheme:
    grading = table.table("grading")
    repeats = grading.take_number("repeats", 1, 9, 1, whole=True)
    grading.end()
    batches = tuple(_batch(stage, folder) for stage in table.tables("stages"))
    if not 1 <= len(batches) <= _MOST_BATCHES:
        raise table.error("stages", f"expected 1 to {_MOST_BATCHES} tables [[stages]], got {len(batches)}")
    keys = [batch.key for batch in batches]
    if twice := {key for key in keys if keys.count(key) > 1}:
        raise table.error("stages", f"two stages have the key {min(twice)!r}")
    spelled: dict[str, str] = {}
    for rubric in (rubric for batch in batches for rubric in batch.rubrics):
        if spelled.setdefault(rubric.opponent, rubric.spelling) != rubric.spelling:
            raise table.error("stages", f"two different opponents are called {rubric.opponent!r}: give one a name")
    return Scheme(batches, repeats)


def _batch(stage: Fields, folder: Path) -> Batch:
    key = stage.take("key", str)
    if not _NAME.fullmatch(key) or key in (ALL, SUBMIT):
        raise stage.error("key", f"expected letters and digits, and neither {ALL!r} nor {SUBMIT!r}, got {key!r:.60}")
    games = stage.take_number("games", 2, _MOST_GAMES, whole=True)
    if games % 2:
        raise stage.error("games", f"expected an even number, half of it with each colour, got {games}")
    over = stage.take("over_budget", str, "no points")
    if over not in ("no points", "remark"):
        raise stage.error("over_budget", f"expected one of no points, remark, got {over!r:.60}")
    batch = Batch(
        key,
        _title(stage, f"Stage {key}"),
        tuple(_rubric(opponent, folder) for opponent in stage.tables("opponents")),
        games // 2,
        float(stage.take_number("budget_seconds", 0.01, _LONGEST)),
        over == "no points",
        stage.take("on_submit", bool, False),
        stage.take("folder", str, f"stage{key}"),
    )
    if not 1 <= len(batch.rubrics) <= _MOST_OPPONENTS:
        raise stage.error("opponents", f"expected 1 to {_MOST_OPPONENTS} opponents, got {len(batch.rubrics)}")
    names = [rubric.opponent for rubric in batch.rubrics]
    if twice := {name for name in names if names.count(name) > 1}:
        raise stage.error("opponents", f"{min(twice)!r} comes twice")
    stage.end()
    return batch


def _rubric(table: Fields, folder: Path) -> Rubric:
    player, files = table.take("player", str), ""
    if player in PLAYERS and player != MANUAL:
        name = table.take("name", str, player)
    elif player.startswith(_OUTSIDE):
        name = table.take("name", str)
    else:
        if not os.path.exists(folder / player):  # noqa: PTH110 - never raises
            names = ", ".join(name for name in PLAYERS if name != MANUAL)
            raise table.error("player", f"expected a player ({names}) or the path of an agent, got {player!r:.80}")
        player = str((folder / player).absolute())
        files = files_digest(main_file(Path(player)).parent)
        name = table.take("name", str, Path(player).name)
    # It names a folder, too: neither `.` nor `..`.
    if not re.fullmatch(r"\w[\w.+-]{0,59}", name):
        raise table.error("name", f"expected letters, digits and . _ + -, at most 60, got {name!r:.60}")
    reserved = table.take("reserved", bool, False)
    bands = [_band(line) for line in table.tables("lines")]
    starts = [band.at_least for band in bands]
    if not bands or starts != sorted(set(starts), reverse=True):
        raise table.error("lines", f"expected lines from the highest win rate to the lowest, got from = {starts}")
    if starts[-1] > 0:
        bands.append(Band(0, 0))
    table.end()
    return Rubric(name, tuple(bands), "" if player == name else player, files, reserved)


def _band(line: Fields) -> Band:
    band = Band(
        line.take_number("from", 0, 100, whole=True),
        line.take_number("points", 0, 1e6),
        line.take("times_rate", bool, False),
    )
    line.end()
    return band


def format_edition(edition: Edition) -> str:
    """The inverse of `parse_edition`, for an edition whose opponents need no files beside it."""
    limits, late = edition.limits, edition.late
    lines = [
        f"name = {toml_text(edition.name)}",
        *([f"title = {toml_text(edition.title)}"] if edition.title else []),
        f"kit = {toml_text(edition.kit.value)}",
        "",
        *format_rules_table(edition.board),
        "",
        "[time]",
        f"cpu_seconds = {limits.cpu_seconds}",
        f"wall_seconds = {limits.wall_seconds}",
        "",
        "[programs]",
        f"languages = [{', '.join(toml_text(language.value) for language in edition.languages)}]",
        *([f"python = {toml_text(edition.python)}"] if edition.python else []),
        f"packages = [{', '.join(map(toml_text, edition.packages))}]",
        f"memory_mib = {limits.memory_bytes // MIB}",
        f"processes = {limits.processes}",
        "",
        "[late]",
        f"days = {late.days}",
        f"percent_per_day = {late.percent}",
        "",
        "[grading]",
        f"repeats = {edition.scheme.repeats}",
    ]
    for batch in edition.scheme.batches:
        lines += ["", *_format_batch(batch)]
    return "\n".join([*lines, ""])


def _format_batch(batch: Batch) -> list[str]:
    lines = [
        "[[stages]]",
        f"key = {toml_text(batch.key)}",
        f"title = {toml_text(batch.title)}",
        f"games = {batch.games_each}",
        f"budget_seconds = {batch.budget_seconds}",
        f"over_budget = {toml_text('no points' if batch.binding else 'remark')}",
        f"on_submit = {'true' if batch.on_submit else 'false'}",
        f"folder = {toml_text(batch.folder)}",
    ]
    for rubric in batch.rubrics:
        lines += ["", "[[stages.opponents]]", f"name = {toml_text(rubric.opponent)}"]
        lines += [f"player = {toml_text(rubric.spelling)}", *(["reserved = true"] if rubric.reserved else [])]
        lines.append("lines = [")
        for band in rubric.bands:
            times = ", times_rate = true" if band.times_rate else ""
            lines.append(f"  {{ from = {band.at_least}, points = {band.points}{times} }},")
        lines.append("]")
    return lines


def read_edition(path: Path) -> Edition:
    """Raises FormatError, which names the file."""
    return parse_edition(read_text(path), source=str(path), folder=path.parent)


FOLDER: Final = Path(__file__).with_name("editions")
EDITION_FILE: Final = "edition.toml"
"""The copy of a course's own edition in a starter kit and in an autograder."""


@cache
def shipped_edition(name: str) -> Edition:
    """One of `EDITIONS`, from the file that comes with the package."""
    return read_edition(FOLDER / f"{name}.toml")


def find_edition(text: str = DEFAULT_EDITION) -> Edition:
    """The edition that a name or the path of a `.toml` file stands for.

    Raises UsageError for anything else, and FormatError for a file with errors.
    """
    if text in EDITIONS:
        return shipped_edition(text)
    if not text.endswith(".toml"):
        raise UsageError(f"edition {text!r}: expected one of {', '.join(EDITIONS)}, or a file such as mycourse.toml")
    edition = read_edition(Path(text))
    if edition.name in EDITIONS and edition != shipped_edition(edition.name):
        raise UsageError(f"{text}: name: {edition.name} is an edition that comes with littlego: choose another name")
    return edition


def edition_text(text: str) -> str:
    """The file of an edition as it is written, or in full if it only says what differs. Raises UsageError."""
    edition = find_edition(text)
    written = _shipped_text(text) if text in EDITIONS else Path(text).read_text(encoding="utf-8")
    return format_edition(edition) if "like" in Fields.of_toml(written, text) else written


def edition_words(edition: Edition) -> list[str]:
    """Lines, each a sentence or a row of a stage's points."""
    return [
        f"Edition {edition.name}{f': {edition.title}' if edition.title else ''}. Digest {edition.digest()}.",
        "",
        *_rules_words(edition),
        "",
        *_limits_words(edition),
        "",
        *_grading_words(edition),
    ]


def _rules_words(edition: Edition) -> Iterator[str]:
    rules = edition.rules()
    size, komi = f"{rules.size}x{rules.size}", f"{rules.komi:g}"
    yield f"Board: {size}; White gets {komi} points of komi."
    early = {
        Ending.TWO_PASSES: "or when both sides pass in turn",
        Ending.NO_MOVE: "or when the side to move has no legal move; passing is not allowed",
    }[rules.ending]
    yield f"A game ends after {rules.max_moves} moves, {early}."
    yield {
        Ko.SIMPLE: "Ko: a move may not bring back the board before the opponent's last move.",
        Ko.POSITIONAL: "Ko: a move may not bring back any earlier board of the game.",
    }[rules.ko]
    if rules.attempts > 1:
        yield f"A player in the host's process has {rules.attempts} attempts at a legal move."
    if edition.board.komi is None and edition.board.length is None:
        yield "On another board (--size N) komi is N/2, and a game has N*N-1 moves."


def _limits_words(edition: Edition) -> Iterator[str]:
    limits = edition.limits
    yield f"Time: {limits.cpu_seconds:g} s of CPU time a move, and at most {limits.wall_seconds:g} s of real time."
    yield f"Memory: {limits.memory_bytes // MIB} MiB, in at most {limits.processes} processes."
    languages = ", ".join(language.value for language in edition.languages)
    python = f"; Python {edition.python} where the machine has it" if edition.python else ""
    yield f"Agents are written in {languages}{python}."
    if Language.PYTHON in edition.languages:
        packages = " and ".join(edition.packages) or "nothing"
        yield f"Besides its own library, the course's Python has {packages}."
    kind = "a program, started for every move" if edition.kit is Kit.PROGRAM else "a Python class, as in 2019"
    yield f"The starter kit is {kind}."


def _grading_words(edition: Edition) -> Iterator[str]:
    scheme = edition.scheme
    graded, tried = scheme.selected("all"), [batch for batch in scheme.batches if batch.on_submit]
    total = sum(batch.max_points for batch in graded)
    yield f"Graded out of {total:g} points, in {plural(sum(batch.games for batch in graded), 'game')}."
    if scheme.repeats > 1:
        yield f"All of it is played {scheme.repeats} times, and the best total counts."
    late = edition.late
    if late.days:
        worst = float(100 * late.share(late.days))
        yield (
            f"Late submissions lose {late.percent:g}% of their points a day, for {plural(late.days, 'day')} at most "
            f"({worst:g}% is left then); after that nothing counts."
        )
    else:
        yield "It says nothing about late submissions."
    for batch in (*graded, *tried):
        yield from _batch_words(batch)


def _batch_words(batch: Batch) -> Iterator[str]:
    over = "a batch that takes longer scores nothing" if batch.binding else "more is only remarked on"
    when = "played on submission, not part of the grade" if batch.on_submit else f"{batch.max_points:g} points"
    yield ""
    yield f"{batch.title} (--stage {batch.key}): {when}."
    yield f"  {plural(batch.games_each, 'game')} against each opponent, {batch.games_per_colour} with each colour;"
    yield f"  {batch.budget_seconds:g} s of CPU time for all {batch.games} ({over})."
    if batch.folder:
        yield f"  A submission with an agent for each stage has this one's in {batch.folder}/."
    for rubric in batch.rubrics:
        player = f" ({rubric.player})" if rubric.player else ""
        reserved = ", reserved until the homework is due" if rubric.reserved else ""
        yield f"  {rubric.opponent}{player}{reserved}: {rubric.words}."
