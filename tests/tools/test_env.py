"""`python tools/bench.py env`: every way to play random games is measured."""

from __future__ import annotations

from littlego_bench.env import bench_env


def test_every_way_is_measured() -> None:
    result = bench_env(games=256, seconds=0.5)
    ratio = {row.what: row.ratio for row in result.rows}
    assert result.missing == () or "OpenSpiel's Go" in result.missing
    assert ratio["naive referee (lists of lists)"] == 1
    for way in ("littlego.core", "VectorLittleGo(256), observations", "VectorLittleGo(256).play_random"):
        assert ratio[way] > 0
