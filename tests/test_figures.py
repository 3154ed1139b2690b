"""Figures: what is drawn does not depend on when or where, and data is written as it was."""

from __future__ import annotations

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


def test_data_is_written_as_csv(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "data.csv", ["games", "rate, in all"], [(1, 0.25), (2, 1 / 3), (3, 2.0)])
    assert path.read_text() == 'games,"rate, in all"\n1,0.25\n2,0.333333\n3,2\n'
