"""The face of the sandbox: request a move, get its result."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import socket
import subprocess
import threading
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Self

from littlego.sandbox import SandboxError
from littlego.sandbox import plan as messages
from littlego.sandbox.limits import IS_BROWSER, IS_LINUX, Fault, Level, LevelRefused, Limits, command

if TYPE_CHECKING:
    from littlego.sandbox import browser, portable

_SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"


class SupervisorFailed(SandboxError):
    """A move was not played.

    `is_ours`: nothing that the program does can cause it. Else it may only look like a failure on our side, such as a
    program that kills itself: play the move again, and after the third time in a row take it for the program's fault.
    """

    def __init__(self, message: str, *, is_ours: bool = False) -> None:
        super().__init__(message)
        self.is_ours = is_ours


class SupervisorClosed(SupervisorFailed):
    """A move was not played because somebody else closed the supervisor meanwhile. Do not play it again."""


@dataclass(frozen=True, slots=True)
class MoveRequest:
    """One move of one program."""

    argv: tuple[str, ...]
    """The program, as an absolute path or relative to `directory` with a slash, and its arguments."""
    directory: Path
    """The agent's work directory, the only place where it may write. The caller keeps it from move to move."""
    input: bytes
    """The content of `input.txt`."""
    limits: Limits = field(default_factory=Limits)
    readable: tuple[Path, ...] = ()
    """What it may read besides system libraries and its own directory, such as its interpreter's prefix."""


@dataclass(frozen=True, slots=True)
class MoveResult:
    """The result of one move."""

    fault: Fault | None
    """What the program did wrong; None if it left an output."""
    message: str
    """A sentence about the fault; with an output, a warning or empty."""
    output: bytes | None
    """The content of `output.txt`: its first line is ASCII; not empty, not parsed. None with a fault."""
    cpu_seconds: float
    wall_seconds: float
    waited_seconds: float
    """Of these, how long it was ready to run while others had the processor, as far as that was seen."""
    peak_memory: int
    """The most bytes that were seen resident at once."""
    stderr: str
    """The end of its standard error."""
    status: int | None
    """The program's exit status; -N if signal N ended it; None if it was never started."""

    @property
    def was_held_up(self) -> bool:
        """Whether others took so much time that a program which watches the real clock may have played worse."""
        return self.waited_seconds > messages.HELD_UP


