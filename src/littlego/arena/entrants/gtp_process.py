"""A process that speaks GTP: it answers within a deadline, leaves a transcript, and ends with its whole tree.

Unlike an agent of the course it is a command that its owner trusts: it runs with the owner's rights, unconfined.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import IO, Final

from littlego.arena.own_process import environment_of_others
from littlego.arena.process_groups import APART, kill_group
from littlego.arena.referee.sandbox.processes.tree import descendants, stat_fields
from littlego.core.errors import FormatError, PlayerFault
from littlego.core.verdict import Verdict
from littlego.formats.gtp import GtpAnswer, parse_answer
from littlego.formats.printable import printable, shortened

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
        family = [(pid, _began(pid)) for pid in descendants(self._process.pid)]
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_PATIENCE)
        # The group's number is the engine's: it is not given to others while a process of the group lives.
        kill_group(self._process.pid)
        if sys.platform != "win32":
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
        error = f"; its last words: {printable(shortened(last))}" if last else ""
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


def _began(pid: int) -> list[str]:
    """When a process began; empty if it is gone."""
    return stat_fields(pid)[19:20]
