"""Is this agent ready to submit? A numbered list that a student can read, with failures shown.

Most checks are moves played through the referee: from the start and from the middle of games, with kos, without a
legal point, twice in one directory.
"""

from __future__ import annotations

import ast
import enum
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from littlego.arena.entrants.kinds import PreparedProgram
from littlego.arena.entrants.program_player import ProgramPlayer
from littlego.arena.entrants.programs import MAIN_FILES, OURS, Program, build_program, main_file
from littlego.arena.entrants.toolchain import find_python
from littlego.arena.referee.client import Supervisor
from littlego.arena.referee.levels import Level
from littlego.arena.referee.limits import Limits
from littlego.core.colour import Colour
from littlego.core.errors import PlayerFault, UsageError
from littlego.core.game import play, tell_players
from littlego.core.position import Position
from littlego.core.rules import DEFAULT_SIZE, Ko, Rules
from littlego.core.verdict import Verdict
from littlego.course.check.trial_positions import (
    first_positions,
    ko_positions,
    middle_positions,
    must_pass_positions,
)
from littlego.course.editions.edition import Edition
from littlego.course.editions.find import find_edition
from littlego.players.catalogue import make_player
from littlego.storage.scratch import temporary_directory

COURSE_PYTHON: Final = (3, 7)
_VERSION: Final = "3.7"
ACCEPTED_SUFFIXES: Final = (".py", ".cpp", ".java", ".json", ".txt")
_NOT_SUBMITTED: Final = OURS | {"init"}
_ABSOLUTE_PATH: Final = re.compile(r"""["'](/(?:home|Users|root|content|mnt|tmp|work|usr|var)/|[A-Za-z]:\\)""")
_STATE_LIMIT_BYTES: Final = 10_000_000


class Status(enum.Enum):
    """The result of a check. Only FAILED makes an agent unfit."""

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
    """The position in which it failed, if any."""


_IN_THE_MIDDLE = "it moves legally when started in the middle of a game"
_IN_A_KO = "it moves legally in a ko, and does not retake it at once"
_MUST_PASS = "it passes when it has no other move"
_SHORTEST_WITH_A_MIDDLE = 6
_SMALLEST_WITH_KOS = 4
"""On smaller boards random games hardly ever have one."""

Finding = tuple[Status, str, Position | None]


