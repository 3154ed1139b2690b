"""The labels that training uses are what the solver says."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from littlego.learn.labels import Label, read_labels, shipped_labels
from littlego.solve.oracle import Oracle
from make_labels import labelled, labels_of

TEST_LABELS = Path(__file__).parents[1] / "learn" / "test-labels.tsv"


@pytest.mark.siege
@pytest.mark.parametrize("labels", [shipped_labels(), read_labels(TEST_LABELS)], ids=["tuning", "test"])
def test_labels_are_what_the_solver_says(labels: tuple[Label, ...]) -> None:
    oracle = Oracle(memory=1 << 26)
    for label in random.Random(1).sample(labels, 200):
        position = label.position
        won = oracle.value(position) is position.to_move
        assert label == labelled(position, oracle.winning_moves(position) if won else ())


def test_they_are_the_same_after_a_kill(tmp_path: Path) -> None:
    work, oracle = tmp_path / "part", Oracle(memory=1 << 26)

    def oldest() -> list[Label]:
        return [label for age in (22, 21) for label in labels_of(age, work, oracle, seed=1, each=20)]

    whole = oldest()
    assert len(set(whole)) == 40
    assert oldest() == whole
    written = work.read_text()
    work.write_text(written[: len(written) // 2])
    assert oldest() == whole
