"""Is this agent ready to submit? A numbered list that a student can read, with failures shown.

Most checks are moves played through the referee: from the start and from the middle of games, with kos, without a
legal point, twice in one directory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from littlego.arena.capsule import Capsule
from littlego.arena.entrants.kinds import CourseAgent, PreparedProgram
from littlego.arena.entrants.program_player import ProgramPlayer
from littlego.arena.entrants.programs import MAIN_FILES, Program, build_program, main_file
from littlego.arena.entrants.state_files import read_state
from littlego.arena.entrants.toolchain import ToolMissing, course_python
from littlego.arena.referee.client import Supervisor
from littlego.arena.referee.levels import Level
from littlego.arena.referee.limits import Limits
from littlego.core.colour import Colour
from littlego.core.errors import PlayerFault, UsageError
from littlego.core.game import GameRecord, play, tell_players
from littlego.core.points import PASS
from littlego.core.position import Position
from littlego.core.rules import DEFAULT_SIZE, Ko, Rules
from littlego.core.verdict import Verdict
from littlego.course.check.finding import Check, Finding, Status
from littlego.course.check.hang import TOO_LONG, where_it_hangs
from littlego.course.check.sources import accepted_files, foreign_imports, newest_python, no_absolute_paths
from littlego.course.check.trial_positions import first_positions, ko_positions, middle_positions, must_pass_positions
from littlego.course.editions.edition import Edition
from littlego.course.editions.find import find_edition
from littlego.course.missing_module import missing_module, what_helps
from littlego.formats.phrases import listed
from littlego.players.catalogue import make_player
from littlego.storage.closing import Closing
from littlego.storage.scratch import temporary_directory

FIRST_MOVE: Final = "it makes a first move as Black and as White"
_IN_THE_MIDDLE: Final = "it moves legally when started in the middle of a game"
_IN_A_KO: Final = "it moves legally in a ko, and does not retake it at once"
_MUST_PASS: Final = "it passes when it has no other move"
_WINS: Final = "it wins a game"
_SHORTEST_WITH_A_MIDDLE: Final = 6
_SMALLEST_WITH_KOS: Final = 4
"""On smaller boards random games hardly ever have one."""
_STATE_LIMIT_BYTES: Final = 10_000_000
_WAITS: Final = 2.0
"""Seconds of every move that are neither CPU time nor a busy machine's fault: a program that sleeps."""
_BUSY: Final = 5
"""Up to this many times its CPU time a move may take because of others that want the core."""
_SEEN_ON_THE_BOARD: Final = (Verdict.ILLEGAL_SUICIDE, Verdict.ILLEGAL_KO)
_THROWN: Final = re.compile(r"Exception in thread |Caused by: ")
"""Begins the line of a Java stack trace that names an exception; the last one is the cause of the others."""


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
    _program: Program | None = None
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
                missing = f"it waits {self._waits:.0f} s at every move, so this would take minutes"

    def titles(self) -> list[str]:
        return [title for title, _, _ in self._list()]

    @property
    def fatal(self) -> dict[str, str]:
        """The titles of checks without which nothing can be played, and what their failure means."""
        return {title: lacking for title, _, lacking in self._list() if lacking}

    @property
    def program(self) -> Program | None:
        """The agent, once it is built."""
        return self._program

    @property
    def runtime(self) -> str:
        """What the agent runs with, once it is built."""
        return self._program.runtime if self._program else ""

    def _list(self) -> list[tuple[str, Callable[[], Finding], str]]:
        """Titles, checks and, if later checks depend on one, what is missing when it fails."""
        moves_in, cold, no_move = self._moves_in, self._cold_starts, "it does not get through its first move"
        rules = self.edition.rules()
        points: list[tuple[str, Callable[[], Finding], str]] = [
            ("the file has a name that the course accepts", self._file_name, "there is no agent"),
            ("only source files and .json or .txt helpers", lambda: accepted_files(self._folder()), ""),
            ("no absolute paths", lambda: no_absolute_paths(self._sources()), ""),
            ("its language and library are the course's", self._language, ""),
            ("it builds", self._builds, "it could not be built"),
            (FIRST_MOVE, partial(moves_in, first_positions), no_move),
            (_IN_THE_MIDDLE, partial(cold, middle_positions), ""),
            (_IN_A_KO, partial(cold, ko_positions), ""),
            (_MUST_PASS, partial(cold, must_pass_positions), ""),
            ("it plays whole games, as Black and as White", self._whole_games, ""),
            ("its own files from another game do not confuse it", self._stale_state, ""),
            (_WINS, self._wins, ""),
            ("its output is exactly what the course asks for, and it ends cleanly", self._exact_output, ""),
            ("it needs nothing outside its own directory", self._contained, ""),
            ("it is in time", self._time, ""),
        ]
        left_out = {
            *([_IN_THE_MIDDLE] if rules.max_moves < _SHORTEST_WITH_A_MIDDLE else []),
            *([_IN_A_KO] if rules.ko is not Ko.SIMPLE or rules.size < _SMALLEST_WITH_KOS else []),
            *([_MUST_PASS] if not rules.passing or rules.size != DEFAULT_SIZE else []),
        }
        return [point for point in points if point[0] not in left_out]

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
        sources = [path for path in self._sources() if path.suffix == ".py"]
        if main.name == "my_player.py" and self.edition.default_python is None:
            if interpreter.version.startswith("2."):
                return Status.PASSED, f"Python {interpreter.version}, which runs my_player.py in the course", None
            missing = f"the course runs my_player.py with Python 2, and here is only {interpreter.version}"
            return Status.REMARK, f"{missing}: call it my_player3.py if it is Python 3", None
        found = newest_python(sources, interpreter, self.edition.python)
        return (foreign_imports(sources) or found) if found[0] is Status.PASSED else found

    def _builds(self) -> Finding:
        workshop = self._closing.enter_context(temporary_directory("littlego-check-"))
        try:
            self._program = build_program(self.path, workshop / "agent", self.supervisor, python=self._wanted_python)
        except ToolMissing:
            raise
        except UsageError as error:
            return Status.FAILED, str(error), None
        return Status.REMARK if self._program.remarks else Status.PASSED, self._program.runtime, None

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
                assert self._program is not None
                self._kept = self._kept or sorted(read_state(player.directory, self._program.files))
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

    def _contained(self) -> Finding:
        if self.supervisor.level is Level.L0:
            return Status.SKIPPED, "L0 does not restrict reading: use a higher --level", None
        if fault := self._fault(Verdict.CRASH):
            return Status.SKIPPED, f"it crashed, perhaps because something outside was missing: {fault}", None
        return Status.PASSED, f"{self._moves_made} moves were made at {self.supervisor.level}", None

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
            waits = f"it waits {self._waits:.1f} s at every move, for nothing that uses CPU time: remove the sleep"
            return Status.FAILED, f"{waits}; {made}", None
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
        self._moves_made += len(player.cpu_seconds)
        self._cpu_seconds += player.cpu_seconds
        self._waiting += (wall - _BUSY * cpu for wall, cpu in zip(player.wall_seconds, player.cpu_seconds, strict=True))
        self._remarks += player.remarks
        self._inexact += player.inexact
        for noted in (player.cpu_seconds, player.wall_seconds, player.remarks, player.inexact):
            noted.clear()

    def _explained(self, fault: PlayerFault, player: ProgramPlayer, record: GameRecord) -> str:
        """Note a fault; returns it with what stderr says about it, or the place where the program hangs."""
        self._note(player, fault)
        spelling = self.spelling or CourseAgent(self.path).spelling
        self._capsule = Capsule.of_loser(spelling, player, record, str(self.supervisor.level))
        last = player.last
        if last is None:
            return str(fault)
        lines = trace_summary(last.result.stderr)
        if fault.verdict in TOO_LONG:
            frames = where_it_hangs(player.program, last.input, last.state, self.supervisor, last.limits)
            lines = [f"it was at {', called from '.join(frames)}"] if frames else lines
        if (module := missing_module(last.result.stderr)) in player.program.lacking:
            self._advice = what_helps(module)
        return " ".join([str(fault), *(f"[{line}]" for line in lines), *_ADVICE.get(fault.verdict, ())])

    def _seated(self) -> AbstractContextManager[ProgramPlayer]:
        assert self._program is not None
        return PreparedProgram(self._program).seated(0, self.supervisor, self.limits)

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


_ADVICE: Final = {
    Verdict.ILLEGAL_KO: ("(the board after it is the older one in input.txt: compare them before you choose it)",),
    Verdict.ILLEGAL_SUICIDE: ("(count the liberties after captures, and leave such points out)",),
}


def trace_summary(stderr: str) -> list[str]:
    """Of a Java stack trace the exception and its first place in the agent; of a Python one its end."""
    lines = [line.strip() for line in stderr.strip().splitlines()]
    thrown = [number for number, line in enumerate(lines) if _THROWN.match(line)]
    if thrown:
        # A cause leaves out the places that it shares with what it caused.
        own = [line for line in [*lines[thrown[-1] :], *lines] if re.match(r"at (?!java|jdk|sun).*\.java:", line)]
        return [lines[thrown[-1]], *own[:1]]
    return [*[line for line in lines if line.startswith("File ")][-1:], *lines[-1:]]
