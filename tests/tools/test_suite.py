"""All benchmarks in one run, in small."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import NoReturn

import pytest
from typer.testing import CliRunner

from littlego.apps.cli.main import app
from littlego.core.errors import UsageError
from littlego_bench.random_games import other_engines
from littlego_bench.suite import PARTS, Bars, Part, Ratio, Suite, run_suite
from littlego_bench.suite_page import shown, suite_page

ELSEWHERE = {"tournament", "web"}
"""Measured in small by tests of their own."""


@pytest.mark.slow
@pytest.mark.process
def test_everything_is_measured_and_written(tmp_path: Path) -> None:
    chosen = [name for name in PARTS if name not in ELSEWHERE]
    only = [word for name in chosen for word in ("--only", name)]
    done = CliRunner().invoke(app, ["bench", "all", "--quick", "--out", str(tmp_path), *only])
    assert done.exit_code == 0, done.output
    data = json.loads((tmp_path / "bench.json").read_text())
    assert [part["name"] for part in data["parts"]] == chosen
    for part in data["parts"]:
        assert part["ratios"], part["name"]
        assert part["bars"], part["name"]
        assert part["result"], part["name"]
        assert not part["missing"]
        assert all(ratio["value"] > 0 for ratio in part["ratios"])
    html = (tmp_path / "bench.html").read_text()
    assert html.count("<figure") == sum(len(part["bars"]) for part in data["parts"])


def test_the_page_tells_what_is_missing_and_escapes() -> None:
    parts = (
        Part("web", "The web server", "", missing="<this> is not installed"),
        Part("engine", "The engine", "", 1.0, (Ratio("a", 12.345, "<b>"),), (Bars("Moves", "moves/s", {"a": 2.0}),)),
    )
    html = suite_page(Suite("1", "CPython", "x86", 2, True, parts)).html()
    assert "Not measured: &lt;this&gt; is not installed." in html
    assert "12.3" in html
    assert "&lt;b&gt;" in html


def test_a_part_that_is_not_there() -> None:
    with pytest.raises(UsageError, match="'castle': expected one of engine"):
        run_suite(["castle"])


def test_a_part_without_what_it_needs_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def measure(_quick: bool) -> NoReturn:
        raise ImportError("no", name="castle")

    monkeypatch.setitem(PARTS, "web", ("The web server", "", measure))
    (part,) = run_suite(["web"]).parts
    assert part.missing == "castle is not installed"


@pytest.mark.parametrize(("value", "text"), [(0.5, "0.50"), (12.34, "12.3"), (12345.6, "12,346")])
def test_numbers_have_the_digits_they_deserve(value: float, text: str) -> None:
    assert shown(value) == text


def test_other_engines_play_where_they_are_installed() -> None:
    for name, play in other_engines(5, random.Random(1)).items():
        assert 1 <= play() <= 24, name
