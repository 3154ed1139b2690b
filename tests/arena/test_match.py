"""Whole matches through the command line: results, resuming, and everything that can be killed."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytest import MonkeyPatch

from littlego.sandbox.client import Supervisor
from littlego.sandbox.limits import probe
from tests.arena.agents import CLASS_2019, GOOD, OCCUPIED, PASSES, passing_command, python_agent
from tests.command import in_this_process

pytestmark = pytest.mark.process


def littlego(*arguments: str, folder: Path, status: int = 0) -> subprocess.CompletedProcess[str]:
    done = in_this_process(*arguments, cwd=folder)
    assert done.returncode == status, done.stderr
    return done


def match(*arguments: str, folder: Path) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(littlego("match", *arguments, "--json", folder=folder).stdout)
    return result


def test_a_match_alternates_colours_and_is_kept(tmp_path: Path) -> None:
    python_agent(tmp_path / "agent", GOOD)
    result = match("./agent", "random", "--games", "2", folder=tmp_path)
    assert [row["record"]["black"] for row in result["results"]] == ["agent", "random"]
    assert all(row["record"]["outcome"]["verdict"] == "score" for row in result["results"])
    assert all(
        level.startswith(str(probe().default)) for row in result["results"] for level in row["isolation"].values()
    )
    assert all(row["cpu_seconds"].keys() == {colour} for row, colour in
               zip(result["results"], ["black", "white"], strict=True))  # fmt: skip
    assert (tmp_path / result["directory"] / "results.sqlite").exists()
    assert match("./agent", "random", "--games", "2", folder=tmp_path) == result, "the same command plays nothing again"
    more = match("./agent", "random", "--games", "3", folder=tmp_path)
    assert more["results"][:2] == result["results"], "more games go on where it was"


def test_isolation_is_named_for_whom_it_confined_and_nobody_else(tmp_path: Path, monkeypatch: MonkeyPatch) -> None:
    """Built-in players need no supervisor, and an engine is not confined by it."""
    python_agent(tmp_path / "program", PASSES)
    engine = f"gtp:{sys.executable} -m littlego gtp random"
    shown = littlego("match", "./program", engine, "--games", "2", folder=tmp_path).stdout
    assert re.search(rf"^program: isolation {probe().default}\.$", shown, re.M)
    assert re.search(r"^\S+: isolation trusted\.$", shown, re.M)
    result = match("./program", engine, "--games", "2", folder=tmp_path)
    assert [row["isolation"]["white" if number == 0 else "black"] for number, row in enumerate(result["results"])] == [
        "trusted",
        "trusted",
    ]

    monkeypatch.setattr(Supervisor, "_launch", lambda _self: pytest.fail("a supervisor was started"))
    done = littlego("match", "random", "greedy", "--games", "1", folder=tmp_path)
    assert "solation" not in done.stdout + done.stderr
    assert "1 game, 5x5" in done.stdout


def test_what_a_compiler_quotes_reaches_no_terminal_unescaped(tmp_path: Path) -> None:
    python_agent(tmp_path / "agent", "x = '\x1b]0;title\x07\x1b[2J", "my_player3.py")
    said = littlego("match", "./agent", "random", folder=tmp_path, status=2).stderr
    assert "\x1b" not in said and "\x07" not in said
    assert r"\x1b]0;title\x07" in said


def test_another_match_is_not_mixed_in(tmp_path: Path) -> None:
    agent = python_agent(tmp_path / "agent", GOOD)
    arguments = ("match", "./agent", "random", "--games", "1", "--out", "kept")
    littlego(*arguments, folder=tmp_path)
    (agent / "my_player3.py").write_text((agent / "my_player3.py").read_text() + "\n# changed\n")
    assert "holds another match" in littlego(*arguments, folder=tmp_path, status=2).stderr


def test_a_forfeit_is_reported_and_can_be_replayed(tmp_path: Path) -> None:
    agent = python_agent(tmp_path / "agent", "import sys; print('thinking', file=sys.stderr)\n" + OCCUPIED)
    done = littlego("match", "./agent", "aggressive", "--games", "2", "--out", "kept", folder=tmp_path)
    assert f"agent: isolation {probe().default}." in done.stdout
    assert "Game 2: White (agent) forfeited at move 2: 2,2: the point is occupied" in done.stdout
    assert "  | thinking" in done.stdout
    assert "littlego replay kept/capsules/game-2.json" in done.stdout
    again = littlego("replay", "kept/capsules/game-2.json", folder=tmp_path)
    assert "Reproduced." in again.stdout
    python_agent(agent, GOOD)
    mended = littlego("replay", "kept/capsules/game-2.json", folder=tmp_path, status=1)
    assert "now:  legal" in mended.stdout
    assert "The agent's files have changed since." in mended.stdout


def test_a_capsule_brings_the_agents_own_files_back(tmp_path: Path) -> None:
    source = """
        import os
        count = os.path.getsize("count") if os.path.exists("count") else 0
        open("count", "a").write("x")
        open("output.txt", "w").write("PASS" if count < 2 else "oops")
    """
    python_agent(tmp_path / "agent", source)
    littlego("match", "./agent", "greedy", "--games", "1", "--out", "kept", folder=tmp_path)
    capsule = tmp_path / "kept" / "capsules" / "game-1.json"
    assert json.loads(capsule.read_text())["move_number"] == 5
    assert "Reproduced." in littlego("replay", str(capsule), folder=tmp_path).stdout
    littlego("replay", str(capsule), "--into", "laid", folder=tmp_path)
    assert (tmp_path / "laid" / "count").read_text() == "xx"
    for planted in (".pdbrc", "my_player3.py", "Random.PYC"):  # what a debugger would run, with no sandbox
        data = json.loads(capsule.read_text())
        data["state"] = {planted: ""}
        (tmp_path / "planted.json").write_text(json.dumps(data))
        for how in (["--into", "elsewhere"], ["--pdb"]):
            refused = littlego("replay", "planted.json", *how, folder=tmp_path, status=2)
            assert "would run as part of the agent" in " ".join(refused.stderr.split())
    for junk in ("", "{}", '{"kind": "littlego capsule", "schema": 1}'):
        capsule.write_text(junk)
        assert "Traceback" not in littlego("replay", str(capsule), folder=tmp_path, status=2).stderr


def test_classes_in_the_2019_manner_play_by_either_rules(tmp_path: Path) -> None:
    python_agent(tmp_path / "agent", CLASS_2019, "my_player.py")
    for edition, size in (("2019", "5"), ("2019", "7"), ("2025", "5")):
        result = match("class:agent", "random", "--games", "1", "--edition", edition, "--size", size, folder=tmp_path)
        assert [row["record"]["outcome"]["verdict"] for row in result["results"]] == ["score"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("nobody random", "no player is called 'nobody'"),
        ("./nowhere random", "nowhere: there is no such file or directory"),
        ("manual random", "a person cannot play in a match"),
        ("greedy random", "greedy is both a built-in player and a directory here: write ./greedy for the directory"),
        ("random smart --level L9", "level 'L9': expected one of portable, linux, root"),
        ("class:nowhere.py random", "nowhere.py: cannot be read"),
        ("cmd: random", "needs a command"),
        ("random smart --python 9.99 --games 0", "--games"),
    ],
)
def test_wrong_use_is_explained(arguments: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "greedy").mkdir()
    done = littlego("match", *arguments.split(), folder=tmp_path, status=2)
    assert says in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.stderr


GAMES = 40


def passing_players(tmp_path: Path, seconds: str) -> list[str]:
    return [passing_command(tmp_path / name, seconds) for name in ("one", "two")]


def start_long_match(tmp_path: Path, seconds: str) -> subprocess.Popen[str]:
    """Games of two programs that think a little and pass."""
    first, second = passing_players(tmp_path, seconds)
    arguments = ("match", first, second, "--games", str(GAMES), "--jobs", "2",
                 "--out", "kept", "--json")  # fmt: skip
    return subprocess.Popen(
        [sys.executable, "-m", "littlego", *arguments],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def games_kept(tmp_path: Path) -> int:
    """How many results there are, read from a copy: the match has the store to itself."""
    store = tmp_path / "kept" / "results.sqlite"
    if not store.exists():
        return 0
    with tempfile.TemporaryDirectory() as copies:
        for suffix in ("", "-wal"):
            source = store.with_name(store.name + suffix)
            if source.exists():
                Path(copies, f"copy{suffix}").write_bytes(source.read_bytes())
        try:
            with contextlib.closing(sqlite3.connect(Path(copies, "copy"))) as db:
                return int(db.execute("SELECT count(*) FROM games").fetchone()[0])
        except sqlite3.Error:
            return 0


def children(pid: int, needle: str) -> list[int]:
    """The processes below `pid` whose command line has `needle`."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                words = (entry / "cmdline").read_bytes().decode(errors="replace")
            except (OSError, ValueError):
                continue
            if parent == pid:
                found += [int(entry.name)] if needle in words else []
                found += children(int(entry.name), needle)
    return found


