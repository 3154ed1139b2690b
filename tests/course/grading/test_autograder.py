"""The autograder's archive, unpacked and run as Gradescope does: its directories, an ordinary user."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from littlego.apps.cli.main import assembled
from littlego.arena.building import find_tool
from littlego.core.errors import UsageError
from littlego.course.grading.gradescope import HERE, pinned
from tests.arena.agents import PASSES, python_agent
from tests.command import in_this_process
from tests.sandbox import as_user

COURSE = """
name = "tiny"
[rules]
size = 3
[[stages]]
key = "1"
games = 2
budget_seconds = 100
[[stages.opponents]]
player = "veteran"
lines = [ { from = 50, points = 10 } ]
[[stages.opponents]]
player = "random"
lines = [ { from = 0, points = 5 } ]
"""


def littlego(*words: object) -> None:
    result = CliRunner().invoke(assembled(), [str(word) for word in words])
    assert result.exit_code == 0, (result.output, result.exception)


@pytest.fixture
def course(tmp_path: Path) -> Path:
    python_agent(tmp_path / "veteran", PASSES)
    (tmp_path / "tiny.toml").write_text(COURSE)
    return tmp_path / "tiny.toml"


def unpack(archive: Path, folder: Path) -> None:
    """As `unzip` does, with modes."""
    with zipfile.ZipFile(archive) as packed:
        for file in packed.infolist():
            path = Path(packed.extract(file, folder))
            path.chmod(file.external_attr >> 16 & 0o777)


def as_somebody(*words: object, root: Path) -> subprocess.CompletedProcess[str]:
    user = [sys.executable, as_user.__file__] if os.geteuid() == 0 else []
    python = Path(sys.executable).parent
    environment = [f"AUTOGRADER_ROOT={root}", f"PATH={python}:/usr/bin:/bin", "TMPDIR=/tmp"]
    command = [*user, "env", *environment, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture
def root() -> Iterator[Path]:
    """Gradescope's directory, where another user can go: pytest's own directories are closed to others."""
    with tempfile.TemporaryDirectory(prefix="littlego-test-") as place:
        Path(place).chmod(0o755)
        yield Path(place) / "autograder"


@pytest.mark.process
def test_gradescope(course: Path, root: Path, tmp_path: Path) -> None:
    littlego("autograder", tmp_path / "grader.zip", "--edition", course)
    unpack(tmp_path / "grader.zip", root / "source")
    with zipfile.ZipFile(tmp_path / "inner.zip", "w") as inner:
        inner.writestr("hw2/my_player3.py", PASSES)
    for name in ("submission", "results"):
        (root / name).mkdir()
    (tmp_path / "inner.zip").rename(root / "submission" / "all.zip")
    for folder in (root, root / "results"):
        folder.chmod(0o777)
    done = as_somebody(root / "source" / "setup.sh", root=root)
    assert done.returncode == 0, done.stderr
    assert "which has everything" in done.stdout
    done = as_somebody(root / "source" / "run_autograder", root=root)
    assert done.returncode == 0, done.stderr
    results = json.loads((root / "results" / "results.json").read_text())
    # Both pass at once, so White has won: one game of two.
    veteran, random = results["tests"]
    assert (veteran["name"], veteran["score"], veteran["max_score"]) == ("Stage 1: veteran", 10, 10)
    assert (random["score"], random["visibility"]) == (5, "visible")
    assert "Won 1 of 2 games" in veteran["output"]
    assert results["score"] == 15
    assert [row["name"] for row in results["leaderboard"]] == ["Points", "Wins", "CPU seconds"]


NUMPY = f"import numpy\n{PASSES}"


@pytest.mark.process
def test_agents_have_the_packages_of_the_autograder(course: Path, tmp_path: Path) -> None:
    littlego("autograder", tmp_path / "grader.zip", "--edition", course)
    root = tmp_path / "autograder"
    unpack(tmp_path / "grader.zip", root / "source")
    python_agent(root / "submission", NUMPY)
    (root / "python-to-use").write_text(f"{sys.executable}\n")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    environment = {**os.environ, "AUTOGRADER_ROOT": str(root), "PATH": f"{tmp_path / 'bare/bin'}:/usr/bin:/bin"}
    done = subprocess.run([root / "source/run_autograder"], env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads((root / "results" / "results.json").read_text())["score"] == 15


@pytest.mark.process
def test_what_only_this_machine_lacks_gives_no_score(course: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    agent, results = python_agent(tmp_path / "ada", NUMPY), tmp_path / "r.json"
    words = ["grade", agent, "--edition", course, "--gradescope", results, "--out", tmp_path / "out"]
    done = in_this_process(*map(str, [*words, "--python", tmp_path / "bare/bin/python3"]))
    assert (done.returncode, results.exists()) == (2, False)
    assert "numpy" in done.stderr


@pytest.mark.process
def test_an_agent_that_could_write_its_own_results_is_not_graded(course: Path, tmp_path: Path) -> None:
    agent, results = python_agent(tmp_path / "ada", PASSES), tmp_path / "r.json"
    words = ["grade", agent, "--edition", course, "--gradescope", results, "--level", "portable"]
    done = in_this_process(*map(str, words))
    assert (done.returncode, results.exists()) == (2, False)
    assert "at portable an agent could write it itself" in " ".join(done.stderr.split())


def test_a_submission_without_an_agent_has_results_too(course: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="no agent here"):
        CliRunner().invoke(
            assembled(),
            ["grade", str(tmp_path / "empty"), "--edition", str(course), "--gradescope", str(tmp_path / "r.json")],
            catch_exceptions=False,
        )
    results = json.loads((tmp_path / "r.json").read_text())
    assert results["score"] == 0
    assert "no agent here" in results["output"]


@pytest.mark.parametrize("player", ["gtp:gnugo", "cmd:./agent", "class:veteran"])
def test_what_cannot_be_taken_along(course: Path, tmp_path: Path, player: str) -> None:
    course.write_text(COURSE.replace('"veteran"', f'"{player}"\nname = "veteran"'))
    with pytest.raises(UsageError, match=f"veteran is {player}, which the archive cannot take along"):
        CliRunner().invoke(
            assembled(), ["autograder", str(tmp_path / "g.zip"), "--edition", str(course)], catch_exceptions=False
        )
    assert not (tmp_path / "g.zip").exists()


def test_our_failures_are_no_score(course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agent, results = python_agent(tmp_path / "ada", PASSES), tmp_path / "r.json"
    grade = ["grade", str(agent), "--edition", str(course), "--gradescope", str(results)]
    grade += ["--out", str(tmp_path / "out")]
    course.write_text(COURSE.replace('"veteran"', '"gtp:/no/such/engine"\nname = "veteran"'))
    done = CliRunner().invoke(assembled(), grade)
    assert (done.exit_code, results.exists()) == (1, False), "games that could not be played"
    with pytest.raises(UsageError):
        CliRunner().invoke(assembled(), [*grade, "--stage", "9"], catch_exceptions=False)
    assert not results.exists(), "a wrong command line"
    root = tmp_path / "autograder"
    (root / "submission").mkdir(parents=True)
    (root / "results").mkdir()
    (root / "results" / "results.json").write_text("{}")
    (root / "python-to-use").write_text("/no/such/python")
    monkeypatch.setenv("AUTOGRADER_ROOT", str(root))
    done_by_shell = subprocess.run(["sh", HERE / "run_autograder.sh"], capture_output=True, text=True, check=False)
    assert (done_by_shell.returncode, (root / "results" / "results.json").exists()) == (1, False), "a broken container"
    assert "The autograder failed, not the submission" in done_by_shell.stderr


def test_what_is_not_the_submissions_fault_gives_it_no_results(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then `run_autograder` says that the autograder failed, not the submission."""
    (tmp_path / "veteran" / "my_player3.py").write_text("def")
    words = ["--edition", str(course), "--gradescope", str(tmp_path / "r.json"), "--out", str(tmp_path / "out")]
    with pytest.raises(UsageError, match="the opponent veteran cannot be run"):
        CliRunner().invoke(assembled(), ["grade", "greedy", *words], catch_exceptions=False)
    agent = python_agent(tmp_path / "agent", "int main() {}", "my_player.cpp")
    monkeypatch.setattr("littlego.arena.building.shutil.which", lambda _: None)
    find_tool.cache_clear()
    with pytest.raises(UsageError, match=r"g\+\+ is needed to build or run this agent and is not installed"):
        CliRunner().invoke(assembled(), ["grade", str(agent), *words], catch_exceptions=False)
    assert not (tmp_path / "r.json").exists()


def test_the_same_archive_each_time_with_every_package_pinned(course: Path, tmp_path: Path) -> None:
    littlego("autograder", tmp_path / "a.zip", "--edition", course, "--seed", 7)
    littlego("autograder", tmp_path / "b.zip", "--edition", course, "--seed", 7)
    archive = tmp_path / "b.zip"
    assert archive.read_bytes() == (tmp_path / "a.zip").read_bytes()
    with zipfile.ZipFile(archive) as packed:
        assert packed.read("requirements.txt").decode().split() == pinned()
        assert '--edition "$root/source/edition.toml" --stage 1 --seed 7' in packed.read("run_autograder").decode()
        assert "opponents/veteran/my_player3.py" in packed.namelist()
        assert str(tmp_path) not in packed.read("edition.toml").decode(), "no path of this machine"
    assert {"numpy", "rich", "typer", "wasmtime"} <= {line.partition("==")[0] for line in pinned()}


def test_strict_grading_is_strict_elsewhere_too(tmp_path: Path) -> None:
    littlego("autograder", tmp_path / "grader.zip", "--strict")
    with zipfile.ZipFile(tmp_path / "grader.zip") as packed:
        assert " --strict" in packed.read("run_autograder").decode()
