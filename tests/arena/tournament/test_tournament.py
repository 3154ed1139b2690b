"""Whole tournaments through the command line: resuming, joining, stopping, and whatever can be killed."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from littlego.apps.cli.main import assembled
from littlego.core.errors import LittleGoError
from littlego.formats.records import record_from_dict
from littlego.formats.sgf import parse_sgf
from littlego.sandbox import SandboxError
from tests.arena.agents import CLASS_2019, GOOD, OCCUPIED, passing_command, python_agent
from tests.arena.test_match import children, littlego

pytestmark = pytest.mark.process


@dataclass(frozen=True)
class Done:
    stdout: str
    stderr: str


def tournament(*arguments: str, folder: Path, status: int = 0) -> Done:
    """The command, in this process: starting one for each takes longer than most of them do."""
    out, errors = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        try:
            code = assembled()(["tournament", *arguments], standalone_mode=False) or 0
        except (LittleGoError, SandboxError) as error:
            print(error, file=sys.stderr)
            code = 2
    assert code == status, errors.getvalue()
    return Done(out.getvalue(), errors.getvalue())


def standings(folder: Path, *, command: str = "show") -> dict[str, Any]:
    result: dict[str, Any] = json.loads(tournament(command, "cup", "--json", folder=folder).stdout)
    return result


def started(folder: Path, *options: str) -> subprocess.Popen[str]:
    words = [sys.executable, "-m", "littlego", "tournament", "run", "cup", *options]
    return subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def rows(folder: Path, query: str) -> list[tuple[Any, ...]]:
    with contextlib.closing(sqlite3.connect(folder / "cup" / "results.sqlite")) as db:
        return db.execute(query).fetchall()


def wait_for_games(folder: Path, count: int, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 600
    while rows(folder, "SELECT count(*) FROM games")[0][0] < count:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)  # there is no event: another process writes


def test_a_tournament_is_played_once_and_continues_with_a_new_player(tmp_path: Path) -> None:
    tournament("new", "cup", "random", "greedy", "smart", "--games", "4", folder=tmp_path)
    first = standings(tmp_path, command="run")
    assert (first["games"], first["planned_games"]) == (12, 12)
    assert [row["games"] for row in first["standings"]] == [8, 8, 8]
    assert sum(row["wins"] for row in first["standings"]) == 12
    assert standings(tmp_path, command="run") == first == standings(tmp_path), "nothing is played again"
    played = rows(tmp_path, "SELECT * FROM games ORDER BY finished")
    tournament("add", "cup", "aggressive", folder=tmp_path)
    assert standings(tmp_path)["planned_games"] == 24
    more = standings(tmp_path, command="run")
    assert more["games"] == 24
    assert rows(tmp_path, "SELECT * FROM games ORDER BY finished LIMIT 12") == played, "no game has changed"


def test_the_same_plan_gives_the_same_games_whatever_the_order(tmp_path: Path) -> None:
    """One all at once, the other with a player joining later and a different number of workers."""
    told = "SELECT black, white, winner, moves FROM games ORDER BY 1, 2, 4"
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    tournament("new", "cup", "random", "greedy", "smart", "--games", "6", folder=tmp_path / "one")
    tournament("run", "cup", "--jobs", "1", folder=tmp_path / "one")
    tournament("new", "cup", "random", "greedy", "--games", "6", folder=tmp_path / "other")
    tournament("run", "cup", folder=tmp_path / "other")
    tournament("add", "cup", "smart", folder=tmp_path / "other")
    tournament("run", "cup", "--jobs", "3", folder=tmp_path / "other")
    assert rows(tmp_path / "one", told) == rows(tmp_path / "other", told)


def test_agents_play_from_the_tournaments_own_copy(tmp_path: Path) -> None:
    agent = python_agent(tmp_path / "agent", GOOD)
    python_agent(tmp_path / "old", CLASS_2019, "my_player.py")
    tournament("new", "cup", "./agent", "class:old", "random", "--games", "2", folder=tmp_path)
    python_agent(agent, OCCUPIED)
    shutil.rmtree(tmp_path / "old")
    done = tournament("run", "cup", "--json", folder=tmp_path)
    assert "agent has changed since it joined; its old version plays" in done.stderr
    result = json.loads(done.stdout)
    assert result["verdicts"] == {"score": 6}
    joined = tournament("add", "cup", "./agent", folder=tmp_path).stdout
    assert "agent-2 has joined" in joined, "a changed agent is a new player"
    again = tournament("add", "cup", "./agent", folder=tmp_path, status=2).stderr
    assert "already takes part, as agent-2" in again
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    (tmp_path / "cup").rename(moved / "cup")
    result = standings(moved, command="run")
    assert result["games"] == 12
    assert "has changed" not in tournament("run", "cup", folder=moved).stderr, "the new version has joined"
    assert {row["player"]: row["forfeits"] for row in result["standings"]}["agent-2"] > 0
    capsules = sorted((moved / "cup" / "capsules").iterdir())
    assert "Reproduced." in littlego("replay", str(capsules[0]), folder=tmp_path).stdout
    copied = moved / "cup" / "agents" / "agent" / "my_player3.py"
    copied.write_text("# changed\n" + copied.read_text())
    tournament("add", "cup", "greedy", folder=moved)
    assert "agent: its files have changed since it joined" in tournament(
        "run", "cup", folder=moved, status=2
    ).stderr  # fmt: skip


def test_a_swiss_resumes_with_the_same_pairings(tmp_path: Path) -> None:
    told = "SELECT black, white, winner, moves FROM games ORDER BY 1, 2, 4"
    pairings = "SELECT * FROM pairings ORDER BY 1, 2"
    words = ["new", "cup", *(f"p{k}={name}" for k, name in enumerate(["random", "greedy", "smart"] * 3))]
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        tournament(*words, "--format", "swiss", "--rounds", "3", "--games", "8", folder=tmp_path / name)
    tournament("run", "cup", folder=tmp_path / "one")
    for games in (10, 50):
        process = started(tmp_path / "other")
        wait_for_games(tmp_path / "other", games, process)
        process.kill()
        process.communicate()
    tournament("run", "cup", folder=tmp_path / "other")
    assert rows(tmp_path / "one", pairings) == rows(tmp_path / "other", pairings)
    assert rows(tmp_path / "one", told) == rows(tmp_path / "other", told)
    assert len(rows(tmp_path / "one", told)) == 3 * 4 * 8
    byes = [row["player"] for row in standings(tmp_path / "one")["standings"] if row["byes"]]
    assert len(byes) == 3
    shown = tournament("show", "cup", folder=tmp_path / "one").stdout
    assert "worth 8 won games: " + ", ".join(byes) in shown


def test_the_competition_of_2019(tmp_path: Path) -> None:
    points = {"random": 79.5, "greedy": 80, "aggressive": 91, "smart": 91}
    options = [word for name, number in points.items() for word in ("--stage1", f"{name}={number}")]
    tournament("new", "cup", *points, *options, "--format", "course2019", folder=tmp_path)
    ta = ("ta=smart", "--stage1", "ta=guest")
    two = ("greedy", "smart", *options[2:4], *options[6:])
    tournament("new", "with-ta", *two, *ta, "--format", "course2019", folder=tmp_path)
    tournament("run", "with-ta", folder=tmp_path)
    shown = tournament("show", "with-ta", folder=tmp_path).stdout
    assert re.search(r"guest +ta +0 ", shown), shown
    result = standings(tmp_path, command="run")
    assert (result["games"], result["rules"]["size"], result["rules"]["edition"]) == (33, 5, "2019")
    assert [place["points"] for place in result["competition"]] == [20, 20, 15] or [
        place["rank"] for place in result["competition"]
    ] == [1, 1, 1]
    assert {place["player"] for place in result["competition"]} == {"greedy", "aggressive", "smart"}
    assert "fewer than 80 points from stage 1: random" in tournament("show", "cup", folder=tmp_path).stdout
    blacks = rows(tmp_path, "SELECT count(*) FROM games WHERE black = 'greedy'")[0][0]
    assert blacks == 10, "greedy had the lower stage-1 score in both matches"


def test_a_folder_of_submissions_plays_without_the_broken_ones(tmp_path: Path) -> None:
    python_agent(tmp_path / "broken", "def (")
    (tmp_path / "empty").mkdir()
    players = ("random", "./broken", "./empty", "nobody", "greedy")
    done = tournament("new", "cup", *players, "--skip-broken", folder=tmp_path)
    assert "2 players: random, greedy" in done.stdout
    assert [line.split(": ")[1] for line in done.stderr.splitlines()] == ["./empty", "nobody", "broken"]
    assert not (tmp_path / "cup" / "agents").exists() or not any((tmp_path / "cup" / "agents").iterdir())
    tournament("new", "cup2", "random", "./broken", "--skip-broken", folder=tmp_path, status=2)
    assert not (tmp_path / "cup2").exists()


def test_a_player_leaves_a_swiss(tmp_path: Path) -> None:
    tournament("new", "cup", "random", "greedy", "smart", "aggressive", "--format", "swiss", "--rounds", "2",
               "--games", "2", "--strict", folder=tmp_path)  # fmt: skip
    assert "strict = true" in (tmp_path / "cup" / "tournament.toml").read_text()
    tournament("run", "cup", folder=tmp_path)
    assert standings(tmp_path)["planned_games"] == 8
    assert "smart has left." in tournament("remove", "cup", "smart", folder=tmp_path).stdout
    left = standings(tmp_path)
    assert left["games"] == left["planned_games"] < 8, "nothing is missing for ever"
    assert "no player is called 'smart'" in tournament("remove", "cup", "smart", folder=tmp_path, status=2).stderr


def test_archives_and_nested_folders_take_part(tmp_path: Path) -> None:
    python_agent(tmp_path / "in" / "ada" / "homework", GOOD)
    with zipfile.ZipFile(tmp_path / "in" / "ben.zip", "w") as archive:
        archive.writestr("ben/hw/my_player3.py", textwrap.dedent(GOOD) + "# ben\n")
    players = tournament("new", "cup", "in/ada", "in/ben.zip", "--games", "2", folder=tmp_path).stdout
    assert "2 players: ada, ben" in players
    done = tournament("run", "cup", "--json", folder=tmp_path)
    assert json.loads(done.stdout)["verdicts"] == {"score": 2}
    assert "has changed" not in done.stderr


def test_games_are_exported(tmp_path: Path) -> None:
    tournament("new", "cup", "random", "greedy", "--games", "3", folder=tmp_path)
    tournament("run", "cup", folder=tmp_path)
    tournament("report", "cup", "--sgf", "sgf", "--games-json", "games.json", "--html", "r.html", folder=tmp_path)
    files = sorted((tmp_path / "sgf").iterdir())
    kept = json.loads((tmp_path / "games.json").read_text())
    assert len(files) == len(kept) == 3
    for file, game in zip(files, kept, strict=True):
        record, exported = record_from_dict(game["record"]), parse_sgf(file.read_bytes())
        assert (record.moves, record.black, record.outcome) == (exported.moves, exported.black, exported.outcome)
    page = (tmp_path / "r.html").read_text()
    assert "<svg" in page
    assert not re.search(r"(?:src|href)=\"(?!#)", page), "nothing is fetched"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("new cup random", "at least two players"),
        ("new cup random nobody", "no player is called 'nobody'"),
        ("new cup random manual", "a person cannot play in a tournament"),
        ("new cup random greedy --format cup", "format 'cup': expected one of"),
        ("new cup random greedy --format course2019", "random: course2019 needs its points from stage 1"),
        ("new cup random greedy --format course2019 --stage1 random", "expected NAME=POINTS"),
        ("new cup random greedy --stage1 smart=3", "--stage1 smart: no such player"),
        ("new cup random greedy --rounds 3", "only a Swiss has rounds"),
        ("new cup random greedy --format gauntlet --challengers 2", "needs at least one other player"),
        ("new cup random ./broken", "broken: python3"),
        ("new cup random greedy --level L9", "level 'L9'"),
        ("new broken random greedy", "broken: is not empty"),
        ("run cup", "cup: no tournament here"),
        ("show cup", "cup: no tournament here"),
        ("add cup random", "cup: no tournament here"),
    ],
)
def test_wrong_use_is_explained_and_leaves_nothing(arguments: str, says: str, tmp_path: Path) -> None:
    python_agent(tmp_path / "broken", "def (")
    done = tournament(*arguments.split(), folder=tmp_path, status=2)
    assert says in " ".join(done.stderr.replace("│", " ").split())
    assert not (tmp_path / "cup").exists()


def test_what_games_were_played_by_cannot_be_changed(tmp_path: Path) -> None:
    tournament("new", "cup", "random", "greedy", "--games", "2", folder=tmp_path)
    plan = tmp_path / "cup" / "tournament.toml"
    text = plan.read_text()
    plan.write_text(text.replace("seed = 1", "seed = 2"))
    tournament("run", "cup", folder=tmp_path)
    plan.write_text(text)
    assert "seed changed after games had been played (seed = 2 then)" in tournament(
        "run", "cup", folder=tmp_path, status=2
    ).stderr  # fmt: skip
    plan.write_text(text.replace("seed = 1", "seed = 2").replace("games = 2", "games = 4"))
    assert standings(tmp_path, command="run")["games"] == 4, "more games may be asked for"


def kill_command(process: subprocess.Popen[str]) -> None:
    process.kill()


def kill_worker(process: subprocess.Popen[str]) -> None:
    while process.poll() is None:
        for worker in children(process.pid, "littlego.arena.pool"):
            os.kill(worker, signal.SIGKILL)
            return
        time.sleep(0.05)
    raise AssertionError("no worker to kill")


@pytest.mark.siege
@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").exists(), reason="looks for processes in /proc")
def test_500_games_survive_three_kills(tmp_path: Path) -> None:
    """The command, one of its workers in the next run, and the command again."""
    players = ["random", "greedy", "r2=random", "g2=greedy", "r3=random"]
    tournament("new", "cup", *players, "--games", "50", folder=tmp_path)
    kills: list[tuple[Callable[[subprocess.Popen[str]], None], int]] = [
        (kill_command, 60), (kill_worker, 150), (kill_command, 250),
    ]  # fmt: skip
    process = started(tmp_path, "--jobs", "2")
    for kill, games in kills:
        wait_for_games(tmp_path, games, process)
        kill(process)
        if kill is kill_command:
            process.communicate()
            process = started(tmp_path, "--jobs", "2")
    process.communicate(timeout=600)
    assert process.returncode == 0
    assert standings(tmp_path)["games"] == 500
    assert rows(tmp_path, "SELECT count(*), count(DISTINCT key) FROM games") == [(500, 500)]
    assert rows(tmp_path, "SELECT count(*) FROM games JOIN records USING (finished)") == [(500,)]
    assert rows(tmp_path, "PRAGMA integrity_check") == [("ok",)]


def test_ctrl_c_tells_how_to_go_on(tmp_path: Path) -> None:
    first, second = (passing_command(tmp_path / name, "0.1") for name in ("one", "two"))
    tournament("new", "cup", f"one={first}", f"two={second}", "--games", "500", folder=tmp_path)
    process = started(tmp_path)
    wait_for_games(tmp_path, 1, process)
    assert "another command is running" in tournament("run", "cup", folder=tmp_path, status=2).stderr
    assert standings(tmp_path)["games"] >= 1, "a running tournament can be looked at"
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=600)
    assert process.returncode == 130
    assert "To continue:" in errors
    assert "Traceback" not in errors
    assert "of 500 games" in out
