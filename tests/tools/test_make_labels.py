"""The labels that training uses are what the solver says."""

from __future__ import annotations

from itertools import islice

from littlego.learn.labels import shipped_labels
from make_labels import EACH, make_labels


def test_the_shipped_labels_can_be_made_again() -> None:
    oldest = 5 * EACH
    assert tuple(islice(make_labels(), oldest)) == shipped_labels()[:oldest]
