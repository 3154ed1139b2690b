"""The course's own files, written out; and a user's QLearner.py in the place of ours."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from littlego.tictactoe.kit import FILES, LearnerError, UserLearner, kit_files, write_tictactoe_kit
from tests.course.starter_kits import pythons


def run_python(directory: Path, *arguments: str, python: str = sys.executable) -> str:
    return subprocess.run(
        [python, *arguments], cwd=directory, capture_output=True, text=True, timeout=300, check=True
    ).stdout


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".py")])
def test_the_files_are_plain_and_need_nothing_of_ours(name: str) -> None:
    text = kit_files()[name]
    tree = ast.parse(text)
    assert "->" not in text
    assert "littlego" not in text
    assert "noqa" not in text
    modules = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    plain = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    ours = {Path(file).stem for file in FILES}
    for module in modules | plain:
        assert module.split(".")[0] in {*sys.stdlib_module_names, *ours, "numpy"}


def test_the_kit_runs_where_nothing_is_installed(tmp_path: Path) -> None:
    write_tictactoe_kit(tmp_path)
    learner = tmp_path / "QLearner.py"
    learner.write_text(learner.read_text().replace("GAME_NUM = 100000", "GAME_NUM = 300"))
    done = subprocess.run(
        [sys.executable, "-S", "TicTacToe.py"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stderr.splitlines()[::9] == ["Training: 60 of 600 games", "Training: 600 of 600 games"]
    lines = done.stdout.splitlines()
    assert re.fullmatch(r"QLearner\(X\) \| Wins:[\d.]+% Draws:[\d.]+% Losses:[\d.]+%", lines[0])
    assert re.fullmatch(r"QLearner VS PerfectPlayer \|  Win/Draw Rate = [\d.]+%", lines[-2])
    assert re.fullmatch(r"Task 2 Grade: [\d.]+ / 70", lines[-1])


def test_the_kit_runs_on_the_courses_python(tmp_path: Path) -> None:
    found = pythons("3.6")
    if not found:
        pytest.skip("no Python 3.6 on this machine")
    write_tictactoe_kit(tmp_path)
    learner = tmp_path / "QLearner.py"
    learner.write_text(learner.read_text().replace("GAME_NUM = 100000", "GAME_NUM = 300"))
    assert "Task 2 Grade: " in run_python(tmp_path, "TicTacToe.py", python=found[0])


@pytest.mark.parametrize("games", [50_000, pytest.param(100_000, marks=pytest.mark.exhaustive)])
def test_the_plain_learner_earns_all_points(games: int, tmp_path: Path) -> None:
    """With a seed: after 50,000 games some learners still lose points, and a few after 100,000."""
    write_tictactoe_kit(tmp_path)
    training = "learner = QLearner(); train(learner, {0}, seed=1); show_summary(contest(learner, seed=1))"
    out = run_python(tmp_path, "-c", "from TicTacToe import *; " + training.format(games))
    assert out.endswith("Task 2 Grade: 70 / 70\n")


def test_writing_over_spares_the_users_learner(tmp_path: Path) -> None:
    assert len(write_tictactoe_kit(tmp_path / "new")) == len(FILES)
    mine = tmp_path / "new" / "QLearner.py"
    mine.write_text("mine")
    with pytest.raises(FileExistsError):
        write_tictactoe_kit(tmp_path / "new")
    written = write_tictactoe_kit(tmp_path / "new", force=True)
    assert mine not in written
    assert mine.read_text() == "mine"


GOOD = """
from Board import Board
import helper

class QLearner:
    GAME_NUM = 7
    learned = 0

    def set_side(self, side):
        self.side = side

    def move(self, board):
        for row in range(3):
            for col in range(3):
                if board.is_valid_move(row, col):
                    return board.move(row, col, self.side)

    def learn(self, board):
        assert board.game_over()
        QLearner.learned += 1
"""


def written(tmp_path: Path, text: str) -> Path:
    (tmp_path / "helper.py").write_text("")
    path = tmp_path / "QLearner.py"
    path.write_text(text)
    return path


def test_a_users_learner_is_trained_and_tested(tmp_path: Path) -> None:
    learner = UserLearner(written(tmp_path, GOOD))
    assert learner.game_num == 7
    steps: list[int] = []
    learner.train(7, 1, lambda: steps.append(1))
    assert len(steps) == 14
    lines: list[str] = []
    rates = learner.meet_all(20, 1, lines.append)
    assert set(rates) == {"RandomPlayer", "SmartPlayer", "PerfectPlayer"}
    assert lines[0].startswith("QLearner(X) | Wins:")
    assert "Board" not in sys.modules


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("def f(:\n", "loading it failed at line 1: SyntaxError"),
        ("import nothing_of_the_kind\n", "ModuleNotFoundError: No module named 'nothing_of_the_kind'"),
        ("x = 1\n", "no class QLearner"),
        ("class QLearner:\n    def move(self, board): pass\n", "QLearner has no method 'set_side'"),
        (GOOD.replace("GAME_NUM = 7", "GAME_NUM = 'many'"), "GAME_NUM: expected a number of games"),
        (GOOD.replace("return board.move(row, col, self.side)", "return None"), "made no move"),
        (GOOD.replace("self.side)", "3 - self.side)"), "must put one O on the board"),
        (GOOD.replace("assert board.game_over()", "1 / 0"), "learn failed at line 19: ZeroDivisionError"),
        (GOOD.replace("if board.is_valid_move(row, col)", "if 1"), "move failed at line 16: ValueError: 0,0 is not"),
        (GOOD.replace("self.side = side", "raise SystemExit(3)"), "set_side failed at line 10: SystemExit"),
    ],
    ids=range(10),
)
def test_what_is_wrong_with_a_users_learner_is_reported(tmp_path: Path, text: str, says: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(LearnerError) as caught:
        learner = UserLearner(path)
        learner.train(learner.game_num, 1, lambda: None)
        learner.meet_all(10, 1, print)
    assert says in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(LearnerError, match="no such file"):
        UserLearner(tmp_path / "nowhere.py")
