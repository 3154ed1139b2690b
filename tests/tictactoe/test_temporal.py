"""The paper's learner, its figures, and a person at the terminal with it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from littlego.tictactoe.board import O, X
from littlego.tictactoe.console import Console
from littlego.tictactoe.curves import draw_curves
from littlego.tictactoe.experiments import RUNS, SETTINGS, record_experiments, record_run
from littlego.tictactoe.findings import findings
from littlego.tictactoe.temporal import (
    OPENINGS,
    REPLIES,
    LearnerFileError,
    Pair,
    TemporalLearner,
    board_code,
    board_name,
)


def test_the_states_that_are_recorded_are_the_papers() -> None:
    assert list(OPENINGS.values()) == [1, 3, 9, 27, 81, 243, 729, 2187, 6561]
    assert sorted(REPLIES.values()) == sorted([7, 19, 163, 13123, 5, 165, 13125, 13203, 567])


def test_values_move_a_share_alpha_towards_what_came() -> None:
    learner = TemporalLearner(X, alpha=0.2, epsilon=0.0)
    rng = random.Random(1)
    learner.start()
    first = learner.move(0, rng)
    assert learner.values[first] == 0
    learner.finish(board_code("OOOXX...X"))
    assert learner.values[first] == pytest.approx(-0.2)
    learner.finish(board_code("XOXXOOOXX"))
    assert learner.values[first] == pytest.approx(0.8 * -0.2 + 0.2 * -0.1)
    assert learner.value(board_code("XXX.OO...")) == 1
    assert learner.value(board_code("XX..O....")) == 0


def test_a_win_in_sight_is_taken_and_taught() -> None:
    learner = TemporalLearner(O, alpha=0.5, epsilon=0.0)
    learner.last = board_code("XX.OO....")
    learner.values[learner.last] = 0.0
    after = learner.move(board_code("XX.OO.X.."), random.Random(1))
    assert board_name(after) == "XX.OOOX.."
    assert learner.values[board_code("XX.OO....")] == 0.5


def test_saved_and_loaded_is_the_same() -> None:
    pair = Pair.new(alpha=0.3, epsilon=0.1)
    pair.train(200, random.Random(1))
    assert Pair.from_json(pair.to_json()) == Pair(
        TemporalLearner(X, 0.3, 0.1, pair.x.values), TemporalLearner(O, 0.3, 0.1, pair.o.values), 200
    )


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"format": "littlego tic-tac-toe learner", "version": 9}', '{"format": "other", "version": 1}'],
)
def test_what_is_no_learner_is_said(text: str) -> None:
    with pytest.raises(LearnerFileError):
        Pair.from_json(text)


def test_the_same_seed_gives_the_same_run() -> None:
    assert record_run(0.2, 0.02, 100, 1) == record_run(0.2, 0.02, 100, 1)


@pytest.mark.slow
def test_what_the_paper_reports_of_draws_exploration_and_alpha_is_seen() -> None:
    found = findings(record_experiments(runs=RUNS // 2))
    assert [one.shown for one in found][:4] == [True, True, True, True]


@pytest.mark.slow
def test_figures_and_their_data_are_written(tmp_path: Path) -> None:
    written = draw_curves(record_experiments(games=120, runs=2), tmp_path)
    assert len(written) == 15
    assert {path.suffix for path in written} == {".png", ".svg", ".csv"}
    for path in written:
        assert path.stat().st_size > 500
    rows = (tmp_path / "figure-4-values.csv").read_text().splitlines()
    assert len(rows) == 1 + 12
    assert len(SETTINGS) == 4


def talk(typed: str, pair: Pair | None = None, *, side: int = X) -> str:
    lines = iter(typed.splitlines())
    shown: list[str] = []

    def ask(prompt: str) -> str:
        shown.append(prompt)
        try:
            return next(lines)
        except StopIteration:
            raise EOFError from None

    Console(pair or Pair.new(), ask=ask, show=shown.append, seed=1, side=side).run()
    return "\n".join(shown)


def test_a_person_plays_trains_saves_and_loads(tmp_path: Path) -> None:
    path = tmp_path / "it.json"
    said = talk(f"1,1\n1,1\n9,9\ncastle\ntrain 50\ntrain none\nvalues\nsave {path}\nload {path}\nload nowhere\nquit\n")
    for words in (
        "1,1 is taken",
        "'9,9' is no move and no command",
        "50 games: X won",
        "train 'none': expected a number of games",
        f"Saved to {path}",
        f"Loaded {path}: 50 games",
        "nowhere: cannot be read",
    ):
        assert words in said
    assert Pair.from_json(path.read_text()).games == 50


def test_games_come_to_their_end() -> None:
    pair = Pair.new(epsilon=0.1)
    pair.train(3000, random.Random(1))
    every_cell = "".join(f"{row},{col}\n" for row in range(3) for col in range(3))
    for side in (X, O):
        said = talk(every_cell * 6 + "swap\n", pair, side=side)
        assert "It wins." in said or "A draw." in said


def test_something_else_than_a_learner_is_not_loaded(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{}")
    assert "not a saved learner" in talk(f"load {tmp_path / 'bad.json'}\n")
    assert "cannot be written" in talk("save /nowhere/at/all.json\n")
