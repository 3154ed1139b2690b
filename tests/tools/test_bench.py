"""Benchmarks, in small: each prints what it measured."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from littlego_bench.commands import app


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize(
    ("command", "ratio"),
    [
        ("engine --seconds 0.2 --size 3", "ratio"),
        ("learn --seconds 1", "ratio"),
        pytest.param("referee --moves 1", "jobs_ratio", marks=pytest.mark.exhaustive),
    ],
    ids=lambda text: str(text).split()[0],
)
def test_it_measures(command: str, ratio: str) -> None:
    done = CliRunner().invoke(app, [*command.split(), "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)[ratio] > 1
