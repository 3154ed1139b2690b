"""The learner's measure counts what the solver says."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from littlego.core.rules import edition_rules
from littlego.learn.labels import accuracy, read_labels
from littlego.players.learned import LearnerPlayer, learned_values
from measure_learner import best_move, rows

TEST_LABELS = Path(__file__).parents[1] / "learn" / "test-labels.tsv"
"""Nothing was chosen by these."""


def test_one_move_ahead_is_what_training_measures() -> None:
    labels, known = read_labels(TEST_LABELS), learned_values(edition_rules())
    choose = partial(best_move, LearnerPlayer(1))
    name, errors, tried = next(rows(labels, choose))
    assert (name, tried) == ("all", sum(label.wins for label in labels))
    assert errors / tried == accuracy(labels, known).regret
    assert errors / tried < 0.03, "the regret of the shipped model"
    assert sum(part for stage, _, part in rows(labels, choose) if stage != "all") == tried