@dataclass
class Inspection:
    """The inspection of one agent, run by `checks`."""

    path: Path
    supervisor: Supervisor
    limits: Limits = field(default_factory=Limits)
    python: str | None = None
    edition: Edition = field(default_factory=find_edition)
    _moves_made: int = 0
    _answers: int = 0
    """Moves made without a fault."""
    _faults: list[PlayerFault] = field(default_factory=list)
    _cpu_seconds: list[float] = field(default_factory=list)
    _remarks: list[str] = field(default_factory=list)
    _program: Program | None = None
    _closing: ExitStack = field(default_factory=ExitStack)

    def checks(self) -> Iterator[Check]:
        """Run the checks one by one. Those that need an agent, a build or a first move are skipped without it."""
        missing = ""
        for title, inspect, lacking in self._list():
            if missing and inspect != self._time:
                yield Check(title, Status.SKIPPED, missing)
                continue
            status, detail, position = inspect()
            yield Check(title, status, detail, position)
            if status is Status.FAILED and lacking:
                missing = lacking

    def titles(self) -> list[str]:
        return [title for title, _, _ in self._list()]

    def _list(self) -> list[tuple[str, Callable[[], Finding], str]]:
        """Titles, checks and, if later checks depend on one, what is missing when it fails."""
        moves_in, no_move = self._moves_in, "it does not get through its first move"
        rules = self.edition.rules()
        listed: list[tuple[str, Callable[[], Finding], str]] = [
            ("the file has a name that the course accepts", self._file_name, "there is no agent"),
            ("only source files and .json or .txt helpers", self._only_accepted_files, ""),
            ("no absolute paths", self._no_absolute_paths, ""),
            ("its language and library are the course's", self._language, ""),
            ("it builds", self._builds, "it could not be built"),
            (
                "it makes a first move as Black and as White",
                partial(moves_in, first_positions),
                no_move,
            ),
            (
                _IN_THE_MIDDLE,
                partial(moves_in, middle_positions),
                "",
            ),
            (_IN_A_KO, partial(moves_in, ko_positions), ""),
            (_MUST_PASS, partial(moves_in, must_pass_positions), ""),
            ("it plays whole games, as Black and as White", self._whole_games, ""),
            ("its own files from another game do not confuse it", self._stale_state, ""),
            ("its output is exactly what the course asks for", self._exact_output, ""),
            ("it needs nothing outside its own directory", self._contained, ""),
            ("it is in time", self._time, ""),
        ]
        left_out = {
            *([_IN_THE_MIDDLE] if rules.max_moves < _SHORTEST_WITH_A_MIDDLE else []),
            *([_IN_A_KO] if rules.ko is not Ko.SIMPLE or rules.size < _SMALLEST_WITH_KOS else []),
            *([_MUST_PASS] if not rules.passing or rules.size != DEFAULT_SIZE else []),
        }
        return [each for each in listed if each[0] not in left_out]

    def _file_name(self) -> Finding:
        try:
            found = main_file(self.path)
        except UsageError as error:
            return Status.FAILED, str(error), None
        try:
            self.edition.check_language(found)
        except UsageError as error:
            return Status.FAILED, str(error), None
        others = [name for name in MAIN_FILES if (found.parent / name).is_file() and name != found.name]
        if others and self.path.is_dir():
            return Status.REMARK, f"{found.name} is run; {', '.join(others)} beside it is not", None
        return Status.PASSED, found.name, None

    def _only_accepted_files(self) -> Finding:
        odd = [
            str(path.relative_to(self._folder()))
            for path in sorted(self._folder().rglob("*"))
            if path.is_file()
            and path.suffix not in (*ACCEPTED_SUFFIXES, ".sh")
            and _NOT_SUBMITTED.isdisjoint(path.relative_to(self._folder()).parts)
        ]
        if odd:
            return Status.REMARK, f"the course does not accept {_listed(odd)}", None
        return Status.PASSED, "", None

    def _no_absolute_paths(self) -> Finding:
        for path in self._sources():
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), start=1):
                if found := _ABSOLUTE_PATH.search(line):
                    where = f"{path.name}, line {number}"
                    return Status.FAILED, f"{where}: {found[0]}... does not exist on other machines", None
        return Status.PASSED, "", None

    def _language(self) -> Finding:
        language = {".cpp": "C++", ".java": "Java"}.get(main_file(self.path).suffix)
        if language:
            return Status.PASSED, language, None
        for path in self._sources():
            if path.suffix != ".py":
                continue
            text = path.read_text(errors="replace")
            try:
                tree = ast.parse(text, feature_version=COURSE_PYTHON)
            except SyntaxError as error:
                return Status.FAILED, f"{path.name}, line {error.lineno}: {error.msg}", None
            own_modules = {path.stem for path in self._folder().iterdir()}
            if foreign := sorted(_imported(tree) - set(sys.stdlib_module_names) - own_modules):
                return Status.REMARK, f"{path.name} imports {_listed(foreign)}, which the course may not have", None
        return Status.PASSED, f"the syntax of Python {_VERSION}", None

    def _builds(self) -> Finding:
        workshop = self._closing.enter_context(temporary_directory("littlego-check-"))
        try:
            python = self.python or self._course_python()
            self._program = build_program(self.path, workshop / "agent", self.supervisor, python=python)
        except UsageError as error:
            return Status.FAILED, str(error), None
        if "Python" in self._program.language and f"Python {_VERSION}" not in self._program.language:
            newer = f"{self._program.language}; the course has {_VERSION}, where newer functions are missing"
            return Status.REMARK, f"{newer}: try --python {_VERSION}", None
        return Status.PASSED, self._program.language, None

    def _course_python(self) -> str | None:
        """The course's version for `my_player3.py`, if this machine has it."""
        if main_file(self.path).name != "my_player3.py":
            return None
        try:
            find_python(_VERSION)
        except UsageError:
            return None
        return _VERSION

    def _moves_in(self, make_positions: Callable[[Rules], list[Position]]) -> Finding:
        """One move in each position, with a fresh copy of the agent's files each time."""
        positions = make_positions(self.edition.rules())
        for position in positions:
            with self._seated() as player:
                try:
                    player.choose(position)
                    self._answers += 1
                except PlayerFault as fault:
                    self._faults.append(fault)
                    return Status.FAILED, _explained(fault, player), position
                finally:
                    self._note(player)
        return Status.PASSED, f"{len(positions)} positions", None

    def _whole_games(self) -> Finding:
        for colour in Colour:
            with self._seated() as player:
                if finding := self._game(player, colour):
                    return finding
                used = sum(path.lstat().st_size for path in player.directory.rglob("*"))
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
        record = play(players, start=Position.initial(self.edition.rules()), observer=tell_players(players))
        self._note(player)
        outcome = record.outcome
        if outcome is not None and outcome.verdict.is_forfeit and outcome.winner is not colour:
            fault = PlayerFault(outcome.verdict, outcome.reason)
            self._faults.append(fault)
            why = _explained(fault, player)
            return Status.FAILED, f"{colour} at move {len(record.moves) + 1}: {why}", record.final()
        return None

    def _exact_output(self) -> Finding:
        if fault := self._fault(Verdict.BAD_FORMAT, Verdict.NO_OUTPUT):
            return Status.FAILED, str(fault), None
        if self._remarks:
            return Status.REMARK, self._remarks[0], None
        return Status.PASSED, f"{self._moves_made} moves", None

    def _contained(self) -> Finding:
        if self.supervisor.level is Level.L0:
            return Status.SKIPPED, "L0 does not restrict reading: use a higher --level", None
        if fault := self._fault(Verdict.CRASH):
            return Status.SKIPPED, f"it crashed, perhaps because something outside was missing: {fault}", None
        return Status.PASSED, f"{self._moves_made} moves were made at {self.supervisor.level}", None

    def _time(self) -> Finding:
        if not self._cpu_seconds:
            return Status.SKIPPED, "it was never started", None
        most, limit = max(self._cpu_seconds), self.limits.cpu_seconds
        mean = sum(self._cpu_seconds) / len(self._cpu_seconds)
        times = f"{most:.2f} s at most, {mean:.2f} s on average, of {limit:g} s of CPU time a move"
        if fault := self._fault(Verdict.CPU_TIME, Verdict.WALL_TIME):
            return Status.FAILED, str(fault), None
        if not self._answers:
            return Status.SKIPPED, "it made no move", None
        return (Status.REMARK if most > limit / 2 else Status.PASSED), times, None

    def _fault(self, *verdicts: Verdict) -> PlayerFault | None:
        """The first fault of these kinds."""
        return next((fault for fault in self._faults if fault.verdict in verdicts), None)

    def _note(self, player: ProgramPlayer) -> None:
        self._moves_made += len(player.cpu_seconds)
        self._cpu_seconds += player.cpu_seconds
        self._remarks += player.remarks
        player.cpu_seconds.clear()
        player.remarks.clear()

    @contextmanager
    def _seated(self) -> Iterator[ProgramPlayer]:
        assert self._program is not None
        with PreparedProgram(self._program).seated(0, self.supervisor, self.limits) as player:
            yield player

    def close(self) -> None:
        """Remove what was built, completely or partly."""
        self._closing.close()

    def _folder(self) -> Path:
        return self.path if self.path.is_dir() else self.path.parent

    def _sources(self) -> list[Path]:
        if self.path.is_file():
            return [self.path]
        found = (path for path in self.path.glob("*") if path.suffix in (".py", ".cpp", ".java"))
        return sorted(path for path in found if path.is_file() and not path.is_symlink())  # the build reports others


def _explained(fault: PlayerFault, player: ProgramPlayer) -> str:
    """The fault, and the end of the agent's stderr: of a traceback, the last place and the error."""
    lines = player.last.result.stderr.strip().splitlines() if player.last else []
    places = [line.strip() for line in lines if line.lstrip().startswith("File ")]
    return " ".join([str(fault), *(f"[{line}]" for line in [*places[-1:], *lines[-1:]])])


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
