"""`littlego bench web` measures a real server, and a crowd plays without an error."""

from __future__ import annotations

import pytest

from littlego.apps.bench.web import bench_web


@pytest.mark.slow
@pytest.mark.process
def test_a_crowd_plays_without_an_error() -> None:
    result = bench_web(people=12, results=500, seconds=0.05, rounds=1)
    assert [cost.what for cost in result.costs][:2] == ["the smallest answer", "a move"]
    assert all(cost.requests_per_second > 0 and cost.p99_ms >= cost.median_ms > 0 for cost in result.costs)
    assert result.crowd.errors == 0
    assert result.crowd.games == result.crowd.people == 12
    assert result.crowd.moves > 12
