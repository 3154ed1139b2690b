"""Line charts as PNG and SVG, and their data as CSV. Knows nothing of Go.

matplotlib is imported when a figure is drawn. Figures do not depend on the machine's settings, the
display or the time of day.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BLUES = ("#0b3c8c", "#2f6fc4", "#6ea3e0", "#a9caef")
ORANGES = ("#8a3b00", "#c9641a", "#ea9a55", "#f5c79c")
GREENS = ("#0a5c36", "#2f9e67", "#8fd0ae")
GREY = "#7a7a7a"
CYCLE = ("#2f6fc4", "#c9641a", "#2f9e67", "#9b3fa3", "#b23a48", "#5b6770", "#b08f00")
"""Colours for lines that do not choose theirs; they stay apart in print and for colour-blind eyes."""

_SETTINGS = {
    "backend": "agg",
    "svg.hashsalt": "littlego",
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "font.size": 10,
}


@dataclass(frozen=True)
class Line:
    """A line of a chart, perhaps with a band from `low` to `high` around it."""

    label: str
    xs: Sequence[float]
    ys: Sequence[float]
    colour: str | None = None
    dash: str = "-"
    width: float = 1.6
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None


@dataclass(frozen=True)
class Panel:
    """One chart: its lines and what its axes mean."""

    title: str
    x_label: str
    y_label: str
    lines: Sequence[Line]
    y_range: tuple[float, float] | None = None
    percent: bool = False
    """Whether the y axis reads in per cent; values are then shares from 0 to 1."""
    log_x: bool = False


def draw_figure(path: Path, title: str, panels: Sequence[Panel], *, one_legend: bool = False) -> list[Path]:
    """Draw panels side by side and write `path` with `.png` and with `.svg`; the two files.

    With `one_legend` the panels have the same lines, and one legend stands beside the last.
    """
    import matplotlib
    from matplotlib.figure import Figure

    settings: dict[Any, Any] = {**matplotlib.rcParamsDefault, **_SETTINGS}
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=(6.0 * len(panels), 4.2), layout="constrained")
        figure.suptitle(title, fontsize=12.5, fontweight="bold", x=0.01, ha="left")
        all_axes = figure.subplots(1, len(panels), squeeze=False)[0]
        for number, (axes, panel) in enumerate(zip(all_axes, panels, strict=True)):
            _draw_panel(axes, panel)
            if len(panel.lines) > 1 and (not one_legend or number == len(panels) - 1):
                axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=9)
        written = [path.with_suffix(suffix) for suffix in (".png", ".svg")]
        for file in written:
            metadata: dict[str, Any] = {"Date": None} if file.suffix == ".svg" else {"Software": None}
            figure.savefig(file, dpi=130, metadata=metadata)
    return written


def _draw_panel(axes: Any, panel: Panel) -> None:
    from matplotlib.ticker import FuncFormatter, PercentFormatter

    for number, line in enumerate(panel.lines):
        colour = line.colour or CYCLE[number % len(CYCLE)]
        if line.low is not None and line.high is not None:
            axes.fill_between(line.xs, line.low, line.high, color=colour, alpha=0.15, linewidth=0)
        axes.plot(line.xs, line.ys, label=line.label, color=colour, linestyle=line.dash, linewidth=line.width)
    axes.set_title(panel.title, fontsize=11, loc="left")
    axes.set_xlabel(panel.x_label)
    axes.set_ylabel(panel.y_label)
    if panel.log_x:
        axes.set_xscale("log")
    else:
        axes.margins(x=0.01)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
    if panel.y_range:
        axes.set_ylim(*panel.y_range)
    if panel.percent:
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.grid(True, color="#e4e4e4", linewidth=0.7)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Path:
    """Write a table with a line of column names; numbers with at most six digits after the point."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([_short(cell) for cell in row] for row in rows)
    return path


def _short(cell: object) -> object:
    return f"{cell:.6f}".rstrip("0").rstrip(".") if isinstance(cell, float) else cell
