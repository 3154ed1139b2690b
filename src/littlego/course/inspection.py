"""Is this agent fit to be handed in? A numbered list that a student can read, with what failed shown.

Most checks are moves played through the referee: from the start and from the middle of games, with
kos, without a legal point, twice in one directory.
"""

from __future__ import annotations

import ast
import enum
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from littlego.arena.levels import Level
from littlego.arena.limits import Limits
from littlego.arena.program_player import ProgramPlayer
from littlego.arena.programs import MAIN_FILES, BuildFailed, Program, build_program, main_file
from littlego.arena.supervised import Supervisor
from littlego.core.colour import Colour
from littlego.core.errors import PlayerFault, UsageError
from littlego.core.game import play, tell_players
from littlego.core.points import Move
from littlego.core.position import Position
from littlego.course.trial_positions import ko_positions, middle_positions, must_pass_positions
from littlego.players.catalogue import make_player

COURSE_PYTHON: Final = (3, 7)
ACCEPTED_SUFFIXES: Final = (".py", ".cpp", ".java", ".json", ".txt")
_NOT_HANDED_IN: Final = ("__pycache__", "init")
_ABSOLUTE_PATH: Final = re.compile(r"""["'](/(?:home|Users|root|content|mnt|tmp|work|usr|var)/|[A-Za-z]:\\)""")
_STATE_LIMIT_BYTES: Final = 10_000_000


