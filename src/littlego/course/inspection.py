"""Is this agent ready to submit? A numbered list that a student can read, with failures shown.

Most checks are moves played through the referee: from the start and from the middle of games, with kos, without a
legal point, twice in one directory.
"""

from __future__ import annotations

import ast
import enum
import random
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from littlego.arena.building import (
    BUILD_LIMITS,
    MAIN_FILES,
    OURS,
    STARTER_FILES,
    Program,
    Sources,
    ToolMissing,
    build_program,
    course_python,
    find_tool,
    main_file,
    parse_source,
    read_sources,
    source_encoding,
)
from littlego.arena.participants import CourseAgent, PreparedProgram
from littlego.arena.program import ProgramPlayer
from littlego.arena.untrusted import NotPlain, read_plain, read_state
from littlego.core.board import Colour, parse_board
from littlego.core.errors import PlayerFault, UsageError
from littlego.core.game import GameRecord, play, tell_players
from littlego.core.points import PASS, points_of
from littlego.core.position import Position
from littlego.core.rules import DEFAULT_SIZE, Ko, Rules, Verdict, Why, edition_rules
from littlego.course.edition import EDITION_FILE, Edition, find_edition
from littlego.course.failures import TOO_LONG, blamed, missing_module, what_helps, where_it_hangs
from littlego.course.seats import SeveralAgents, found_agent, is_wrapped
from littlego.course.starter import KIT_2019
from littlego.formats.text import listed
from littlego.players.catalogue import make_player
from littlego.sandbox.client import MoveRequest, Supervisor
from littlego.sandbox.limits import Limits
from littlego.storage.files import Closing
from littlego.storage.scratch import temporary_directory

if TYPE_CHECKING:
    from littlego.arena.games import Capsule

_ACCEPTED: Final = (".py", ".cpp", ".java", ".json", ".txt", ".sh")
"""The documents, 5.1: "or scripts are acceptable"."""
_HEADERS: Final = (".h", ".hpp", ".hh")
_BUILT: Final = (".class", ".o", ".pyc", ".exe")
_NOT_SUBMITTED: Final = OURS | {"init", EDITION_FILE}
_KINDS_RULE: Final = (
    '6: "Only submit the source code files (in .java, .py or .cpp) and helper files (if any, in .json or .txt)"'
)
_LIBRARY_RULE: Final = (
    '5.1: "please do not use any publicly available library calls for minmax, alpha-beta pruning, Q-Learning, or any '
    'other search/reinforcement learning algorithm"'
)
_LEARNING_LIBRARIES: Final = frozenset(
    {"caffe", "gym", "gymnasium", "jax", "keras", "mxnet", "ray", "sklearn", "stable_baselines3"}
    | {"tensorflow", "theano", "torch", "xgboost"}
)
_VERSION_RULE: Final = '6: "the highest version of Python that is offered is Python 3.7.5"'
_ABSOLUTE_PATH: Final = re.compile(r"""["'](/(?:home|Users|root|content|mnt|tmp|work|usr|var)/|[A-Za-z]:\\)""")


def accepted_files(folder: Path) -> Finding:
    """Remarks on what the documents exclude, and on what a build or a system leaves there: none of it loses a game."""
    excluded, headers, left_over = [], [], []
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if not path.is_file() or path.suffix in _ACCEPTED:
            continue
        if not _NOT_SUBMITTED.isdisjoint(relative.parts):
            continue
        if path.suffix in _HEADERS:
            headers.append(str(relative))
        elif path.suffix in _BUILT or path.name == "exe" or any(part.startswith(".") for part in relative.parts):
            left_over.append(str(relative))
        else:
            excluded.append(str(relative))
    remarks = [f"leave out {listed(excluded)}, which the course does not accept"] if excluded else []
    remarks += [f"{listed(headers)}: found by the build, though not named by the documents"] if headers else []
    remarks += [f"leave out {listed(left_over)}"] if left_over else []
    return (Status.REMARK, f"{'; '.join(remarks)} ({_KINDS_RULE})", None) if remarks else (Status.PASSED, "", None)


