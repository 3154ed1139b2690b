"""The learner's measure counts what the solver says."""

from __future__ import annotations

from littlego.core.rules import edition_rules
from littlego.learn.labels import judge, shipped_labels
from littlego.players.champion import learned_values
from measure_learner import rows


def test_one_move_ahead_is_what_training_measures() -> None:
    labels = shipped_labels()
    name, errors, tried = next(rows(labels, 1))
    assert (name, tried) == ("all", sum(label.wins for label in labels))
    assert errors / tried == judge(labels, learned_values(edition_rules()))[1]
    assert errors / tried < 0.09, "the regret of the shipped model"
    assert sum(part for stage, _, part in rows(labels, 1) if stage != "all") == tried
