"""Charts: well-formed, complete, and safe with any name."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from littlego.figures import round_ticks
from littlego.formats.html.charts import Estimate, heat_map, interval_chart

HOSTILE = "<script>alert('&')</script>"


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter() if element.tag.endswith("}text")]


def test_charts_say_what_they_are_given() -> None:
    rows = [Estimate("a", 10.0, -5.0, 30.0), Estimate(HOSTILE, -200.0, -400.0, -100.0)]
    drawn = interval_chart(rows, unit="Elo", title="Ratings")
    assert {"a", "Elo", "-400", "0"} <= set(texts(drawn))
    cross = heat_map(["a", HOSTILE], [[None, 0.25], [0.75, None]], [["", "1-3"], ["3-1", ""]], title="Crosstable")
    assert {"25", "75"} <= set(texts(cross))
    for svg in (drawn, cross):
        assert "<script" not in svg


def test_one_value_can_be_drawn() -> None:
    assert texts(interval_chart([Estimate("a", 0.0, 0.0, 0.0)], unit="u", title="t"))


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [(0, 10, [0, 2, 4, 6, 8, 10]), (-350, 120, [-400, -300, -200, -100, 0, 100, 200]), (0.0, 0.0, [0.0])],
)
def test_ticks_are_round(low: float, high: float, ticks: list[float]) -> None:
    assert round_ticks(low, high) == ticks