class Supervisor:
    """A supervisor process, started on first use and again after a failure. Use from one thread at a time.

    `level` None takes the machine's default. `without` leaves mechanisms out, for tests and comparisons.
    `close` may be called from another thread: a move under way then ends in SupervisorFailed. A supervisor that does
    not answer within `patience` seconds beyond the longest possible move counts as stuck, and is ended. Outside of
    Linux there is no such process, and this one watches the moves. A context manager.
    """

    def __init__(
        self, *, level: Level | None = None, without: frozenset[str] = frozenset(), patience: float = 20.0
    ) -> None:
        self._wanted = level
        self._patience = patience
        self._without = without
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None
        self._greeting: messages.Message = {}
        self._starting = threading.Lock()
        self._busy = False
        self._moves: portable.MoveRunner | browser.BrowserRunner | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def level(self) -> Level:
        """The level in use; starts the process."""
        self._ready()
        return Level(self._greeting["level"])

    @property
    def mechanisms(self) -> tuple[str, ...]:
        """The mechanisms in use, as results name them; starts the process."""
        self._ready()
        return tuple(self._greeting["mechanisms"])

    @property
    def pid(self) -> int | None:
        """The supervisor's process, if it runs."""
        return self._process.pid if self._process else None

    def run(self, request: MoveRequest) -> MoveResult:
        """Play one move. Raises SupervisorFailed if it was not played because of a failure on our side."""
        control = self._ready()
        if not isinstance(control, socket.socket):
            answer = control.answer(_as_message(request))
            if control.is_closed:
                raise SupervisorClosed("the referee was closed during a move")
            return _as_result(answer)
        self._busy = True
        try:
            messages.send(control.fileno(), _as_message(request))
            seconds = messages.STARVED * request.limits.wall_seconds + self._patience
            with selectors.DefaultSelector() as selector:
                selector.register(control, selectors.EVENT_READ)
                if not selector.select(seconds):
                    raise TimeoutError(f"no answer for {seconds:g} s")
            reply = messages.receive(control.fileno())
            if reply is None:
                raise ConnectionError("it ended during a move")
        except BaseException as error:  # interrupts too, or the next move would get this one's answer
            self._busy = False
            kind = SupervisorFailed if self._socket is control else SupervisorClosed
            self.close()
            control.close()
            if isinstance(error, OSError):
                raise kind(f"the supervisor failed: {error}") from error
            raise
        self._busy = False
        return _as_result(reply)

    def close(self) -> None:
        """End the supervisor and any agent it runs. May be called more than once."""
        watching, self._moves = self._moves, None
        if watching is not None:
            watching.close()
        control, self._socket = self._socket, None
        process, self._process = self._process, None
        if control is not None:
            with contextlib.suppress(OSError):
                control.shutdown(socket.SHUT_RDWR)
            if not self._busy:  # otherwise the thread that reads from it closes it
                control.close()
        if process is not None:
            _end(process)

    def _ready(self) -> socket.socket | portable.MoveRunner | browser.BrowserRunner:
        """Whom to ask for a move."""
        with self._starting:
            if not IS_LINUX:
                if self._wanted not in (None, Level.PORTABLE):
                    raise LevelRefused(f"level {self._wanted} is not possible on this machine: it needs Linux")
                if IS_BROWSER:
                    from littlego.sandbox import browser

                    self._greeting = browser.greeting()
                    self._moves = self._moves or browser.BrowserRunner()
                else:
                    from littlego.sandbox import portable

                    self._greeting = portable.greeting()
                    self._moves = self._moves or portable.MoveRunner()
                return self._moves
            if self._socket is None:
                self._launch()
            assert self._socket is not None
            return self._socket

    def _launch(self) -> None:
        ours, theirs = socket.socketpair()
        words = command("serve", "best" if self._wanted is None else str(int(self._wanted)), self._without)
        try:
            with theirs:
                self._process = subprocess.Popen(
                    words,
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    start_new_session=True,  # so that Ctrl-C reaches the referee alone
                    env={"LANG": "C.UTF-8", "PATH": os.environ.get("PATH", _SYSTEM_PATH), "TMPDIR": gettempdir()},
                )
            self._socket = ours
            greeting = messages.receive(ours.fileno())
        except OSError as error:
            self.close()
            raise SupervisorFailed(f"the supervisor cannot be started: {error}", is_ours=True) from error
        if greeting is None or "error" in greeting:
            self.close()
            if greeting:
                raise LevelRefused(greeting["error"])
            raise SupervisorFailed("the supervisor ended before it was ready", is_ours=True)
        self._greeting = greeting


def _end(process: subprocess.Popen[bytes]) -> None:
    """Wait for a supervisor whose socket is closed; terminate it, so that it ends the agent too; then kill them all."""
    for seconds, insist in ((3, process.terminate), (10, partial(_kill_tree, process.pid))):
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=seconds)
            return
        insist()
    process.wait()


def _kill_tree(pid: int) -> None:
    """Kill a process and those below it, which without it would be nobody's: it was stopped, or starved."""
    from littlego.sandbox import watch

    for each in (*reversed(watch.descendants(pid)), pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(each, signal.SIGKILL)


def _as_message(request: MoveRequest) -> messages.Message:
    directory = str(request.directory.absolute())
    if IS_LINUX:
        environment = {"PATH": _SYSTEM_PATH, "HOME": directory, "TMPDIR": directory, "LANG": "C.UTF-8"}
    else:
        from littlego.sandbox import portable

        environment = portable.environment(directory)
    return {
        "argv": list(request.argv),
        "directory": directory,
        "input": request.input.decode("latin-1"),
        "limits": request.limits.as_dict(),
        "readable": [str(path.absolute()) for path in request.readable],
        "environment": environment,
    }


def _as_result(reply: messages.Message) -> MoveResult:
    """Raises SupervisorFailed for a move that was not played."""
    if "failed" in reply:
        raise SupervisorFailed(reply["failed"], is_ours=reply["is_ours"])
    fault, output = reply.pop("fault"), reply.pop("output")
    return MoveResult(
        fault=None if fault is None else Fault(fault),
        output=None if output is None else output.encode("latin-1"),
        **reply,
    )
