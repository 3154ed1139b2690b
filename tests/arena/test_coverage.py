"""The 95% of the intervals of ratings, by simulation: `python tools/bench.py ratings` does the same at length."""

from __future__ import annotations

import pytest

from littlego_bench.coverage import FIELDS, Field, simulate

TRIALS = 150


@pytest.mark.slow
@pytest.mark.parametrize("field", FIELDS, ids=str)
def test_intervals_contain_the_truth_as_often_as_they_say(field: Field) -> None:
    """A right 95% interval stays within three standard errors of that; players of one tournament hang together."""
    found = simulate(field, trials=TRIALS)
    assert 0.92 <= found.ratings <= 0.985, found
    assert found.black >= 0.90, found
