"""The labels that training uses are what the solver says."""

from __future__ import annotations

from pathlib import Path

import pytest

from littlego.learn.labels import Label, shipped_labels
from littlego.solve.oracle import Oracle
from make_labels import labels_of

SEED, EACH = 21, 167
"""Of the shipped labels."""


@pytest.mark.siege
def test_the_shipped_labels_can_be_made_again_after_a_kill_too(tmp_path: Path) -> None:
    work, oracle = tmp_path / "part", Oracle(memory=1 << 26)

    def oldest() -> list[Label]:
        return [label for age in (22, 21) for label in labels_of(age, work, oracle, seed=SEED, each=EACH)]

    assert tuple(oldest()) == shipped_labels()[: 2 * EACH]
    written = work.read_text()
    work.write_text(written[: len(written) // 2])
    assert tuple(oldest()) == shipped_labels()[: 2 * EACH]
