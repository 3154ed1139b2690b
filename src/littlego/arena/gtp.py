"""A GTP engine as a player: `gtp:"gnugo --mode gtp"`. It lives for one game and hears of every move.

It answers within a deadline, leaves a transcript, and ends with its whole tree. Unlike an agent of the course it is a
command that its owner trusts: it runs with the owner's rights, unconfined.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, ClassVar, Final

from littlego.arena.building import command_words
from littlego.arena.participants import Command, Prepared
from littlego.arena.processes import APART, environment_of_others, kill_group
from littlego.core.board import BLACK, WHITE, Colour
from littlego.core.errors import FormatError, PlayerFault, Resigned, UsageError
from littlego.core.game import Player
from littlego.core.points import Move, parse_vertex, points_of, vertex_name
from littlego.core.position import Position
from littlego.core.rules import Verdict
from littlego.formats.gtp import GtpAnswer, parse_answer
from littlego.formats.text import printable, shortened
from littlego.sandbox.client import Supervisor
from littlego.sandbox.limits import Limits

_CHUNK: Final = 65536
_MOST_ANSWER: Final = 1 << 20
_MOST_TRANSCRIPT: Final = 64 * 1024
_PATIENCE: Final = 0.5
"""Seconds that an engine gets to end by itself: after `quit`, or between its last output and its exit status."""


class GtpProcess:
    """One running engine. Its faults are raised as PlayerFault; after one it can only be closed."""

    def __init__(
        self, argv: tuple[str, ...], *, stderr_bytes: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Starts the engine. Raises PlayerFault if it cannot be started."""
        self._clock = clock
        self._pending = b""
        self._transcript: deque[str] = deque()
        self._length = 0
        try:
            self._process = subprocess.Popen(
                argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                env=environment_of_others(),
                **APART,
            )
        except OSError as error:
            raise PlayerFault(Verdict.CRASH, f"{argv[0]} cannot be started: {error.strerror}") from error
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._out = _Stream(self._process.stdout, most=2 * _MOST_ANSWER)
        self._errors = _Stream(self._process.stderr, most=stderr_bytes)

    @property
    def transcript(self) -> str:
        """The last commands, after `>`, and answers, after `<`."""
        return "\n".join(self._transcript)

    @property
    def stderr(self) -> str:
        """The end of its standard error."""
        return self._errors.text()

    @property
    def status(self) -> int | None:
        """The exit status; None while it runs."""
        return self._process.poll()

    def ask(self, command: str, *, deadline: float) -> GtpAnswer:
        """The answer to a command. Raises PlayerFault, also if there is none at `deadline`, a time of the clock."""
        self._note(">", command)
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{command}\n".encode())
        except OSError:
            raise self._ended(command) from None
        text = self._answer(command, deadline)
        self._note("<", text)
        try:
            return parse_answer(text)
        except FormatError as error:
            raise PlayerFault(Verdict.BAD_FORMAT, f"after {command!r}: {error}") from error

    def close(self) -> None:
        """Ask the engine to end, then kill it and every process that it left behind."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.write(b"quit\n")
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        family = _family_of(self._process.pid)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_PATIENCE)
        # The group's number is the engine's: it is not given to others while a process of the group lives.
        kill_group(self._process.pid)
        for pid, began in family:  # the number may belong to another process by now
            if _began(pid) == began:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
        self._process.wait()
        for stream in (self._out, self._errors):
            stream.close()

    def _answer(self, command: str, deadline: float) -> str:
        """The text up to the empty line that ends an answer; lines before its `=` or `?` are skipped."""
        while (found := self._cut()) is None:
            if self._out.ended and not self._take():
                raise self._ended(command)
            left = deadline - self._clock()
            if left <= 0:
                self._note("<", self._pending.decode(errors="replace"))
                raise PlayerFault(Verdict.WALL_TIME, f"no answer to {command!r} within the time for a move")
            if len(self._pending) > _MOST_ANSWER:
                raise PlayerFault(Verdict.BAD_FORMAT, f"an answer to {command!r} of more than {_MOST_ANSWER} bytes")
            self._out.wait(left)
            self._take()
        return found

    def _take(self) -> bool:
        """Add what the engine has written; False if that is nothing."""
        read = self._out.take()
        self._pending += read
        return bool(read)

    def _cut(self) -> str | None:
        """Take the first complete answer from what has been read, if there is one."""
        text = self._pending.replace(b"\r", b"").lstrip(b"\n")
        while text and text[:1] not in b"=?":
            stray, newline, text = text.partition(b"\n")
            if not newline:
                return None
            self._note("<", f"{stray.decode(errors='replace')} (no part of an answer)")
            self._pending = text = text.lstrip(b"\n")
        answer, end, rest = text.partition(b"\n\n")
        if not end:
            return None
        self._pending = rest
        return answer.decode(errors="replace")

    def _ended(self, command: str) -> PlayerFault:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_PATIENCE)
        for stream in (self._out, self._errors):
            stream.finish()
        self._take()
        if self._pending:
            self._note("<", self._pending.decode(errors="replace"))
        how = "closed its output" if self.status is None else f"ended with status {self.status}"
        last = self.stderr.strip().rsplit("\n", 1)[-1]
        error = f"; the end of its stderr: {printable(shortened(last))}" if last else ""
        return PlayerFault(Verdict.CRASH, f"the engine {how} after {command!r}{error}")

    def _note(self, sign: str, text: str) -> None:
        for line in text.rstrip("\n").split("\n"):
            self._transcript.append(f"{sign} {line[:1000]}")
            self._length += len(self._transcript[-1]) + 1
        while self._length > _MOST_TRANSCRIPT and len(self._transcript) > 1:
            self._length -= len(self._transcript.popleft()) + 1


class _Stream:
    """What a process writes, read by a thread: Windows cannot wait for several pipes. Only the end is kept."""

    def __init__(self, stream: IO[bytes], *, most: int) -> None:
        self._stream, self._most = stream, most
        self._read = b""
        self.ended = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def _follow(self) -> None:
        chunk = b"-"
        while chunk:
            try:
                chunk = os.read(self._stream.fileno(), _CHUNK)
            except (OSError, ValueError):
                chunk = b""
            with self._changed:
                self._read = (self._read + chunk)[-self._most :] if self._most else b""
                self.ended = not chunk
                self._changed.notify_all()

    def wait(self, seconds: float) -> None:
        """Return when there is something to take, at the end of the stream, or after this many seconds."""
        with self._changed:
            self._changed.wait_for(lambda: self._read or self.ended, seconds)

    def take(self) -> bytes:
        with self._changed:
            read, self._read = self._read, b""
        return read

    def text(self) -> str:
        with self._changed:
            return self._read.decode(errors="replace")

    def finish(self) -> None:
        """Read to the end, unless a process that was left behind holds the stream open."""
        self._thread.join(_PATIENCE)

    def close(self) -> None:
        """Call it when the process has ended."""
        self.finish()
        if not self._thread.is_alive():
            self._stream.close()


def _family_of(pid: int) -> list[tuple[int, list[str]]]:
    """What a process has started, with when that began; on Linux alone."""
    if sys.platform != "linux":
        return []
    from littlego.sandbox.watch import descendants

    return [(each, _began(each)) for each in descendants(pid)]


def _began(pid: int) -> list[str]:
    """When a process began; empty if it is gone."""
    from littlego.sandbox.watch import stat_fields

    return stat_fields(pid)[19:20]


PREFIX: Final = "gtp:"
_GAMES: Final = ("/usr/local/games", "/usr/games")
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
        if wanted[: len(self._sent)] != self._sent:  # moves were taken back
            self._ask("clear_board", deadline)
            self._sent.clear()
        for colour, move in wanted[len(self._sent) :]:
            self._ask(f"play {colour.word} {vertex_name(move, position.size)}", deadline)
            self._sent.append((colour, move))

    def _start(self, position: Position, deadline: float) -> None:
        self._process = GtpProcess(self.argv, stderr_bytes=self.limits.stderr_bytes, clock=self.clock)
        self._ask(f"boardsize {position.size}", deadline)
        self._ask("clear_board", deadline)
        self._ask(f"komi {position.rules.komi:g}", deadline)
        assert self._process is not None
        known = self._process.ask("known_command time_settings", deadline=deadline)
        if known.ok and known.text.strip().lower() == "true":
            # Seconds for every single move: no main time, one stone in each period.
            seconds = max(1, int(min(self.limits.cpu_seconds, self.limits.wall_seconds)))
            self._process.ask(f"time_settings 0 {seconds} 1", deadline=deadline)

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
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), *_GAMES])
    program = shutil.which(words[0], path=path)
    if program is None:
        raise UsageError(f"{words[0]}: there is no such program: is the engine installed, and on the PATH?")
    return (str(Path(program).absolute()), *words[1:])
