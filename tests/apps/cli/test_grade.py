"""`littlego grade` as a user meets it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.apps.cli.test_commands import ENVIRONMENT, littlego
from tests.arena.agents import passing_command, python_agent
from tests.arena.match.test_plan import games_kept

pytestmark = pytest.mark.process


def test_a_grading_as_text_page_json_and_for_gradescope(tmp_path: Path) -> None:
    files = ("--html", str(tmp_path / "grade.html"), "--gradescope", str(tmp_path / "results.json"))
    command = ("grade", "greedy", "--edition", "2024", "--out", str(tmp_path / "out"))
    text = littlego(*command, *files)
    assert text.returncode == 0, text.stderr
    data = json.loads(littlego(*command, "--json").stdout)
    assert text.stdout.startswith(f"greedy-agent: {data['points']:g} of 90 points, edition 2024, stage 1\n")
    assert f"Results are in {tmp_path / 'out'}." in text.stdout
    rows = data["repeats"][0]["batches"][0]["opponents"]
    assert [row["opponent"] for row in rows] == ["random", "greedy", "aggressive", "alphabeta"]
    assert all(row["games"] == 20 and row["by_colour"]["black"]["games"] == 10 for row in rows)
    assert all(row["rubric_line"] in text.stdout for row in rows)
    assert sum(len(row["lost"]) for row in rows) == sum(row["losses"] for row in rows)
    assert json.loads((tmp_path / "results.json").read_text())["score"] == data["points"]
    assert "Grade of greedy-agent" in (tmp_path / "grade.html").read_text()


def test_a_broken_agent_gets_its_report_and_exit_1(tmp_path: Path) -> None:
    agent = python_agent(tmp_path / "agent", "def choose(:\n")
    done = littlego("grade", str(agent), "--gradescope", str(tmp_path / "results.json"))
    assert done.returncode == 1
    assert "agent: 0 of 90 points" in done.stdout
    assert "SyntaxError" in done.stdout
    assert "SyntaxError" in json.loads((tmp_path / "results.json").read_text())["output"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("grade nobody", "no player is called 'nobody'"),
        ("grade greedy --stage 3", "stage '3': expected one of 1, 2, submit1"),
        ("grade greedy --edition 2019 --stage 2", "see 'littlego tournament'"),
        ("grade greedy --edition 1999", "edition '1999': expected one of"),
        ("grade greedy --html /nowhere/at/all.html", "/nowhere/at/all.html: cannot be written"),
        ("grade greedy --edition 2019 --regret 5", "--regret: the rules of 2019"),
    ],
)
def test_wrong_use(arguments: str, says: str) -> None:
    done = littlego(*arguments.split())
    assert done.returncode == 2
    assert says in done.stderr


def test_gradescope_is_told_what_cannot_be_graded(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = littlego("grade", str(tmp_path / "empty"), "--gradescope", str(tmp_path / "results.json"))
    assert done.returncode == 2
    results = json.loads((tmp_path / "results.json").read_text())
    assert results["score"] == 0
    assert "no agent here" in results["output"]


@pytest.mark.slow
def test_ctrl_c_keeps_what_was_played_and_tells_how_to_go_on(tmp_path: Path) -> None:
    agent = passing_command(tmp_path, "0.02")
    command = [sys.executable, "-m", "littlego", "grade", agent, "--edition", "2024", "--out", str(tmp_path / "kept")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
    while games_kept(tmp_path) < 2 and process.poll() is None:
        time.sleep(0.05)  # there is no event: the grading has its store to itself
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "so far, edition 2024" in out
    assert "To continue:" in err
    assert "Traceback" not in err
