"""The paper's learner, its figures, and a person at the terminal with it."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest

from littlego.tictactoe.board import O, X
from littlego.tictactoe.curves import (
    ALPHAS,
    EPSILON,
    RUNS,
    draw_curves,
    findings,
    record_experiments,
    record_run,
)
from littlego.tictactoe.paper import (
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
def test_what_is_not_a_learner_is_reported(text: str) -> None:
    with pytest.raises(LearnerFileError):
        Pair.from_json(text)


def test_the_same_seed_gives_the_same_run() -> None:
    assert record_run(0.2, 0.02, 100, 1).results == record_run(0.2, 0.02, 100, 1).results


def test_an_answer_that_was_never_looked_at_has_no_value() -> None:
    run = record_run(0.2, 0.0, 20, 1)
    assert any(math.isnan(value) for values in run.replies.values() for value in values)
    assert not any(math.isnan(value) for values in run.openings.values() for value in values)


@pytest.mark.slow
def test_what_the_paper_reports_of_draws_exploration_and_alpha_is_seen() -> None:
    shown = {one.claim for one in findings(record_experiments(runs=RUNS // 2)) if one.shown}
    for sure in ("the share of draws grows", "without exploration most values stop", "the first player wins more"):
        assert any(claim.startswith(sure) for claim in shown)
    assert "with exploration, values are more volatile with the higher alpha" in shown


@pytest.mark.slow
def test_figures_and_their_data_are_written(tmp_path: Path) -> None:
    written = draw_curves(record_experiments(games=120, runs=2), tmp_path)
    assert len(written) == 10
    assert {path.suffix for path in written} == {".svg", ".csv"}
    for path in written:
        assert path.stat().st_size > 500
    rows = (tmp_path / "figure-4-values.csv").read_text().splitlines()
    assert len(rows) == 1 + 12
    assert (ALPHAS, EPSILON) == ((0.2, 0.8), 0.02)


def test_every_sentence_of_the_paper_is_compared_with_runs_of_any_rates() -> None:
    experiments = record_experiments(games=120, runs=1, alphas=(0.1, 0.5), epsilon=0.2)
    assert [(e.alpha, e.epsilon) for e in experiments] == [(0.1, 0.0), (0.5, 0.0), (0.1, 0.2), (0.5, 0.2)]
    found = findings(experiments)
    assert len({finding.claim for finding in found}) == 12
    draws = experiments[3].runs[0].results
    by_hand = [draws[20 * k : 20 * k + 20].count(0) / 20 for k in range(6)]
    assert " ".join(f"{share:.0%}" for share in by_hand) + " at alpha 0.5" in found[-1].numbers