class Status(enum.Enum):
    """How a check ended. Only FAILED makes an agent unfit."""

    PASSED = "passed"
    REMARK = "remark"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the list."""

    title: str
    status: Status
    detail: str = ""
    position: Position | None = None
    """Where it failed, if it was in a position."""


Finding = tuple[Status, str, Position | None]


@dataclass
class Inspection:
    """The inspection of one agent; `checks` runs it."""

    path: Path
    supervisor: Supervisor
    limits: Limits = field(default_factory=Limits)
    python: str | None = None
    step: Callable[[], None] = lambda: None
    """Called after every check."""
    _cpu_seconds: list[float] = field(default_factory=list)
    _remarks: list[str] = field(default_factory=list)
    _program: Program | None = None

    def checks(self) -> Iterator[Check]:
        """The checks, one after the other. After a failed build the rest is skipped."""
        broken = False
        for title, inspect, needs_program in self._list():
            if needs_program and broken:
                check = Check(title, Status.SKIPPED, "the agent could not be built")
            else:
                status, detail, position = inspect()
                check = Check(title, status, detail, position)
                broken = broken or (status is Status.FAILED and inspect in (self._file_name, self._builds))
            self.step()
            yield check

    def titles(self) -> list[str]:
        """What will be checked."""
        return [title for title, _, _ in self._list()]

    def _list(self) -> list[tuple[str, Callable[[], Finding], bool]]:
        return [
            ("the file has a name that the course runs", self._file_name, False),
            ("only source files and .json or .txt helpers", self._only_accepted_files, False),
            ("no absolute paths", self._no_absolute_paths, False),
            (f"the language is the course's (Python {COURSE_PYTHON[0]}.{COURSE_PYTHON[1]}, its library alone)",
             self._language, False),
            ("it builds", self._builds, True),
            ("it makes a first move as Black and as White", self._first_moves, True),
            ("it moves legally when started in the middle of a game", self._middle, True),
            ("it does not retake a ko at once", self._ko, True),
            ("it passes when it has no other move", self._must_pass, True),
            ("it plays whole games, as Black and as White", self._whole_games, True),
            ("its own files from another game do not confuse it", self._stale_state, True),
            ("its output is exactly what the course asks for", self._exact_output, True),
            ("it needs nothing outside its own directory", self._contained, True),
            ("it is in time", self._time, True),
        ]  # fmt: skip

    def _file_name(self) -> Finding:
        try:
            found = main_file(self.path)
        except UsageError as error:
            return Status.FAILED, _with_likely_name(str(error), self.path), None
        others = [name for name in MAIN_FILES if (found.parent / name).is_file() and name != found.name]
        if others and self.path.is_dir():
            return Status.REMARK, f"{found.name} is run, and {', '.join(others)} beside it is not", None
        return Status.PASSED, found.name, None

    def _only_accepted_files(self) -> Finding:
        odd = [
            str(path.relative_to(self._folder()))
            for path in sorted(self._folder().rglob("*"))
            if path.is_file() and path.suffix not in ACCEPTED_SUFFIXES
            and not set(path.relative_to(self._folder()).parts) & set(_NOT_HANDED_IN)
            and path.suffix != ".sh"
        ]  # fmt: skip
        if odd:
            return Status.REMARK, f"the course does not accept {_listed(odd)}", None
        return Status.PASSED, "", None

    def _no_absolute_paths(self) -> Finding:
        for path in self._sources():
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), start=1):
                if found := _ABSOLUTE_PATH.search(line):
                    where = f"{path.name}, line {number}"
                    return Status.FAILED, f"{where}: {found[0]}... is not there on another machine", None
        return Status.PASSED, "", None

    def _language(self) -> Finding:
        for path in self._sources():
            if path.suffix != ".py":
                continue
            text = path.read_text(errors="replace")
            try:
                tree = ast.parse(text, feature_version=COURSE_PYTHON)
            except SyntaxError as error:
                return Status.FAILED, f"{path.name}, line {error.lineno}: {error.msg}", None
            if foreign := sorted(_imported(tree) - set(sys.stdlib_module_names) - self._own_modules()):
                return Status.REMARK, f"{path.name} imports {_listed(foreign)}, which the course may not have", None
        return Status.PASSED, "", None

    def _builds(self) -> Finding:
        workshop = Path(tempfile.mkdtemp(prefix="littlego-check-"))
        try:
            self._program = build_program(self.path, workshop, self.supervisor, python=self.python)
        except (BuildFailed, UsageError) as error:
            return Status.FAILED, str(error), None
        return Status.PASSED, self._program.language, None

    def _first_moves(self) -> Finding:
        start = Position.initial()
        return self._moves_in([start, start.play(12), start.play(0)])

    def _middle(self) -> Finding:
        return self._moves_in(middle_positions())

    def _ko(self) -> Finding:
        return self._moves_in(ko_positions())

    def _must_pass(self) -> Finding:
        return self._moves_in(must_pass_positions())

    def _moves_in(self, positions: list[Position]) -> Finding:
        """One move in each position, each from a fresh copy of the agent's files."""
        for position in positions:
            with self._seated() as player:
                try:
                    self._move(player, position)
                except PlayerFault as fault:
                    return Status.FAILED, _told(fault, player), position
        return Status.PASSED, f"{len(positions)} positions", None

    def _whole_games(self) -> Finding:
        for colour in Colour:
            with self._seated() as player:
                if finding := self._game(player, colour):
                    return finding
                used = sum(path.stat().st_size for path in player.directory.rglob("*") if path.is_file())
                if used > _STATE_LIMIT_BYTES:
                    return Status.REMARK, f"its directory holds {used / 1e6:.0f} MB after a game", None
        return Status.PASSED, "against greedy", None

    def _stale_state(self) -> Finding:
        with self._seated() as player:
            for colour in (Colour.WHITE, Colour.BLACK):
                again = ProgramPlayer(player.program, player.directory, self.supervisor, self.limits)
                if finding := self._game(again, colour):
                    return finding
        return Status.PASSED, "two games in one directory", None

    def _game(self, player: ProgramPlayer, colour: Colour) -> Finding | None:
        players = {colour: player, colour.opponent: make_player("greedy", seed=colour.value)}
        record = play(players, observer=tell_players(players))
        self._note(player)
        outcome = record.outcome
        if outcome is not None and outcome.verdict.is_forfeit and outcome.winner is not colour:
            said = _told(PlayerFault(outcome.verdict, outcome.reason), player)
            return Status.FAILED, f"{colour} at move {len(record.moves) + 1}: {said}", record.final()
        return None

    def _exact_output(self) -> Finding:
        if self._remarks:
            return Status.REMARK, self._remarks[0], None
        return Status.PASSED, "", None

    def _contained(self) -> Finding:
        if self.supervisor.level is Level.L0:
            return Status.SKIPPED, "L0 lets it look outside: use a higher --level", None
        return Status.PASSED, f"all of this was played at {self.supervisor.level}", None

    def _time(self) -> Finding:
        most, limit = max(self._cpu_seconds, default=0.0), self.limits.cpu_seconds
        mean = sum(self._cpu_seconds) / max(1, len(self._cpu_seconds))
        told = f"{most:.2f} s at most, {mean:.2f} s on average, of {limit:g} s a move"
        if most > limit:
            return Status.FAILED, told, None
        return (Status.REMARK if most > limit / 2 else Status.PASSED), told, None

    def _move(self, player: ProgramPlayer, position: Position) -> Move:
        try:
            return player.choose(position)
        finally:
            self._note(player)

    def _note(self, player: ProgramPlayer) -> None:
        self._cpu_seconds += player.cpu_seconds
        self._remarks += player.remarks
        player.cpu_seconds.clear()
        player.remarks.clear()

    @contextmanager
    def _seated(self) -> Iterator[ProgramPlayer]:
        assert self._program is not None
        assert self._program.files is not None
        directory = Path(tempfile.mkdtemp(prefix="littlego-check-"))
        try:
            shutil.copytree(self._program.files, directory, dirs_exist_ok=True)
            yield ProgramPlayer(self._program, directory, self.supervisor, self.limits)
        finally:
            shutil.rmtree(directory, ignore_errors=True)

    def close(self) -> None:
        """Remove what was built."""
        if self._program is not None and self._program.files is not None:
            shutil.rmtree(self._program.files, ignore_errors=True)

    def _folder(self) -> Path:
        return self.path if self.path.is_dir() else self.path.parent

    def _sources(self) -> list[Path]:
        if self.path.is_file():
            return [self.path]
        return sorted(path for path in self.path.glob("*") if path.suffix in (".py", ".cpp", ".java"))

    def _own_modules(self) -> set[str]:
        return {path.stem for path in self._folder().iterdir()}


def _told(fault: PlayerFault, player: ProgramPlayer) -> str:
    """The fault, and the last line that the agent wrote to stderr."""
    stderr = player.last.result.stderr.strip() if player.last else ""
    return f"{fault} [{stderr.splitlines()[-1]}]" if stderr else str(fault)


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"


def _imported(tree: ast.AST) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.split(".")[0])
    return names


def _with_likely_name(message: str, path: Path) -> str:
    """The message, and the file that was probably meant to be the agent."""
    if not path.is_dir():
        return message
    likely = [p.name for p in sorted(path.iterdir()) if re.fullmatch(r"(?i)my.?player.*\.(py|cpp|java)", p.name)]
    return f"{message}; {likely[0]} is here: rename it" if likely else message