def no_absolute_paths(sources: Sources) -> Finding:
    for path, source in sources.files.items():
        text = source.decode(errors="replace")
        if found := _ABSOLUTE_PATH.search(text):
            where = f"{path.name}, line {text.count(chr(10), 0, found.start()) + 1}"
            return Status.FAILED, f"{where}: {found[1]}... does not exist on other machines", None
    return Status.PASSED, "", None


def newest_python(sources: Sources, course: str | None = "3.7") -> Finding:
    """Whether the syntax of Python files is that of the course's version; None takes any.

    Newer functions are found by running the agent with that version, where this machine has it.
    """
    if course is None or not re.match(r"3\.\d", course):
        return Status.PASSED, "", None
    major, minor, *_ = map(int, course.split("."))
    newest = (major, minor)
    rule = _VERSION_RULE if newest == (3, 7) else f"the edition has Python {course}"
    for path, source in sources.files.items():
        if b"\0" in source:
            return Status.FAILED, f"{path.name}: is not plain text: save it as UTF-8, not as UTF-16", None
        if (line := _undecodable_line(source)) is not None:
            return Status.FAILED, f"{path.name}, line {line}: is not UTF-8, and no coding line says what it is", None
        try:
            parse_source(source, feature_version=newest)
        except SyntaxError as error:
            if error.lineno is None:
                continue  # too large or too deep to be parsed here; the interpreter itself compiles it
            # What our own, newer Python cannot parse has nothing to do with the version.
            newer = f" ({rule})" if path in sources.imported else ""
            return Status.FAILED, f"{path.name}, line {_line(source, error)}: {error.msg}{newer}", None
    return Status.PASSED, f"its syntax is that of Python {course}", None


def _undecodable_line(source: bytes) -> int | None:
    """The first line, from 1, that is not written in the file's encoding. The parser reads over it in a comment."""
    try:
        encoding = source_encoding(source)
    except SyntaxError:  # the line is one of the first two, which name the encoding
        encoding = "utf-8"
    for number, line in enumerate(source.splitlines(), start=1):
        try:
            line.decode(encoding)
        except UnicodeDecodeError:
            return number
    return None


def foreign_imports(sources: Sources) -> Finding | None:
    for path, modules in sources.imported.items():
        foreign = modules - STARTER_FILES
        if learning := sorted(foreign & _LEARNING_LIBRARIES):
            return Status.FAILED, f"{path.name} imports {listed(learning)} ({_LIBRARY_RULE})", None
        if foreign == {"numpy"}:
            return Status.REMARK, f"{path.name} imports numpy, which the course was seen to have", None
        if foreign:
            return Status.REMARK, f"{path.name} imports {listed(sorted(foreign))}, which the course may not have", None
    return None


def _line(source: bytes, error: SyntaxError) -> int | None:
    """Where the fault is. Python names the end of a `match` statement that it considers too new."""
    if "match" in error.msg.lower():
        with suppress(SyntaxError, ValueError):  # no such statement
            return min(node.lineno for node in ast.walk(parse_source(source)) if isinstance(node, ast.Match))
    return error.lineno


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
    capsule: Capsule | None = None
    """Reproduces the failure, if a move failed."""
    advice: str = ""
    """What helps, if there is nothing to debug in the program: a sentence without its full stop."""


_WORTH_SAYING: Final = (Status.REMARK, Status.FAILED)
Finding = tuple[Status, str, Position | None]


_EACH_COLOUR = 6
_KOS_EACH_COLOUR = 3

_NO_MOVE_FOR_WHITE = ". X . X .\nX X X X X\n. X X X X\nX X X X X\n. X . X ."


_USUAL: Final = edition_rules()


