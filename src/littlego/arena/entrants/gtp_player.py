"""A GTP engine as a player: `gtp:"gnugo --mode gtp"`. It lives for one game and hears of every move."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Final

from littlego.arena.entrants.commands import command_words
from littlego.arena.entrants.gtp_process import GtpProcess
from littlego.arena.entrants.kinds import Command, Prepared
from littlego.arena.referee.client import Supervisor
from littlego.arena.referee.limits import Limits
from littlego.core.colour import BLACK, WHITE, Colour
from littlego.core.errors import FormatError, PlayerFault, Resigned, UsageError
from littlego.core.game import Player
from littlego.core.points import Move, points_of
from littlego.core.position import Position
from littlego.core.verdict import Verdict
from littlego.core.vertex import parse_vertex, vertex_name
from littlego.formats.printable import shortened

PREFIX: Final = "gtp:"
_GAMES: Final = "/usr/local/games:/usr/games"
"""Where Debian puts games, which is not on everyone's PATH."""

_Stone = tuple[Colour, Move]
"""A move as `play` sends it to an engine."""


@dataclass(slots=True)
class GtpPlayer:
    """An engine that plays one game, started for its first move; `close` ends it.

    It also plays if `observe` is never called: a position whose past it does not know is set up on its board.
    """

    argv: tuple[str, ...]
    limits: Limits
    clock: Callable[[], float] = time.monotonic
    wall_seconds: list[float] = field(default_factory=list)
    move_number: int = 0
    """Of the last move it was asked for."""
    _process: GtpProcess | None = None
    _past: list[tuple[Position, Move, Position]] = field(default_factory=list)
    _sent: list[_Stone] = field(default_factory=list)
    """The moves on the engine's board, in order."""
    _can_undo: bool = False

    @property
    def transcript(self) -> str:
        return self._process.transcript if self._process else ""

    @property
    def stderr(self) -> str:
        return self._process.stderr if self._process else ""

    @property
    def status(self) -> int | None:
        """The exit status; None while it runs."""
        return self._process.status if self._process else None

    def choose(self, position: Position) -> Move:
        """The move that the engine generates.

        Raises PlayerFault if it gives no answer in time (`wall_seconds` of the limits, its start included), ends, or
        answers with no legal move; Resigned if it resigns.
        """
        self.move_number = position.moves_played + 1
        began = self.clock()
        deadline = began + self.limits.wall_seconds
        try:
            self._catch_up(position, deadline)
            answer = self._ask(f"genmove {position.to_move.word}", deadline)
        finally:
            self.wall_seconds.append(round(self.clock() - began, 4))
        if answer.lower() == "resign":
            raise Resigned(Verdict.RESIGNED, f"{position.to_move} resigned")
        move = _parsed(answer, position)
        self._sent.append((position.to_move, move))
        if why := position.why_illegal(move):
            raise PlayerFault(why.verdict, f"{position.move_name(move)} ({answer}): {why.value}")
        return move

    def observe(self, before: Position, move: Move, after: Position) -> None:
        """Called by the game loop for every move."""
        self._forget_what_was_taken_back(before)
        self._past.append((before, move, after))

    def close(self) -> None:
        if self._process is not None:
            self._process.close()

    def _forget_what_was_taken_back(self, now: Position) -> None:
        while self._past and self._past[-1][2] != now:
            self._past.pop()

    def _catch_up(self, position: Position, deadline: float) -> None:
        """Bring the engine's board to `position`."""
        self._forget_what_was_taken_back(position)
        start = self._past[0][0] if self._past else position
        wanted = setting_up(start) + [(before.to_move, move) for before, move, _ in self._past]
        if self._process is None:
            self._start(position, deadline)
        same = 0
        while same < min(len(wanted), len(self._sent)) and wanted[same] == self._sent[same]:
            same += 1
        if same < len(self._sent) and not self._undone(len(self._sent) - same, deadline):
            self._ask("clear_board", deadline)
            self._sent.clear()
            same = 0
        for colour, move in wanted[same:]:
            self._ask(f"play {colour.word} {vertex_name(move, position.size)}", deadline)
            self._sent.append((colour, move))

    def _undone(self, moves: int, deadline: float) -> bool:
        """Ask the engine to take moves back; False if it cannot."""
        if not self._can_undo or self._process is None:
            return False
        for _ in range(moves):
            if not self._process.ask("undo", deadline=deadline).ok:
                return False
            self._sent.pop()
        return True

    def _start(self, position: Position, deadline: float) -> None:
        self._process = GtpProcess(self.argv, stderr_bytes=self.limits.stderr_bytes, clock=self.clock)
        self._ask(f"boardsize {position.size}", deadline)
        self._ask("clear_board", deadline)
        self._ask(f"komi {position.rules.komi:g}", deadline)
        self._can_undo = self._knows("undo", deadline)
        if self._knows("time_settings", deadline):
            # Seconds for every single move: no main time, one stone in each period.
            seconds = max(1, int(min(self.limits.cpu_seconds, self.limits.wall_seconds)))
            self._process.ask(f"time_settings 0 {seconds} 1", deadline=deadline)

    def _knows(self, command: str, deadline: float) -> bool:
        assert self._process is not None
        answer = self._process.ask(f"known_command {command}", deadline=deadline)
        return answer.ok and answer.text.strip().lower() == "true"

    def _ask(self, command: str, deadline: float) -> str:
        """The text of the answer. Raises PlayerFault, also if the engine refuses."""
        assert self._process is not None
        answer = self._process.ask(command, deadline=deadline)
        if not answer.ok:
            raise PlayerFault(Verdict.BAD_FORMAT, f"the engine refused {command!r}: {shortened(answer.text)}")
        return answer.text.strip()


