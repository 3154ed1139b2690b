"""`python tools/bench.py web` measures a real server, and every visitor gets every file."""

from __future__ import annotations

import pytest

from littlego.apps.web import site
from littlego_bench.web import bench_web
from tests.helpers import in_a_thread


@pytest.mark.slow
@pytest.mark.process
def test_a_crowd_gets_every_file_and_once_more_nothing() -> None:
    result = in_a_thread(bench_web, people=12, results=500)
    assert result.first.errors == result.again.errors == 0
    assert result.first.files == len(site.files()) + 1
    assert result.first.sent > 12 * 100_000
    assert result.again.sent < result.first.sent / 20
    assert result.standings_first_ms > 0