def first_positions(rules: Rules = _USUAL) -> list[Position]:
    """The empty board, and two boards with Black's first stone: in the centre, and in a corner."""
    start = Position.initial(rules)
    return [start, start.play(rules.size * rules.size // 2), start.play(0)]


def middle_positions(rules: Rules = _USUAL) -> list[Position]:
    """Positions from the middle and the end of random games, equally many for each colour."""
    shares = ((rules.max_moves * part // 24, part) for part in (7, 10, 15, 18, 21, 22))
    # Odd ones stay odd, so that both colours have theirs.
    moments = {moment - (moment - part) % 2 for moment, part in shares}
    late_enough = (position for position in _random_positions(rules, seed=1) if position.moves_played in moments)
    return _some_of_each_colour(late_enough, _EACH_COLOUR)


def suicide_positions(rules: Rules = _USUAL) -> list[Position]:
    """Positions with more suicidal points for the side to move than legal ones, equally many for each colour."""
    with_many = (p for p in _random_positions(rules, seed=3) if _suicides(p) > p.legal_points().bit_count())
    return _some_of_each_colour(with_many, _KOS_EACH_COLOUR)


def _suicides(position: Position) -> int:
    return sum(position.why_illegal(point) is Why.SUICIDE for point in range(position.size**2))


def ko_positions(rules: Rules = _USUAL) -> list[Position]:
    """Positions in which the side to move may not retake a ko, equally many for each colour: for the simple ko."""
    in_a_ko = (p for p in _random_positions(rules, seed=2) if p.ko is not None and not _suicides(p))
    return _some_of_each_colour(in_a_ko, _KOS_EACH_COLOUR)


def _some_of_each_colour(positions: Iterator[Position], number: int) -> list[Position]:
    chosen: dict[Colour, list[Position]] = {colour: [] for colour in Colour}
    while min(map(len, chosen.values())) < number:
        position = next(positions)
        if len(chosen[position.to_move]) < number:
            chosen[position.to_move].append(position)
    return [position for pair in zip(*chosen.values(), strict=True) for position in pair]


def must_pass_positions(rules: Rules = _USUAL) -> list[Position]:
    """Positions in which a pass is the only legal move, one for each colour: on 5x5, where passing is allowed."""
    board = parse_board(_NO_MOVE_FOR_WHITE)
    swapped = board._replace(black=board.white, white=board.black)
    return [
        Position(rules, board, Colour.WHITE, moves_played=min(19, rules.max_moves - 3)),
        Position(rules, swapped, Colour.BLACK, moves_played=min(20, rules.max_moves - 2)),
    ]


def _random_positions(rules: Rules, *, seed: int) -> Iterator[Position]:
    """Positions of random games without passes, without end."""
    rng = random.Random(seed)
    while True:
        position = Position.initial(rules)
        while position.outcome() is None:
            yield position
            position = position.play(rng.choice(points_of(position.legal_points()) or position.legal_moves()))


FIRST_MOVE: Final = "it makes a first move as Black and as White"
_IN_THE_MIDDLE: Final = "it moves legally when started in the middle of a game"
_SUICIDE: Final = "it takes no last liberty of its own without a capture (suicide)"
_IN_A_KO: Final = "it moves legally in a ko, and does not retake it at once"
_MUST_PASS: Final = "it passes when it has no other move"
_WHOLE_GAMES: Final = "it plays whole games, as Black and as White"
_WINS: Final = "it wins a game"
_IN_TIME: Final = "it is in time"
_SUGGESTED_SECONDS: Final = 20 * 60 / 400
"""A game's share of the 20 minutes that 2019's course suggests for its 400 games."""
_SHORTEST_WITH_A_MIDDLE: Final = 6
_SMALLEST_WITH_KOS: Final = 4
"""On smaller boards random games hardly ever have one."""
_STATE_LIMIT_BYTES: Final = 10_000_000
_WAITS: Final = 2.0
"""Seconds of every move that are neither CPU time nor a busy machine's fault: a program that sleeps."""
_BUSY: Final = 5
"""Up to this many times its CPU time a move may take because of others that want the core."""
_SEEN_ON_THE_BOARD: Final = (Verdict.ILLEGAL_SUICIDE, Verdict.ILLEGAL_KO)


@dataclass
class Inspection(Closing):
    """The inspection of one agent, run by `checks`. A context manager."""

    path: Path
    supervisor: Supervisor
    limits: Limits = field(default_factory=Limits)
    python: str | None = None
    edition: Edition = field(default_factory=find_edition)
    spelling: str = ""
    """Names the agent in capsules, if not the path."""
    class_text: str = ""
    """Of a class of 2019, the part of its spelling after `class:`."""
    program: Program | None = None
    """The agent, once it is built."""
    _moves_made: int = 0
    """Moves made without a fault."""
    _kept: list[str] = field(default_factory=list)
    """Names of files that it keeps from move to move."""
    _faults: list[PlayerFault] = field(default_factory=list)
    _cpu_seconds: list[float] = field(default_factory=list)
    """Of the moves that were made."""
    _waiting: list[float] = field(default_factory=list)
    """Of the same moves: real seconds without CPU time."""
    _won: dict[str, list[bool]] = field(default_factory=dict)
    """Whether it won, by opponent and game."""
    _capsule: Capsule | None = None
    _advice: str = ""
    """Of the newest fault."""
    _remarks: list[str] = field(default_factory=list)
    _inexact: list[str] = field(default_factory=list)
    _closing: ExitStack = field(default_factory=ExitStack)

    def checks(self) -> Iterator[Check]:
        """Run the checks one by one. Those that need an agent, a build or a first move are skipped without it.

        Raises ToolMissing if this machine cannot build or run the agent, which says nothing about it.
        """
        missing = ""
        for title, inspect, lacking in self._list():
            if missing and inspect != self._time:
                yield Check(title, Status.SKIPPED, missing)
                continue
            self._capsule, self._advice = None, ""
            status, detail, position = inspect()
            yield Check(title, status, detail, position, self._capsule, self._advice)
            if status is Status.FAILED and lacking:
                missing = lacking
            elif self._fault(*TOO_LONG):
                missing = "one time-out is enough"
            elif self._waits > _WAITS:
                missing = f"it idles for {self._waits:.0f} s on every move, so this would take minutes"

    def titles(self) -> list[str]:
        return [title for title, _, _ in self._list()]

    def remarks(self) -> list[str]:
        """What can be said of the files without running anything: of their names, kinds, paths and language."""
        return [detail for _, look, _ in self._list()[:4] for status, detail, _ in [look()] if status in _WORTH_SAYING]

    @property
    def fatal(self) -> dict[str, str]:
        """The titles of checks without which nothing can be played, and what their failure means."""
        return {title: lacking for title, _, lacking in self._list() if lacking}

    def _list(self) -> list[tuple[str, Callable[[], Finding], str]]:
        """Titles, checks and, if later checks depend on one, what is missing when it fails."""
        if self.class_text:
            return [
                ("the file has a class MyPlayer with get_input", self._class, "there is no class"),
                ("no library of machine learning", self._libraries, ""),
                ("it needs no go.py of its own", self._own_go, ""),
                ("no absolute paths", lambda: no_absolute_paths(self._sources), ""),
                (_WHOLE_GAMES, self._whole_games, ""),
                (_WINS, self._wins, ""),
                (_IN_TIME, self._time, ""),
            ]
        moves_in, cold, no_move = self._moves_in, self._cold_starts, "it does not get through its first move"
        rules = self.edition.rules()
        points: list[tuple[str, Callable[[], Finding], str]] = [
            ("the file has a name that the course accepts", self._file_name, "there is no agent"),
            ("only source files and .json or .txt helpers", lambda: accepted_files(self._folder()), ""),
            ("no absolute paths", lambda: no_absolute_paths(self._sources), ""),
            ("its language and library are the course's", self._language, ""),
            ("it builds", self._builds, "it could not be built"),
            (FIRST_MOVE, partial(moves_in, first_positions), no_move),
            (_IN_THE_MIDDLE, partial(cold, middle_positions), ""),
            (_SUICIDE, partial(cold, suicide_positions), ""),
            (_IN_A_KO, partial(cold, ko_positions), ""),
            (_MUST_PASS, partial(cold, must_pass_positions), ""),
            (_WHOLE_GAMES, self._whole_games, ""),
            ("its own files from another game do not confuse it", self._stale_state, ""),
            (_WINS, self._wins, ""),
            ("its output is exactly what the course asks for, and it ends cleanly", self._exact_output, ""),
            (_IN_TIME, self._time, ""),
        ]
        left_out = {
            *([_IN_THE_MIDDLE] if rules.max_moves < _SHORTEST_WITH_A_MIDDLE else []),
            *([_SUICIDE] if rules.size < _SMALLEST_WITH_KOS else []),
            *([_IN_A_KO] if rules.ko is not Ko.SIMPLE or rules.size < _SMALLEST_WITH_KOS else []),
            *([_MUST_PASS] if not rules.passing or rules.size != DEFAULT_SIZE else []),
        }
        return [point for point in points if point[0] not in left_out]

    def _class(self) -> Finding:
        from littlego.course.classes import parse_class_agent

        workshop = self._closing.enter_context(temporary_directory("littlego-check-"))
        try:
            agent = parse_class_agent(self.class_text, python=self.python, edition="2019")
            self.program = agent.prepare(workshop, self.supervisor).program
        except ToolMissing:
            raise
        except UsageError as error:
            return Status.FAILED, str(error), None
        self.path, self.spelling = agent.path, self.spelling or agent.spelling
        return Status.PASSED, "", None

    def _libraries(self) -> Finding:
        found = sorted(self._sources.wanted & _LEARNING_LIBRARIES)
        return Status.FAILED if found else Status.PASSED, listed(found), None

    def _own_go(self) -> Finding:
        try:
            is_ours = read_plain(self._folder() / "go.py") == (KIT_2019 / "go.py").read_bytes()
        except FileNotFoundError:
            is_ours = True
        except (NotPlain, OSError):
            is_ours = False
        return (Status.PASSED, "", None) if is_ours else (Status.REMARK, "its go.py is replaced by ours", None)

    def _file_name(self) -> Finding:
        try:
            found = main_file(self.path)
            self.edition.check_language(found)
        except UsageError as error:
            return Status.FAILED, str(error), None
        others = [name for name in MAIN_FILES if (found.parent / name).is_file() and name != found.name]
        if others and self.path.is_dir():
            return Status.REMARK, f"{found.name} is run; {', '.join(others)} beside it is not", None
        return Status.PASSED, found.name, None

    @property
    def _wanted_python(self) -> str | None:
        return self.python or self.edition.default_python

    def _language(self) -> Finding:
        main = main_file(self.path)
        if main.suffix != ".py":
            return Status.PASSED, {".cpp": "C++", ".java": "Java"}[main.suffix], None
        interpreter, _ = course_python(main.name, self._wanted_python)
        if main.name == "my_player.py" and self.edition.default_python is None:
            if interpreter.version.startswith("2."):
                return Status.PASSED, f"Python {interpreter.version}, which runs my_player.py in the course", None
            missing = f"the course runs my_player.py with Python 2, and here is only {interpreter.version}"
            return Status.REMARK, f"{missing}: call it my_player3.py if it is Python 3", None
        found = newest_python(self._sources, self.edition.python)
        return (foreign_imports(self._sources) or found) if found[0] is Status.PASSED else found

    def _builds(self) -> Finding:
        workshop = self._closing.enter_context(temporary_directory("littlego-check-"))
        try:
            self.program = build_program(self.path, workshop / "agent", self.supervisor, python=self._wanted_python)
        except ToolMissing:
            raise
        except UsageError as error:
            return Status.FAILED, str(error), None
        if (newer := self._newer_cpp()) is not None:
            return Status.REMARK, newer, None
        return Status.REMARK if self.program.remarks else Status.PASSED, self.program.runtime, None

    def _newer_cpp(self) -> str | None:
        """Why `my_player.cpp` may not build in the course, whose g++ took it for C++98 unless told otherwise."""
        main = main_file(self.path)
        if main.name != "my_player.cpp":
            return None
        with self._seated() as player:
            strict = ("-std=gnu++98", "-fsyntax-only", "-fno-diagnostics-show-caret")
            argv = (str(find_tool("g++")), *strict, main.name)
            result = self.supervisor.run(MoveRequest(argv, player.directory, b"", BUILD_LIMITS))
        if not result.status or not (errors := re.findall(r"^(\S+?):(\d+):\d+: error: (.*)$", result.stderr, re.M)):
            return None
        name, line, why = errors[0]
        return f"{name}, line {line}: {why}: an older g++ takes my_player.cpp for C++98: call it my_player11.cpp"

    def _moves_in(self, make_positions: Callable[[Rules], list[Position]]) -> Finding:
        """One move in each position, with a fresh copy of the agent's files each time."""
        positions = make_positions(self.edition.rules())
        for position in positions:
            with self._seated() as player:
                try:
                    player.choose(position)
                except PlayerFault as fault:
                    record = GameRecord("agent", "agent", position).forfeited(position.to_move, fault, position)
                    return Status.FAILED, self._explained(fault, player, record), position
                self._note(player)
                assert self.program is not None
                self._kept = self._kept or sorted(read_state(player.directory, self.program.files))
        return Status.PASSED, f"{len(positions)} positions", None

    def _cold_starts(self, make_positions: Callable[[Rules], list[Position]]) -> Finding:
        """The same in the middle of a game, where the course never starts an agent.

        An agent that keeps files does not have them here, and may take the position for a first move: what follows from
        that is only a remark. Suicide and ko need no files to be seen.
        """
        faults = len(self._faults)
        status, detail, position = self._moves_in(make_positions)
        if status is not Status.FAILED or not self._kept or self._faults[-1].verdict in _SEEN_ON_THE_BOARD:
            return status, detail, position
        del self._faults[faults:]
        without = f"without its own files ({listed(self._kept)}), as the course never starts it"
        return Status.REMARK, f"{without}: {detail}", position

    def _whole_games(self) -> Finding:
        passes: set[bool] = set()
        for colour in Colour:
            with self._seated() as player:
                if finding := self._game(player, colour, "greedy", passes):
                    return finding
                used = sum(path.lstat().st_size for path in player.directory.rglob("*"))
                if used > _STATE_LIMIT_BYTES:
                    return Status.REMARK, f"its directory holds {used / 1e6:.0f} MB after a game", None
        if passes == {True}:
            return Status.FAILED, "it passed at every move: is a return missing, or the move never written?", None
        return Status.PASSED, "against greedy", None

    def _stale_state(self) -> Finding:
        with self._seated() as player:
            for colour in (Colour.WHITE, Colour.BLACK):
                again = ProgramPlayer(player.program, player.directory, self.supervisor, self.limits)
                if finding := self._game(again, colour, "random"):
                    return finding
        return Status.PASSED, "two games in one directory", None

    def _wins(self) -> Finding:
        if not self._won:
            return Status.SKIPPED, "it finished no game", None
        won, played = sum(map(sum, self._won.values())), sum(map(len, self._won.values()))
        each = ", ".join(f"{sum(games)} of {len(games)} against {name}" for name, games in self._won.items())
        if won:
            return Status.PASSED, each, None
        return Status.REMARK, f"it lost all {played}: {each}; a match and a review show why", None

    def _game(
        self, player: ProgramPlayer, colour: Colour, opponent: str, passes: set[bool] | None = None
    ) -> Finding | None:
        """Why it failed, if it did; `passes` gets whether it passed, for every move of its own."""
        players = {colour: player, colour.opponent: make_player(opponent, seed=colour.value)}
        names = ("agent", opponent) if colour is Colour.BLACK else (opponent, "agent")
        start = Position.initial(self.edition.rules())
        record = play(players, start=start, names=names, observer=tell_players(players))
        outcome = record.outcome
        if passes is not None:
            passes |= {move is PASS for move in record.moves[colour is Colour.WHITE :: 2]}
        if outcome is not None and outcome.verdict.is_forfeit and outcome.winner is not colour:
            fault = PlayerFault(outcome.verdict, outcome.reason)
            why = self._explained(fault, player, record)
            return Status.FAILED, f"{colour} at move {len(record.moves) + 1}: {why}", record.final()
        self._won.setdefault(opponent, []).append(outcome is not None and outcome.winner is colour)
        self._note(player)
        return None

    def _exact_output(self) -> Finding:
        if fault := self._fault(Verdict.BAD_FORMAT, Verdict.NO_OUTPUT):
            return Status.FAILED, str(fault), None
        if self._inexact:
            return Status.FAILED, f"{self._inexact[0]}; {len(self._inexact)} of {self._moves_made} moves", None
        if self._remarks:
            return Status.REMARK, self._remarks[0], None
        return Status.PASSED, f"{self._moves_made} moves", None

    def _time(self) -> Finding:
        if fault := self._fault(Verdict.CPU_TIME, Verdict.WALL_TIME):
            return Status.FAILED, str(fault), None
        if not self._cpu_seconds:
            return Status.SKIPPED, "it made no move", None
        most, limit = max(self._cpu_seconds), self.limits.cpu_seconds
        mean = sum(self._cpu_seconds) / len(self._cpu_seconds)
        times = f"{most:.2f} s at most, {mean:.2f} s on average, of {limit:g} s of CPU time a move"
        made = f"{times}, in the {len(self._cpu_seconds)} moves that it made"
        if self._waits > _WAITS:
            waits = f"it idles for {self._waits:.1f} s on every move: remove the sleep"
            return Status.FAILED, f"{waits}; {made}", None
        games = sum(map(len, self._won.values()))
        if self.class_text and games and sum(self._cpu_seconds) / games > _SUGGESTED_SECONDS:
            long = "the 400 games of stage 1 would take more than the 20 minutes that the course suggests"
            return Status.REMARK, f"{made}; {long}", None
        return (Status.REMARK if most > limit / 2 else Status.PASSED), made, None

    @property
    def _waits(self) -> float:
        """Seconds that it waits at every move."""
        return min(self._waiting, default=0.0)

    def _fault(self, *verdicts: Verdict) -> PlayerFault | None:
        """The first fault of these kinds."""
        return next((fault for fault in self._faults if fault.verdict in verdicts), None)

    def _note(self, player: ProgramPlayer, fault: PlayerFault | None = None) -> None:
        """Add up a player's moves since the last call; a `fault` ended its last one, which was not made."""
        if fault is not None:
            self._faults.append(fault)
            del player.cpu_seconds[-1:]
            del player.wall_seconds[-1:]
            del player.waited_seconds[-1:]
        self._moves_made += len(player.cpu_seconds)
        self._cpu_seconds += player.cpu_seconds
        self._waiting += (wall - _BUSY * cpu for wall, cpu in zip(player.wall_seconds, player.cpu_seconds, strict=True))
        self._remarks += player.remarks
        self._inexact += player.inexact
        for noted in (player.cpu_seconds, player.wall_seconds, player.waited_seconds, player.remarks, player.inexact):
            noted.clear()

    def _explained(self, fault: PlayerFault, player: ProgramPlayer, record: GameRecord) -> str:
        """Note a fault; returns it with what stderr says about it, or the place where the program hangs."""
        from littlego.arena.games import Capsule

        self._note(player, fault)
        spelling = self.spelling or CourseAgent(self.path).spelling
        self._capsule = Capsule.of_loser(spelling, player, record, str(self.supervisor.level))
        last = player.last
        if last is None:
            return str(fault)
        lines = [": ".join(filter(None, blamed(last.result.stderr)))]
        if fault.verdict in TOO_LONG:
            frames = where_it_hangs(player.program, last.input, last.state, self.supervisor, self.limits)
            lines = [f"it was at {', called from '.join(frames)}"] if frames else lines
        if (module := missing_module(last.result.stderr)) in player.program.lacking:
            self._advice = what_helps(module)
        return " ".join([str(fault), *(f"[{line}]" for line in lines if line), *_ADVICE.get(fault.verdict, ())])

    def _seated(self) -> AbstractContextManager[ProgramPlayer]:
        assert self.program is not None
        return PreparedProgram(self.program).seated(0, self.supervisor, self.limits)

    def close(self) -> None:
        """Remove what was built, completely or partly."""
        self._closing.close()

    def _folder(self) -> Path:
        return self.path if self.path.is_dir() else self.path.parent

    @cached_property
    def _sources(self) -> Sources:
        return read_sources(self.path if self.path.is_file() else main_file(self.path))


_ADVICE: Final = {
    Verdict.ILLEGAL_KO: ("(the board after it is the older one in input.txt: compare them before you choose it)",),
    Verdict.ILLEGAL_SUICIDE: ("(count the liberties after captures, and leave such points out)",),
}


@contextmanager
def inspect(
    spelling: str,
    supervisor: Supervisor,
    *,
    edition: Edition,
    limits: Limits | None = None,
    python: str | None = None,
    on_found: Callable[[str], None] = lambda _where: None,
) -> Iterator[Inspection]:
    """The inspection of an agent: its directory, file or `.zip`, or a class of 2019 (`class:PATH` or just its path).

    `on_found` is told where an agent is that is further down, or in an archive. Raises UsageError if there is nothing
    that can be inspected.
    """
    limits = limits or edition.limits
    with temporary_directory("littlego-check-") as place:
        if spelling.startswith("class:"):
            folder, class_text, named = Path(), spelling.removeprefix("class:"), ""
        else:
            path = Path(spelling)
            if not path.exists():
                raise UsageError(f"{spelling}: no such file or directory")
            folder = unwrapped(path, place, on_found)
            class_text, named = "", CourseAgent(folder, given=path).spelling
            if is_class(folder):
                class_text, named = str(folder), f"class:{named}"
        if class_text and edition.like != "2019":
            edition = find_edition("2019")
        with Inspection(folder, supervisor, limits, python, edition, named, class_text) as inspection:
            yield inspection


def is_class(agent: Path) -> bool:
    """Whether an agent's directory or file is a class of 2019 that need not be called one. Raises UsageError."""
    file = agent / "my_player.py" if agent.is_dir() else agent
    if not file.is_file():
        return False
    from littlego.course.classes import is_class_of_2019

    return is_class_of_2019(file)


def unwrapped(agent: Path, place: Path, on_found: Callable[[str], None] = lambda _where: None) -> Path:
    """The agent's own directory, if there is one agent further down or in an archive; otherwise `agent`."""
    if not is_wrapped(agent):
        return agent
    try:
        folder = found_agent(agent, place)
    except SeveralAgents:
        raise
    except UsageError:
        if agent.is_dir():
            return agent  # the first check says what is wrong
        raise
    if agent.is_dir():
        on_found(str(folder.relative_to(agent)))
    else:
        inside = Path(*folder.relative_to(place).parts[1:])
        on_found(agent.name if inside == Path() else f"{inside} in {agent.name}")
    return folder
