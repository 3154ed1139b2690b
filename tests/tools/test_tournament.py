"""The measures of tournaments, in small."""

from __future__ import annotations

import pytest

from littlego_bench.tournament import bench_tournament


@pytest.mark.slow
@pytest.mark.process
def test_everything_is_measured() -> None:
    steps: list[None] = []
    result = bench_tournament(
        games=4, program_games=0, players=6, results=300, rounds=1, progress=lambda: steps.append(None)
    )
    assert len(steps) == 3
    rates = {(rate.players, rate.where, rate.workers): rate for rate in result.rates}
    assert rates["built-in players", "in process", 1].ratio == 1
    assert {("built-in players", where, 1) for where in ("worker processes", "cluster")} <= rates.keys()
    assert all(rate.games_per_second > 0 for rate in result.rates)
    assert result.cpu_seconds_per_game.keys() == {"built-in players"}
    assert result.cluster_overhead_ms is not None
    assert result.cluster_tasks_per_second is not None
    assert result.cluster_tasks_per_second > 0
    assert 500 < result.bytes_per_game["built-in players"] < 5000
    assert result.kept_per_second > 0
    assert (result.standings.players, result.standings.results) == (6, 300)
    assert result.standings.peak_mib > 10
