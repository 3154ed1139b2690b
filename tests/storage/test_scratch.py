"""No temporary directory outlives its command, or the next command, whatever was killed."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from littlego.arena.processes import own_python
from littlego.storage.scratch import PREFIX, command_scratch, sweep, temporary_directory
from tests.arena.agents import PASSES, python_agent

LITTLEGO = str(Path(sys.executable).with_name("littlego"))
SLOW = f"""
import os, time
if not os.path.exists("state.txt"):
    open("state.txt", "w").close()
    time.sleep(2)
{PASSES}
"""
"""Takes its time for the first move of a game."""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


def command(place: Path, *words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [LITTLEGO, *words],
        cwd=place.parent,
        env={**os.environ, "TMPDIR": str(place)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def next_command(place: Path) -> None:
    with command(place, "players") as process:
        assert process.wait() == 0


def wait_for(what: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 600
    while not what():
        assert process.poll() is None, process.stderr and process.stderr.read()
        assert time.monotonic() < end
        time.sleep(0.02)


def named(pid: int, word: str) -> list[int]:
    """The descendants of a process that have a word in their command line."""
    found, waiting = [], [pid]
    while waiting:
        with contextlib.suppress(OSError):  # those that end meanwhile
            for task in Path(f"/proc/{waiting.pop()}/task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
        for child in waiting:
            with contextlib.suppress(OSError):
                if word in Path(f"/proc/{child}/cmdline").read_text() and child not in found:
                    found.append(child)
    return found


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    return python_agent(tmp_path / "agent", SLOW)


def playing(place: Path, agent: Path, *words: str) -> subprocess.Popen[bytes]:
    """A match with two games under way, each of which has a directory with state in it."""
    process = command(place, "match", str(agent), "random", "--games", "4", "--jobs", "2", "--out", "out", *words)
    # `os.walk` does not mind directories that go while it looks, as `rglob` does.
    wait_for(lambda: sum("state.txt" in files for _, _, files in os.walk(place)) >= 2, process)
    return process


@pytest.mark.siege
@pytest.mark.process
@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL), (signal.SIGTERM, 130)]
)
def test_a_command_that_is_ended(number: int, status: int, place: Path, agent: Path) -> None:
    with playing(place, agent) as process:
        process.send_signal(number)
        process.communicate()
        assert process.returncode == status
    if number != signal.SIGKILL:
        assert list(place.iterdir()) == [], "it was told to stop, and cleans up itself"
    next_command(place)
    assert list(place.iterdir()) == []


@pytest.mark.siege
@pytest.mark.process
@pytest.mark.parametrize("who", ["littlego.arena.pool", "supervisor.py"])
def test_a_process_of_the_command_that_is_killed(who: str, place: Path, agent: Path) -> None:
    with playing(place, agent) as process:
        for pid in named(process.pid, who):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        _, errors = process.communicate()
        assert process.returncode == 0, errors
    is_game_lost = who == "littlego.arena.pool"  # after the end of a supervisor the move alone is played again
    assert (b"is void because of an error on our side" in errors) == is_game_lost
    assert list(place.iterdir()) == []


@pytest.mark.siege
@pytest.mark.process
def test_games_that_are_broken_off(place: Path, tmp_path: Path) -> None:
    """By a test that ends early."""
    python_agent(tmp_path / "agent", PASSES)
    words = ("match", "./agent", "random", "--games", "200", "--jobs", "2", "--sprt", "--out", "out")
    with command(place, *words) as process:
        _, errors = process.communicate()
        assert process.returncode == 0, errors
    assert list(place.iterdir()) == []


@pytest.mark.siege
@pytest.mark.process
def test_a_check_of_what_cannot_be_built(place: Path, tmp_path: Path) -> None:
    python_agent(tmp_path / "agent", "this is no Python (")
    with command(place, "check", "agent") as process:
        _, errors = process.communicate()
        assert process.returncode == 1, errors
    assert list(place.iterdir()) == []


@pytest.mark.siege
@pytest.mark.process
def test_a_killed_workers_directory_goes_at_once(place: Path, agent: Path) -> None:
    with playing(place, agent) as process:
        homes = set(place.glob("*/worker-*"))
        assert len(homes) == 2
        for pid in named(process.pid, "littlego.arena.pool"):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        wait_for(lambda: not any(home.exists() for home in homes), process)
        process.send_signal(signal.SIGINT)
        process.communicate()


def test_the_living_and_the_dead(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    dead = place / f"{PREFIX}dead"
    (dead / "littlego-game-x").mkdir(parents=True)
    (place / "somebody-elses").mkdir()
    (place / f"{PREFIX}link").symlink_to(place / "somebody-elses")
    with command_scratch():
        alive = Path(tempfile.gettempdir())
        assert alive.parent == place
        assert not dead.exists()
        with temporary_directory("game-") as game:
            assert game.parent == alive
            (game / "file").touch()
        assert not game.exists()
        program = (
            "import sys; from pathlib import Path; from littlego.storage.scratch import sweep; sweep(Path(sys.argv[1]))"
        )
        subprocess.run([own_python("x")[0], "-P", "-c", program, place], check=True)
        assert alive.exists(), "its command lives"
        sweep(place)
        assert alive.exists(), "even in the same process"
    assert not alive.exists()
    assert tempfile.gettempdir() == str(place)
    assert sorted(path.name for path in place.iterdir()) == [f"{PREFIX}link", "somebody-elses"]


@pytest.mark.skipif(os.geteuid() != 0, reason="gives a directory to another user")
def test_directories_of_other_users_are_left_alone(place: Path) -> None:
    (place / f"{PREFIX}of-another").mkdir()
    os.chown(place / f"{PREFIX}of-another", 65534, 65534)
    sweep(place)
    assert (place / f"{PREFIX}of-another").exists()


def test_what_cannot_be_removed_is_reported_once(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    heard: list[str] = []
    with command_scratch(heard.append):
        home = Path(tempfile.gettempdir())
        monkeypatch.setattr("littlego.storage.scratch.remove_tree", lambda path: f"{path}: cannot be removed")
        with temporary_directory("game-"):
            pass
    assert heard == [f"{home}: cannot be removed"]


def test_a_command_runs_where_no_directory_can_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere/at/all")
    with command_scratch():
        assert tempfile.gettempdir() == "/nowhere/at/all"
