"""Line charts as SVG, and their data as CSV. Knows nothing of Go.

A figure is text: the same wherever and whenever it is drawn, on white, so that it can be printed.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final

BLUES = ("#0b3c8c", "#2f6fc4", "#6ea3e0", "#a9caef")
ORANGES = ("#8a3b00", "#c9641a", "#ea9a55", "#f5c79c")
GREENS = ("#0a5c36", "#2f9e67", "#8fd0ae")
GREY = "#7a7a7a"
CYCLE = ("#2f6fc4", "#c9641a", "#2f9e67", "#9b3fa3", "#b23a48", "#5b6770", "#b08f00")
"""Colours for lines that do not choose theirs; they stay apart in print and for colour-blind eyes."""

_DASHES: Final = {"-": "", "--": "7 4", ":": "2 3", "-.": "8 3 2 3"}
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 424, 66, 306
"""The edges of a panel's chart; a legend stands to the right of it."""
_PANEL, _LEGEND, _HEIGHT = 450, 190, 360


@dataclass(frozen=True)
class Line:
    """A line of a chart, perhaps with a band from `low` to `high` around it. A value that is no number is a gap."""

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
    """Whether the y axis is in percent; values are then shares from 0 to 1."""
    log_x: bool = False


def draw_figure(path: Path, title: str, panels: Sequence[Panel], *, one_legend: bool = False) -> list[Path]:
    """Write `figure_svg` to `path` with `.svg`; the file."""
    file = path.with_suffix(".svg")
    file.write_text(figure_svg(title, panels, one_legend=one_legend), encoding="utf-8")
    return [file]


def figure_svg(title: str, panels: Sequence[Panel], *, one_legend: bool = False) -> str:
    """Panels side by side. With `one_legend` they have the same lines, and one legend stands beside the last."""
    parts = [_text(12, 24, title, size=15, weight="bold")]
    width = 0
    for number, panel in enumerate(panels):
        legend = len(panel.lines) > 1 and (not one_legend or number == len(panels) - 1)
        parts.append(f'<g transform="translate({width} 0)">{_panel(panel, legend=legend)}</g>')
        width += _PANEL + _LEGEND * legend
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {_HEIGHT}" width="{width}" role="img" '
        f'font-family="DejaVu Sans,Arial,sans-serif" aria-label="{escape(title)}">\n'
        f'<rect width="{width}" height="{_HEIGHT}" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _panel(panel: Panel, *, legend: bool) -> str:
    lines = panel.lines
    xs = [x for line in lines for x in line.xs]
    ys = [y for line in lines for values in (line.ys, line.low, line.high) for y in values or () if not math.isnan(y)]
    low, high = panel.y_range or (min(ys, default=0.0), max(ys, default=1.0))
    ticks = [tick for tick in round_ticks(low, high) if panel.y_range is None or low <= tick <= high]
    low, high = min(low, ticks[0]), max(high, ticks[-1])
    scale = math.log10 if panel.log_x else float
    first, last = scale(min(xs)), scale(max(xs))

    def at(x: float, y: float) -> str:
        across = (scale(x) - first) / ((last - first) or 1)
        up = (y - low) / ((high - low) or 1)
        return f"{_LEFT + (_RIGHT - _LEFT) * across:.1f} {_BOTTOM - (_BOTTOM - _TOP) * up:.1f}"

    middle = (_TOP + _BOTTOM) / 2
    parts = [
        _text(_LEFT, _TOP - 14, panel.title, size=12),
        _text((_LEFT + _RIGHT) / 2, _BOTTOM + 40, panel.x_label, anchor="middle"),
        f'<g transform="rotate(-90 14 {middle})">{_text(14, middle, panel.y_label, anchor="middle")}</g>',
    ]
    for tick in ticks:
        x, y = at(min(xs), tick).split()
        parts.append(f'<path d="M{x} {y}H{_RIGHT}" stroke="#e4e4e4"/>')
        parts.append(_text(_LEFT - 7, float(y) + 4, f"{tick:.0%}" if panel.percent else f"{tick:g}", anchor="end"))
    for tick in _x_ticks(min(xs), max(xs), log=panel.log_x):
        x = at(tick, low).split()[0]
        parts.append(f'<path d="M{x} {_TOP}V{_BOTTOM}" stroke="#e4e4e4"/>')
        parts.append(_text(float(x), _BOTTOM + 18, f"{tick:,.0f}", anchor="middle"))
    parts.append(f'<path d="M{_LEFT} {_TOP}V{_BOTTOM}H{_RIGHT}" fill="none" stroke="#333"/>')
    for number, line in enumerate(lines):
        colour = line.colour or CYCLE[number % len(CYCLE)]
        if line.low is not None and line.high is not None:
            upper = [at(x, y) for x, y in zip(line.xs, line.high, strict=True)]
            lower = [at(x, y) for x, y in zip(line.xs, line.low, strict=True)]
            parts.append(f'<path d="M{"L".join([*upper, *reversed(lower)])}Z" fill="{colour}" opacity=".15"/>')
        stroke = f'stroke="{colour}" stroke-width="{line.width:g}" stroke-dasharray="{_DASHES[line.dash]}"'
        path = "".join("M" + "L".join(at(x, y) for x, y in run) for run in _runs(line))
        parts.append(f'<path d="{path}" fill="none" stroke-linejoin="round" {stroke}/>')
        if legend:
            row = middle + 18 * (number - (len(lines) - 1) / 2)
            parts.append(f'<path d="M{_RIGHT + 12} {row:g}h24" {stroke}/>')
            parts.append(_text(_RIGHT + 42, row + 4, line.label))
    return "\n".join(parts)


def _runs(line: Line) -> list[list[tuple[float, float]]]:
    """The points of a line, apart where values are missing."""
    runs: list[list[tuple[float, float]]] = [[]]
    for x, y in zip(line.xs, line.ys, strict=True):
        if not math.isnan(y):
            runs[-1].append((x, y))
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _x_ticks(low: float, high: float, *, log: bool) -> list[float]:
    if not log:
        return [tick for tick in round_ticks(low, high, most=5) if low <= tick <= high]
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [float(10**power) for power in powers if low <= 10**power <= high]
    return ticks if len(ticks) > 1 else [low, high]


def round_ticks(low: float, high: float, *, most: int = 7) -> list[float]:
    """Round numbers from at or below `low` to at or above `high`, about `most` of them."""
    span = (high - low) or abs(high) or 1.0
    step = 10 ** math.floor(math.log10(span / most))
    step = next(step * factor for factor in (1, 2, 5, 10) if span / (step * factor) <= most)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [round(step * number, 10) for number in range(first, last + 1)]


def _text(x: float, y: float, text: str, *, anchor: str = "start", size: int = 11, weight: str = "normal") -> str:
    where = f'x="{x:g}" y="{y:g}" text-anchor="{anchor}"'
    return f'<text {where} font-size="{size}" font-weight="{weight}" fill="#333">{escape(text)}</text>'


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Path:
    """Write a table with a line of column names; numbers with at most six digits after the point."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([_short(cell) for cell in row] for row in rows)
    return path


def _short(cell: object) -> object:
    return f"{cell:.6f}".rstrip("0").rstrip(".") if isinstance(cell, float) else cell
