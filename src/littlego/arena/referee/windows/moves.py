"""Runs one move after the other from this process: the counterpart of the supervisor where nothing can fork."""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import subprocess
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from littlego.arena.referee.sandbox.files import OUTPUT, BadOutput, TooMuch
from littlego.arena.referee.sandbox.judge import describe_ending
from littlego.arena.referee.windows import folder
from littlego.arena.referee.windows.job_object import CPU_SOURCE, JobObject
from littlego.core.verdict import Verdict

if TYPE_CHECKING:
    from littlego.arena.referee.sandbox.messages import Message

CAN_FORK: Final = hasattr(os, "fork")

_FIRST_LOOK, _LONGEST_WAIT = 0.01, 0.05
_SELDOM: Final = 0.25
_NEEDED: Final = ("SYSTEMROOT", "PATH", "PATHEXT", "COMSPEC", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE")
"""Variables without which programs do not start on Windows."""


def greeting() -> Message:
    return {"level": 0, "mechanisms": ["job object", f"cpu time from {CPU_SOURCE}"]}


def probe() -> dict[str, object]:
    """What this machine can do, in the form of the supervisor's own probe."""
    why = "it needs Linux on x86-64 or ARM64"
    return {
        "system": " ".join((platform.system(), platform.release(), platform.machine())),
        "levels": [0],
        "default": 0,
        "refused": dict.fromkeys((1, 2, 3), why),
        "mechanisms": {0: greeting()["mechanisms"]},
    }


def environment(directory: str) -> dict[str, str]:
    """The variables of a program, apart from its own."""
    kept = {name: os.environ[name] for name in _NEEDED if name in os.environ}
    own = dict.fromkeys(("HOME", "USERPROFILE", "TEMP", "TMP", "TMPDIR"), directory)
    return kept | own | {"LANG": "C.UTF-8", "PYTHONIOENCODING": "utf-8"}


class MoveRunner:
    """Runs moves for one thread; `close` may be called from another, and ends a move under way."""

    def __init__(self) -> None:
        self._running: JobObject | None = None
        self._closed = False

    def answer(self, request: Message) -> Message:
        """Run one move. A reply with `failed` means that it was not played, through our fault."""
        try:
            return _Move(request, self).run()
        except OSError as error:
            return {"failed": f"{type(error).__name__}: {error}"}

    def watch(self, processes: JobObject | None) -> None:
        """Remember whom `close` has to end."""
        self._running = processes
        if self._closed and processes is not None:
            processes.kill()

    def close(self) -> None:
        self._closed = True
        if (running := self._running) is not None:
            running.kill()

    @property
    def is_closed(self) -> bool:
        return self._closed


class _Move:
    def __init__(self, request: Message, moves: MoveRunner) -> None:
        self._moves = moves
        self._request = request
        self._directory = Path(request["directory"])
        self._limits: Mapping[str, float] = request["limits"]
        self._stderr = b""
        self._verdict: Verdict | None = None
        self._message = ""

    def run(self) -> Message:
        folder.prepare(self._directory, self._request["input"].encode("latin-1"))
        self._started = time.monotonic()
        try:
            processes = JobObject(
                _located(self._request["argv"], self._directory),
                directory=str(self._directory),
                environment=self._request["environment"],
                processes=int(self._limits["processes"]),
                memory=int(self._limits["memory_bytes"]),
            )
        except OSError as error:
            return self._not_started(error)
        self._moves.watch(processes)
        reader = threading.Thread(target=self._read_errors, args=(processes.errors,), daemon=True)
        reader.start()
        try:
            self._wait(processes)
            wall = time.monotonic() - self._started
            cpu, memory = processes.cpu_seconds(), processes.memory()
            self._check(cpu, memory)
        finally:
            self._moves.watch(None)
            processes.kill()
            processes.process.wait()
            processes.close()
            reader.join(timeout=1)
            with contextlib.suppress(OSError):
                processes.errors.close()
        if self._moves.is_closed:
            return {"failed": "the referee was closed during a move"}
        return self._reply(processes.process.returncode, cpu, wall, memory)

    def _wait(self, processes: JobObject) -> None:
        """Return when the program ends, or a limit is exceeded."""
        pause, looked = _FIRST_LOOK, 0.0
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                processes.process.wait(pause)
                return
            self._check(processes.cpu_seconds(), processes.memory())
            now = time.monotonic()
            if now - self._started > self._limits["wall_seconds"]:
                self._stop(Verdict.WALL_TIME, f"it ran longer than {self._limits['wall_seconds']:g} s of real time")
            if now - looked > _SELDOM:
                looked = now
                self._measure()
            if self._verdict or self._moves.is_closed:
                return
            pause = min(1.5 * pause, _LONGEST_WAIT)

    def _check(self, cpu: float, memory: int) -> None:
        limits = self._limits
        if cpu > limits["cpu_seconds"]:
            self._stop(Verdict.CPU_TIME, f"it used more than {limits['cpu_seconds']:g} s of CPU time")
        if memory > limits["memory_bytes"]:
            self._stop(Verdict.MEMORY, f"it used more than {int(limits['memory_bytes']) >> 20} MiB of memory")

    def _measure(self) -> None:
        files, size = int(self._limits["directory_files"]), int(self._limits["directory_bytes"])
        try:
            folder.measure(self._directory, files=files, size=size)
        except TooMuch as much:
            self._stop(Verdict.MEMORY, str(much))

    def _stop(self, verdict: Verdict, message: str) -> None:
        if self._verdict is None:
            self._verdict, self._message = verdict, message

    def _read_errors(self, stream: IO[bytes]) -> None:
        most = int(self._limits["stderr_bytes"])
        with contextlib.suppress(OSError, ValueError):
            while chunk := os.read(stream.fileno(), 1 << 16):
                self._stderr = (self._stderr + chunk)[-most:] if most else b""

    def _not_started(self, error: OSError) -> Message:
        program = self._request["argv"][0]
        if Path(program).is_absolute():  # ours, such as an interpreter
            return {"failed": f"{program}: {error.strerror or error}"}
        self._stop(Verdict.CRASH, f"it could not be started: {program}: {error.strerror or error}")
        return self._reply(None, 0.0, 0.0, 0)

    def _reply(self, status: int | None, cpu: float, wall: float, memory: int) -> Message:
        output = self._output(status) if self._verdict is None else None
        return {
            "verdict": self._verdict.value if self._verdict else None,
            "message": self._message,
            "output": None if output is None else output.decode("latin-1"),
            "cpu_seconds": cpu,
            "wall_seconds": wall,
            "peak_memory": memory,
            "stderr": self._stderr.decode("utf-8", "replace"),
            "status": status,
            "child_failed": None,
        }

    def _output(self, status: int | None) -> bytes | None:
        """What the program wrote; sets the verdict if that is nothing."""
        self._measure()
        try:
            output = folder.read_output(self._directory, int(self._limits["output_bytes"]))
        except BadOutput as bad:
            self._stop(Verdict.BAD_FORMAT, str(bad))
            return None
        ending = f"it {describe_ending(status)}" if status else ""
        if output is None:
            verdict = Verdict.CRASH if ending else Verdict.NO_OUTPUT
            self._stop(verdict, f"{ending} and left no {OUTPUT}" if ending else f"it ended without writing {OUTPUT}")
        elif self._verdict is None and ending:
            self._message = f"warning: {ending} after it had written {OUTPUT}"
        return output if self._verdict is None else None


def _located(argv: list[str], directory: Path) -> list[str]:
    """The command with its program's full path: Windows looks for a relative one in our own directory."""
    program = argv[0]
    if program.startswith("./"):
        return [str(directory / program[2:]), *argv[1:]]
    return [shutil.which(program) or program, *argv[1:]]