def kill_command(process: subprocess.Popen[str]) -> bool:
    os.kill(process.pid, signal.SIGKILL)
    return True


def kill_worker(process: subprocess.Popen[str]) -> bool:
    workers = children(process.pid, "littlego.arena.pool")
    if workers:
        os.kill(workers[0], signal.SIGKILL)
    return bool(workers)


def kill_supervisor(process: subprocess.Popen[str]) -> bool:
    supervisors = children(process.pid, "supervisor.py")
    if supervisors:
        os.kill(supervisors[0], signal.SIGKILL)
    return bool(supervisors)


@pytest.mark.siege
@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("kill", [kill_command, kill_worker, kill_supervisor])
def test_whatever_is_killed_every_game_is_there_once(
    kill: Callable[[subprocess.Popen[str]], bool], tmp_path: Path
) -> None:
    process = start_long_match(tmp_path, "0.2")
    deadline = time.monotonic() + 600
    while games_kept(tmp_path) < 5 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)  # there is no event: the match has its store to itself
    assert process.poll() is None, "killed in the middle, not after the end"
    assert kill(process)
    passing_players(tmp_path, "0")
    process.communicate(timeout=600)
    kept = games_kept(tmp_path)
    assert kept >= 5
    assert kept < GAMES or kill is not kill_command
    again = start_long_match(tmp_path, "0")
    out, _ = again.communicate(timeout=600)
    result = json.loads(out)
    assert [row["game"] for row in result["results"]] == list(range(1, GAMES + 1))
    assert all(row["record"]["outcome"]["verdict"] == "score" for row in result["results"]), (
        "nobody lost by our failure"
    )


@pytest.mark.slow
def test_ctrl_c_stops_cleanly_and_tells_how_to_go_on(tmp_path: Path) -> None:
    process = start_long_match(tmp_path, "0.2")
    while games_kept(tmp_path) < 3 and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 130
    assert "To continue:" in err
    assert "Traceback" not in err
    assert 3 <= json.loads(out)["games"] < GAMES
