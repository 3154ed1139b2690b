"""Figures: what is drawn does not depend on when or where, and data is written as it was."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

from littlego.figures import Line, Panel, draw_figure, write_csv


def drawn(path: Path) -> list[Path]:
    line = Line("a line", [1, 10, 100], [0.1, 0.5, 0.9], low=[0.0, 0.4, 0.8], high=[0.2, 0.6, 1.0])
    other = Line("another", [1, 10, 100], [0.2, 0.2, 0.2], dash=":")
    return draw_figure(path, "A figure", [Panel("a panel", "games", "share", [line, other], percent=True, log_x=True)])


def test_a_figure_is_the_same_whenever_it_is_drawn(tmp_path: Path) -> None:
    for first, again in zip(drawn(tmp_path / "one"), drawn(tmp_path / "two"), strict=True):
        assert first.suffix == again.suffix
        assert first.read_bytes() == again.read_bytes()
    assert "a line" in (tmp_path / "one.svg").read_text()


def test_a_figure_shows_its_lines_where_they_belong(tmp_path: Path) -> None:
    """The middle of a logarithmic axis is the root of its ends; a value that is missing leaves a gap."""
    line = Line("<one & all>", [1, 10, 100], [0.0, 0.5, 1.0])
    gap = Line("with a gap", [1, 10, 100], [0.0, float("nan"), 1.0], dash=":")
    (file,) = draw_figure(tmp_path / "figure", "A figure", [Panel("", "x", "y", [line, gap], (0.0, 1.0), log_x=True)])
    root = ElementTree.fromstring(file.read_text())
    paths = [element.get("d") for element in root.iter("{http://www.w3.org/2000/svg}path")]
    assert "M64.0 306.0L244.0 186.0L424.0 66.0" in paths
    assert "M64.0 306.0M424.0 66.0" in paths
    assert "<one & all>" in [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]


def test_data_is_written_as_csv(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "data.csv", ["games", "rate, in all"], [(1, 0.25), (2, 1 / 3), (3, 2.0)])
    assert path.read_text() == 'games,"rate, in all"\n1,0.25\n2,0.333333\n3,2\n'
