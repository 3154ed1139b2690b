"""Matches, tournaments and class gradings while everything is killed, the disk fills and empties, and clocks jump.

Every result is there once, none changes after it was kept, no player loses by it, and nothing stays behind. The seed
is printed; `LITTLEGO_CHAOS_SEED` repeats a run as far as processes can be repeated. `LITTLEGO_CHAOS_KILLS` sets how
often each scene kills: `make soak` kills more than a hundred times in all.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from littlego.arena.participants import KILLED_TRIES
from littlego.course.edition import format_edition
from tests.arena.agents import CPP, GOOD, python_agent
from tests.arena.test_store import ROOT
from tests.course.grading.test_class import small
from tests.disks import fill, small_disk

pytestmark = [pytest.mark.process, pytest.mark.slow, pytest.mark.siege]

KILLS = int(os.environ.get("LITTLEGO_CHAOS_KILLS", "6"))
"""In each of the three scenes: enough for every kind of process."""
GAMES = 2 * max(10, KILLS // 3)
"""Of a pair of players: enough that they are still playing at the last kill."""
DEADLINE = 1200.0
"""A guard against a hang, far above what any scene takes."""
_LOOKS = 40
_BEFORE_PLAY = 0.05
"""How likely something is killed at a look while nothing is played yet."""
SEED = int(os.environ.get("LITTLEGO_CHAOS_SEED", "0")) or random.SystemRandom().randrange(1, 10**6)

_REPOSITORY = Path(__file__).parents[2]

JUMPING_CLOCK = """
import random, time
_now, _random = time.time, random.Random()
time.time = lambda: _now() + _random.uniform(-1e6, 1e6)
time.time_ns = lambda: int(time.time() * 1e9)
"""


def processes() -> dict[int, tuple[int, int, str]]:
    """Parent, start time and command line of every process."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError, IndexError, ValueError):
                rest = (folder / "stat").read_text().rpartition(")")[2].split()
                words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                found[int(folder.name)] = (int(rest[1]), int(rest[19]), words)
    return found


def below(pid: int, there: dict[int, tuple[int, int, str]]) -> Iterator[int]:
    yield pid
    for child, (parent, _, _) in there.items():
        if parent == pid:
            yield from below(child, there)


def kind_of(pid: int, command: int, there: dict[int, tuple[int, int, str]]) -> str:
    """What a process below a command is."""
    parent, _, words = there[pid]
    if pid == command:
        return "command"
    if "littlego.arena.pool" in words:
        return "worker"
    if re.search(r"cc1plus|g\+\+|collect2|/as |/ld ", words):
        return "compiler"
    if "supervisor.py" in words:
        return "server" if "supervisor.py" in there.get(parent, (0, 0, ""))[2] else "guard"
    return "agent"


