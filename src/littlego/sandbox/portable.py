"""The portable level where there is no Linux: one move, watched from the referee's own process with psutil.

It limits CPU time, real time, memory, processes and files of the process tree, and ends all of it. It looks from time
to time: a child that ends between two looks, or that leaves the tree unseen, is not counted. It hides nothing: the
program runs with the user's rights and can read, write and connect to whatever the user can.
"""

from __future__ import annotations

import abc
import contextlib
import os
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from littlego.sandbox.files import BROKEN, INPUT, OUTPUT, BadOutput, TooMuch, check_text, kind_name
from littlego.sandbox.limits import Level
from littlego.sandbox.plan import Message, Report, Void, judged, over_cpu, over_memory

_FIRST_LOOK, _LONGEST_WAIT = 0.01, 0.05
_SELDOM = 0.25
_KILLS = 20
_NEEDED = ("SYSTEMROOT", "PATH", "PATHEXT", "COMSPEC", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE")
"""Variables without which programs do not start on Windows."""


def greeting() -> Message:
    return {"level": Level.PORTABLE, "mechanisms": ["process watch", "cpu time from psutil"]}


def probe() -> dict[str, Any]:
    """What this machine can do, in the form of the supervisor's own probe."""
    return {
        "levels": [Level.PORTABLE],
        "refused": dict.fromkeys((Level.LINUX, Level.ROOT), "it needs Linux on x86-64 or ARM64"),
        "mechanisms": {Level.PORTABLE: greeting()["mechanisms"]},
    }


def environment(directory: str) -> dict[str, str]:
    """The variables of a program, apart from its own."""
    kept = {name: os.environ[name] for name in _NEEDED if name in os.environ}
    own = dict.fromkeys(("HOME", "USERPROFILE", "TEMP", "TMP", "TMPDIR"), directory)
    return kept | own | {"LANG": "C.UTF-8", "PYTHONIOENCODING": "utf-8"}


class MoveRunner:
    """Runs moves for one thread; `close` may be called from another, and ends a move under way."""

    def __init__(self) -> None:
        self._running: _Family | None = None
        self.is_closed = False

    def answer(self, request: Message) -> Message:
        """Run one move. A reply with `failed` means that it was not played."""
        try:
            return _Move(request, self).run()
        except Void as void:
            return {"failed": str(void), "is_ours": void.is_ours}
        except OSError as error:
            return {"failed": f"{type(error).__name__}: {error}", "is_ours": True}

    def watch(self, family: _Family | None) -> None:
        """Remember whom `close` has to end."""
        self._running = family
        if self.is_closed and family is not None:
            family.kill()

    def close(self) -> None:
        self.is_closed = True
        if (running := self._running) is not None:
            running.kill()


class _Family:
    """A running program and what it has started, as far as it was seen. Raises OSError if it cannot be started."""

    def __init__(self, argv: list[str], directory: Path, variables: Mapping[str, str]) -> None:
        import psutil  # not needed on Linux, and not installed there

        self._psutil = psutil
        apart: dict[str, Any] = {"start_new_session": True}
        if sys.platform == "win32":
            apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
        self.process = subprocess.Popen(
            argv,
            cwd=directory,
            env=dict(variables),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            **apart,
        )
        self._seconds = {psutil.Process(self.process.pid): 0.0}
        self._most = 0.0

    @property
    def errors(self) -> IO[bytes]:
        assert self.process.stderr is not None
        return self.process.stderr

    def look(self) -> tuple[float, int, int]:
        """The CPU time so far, and the memory and number of processes that are alive."""
        for process in list(self._seconds):
            with contextlib.suppress(self._psutil.Error):
                self._seconds |= {new: 0.0 for new in process.children(recursive=True) if new not in self._seconds}
        memory = alive = 0
        for process in self._seconds:
            with contextlib.suppress(self._psutil.Error), process.oneshot():
                if process.status() != self._psutil.STATUS_ZOMBIE:
                    alive += 1
                    memory += process.memory_info().rss
                times = process.cpu_times()
                self._seconds[process] = times.user + times.system
                # What a program has waited for may have ended unseen; Windows does not count it.
                waited = getattr(times, "children_user", 0.0) + getattr(times, "children_system", 0.0)
                self._most = max(self._most, times.user + times.system + waited)
        self._most = max(self._most, sum(self._seconds.values()))
        return self._most, memory, alive

    def kill(self) -> None:
        """End every process that was seen, and what it has started meanwhile."""
        for _ in range(_KILLS):
            _, _, alive = self.look()
            for process in self._seconds:
                with contextlib.suppress(self._psutil.Error):
                    process.kill()
            if sys.platform != "win32":
                with contextlib.suppress(OSError):
                    os.killpg(self.process.pid, signal.SIGKILL)
            if not alive:
                return


class Judged(abc.ABC):
    """A move, and what its program did wrong: whatever stopped it, then its files, then its output."""

    def __init__(self, request: Message) -> None:
        self.request = request
        self.directory = Path(request["directory"])
        self.limits: Mapping[str, float] = request["limits"]
        self.report = Report()

    def run(self) -> Message:
        """The reply to the request."""
        try:
            prepare(self.directory, self.request["input"].encode("latin-1"))
        except TooMuch as much:
            self.report.stop("memory", str(much))
            return self.reply()
        return self.played()

    @abc.abstractmethod
    def played(self) -> Message:
        """Run the program, and judge what it has done."""

    def measure(self) -> None:
        files, size = int(self.limits["directory_files"]), int(self.limits["directory_bytes"])
        try:
            measure(self.directory, files=files, size=size)
        except TooMuch as much:
            self.report.stop("memory", str(much))

    def reply(self) -> Message:
        self.measure()
        return judged(self.report, self.limits, lambda most: read_output(self.directory, most))


class _Move(Judged):
    def __init__(self, request: Message, moves: MoveRunner) -> None:
        super().__init__(request)
        self._moves = moves
        self._stderr = b""

    def played(self) -> Message:
        self._started = time.monotonic()
        try:
            program = _located(self.request["argv"], self.directory)
            family = _Family(program, self.directory, self.request["environment"])
        except OSError as error:
            return self._not_started(error)
        self._moves.watch(family)
        reader = threading.Thread(target=self._read_errors, args=(family.errors,), daemon=True)
        reader.start()
        try:
            self._wait(family)
            self.report.wall_seconds = time.monotonic() - self._started
        finally:
            self._moves.watch(None)
            family.kill()
            self.report.status = family.process.wait()
            reader.join(timeout=1)
            with contextlib.suppress(OSError):
                family.errors.close()
        self._check(family)
        self.report.stderr = self._stderr.decode("utf-8", "replace")
        if self._moves.is_closed:
            return {"failed": "the referee was closed during a move", "is_ours": True}
        return self.reply()

    def _wait(self, family: _Family) -> None:
        """Return when the program ends, or a limit is exceeded."""
        pause, looked = _FIRST_LOOK, 0.0
        while not self.report.stopped and not self._moves.is_closed:
            with contextlib.suppress(subprocess.TimeoutExpired):
                family.process.wait(pause)
                return
            self._check(family)
            now = time.monotonic()
            if now - self._started > self.limits["wall_seconds"]:
                self.report.stop("wall_time", f"it ran longer than {self.limits['wall_seconds']:g} s of real time")
            if now - looked > _SELDOM:
                looked = now
                self.measure()
            pause = min(1.5 * pause, _LONGEST_WAIT)

    def _check(self, family: _Family) -> None:
        limits, report = self.limits, self.report
        report.cpu_seconds, memory, alive = family.look()
        report.peak_memory = max(report.peak_memory, memory)
        if report.cpu_seconds > limits["cpu_seconds"]:
            report.stop("cpu_time", over_cpu(limits))
        if memory > limits["memory_bytes"]:
            report.stop("memory", over_memory(limits))
        if alive > limits["processes"]:
            report.stop("memory", f"it had {alive} processes at once; {limits['processes']:g} are allowed")

    def _read_errors(self, stream: IO[bytes]) -> None:
        most = int(self.limits["stderr_bytes"])
        with contextlib.suppress(OSError, ValueError):
            while chunk := os.read(stream.fileno(), 1 << 16):
                self._stderr = (self._stderr + chunk)[-most:] if most else b""

    def _not_started(self, error: OSError) -> Message:
        program = self.request["argv"][0]
        detail = f"{program}: {error.strerror or error}"
        if Path(program).is_absolute():  # ours, such as an interpreter
            raise Void(detail)
        self.report.not_started = detail
        return self.reply()


def _located(argv: list[str], directory: Path) -> list[str]:
    """The command with its program's full path: Windows looks for a relative one in our own directory."""
    program = argv[0]
    if program.startswith("./"):
        return [str(directory / program[2:]), *argv[1:]]
    return [shutil.which(program) or program, *argv[1:]]


def prepare(directory: Path, content: bytes) -> None:
    """Remove the input and output, whatever they are, and write a new input. Raises OSError, and TooMuch.

    The directory is found by its path, since not every system opens directories: a part of the path that is replaced
    meanwhile is followed. The portable level trusts the agent not to do that.
    """
    for name in (OUTPUT, INPUT):
        path = directory / name
        try:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        except OSError as error:
            if error.errno in BROKEN:
                raise
            raise TooMuch(f"{name}, which it left, cannot be removed") from None
    (directory / INPUT).write_bytes(content)


def read_output(directory: Path, most: int) -> bytes | None:
    """The bytes of the output, None if it is missing or empty. Raises BadOutput, as `files` does."""
    path = directory / OUTPUT
    try:
        found = path.lstat()
        if not stat.S_ISREG(found.st_mode):
            raise BadOutput(f"{OUTPUT} is {kind_name(found.st_mode)}, not a file")
        if found.st_size > most:
            raise BadOutput(f"{OUTPUT} has {found.st_size} bytes; at most {most} are read")
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadOutput(f"{OUTPUT} cannot be read: {error.strerror}") from None
    check_text(content)
    return content or None


def measure(directory: Path, *, files: int, size: int) -> None:
    """Count files and bytes. Raises TooMuch."""
    count = total = 0
    for folder, folders, names in os.walk(directory):
        count += len(folders) + len(names)
        for name in names:
            with contextlib.suppress(OSError):  # removed in the meantime
                total += os.lstat(os.path.join(folder, name)).st_size
        if count > files:
            raise TooMuch(f"the work directory holds more than {files} files")
        if total > size:
            raise TooMuch(f"the work directory holds more than {size} bytes")