def setting_up(start: Position) -> list[_Stone]:
    """Moves that lead from an empty board to the stones, and the ko, of a position.

    Nothing is captured on the way: a group that has a liberty at the end has one before.
    """
    board, last = start.board, []
    if start.ko is not None:
        # The ko is taken last, so that the engine knows of it.
        before, taken = start.board.after(start.to_move, start.ko)
        last = [(start.to_move.opponent, taken.bit_length() - 1)]
        board = before
    stones: list[_Stone] = [(colour, point) for colour in (BLACK, WHITE) for point in points_of(board.stones(colour))]
    return stones + last


def _parsed(answer: str, position: Position) -> Move:
    word = answer.split("\n", 1)[0].strip()
    try:
        return parse_vertex(word, position.size)
    except FormatError as error:
        off_board = " is not on a " in str(error)
        verdict = Verdict.ILLEGAL_OFF_BOARD if off_board else Verdict.BAD_FORMAT
        raise PlayerFault(verdict, f"the engine answered genmove with {shortened(answer)!r}: {error}") from error


@dataclass(frozen=True, slots=True)
class PreparedEngine:
    """An engine whose program exists."""

    argv: tuple[str, ...]

    def seated(self, _seed: int, _supervisor: Supervisor, limits: Limits, /) -> AbstractContextManager[Player]:
        return closing(GtpPlayer(self.argv, limits))

    def identity(self) -> str:
        digest = hashlib.sha256()
        for word in self.argv:
            with suppress(OSError):
                digest.update(Path(word).read_bytes())
        return f"{PREFIX}{shlex.join(self.argv)} {digest.hexdigest()[:16]}"

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.identity().encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class GtpAgent(Command):
    """A command that speaks GTP. It is trusted: it runs as its owner, not in the sandbox."""

    prefix: ClassVar[str] = PREFIX

    def prepare(self, workshop: Path, supervisor: Supervisor) -> Prepared:  # noqa: ARG002 - an Entrant
        """Find the program. Raises UsageError."""
        return PreparedEngine(engine_command(self.command))


def engine_command(command: str) -> tuple[str, ...]:
    """The words of a command, with full paths for its program and files. Raises UsageError."""
    words = command_words(PREFIX, command, example='gtp:"gnugo --mode gtp"')
    path = f"{os.environ.get('PATH', os.defpath)}:{_GAMES}"
    program = shutil.which(words[0], path=path)
    if program is None:
        raise UsageError(f"{words[0]}: there is no such program: is the engine installed, and on the PATH?")
    return (str(Path(program).absolute()), *words[1:])
