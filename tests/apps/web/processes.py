"""Servers and their processes as the kernel sees them, to be killed in tests."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx

JOB = "littlego.apps.web.job"
WORKER = "littlego.arena.pool"
PATIENCE = 600.0
"""Seconds: far more than is needed, so that a busy machine that has to compile fails no test."""


def children() -> dict[int, list[int]]:
    """The processes of this machine by their parents."""
    found: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError):
            fields = stat.read_text().rpartition(")")[2].split()
            if fields[0] != "Z":
                found.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    return found


def descendants(pid: int, words: str = "") -> list[int]:
    """The processes below one, those whose command has `words` in it."""
    tree, found, left = children(), [], [pid]
    while left:
        below = tree.get(left.pop(), [])
        left += below
        found += [child for child in below if words in command(child)]
    return found


def command(pid: int) -> str:
    """The command line of a process; empty when it is gone."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return ""


def is_alive(pid: int) -> bool:
    """Whether a process runs."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


class Server:
    """`littlego web` on a data directory, as a user starts it; killed and started again on the same port."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.log = data.parent / f"{data.name}.log"
        self.port = 0
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def address(self) -> str:
        return f"http://localhost:{self.port}"

    @property
    def headers(self) -> dict[str, str]:
        """What a program sends to be known as the owner."""
        return {"authorization": f"Bearer {(self.data / 'token').read_text().strip()}"}

    def start(self) -> None:
        """Start it; returns when it answers."""
        with self.log.open("ab") as log:
            begun = self.log.stat().st_size
            command = [sys.executable, "-c", "from littlego.apps.cli.main import run; run()", "web"]
            command += ["--port", str(self.port), "--data", str(self.data)]
            self._process = subprocess.Popen(command, stderr=log)
        ends = time.monotonic() + PATIENCE
        while not (found := re.search(r"http://\S+?:(\d+)/", self.printed()[begun:])):
            assert self._process.poll() is None, self.printed()
            assert time.monotonic() < ends, self.printed()
            time.sleep(0.05)
        self.port = int(found[1])
        self.until("/api/about", lambda about: "version" in about)

    def kill(self) -> None:
        """As the kernel does when memory runs out."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def stop(self, how: int = signal.SIGINT) -> int:
        """As a user does; its status."""
        assert self._process is not None
        self._process.send_signal(how)
        try:
            return self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise

    def printed(self) -> str:
        return self.log.read_text() if self.log.exists() else ""

    def ask(self, path: str, body: Any = None, *, method: str | None = None) -> Any:
        """The JSON of an answer that is no refusal."""
        answer = httpx.request(
            method or ("GET" if body is None else "POST"),
            self.address + path,
            json=body,
            timeout=PATIENCE,
            headers=self.headers,
        )
        assert answer.status_code < 300, answer.text
        return answer.json()

    def until(self, path: str, done: Any) -> Any:
        """What is asked for once it is as wanted; the server may be away meanwhile."""
        ends = time.monotonic() + PATIENCE
        found: Any = None
        while time.monotonic() < ends:
            with contextlib.suppress(httpx.TransportError):
                found = self.ask(path)
                if done(found):
                    return found
            time.sleep(0.05)
        raise AssertionError(f"still {found!r:.500}\n{self.printed()[-2000:]}")

    def upload(self, source: str, name: str = "mine") -> str:
        """Upload an agent of one file; its id."""
        answer = httpx.put(
            f"{self.address}/api/agents",
            params={"name": name, "file": "my_player3.py"},
            content=source.encode(),
            timeout=PATIENCE,
            headers=self.headers,
        )
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    def __enter__(self) -> Server:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None and self._process.poll() is None:
            self.stop()


def gone(pids: list[int]) -> None:
    """Wait until none of the processes is there."""
    ends = time.monotonic() + PATIENCE
    while left := [pid for pid in pids if is_alive(pid)]:
        assert time.monotonic() < ends, [command(pid) for pid in left]
        time.sleep(0.05)


def kill(pid: int) -> None:
    """Kill a process if it is there."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
