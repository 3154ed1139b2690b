"""`littlego tictactoe` as a user meets it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from littlego.tictactoe.kit import write_tictactoe_kit
from tests.apps.cli.test_commands import littlego, transcript


def test_the_table_and_the_grade(golden: Callable[[str, str], None]) -> None:
    done = littlego("tictactoe", "--seed", "1")
    assert "Task 2 Grade: 70 / 70" in done.stdout
    golden("cli/tictactoe.txt", transcript(done))


def test_a_thousand_games_are_not_enough() -> None:
    result = json.loads(littlego("tictactoe", "--games", "1000", "--seed", "1", "--json").stdout)
    assert result["grade"] < 70
    assert [row["side"] for row in result["solved_game"]] == ["X", "O"]
    assert all(row["mistakes"] for row in result["solved_game"])


def test_a_users_learner_takes_the_place_of_ours(tmp_path: Path) -> None:
    write_tictactoe_kit(tmp_path)
    done = littlego("tictactoe", "--learner", str(tmp_path / "QLearner.py"), "--games", "200", "--seed", "1")
    assert done.returncode == 0
    assert "Task 2 Grade: " in done.stdout
    assert "As X it makes a mistake in " in done.stdout, "as the kit's README says"
    assert "As O it makes a mistake in " in done.stdout


def test_a_users_learner_is_compared_with_the_solved_game(tmp_path: Path) -> None:
    """With a learner that knows the answers: the comparison must find nothing, in as many positions as for ours."""
    write_tictactoe_kit(tmp_path)
    (tmp_path / "QLearner.py").write_text(
        "from PerfectPlayer import PerfectPlayer\n\n\nclass QLearner(PerfectPlayer):\n    GAME_NUM = 1\n"
    )
    done = littlego(
        "tictactoe", "--learner", str(tmp_path / "QLearner.py"), "--seed", "1", "--test-games", "5", "--json"
    )
    rows = json.loads(done.stdout)["solved_game"]
    assert [(row["side"], row["mistakes"]) for row in rows] == [("X", 0), ("O", 0)]
    assert all(row["positions_met"] > 50 for row in rows)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("tictactoe --learner nowhere.py", "nowhere.py: no such file"),
        ("tictactoe --learner QLearner.py --alpha 0.5", "--alpha is for our learner: set it in QLearner.py"),
        ("tictactoe --games -1", "--games"),
        ("tictactoe --alpha 2", "--alpha"),
        ("tictactoe play --load nowhere.json", "nowhere.json: cannot be read"),
        ("tictactoe curves --out /dev/null/x --runs 1 --games 60", "/dev/null/x: cannot be written"),
        ("tictactoe curves --alpha 0.5", "--alpha 0.5: expected two numbers such as 0.2,0.8"),
        ("tictactoe curves --alpha 0.8,1.7", "expected 0 < LOW < HIGH <= 1"),
    ],
)
def test_wrong_use_is_explained_and_exits_with_2(arguments: str, says: str) -> None:
    done = littlego(*arguments.split())
    assert done.returncode == 2
    assert says in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.stderr


def test_a_person_plays_the_learner() -> None:
    done = littlego("tictactoe", "play", "--seed", "1", "--train", "100", typed="1,1\nvalues\nquit\n")
    assert done.returncode == 0
    assert "It has learned from 100 games, seed 1." in done.stderr
    assert "+0." in done.stderr or "-0." in done.stderr


def test_a_saved_learner_is_trained_on(tmp_path: Path) -> None:
    path = tmp_path / "learn.dat"
    littlego("tictactoe", "play", "--seed", "1", "--train", "100", typed=f"save {path}\n")
    again = ("tictactoe", "play", "--seed", "1", "--load", str(path))
    assert "It has learned from 100 games" in littlego(*again, typed=f"save {path}\n").stderr
    done = littlego(*again, "--train", "50", "--alpha", "0.9", typed=f"save {path}\n")
    assert "It has learned from 150 games" in done.stderr
    saved = json.loads(path.read_text())
    assert (saved["x"]["alpha"], saved["o"]["alpha"], saved["x"]["epsilon"]) == (0.9, 0.9, 0.02)


def test_curves_say_what_they_show(tmp_path: Path) -> None:
    done = littlego("tictactoe", "curves", "--out", str(tmp_path), "--runs", "2", "--games", "300", "--json")
    result = json.loads(done.stdout)
    assert len(result["findings"]) == 12
    assert all(Path(file).exists() for file in result["files"])
