"""Charts as SVG for the pages: they take the page's colours, light or dark, and need no library.

Knows nothing of Go. Every text is escaped.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from littlego.figures import round_ticks
from littlego.formats.text import escaped

_WIDTH: Final = 580
"""Narrow, so that text stays legible when a phone scales it down."""
_ROW: Final = 24
_LABEL: Final = 140
_COLOURS: Final = ("#3f7fd0", "#d0702a", "#3a9d68", "#a955b3", "#c4495a", "#7b8790", "#b39616", "#2aa3a8")
"""Colours of lines, distinct on white, on black and to colour-blind eyes."""
_INK: Final = "var(--ink,#222)"
_SOFT: Final = "var(--soft,#666)"
_RULE: Final = "var(--line,#ddd)"
_ACCENT: Final = "var(--accent,#9a3b22)"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value and its interval."""

    label: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Curve:
    """A line of a chart; a value None leaves a gap."""

    label: str
    values: Sequence[float | None]


def interval_chart(rows: Sequence[Estimate], *, unit: str, title: str) -> str:
    """One row per estimate: a dot for the value, a bar for its interval."""
    low, high = min(row.low for row in rows), max(row.high for row in rows)
    ticks = round_ticks(low, high, most=6)
    low, high = min(low, ticks[0]), max(high, ticks[-1])
    height = _ROW * len(rows) + 44
    right = _WIDTH - 24

    def x(value: float) -> float:
        return _LABEL + (right - _LABEL) * (value - low) / ((high - low) or 1)

    parts = []
    for tick in ticks:
        parts.append(f'<path d="M{x(tick):.1f} 6V{height - 38}" stroke="{_RULE}"/>')
        parts.append(_text(x(tick), height - 22, f"{tick:g}", anchor="middle"))
    for number, row in enumerate(rows):
        y = 18 + _ROW * number
        tooltip = f"{row.label}: {row.value:.0f} ({row.low:.0f} to {row.high:.0f})"
        parts.append(
            f"<g><title>{escaped(tooltip)}</title>"
            f"{_text(_LABEL - 12, y + 5, _short(row.label), anchor='end', fill=_INK)}"
            f'<path d="M{x(row.low):.1f} {y}H{x(row.high):.1f}" stroke="{_ACCENT}" stroke-width="5" opacity=".35" '
            f'stroke-linecap="round"/><circle cx="{x(row.value):.1f}" cy="{y}" r="5" fill="{_ACCENT}"/></g>'
        )
    parts.append(_text((_LABEL + right) / 2, height - 4, unit, anchor="middle"))
    return _svg(_WIDTH, height, title, parts)


def heat_map(
    names: Sequence[str], shares: Sequence[Sequence[float | None]], tooltips: Sequence[Sequence[str]], *, title: str
) -> str:
    """One square per pair, coloured by the share of the row's player and, with up to 12 players, labelled with it."""
    count = len(names)
    cell = max(12, min(44, (_WIDTH - _LABEL) // max(1, count)))
    parts = []
    for row, name in enumerate(names):
        y = 26 + cell * row
        size = 14 if cell >= 16 else 10
        label = f"{row + 1} {_short(name)}"
        parts.append(_text(_LABEL - 8, y + cell / 2 + 4, label, anchor="end", fill=_INK, size=size))
        if cell >= 16 or (row + 1) % 5 == 0:
            parts.append(_text(_LABEL + cell * (row + 0.5), 18, str(row + 1), anchor="middle", size=size))
        for column, share in enumerate(shares[row]):
            x = _LABEL + cell * column
            tooltip = tooltips[row][column]
            parts.append(f"<g><title>{escaped(tooltip)}</title>" if tooltip else "<g>")
            square = f'x="{x + 1}" y="{y + 1}" width="{cell - 2}" height="{cell - 2}"'
            parts.append(f'<rect {square} rx="3" fill="{_heat(share)}"/>')
            if share is not None and cell >= 34:
                ink = "#fff" if abs(share - 0.5) > 0.28 else "#222"
                percent = f"{100 * share:.0f}"
                parts.append(_text(x + cell / 2, y + cell / 2 + 4, percent, anchor="middle", fill=ink, size=13))
            parts.append("</g>")
    return _svg(_LABEL + cell * count + 8, cell * count + 34, title, parts)


def line_chart(curves: Sequence[Curve], xs: Sequence[float], *, x_name: str, y_name: str, title: str) -> str:
    """Lines over `xs`, each named at its end."""
    values = [value for curve in curves for value in curve.values if value is not None]
    ticks = round_ticks(min(values), max(values))
    low, high = min(min(values), ticks[0]), max(max(values), ticks[-1])
    left, right, top, bottom = 52, _WIDTH - 136, 28, 300
    span = (xs[-1] - xs[0]) or 1

    def at(x: float, y: float) -> tuple[float, float]:
        return left + (right - left) * (x - xs[0]) / span, bottom - (bottom - top) * (y - low) / ((high - low) or 1)

    parts = [_text(left - 44, 12, y_name), _text((left + right) / 2, bottom + 42, x_name, anchor="middle")]
    for tick in ticks:
        y = at(xs[0], tick)[1]
        parts.append(f'<path d="M{left} {y:.1f}H{right}" stroke="{_RULE}"/>')
        parts.append(_text(left - 8, y + 4, f"{tick:g}", anchor="end"))
    for tick in round_ticks(xs[0], xs[-1], most=5):
        if xs[0] <= tick <= xs[-1]:
            x = at(tick, low)[0]
            parts.append(f'<path d="M{x:.1f} {bottom}v5" stroke="{_SOFT}"/>')
            parts.append(_text(x, bottom + 20, f"{tick:,.0f}", anchor="middle"))
    drawn = [[at(x, y) for x, y in zip(xs, curve.values, strict=True) if y is not None] for curve in curves]
    names = _spread([points[-1][1] for points in drawn], 16)
    for number, (curve, points, name_y) in enumerate(zip(curves, drawn, names, strict=True)):
        colour = _COLOURS[number % len(_COLOURS)]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2.2" stroke-linejoin="round"/>')
        parts.append(f'<path d="M{right + 2} {points[-1][1]:.1f}L{right + 12} {name_y:.1f}" stroke="{colour}"/>')
        parts.append(_text(right + 16, name_y + 4, _short(curve.label), fill=_INK))
    return _svg(_WIDTH, bottom + 46, title, parts)


def _spread(ys: Sequence[float], gap: float) -> list[float]:
    """These heights, moved down where they would overlap."""
    placed = list(ys)
    order = sorted(range(len(ys)), key=lambda k: ys[k])
    for before, after in itertools.pairwise(order):
        placed[after] = max(placed[after], placed[before] + gap)
    return placed


def _heat(share: float | None) -> str:
    """From red through the colour of wood to green."""
    if share is None:
        return _RULE
    ends = ((178, 58, 62), (216, 190, 140), (47, 126, 82))
    low, high, part = (*ends[:2], share * 2) if share < 0.5 else (*ends[1:], share * 2 - 1)
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in zip(low, high, strict=True))


def _short(label: str, most: int = 17) -> str:
    return label if len(label) <= most else label[: most - 1] + "…"


def _text(x: float, y: float, text: str, *, anchor: str = "start", fill: str = _SOFT, size: int = 14) -> str:
    where = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text {where} font-size="{size}" fill="{fill}">{escaped(text)}</text>'


def _svg(width: float, height: float, title: str, parts: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img" '
        f'font-family="var(--sans,sans-serif)" aria-label="{escaped(title)}">{"".join(parts)}</svg>'
    )