@dataclass
class Scene:
    """A command that is started again and again until it has done its work, and what it keeps."""

    arguments: list[str]
    folder: Path
    stores: Callable[[], list[Path]]
    rng: random.Random
    disk: Path | None = None
    kinds: tuple[str, ...] = ("command", "worker", "guard", "server", "agent")
    program: list[str] = field(default_factory=lambda: ["-m", "littlego"])
    """How Python is asked to be the command."""
    killed: Counter[str] = field(default_factory=Counter)
    starts: int = 0
    filled: int = 0
    seen: set[tuple[int, int]] = field(default_factory=set)
    kept: dict[tuple[str, Any], str] = field(default_factory=dict)
    strikes: dict[int, list[tuple[bytes | None, bool]]] = field(default_factory=dict)
    """By worker, one look after the other: the input of its move, where it was seen, and whether that was disturbed."""

    def run(self, kills: int) -> None:
        """Start the command until it ends well, with so many kills on the way."""
        ends = time.monotonic() + DEADLINE
        while True:
            assert time.monotonic() < ends, f"not done: {self.killed}, {self.starts} starts"
            process = self._start()
            self._torment(process, kills)
            _, errors = process.communicate()
            self.check_kept()
            if process.returncode == 0 and self.killed.total() >= kills:
                return
            if process.returncode >= 0:
                assert "Traceback" not in errors, errors
            if process.returncode == 0:
                pytest.fail(f"done after {self.killed.total()} of {kills} kills: too few games to torment")

    def _start(self) -> subprocess.Popen[str]:
        self.starts += 1
        scratch = self.folder / "scratch"
        clock = self.folder / "clock"
        for path in (scratch, clock):
            path.mkdir(exist_ok=True)
        (clock / "sitecustomize.py").write_text(JUMPING_CLOCK)
        return subprocess.Popen(
            [sys.executable, *self.program, *self.arguments],
            cwd=self.folder,
            env=os.environ | {"TMPDIR": str(scratch), "PYTHONPATH": f"{clock}{os.pathsep}{_REPOSITORY}"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def _torment(self, process: subprocess.Popen[str], kills: int) -> None:
        """Kill what is there, and fill the disk now and then, until the command ends or enough was killed."""
        filler: Path | None = None
        while process.poll() is None and self.killed.total() < kills:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(self.rng.uniform(0.05, 0.4))
            if filler is not None:
                filler.unlink()
                filler = None
            elif self.disk is not None and self.rng.random() < 0.08:
                filler = fill(self.disk)
                self.filled += 1
            else:
                self._kill_one(process)
        if filler is not None:
            filler.unlink()

    def _kill_one(self, process: subprocess.Popen[str]) -> None:
        """Kill a process of a kind chosen at random, each kind once first; wait a little for short-lived ones."""
        kind = self.rng.choice([kind for kind in self.kinds if not self.killed[kind]] or self.kinds)
        for _ in range(_LOOKS):
            there = processes()
            if process.poll() is not None or process.pid not in there:
                return
            by_kind: dict[str, list[int]] = {}
            for pid in below(process.pid, there):
                by_kind.setdefault(kind_of(pid, process.pid, there), []).append(pid)
                self.seen.add((pid, there[pid][1]))
            if self.killed["compiler"] == KILLED_TRIES - 1:
                by_kind.pop("compiler", None)  # once more, and it would be held to be the program's fault
            if "compiler" in by_kind and not self.killed["compiler"]:
                kind = "compiler"  # there when a command begins, and seldom seen
            elif "worker" not in by_kind and kind != "compiler" and self.rng.random() > _BEFORE_PLAY:
                return  # it is still getting ready: kills are to be spread over play
            if kind in by_kind:
                pid = self.rng.choice(by_kind[kind])
                with contextlib.suppress(ProcessLookupError):
                    if kind in ("command", "worker", "compiler") or self._may_strike(pid, there):
                        os.kill(pid, signal.SIGKILL)
                        self.killed[kind] += 1
                return

    def _may_strike(self, pid: int, there: dict[int, tuple[int, int, str]]) -> bool:
        """Whether its move was disturbed less than twice: the third time in a row is its program's loss, as promised.

        The move is known by its input, which the program has in its directory.
        """
        worker = pid
        while "littlego.arena.pool" not in there[worker][2]:
            worker = there[worker][0]
            if worker not in there:
                return True  # a build: it is not played
        given: bytes | None = None
        for each in below(worker, there):
            with contextlib.suppress(OSError):
                given = Path(f"/proc/{each}/cwd/input.txt").read_bytes()
        seen = self.strikes.setdefault(worker, [])
        seen.append((given, False))
        given = next((old for old, _ in reversed(seen) if old is not None), None)
        strikes = 0
        for old, struck in reversed(seen):
            strikes += struck
            if old not in (given, None):
                break  # its strike may have hit the next move
        if strikes < 2:
            seen.append((seen[-1][0], True))
        return strikes < 2

    def check_kept(self) -> None:
        """What was there at an earlier look is there now, once, and as it was."""
        now = self.rows()
        for key, text in self.kept.items():
            assert now.get(key) == text, f"{key} was lost or changed"
        self.kept = now

    def rows(self) -> dict[tuple[str, Any], str]:
        """All games of all stores, by store and name, read from copies: a kill may have left things to be mended."""
        found: dict[tuple[str, Any], str] = {}
        for path in self.stores():
            copy = self.folder / "copy"
            shutil.rmtree(copy, ignore_errors=True)
            copy.mkdir()
            for file in path.parent.glob(f"{path.name}*"):
                if not file.name.endswith("-shm"):
                    shutil.copy2(file, copy)
            with contextlib.closing(sqlite3.connect(copy / path.name)) as db:
                assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
                for name, text in db.execute("SELECT key, result FROM games JOIN records USING (finished)"):
                    key = (path.parent.name, name)
                    assert key not in found, f"{key} is there twice"
                    found[key] = text
        return found

    def check_nothing_stays(self) -> None:
        """No process of any start is alive, and no file of theirs lies among the temporary ones."""
        ends = time.monotonic() + 600
        while left := [pid for pid, (_, start, _) in processes().items() if (pid, start) in self.seen]:
            assert time.monotonic() < ends, f"processes stay: {left}"
            time.sleep(0.1)
        assert sorted(path.name for path in (self.folder / "scratch").iterdir()) == []

    def check_verdicts(self) -> None:
        """Nobody lost by what was done to the machine: these players make no mistakes of their own."""
        verdicts = Counter(json.loads(text)["record"]["outcome"]["verdict"] for text in self.rows().values())
        assert set(verdicts) == {"score"}, verdicts


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path | None]:
    """A small disk for results, where we may make one; else the folder itself, which does not fill."""
    if not ROOT:
        yield None
        return
    with small_disk(tmp_path / "disk", "8m") as made:
        yield made


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> random.Random:
    print(f"LITTLEGO_CHAOS_SEED={SEED}")
    return random.Random(f"{SEED} {request.node.name}")


def finish(scene: Scene, games: int) -> None:
    """Let a scene end, and look at all that it left."""
    scene.run(KILLS)
    print(f"{dict(scene.killed)}, {scene.starts} starts, the disk filled {scene.filled} times, seed {SEED}")
    assert len(scene.rows()) == games
    scene.check_verdicts()
    scene.check_nothing_stays()
    assert set(scene.killed) == set(scene.kinds), "every kind of process was killed"


def test_a_match(tmp_path: Path, disk: Path | None, rng: random.Random) -> None:
    python_agent(tmp_path / "agent", GOOD)
    out = (disk or tmp_path) / "kept"
    games = 2 * GAMES  # the only pair
    arguments = ["match", "./agent", "random", "--games", str(games), "--jobs", "2", "--out", str(out)]
    finish(Scene(arguments, tmp_path, lambda: [*out.glob("results.sqlite")], rng, disk), games)


def test_a_tournament(tmp_path: Path, disk: Path | None, rng: random.Random) -> None:
    python_agent(tmp_path / "agent", GOOD)
    cup = (disk or tmp_path) / "cup"
    new = [
        sys.executable,
        "-m",
        "littlego",
        "tournament",
        "new",
        str(cup),
        "./agent",
        "random",
        "greedy",
        "--games",
        str(GAMES),
    ]
    subprocess.run(new, cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    arguments = ["tournament", "run", str(cup), "--jobs", "2"]
    finish(Scene(arguments, tmp_path, lambda: [cup / "results.sqlite"], rng, disk), 3 * GAMES)


def test_a_class(tmp_path: Path, disk: Path | None, rng: random.Random) -> None:
    folder, out = tmp_path / "class", (disk or tmp_path) / "grades"
    names, course = ["bob", "cleo"], tmp_path / "small.toml"
    colours = max(8, KILLS // 2)
    course.write_text(format_edition(replace(small(colours).edition, name="small")))
    for name in names:
        python_agent(folder / name, f"{textwrap.dedent(GOOD)}\n# {name}\n")
    if shutil.which("g++"):
        names.append("ada")
        python_agent(folder / "ada", f"#include <bits/stdc++.h>\n{CPP}", "my_player.cpp")
    arguments = ["grade-class", str(folder), "--edition", str(course), "--jobs", "2", "--out", str(out)]
    stores = "students/*/games-*/results.sqlite"
    scene = Scene(arguments, tmp_path, lambda: [*out.glob(stores)], rng, disk)
    if shutil.which("g++"):
        scene.kinds += ("compiler",)
    finish(scene, 2 * colours * len(names))
    rows = json.loads((out / "class.json").read_text())["rows"]
    assert {row["student"]: (row["status"], row["games"], row["forfeits"]) for row in rows} == dict.fromkeys(
        names, ("graded", 2 * colours, 0)
    )


def test_durations_are_not_measured_by_a_clock_that_can_jump() -> None:
    """Every limit of the arena, and of grading, is on the monotonic clock."""
    source = _REPOSITORY / "src" / "littlego"
    files = [*(source / "arena").rglob("*.py"), *(source / "course" / "grading").rglob("*.py")]
    assert files
    jumping = re.compile(
        r"\btime\.(time|time_ns)\(|\b(datetime|date)\.(now|utcnow|today)\(|from time import .*\btime\b"
    )
    assert [str(path) for path in files if jumping.search(path.read_text())] == []
