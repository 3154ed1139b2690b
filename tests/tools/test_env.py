"""`littlego bench env`: the order of the ways to play random games, which no machine changes."""

from __future__ import annotations

from littlego_bench.env import bench_env


def test_what_is_compiled_is_far_ahead() -> None:
    result = bench_env(games=256, seconds=1.0)
    ratio = {row.what: row.ratio for row in result.rows}
    assert result.missing == () or "OpenSpiel's Go" in result.missing
    assert ratio["naive referee (lists of lists)"] == 1
    assert ratio["VectorLittleGo(256), observations"] > 2 * ratio["littlego.core"]
    assert ratio["VectorLittleGo(256).play_random"] > ratio["VectorLittleGo(256), observations"]
