"""The surroundings of a hostile agent: things to steal, break and reach, and a check of what it did."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from littlego.sandbox.limits import MIB, Limits
from littlego.storage.files import Closing
from littlego.storage.scratch import remove_tree

AGENTS = Path(__file__).parent / "agents"
PROGRAM, WITNESS = "act.py", "witness.py"
LIMITS = Limits(
    cpu_seconds=0.6,
    wall_seconds=10.0,
    memory_bytes=128 * MIB,
    processes=16,
    file_bytes=8 * MIB,
    directory_files=200,
    directory_bytes=32 * MIB,
    stderr_bytes=1000,
    output_bytes=4096,
)


class Scene(Closing):
    """A directory with the agent's work directory in it, a victim process, and listening sockets. A context manager.

    `module` declares the agent's case.
    """

    def __init__(self, module: str) -> None:
        self._module = module
        self._closing = contextlib.ExitStack()
        self.token = f"littlego-hostile-{secrets.token_hex(8)}"
        self._key = int(self.token[-7:], 16)
        self._temporary, self._shared_memory = Path("/tmp") / self.token, Path("/dev/shm") / self.token
        self._base = base = Path(tempfile.mkdtemp(prefix="littlego-scene-")).resolve()
        self._closing.callback(self._remove)
        self.directory = base / "agent"
        self.opponent = base / "opponent"
        for name in ("agent", "opponent", "outside"):
            (base / name).mkdir()
        for name in {PROGRAM, "agent.py", f"{module}.py"}:
            shutil.copy(AGENTS / name, self.directory)
        shutil.copy(AGENTS / WITNESS, self.opponent)
        self.secret = base / "secret.txt"
        for name in ("secret.txt", "opponent/book.txt", "victim.txt"):
            (base / name).write_text(self.token)
        self._victim = subprocess.Popen(["sleep", "600"], env={"SECRET": self.token}, stdin=subprocess.DEVNULL)
        self._closing.callback(self._end_victim)
        self._listeners = dict(self._listen())
        self._before = self._look()

    def _listen(self) -> Iterator[tuple[str, socket.socket]]:
        yield "TCP", self._bound(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))
        yield "UDP", self._bound(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0))
        yield "a socket in the file system", self._bound(socket.AF_UNIX, socket.SOCK_STREAM, str(self._base / "socket"))
        if sys.platform == "linux":
            yield "an abstract socket", self._bound(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + self.token)

    def _bound(self, family: int, kind: int, address: tuple[str, int] | str) -> socket.socket:
        listener = self._closing.enter_context(socket.socket(family, kind))
        listener.bind(address)
        if kind == socket.SOCK_STREAM:
            listener.listen()
        listener.setblocking(False)
        return listener

    @property
    def facts(self) -> str:
        """The FACTS of `act.py`."""
        base = self._base
        return json.dumps(
            {
                "module": self._module,
                "secret": str(self.secret),
                "opponent": str(base / "opponent"),
                "outside": str(base / "outside"),
                "victim_file": str(base / "victim.txt"),
                "victim": self._victim.pid,
                "victim_address": self._victim_address,
                "socket": str(base / "socket"),
                "temporary": str(self._temporary),
                "shared_memory": str(self._shared_memory),
                "tcp": self._listeners["TCP"].getsockname()[1],
                "udp": self._listeners["UDP"].getsockname()[1],
                "abstract": self.token,
                "key": self._key,
                "memory": LIMITS.memory_bytes,
                "files": LIMITS.directory_files,
                "output": LIMITS.output_bytes,
            }
        )

    @property
    def _victim_address(self) -> int:
        """An address that the victim can read; 0 where the system does not say."""
        with contextlib.suppress(OSError):
            return int(Path(f"/proc/{self._victim.pid}/maps").read_text(encoding="utf-8").partition("-")[0], 16)
        return 0

    def breaches(self) -> list[str]:
        """What the agent did and must not do, each in a few words; empty if it was contained."""
        return [*self._loot(), *self._left(), *self._changes(), *self._heard(), *self._survivors()]

    def expected_of_the_witness(self) -> str:
        """What `witness.py` must find: our priority, scheduler and processors, and a child that exits with 0."""
        if not hasattr(os, "sched_getaffinity"):
            return "[]"
        found = [os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0), len(os.sched_getaffinity(0)), 0]
        return json.dumps(found)

    def _left(self) -> Iterator[str]:
        """What must not remain in the agent's directory."""
        with contextlib.suppress(OSError), os.scandir(self.directory) as entries:
            for entry in entries:
                mode = entry.stat(follow_symlinks=False).st_mode
                if stat.S_ISREG(mode) and mode & (stat.S_ISUID | stat.S_ISGID):
                    yield f"left a set-uid program: {entry.name}"
                if entry.name.startswith("core"):
                    yield "left a core"

    def _loot(self) -> list[str]:
        with contextlib.suppress(OSError):
            return (self.directory / "loot.txt").read_text().splitlines()
        return []

    def _changes(self) -> Iterator[str]:
        after = self._look()
        for name in sorted(self._before.keys() | after.keys()):
            if self._before.get(name) != after.get(name):
                yield f"changed {name}"
        if self._victim.poll() is not None:
            yield "ended the victim process"
        for path in (self._temporary, self._shared_memory):
            if path.exists():
                yield f"wrote to {path.parent}"
                path.unlink()
        if self._key_exists():
            yield "left System V shared memory"
            subprocess.run(["ipcrm", "-M", str(self._key)], check=False, capture_output=True)

    def _look(self) -> dict[str, tuple[int, bytes]]:
        """Everything outside the work directory: mode and content by name."""
        found = {}
        paths = [*self._base.glob("*"), *self._base.glob("opponent/**/*"), *self._base.glob("outside/**/*")]
        for path in sorted(paths):
            inner = path.relative_to(self._base)
            content = path.read_bytes() if path.is_file() else b""
            mode = 0 if inner.parts == ("agent",) else path.lstat().st_mode  # the agent may lock its own directory
            found[str(inner)] = (mode, content)
        return found

    def _key_exists(self) -> bool:
        try:
            lines = Path("/proc/sysvipc/shm").read_text(encoding="utf-8").splitlines()
        except OSError:
            return False
        return any(line.split()[0] == str(self._key) for line in lines)

    def _heard(self) -> Iterator[str]:
        for name, listener in self._listeners.items():
            with contextlib.suppress(BlockingIOError):
                if listener.type == socket.SOCK_DGRAM:
                    listener.recv(100)
                else:
                    listener.accept()[0].close()
                yield f"was heard over {name}"

    def _survivors(self) -> Iterator[str]:
        mark = self.token.encode()
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if mark in (entry / "cmdline").read_bytes():
                    yield f"left process {entry.name} behind"

    def _end_victim(self) -> None:
        self._victim.kill()
        self._victim.wait()

    def close(self) -> None:
        self._closing.close()

    def _remove(self) -> None:
        if left := remove_tree(self._base):
            raise OSError(left)
