"""Charts as SVG for the pages: they take the page's colours, by day and by night, and need no library.

Knows nothing of Go. Every text is escaped.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from littlego.formats.printable import escaped

_WIDTH: Final = 580
"""Narrow, so that letters can still be read when a phone draws it smaller."""
_ROW: Final = 24
_LABEL: Final = 140
_COLOURS: Final = ("#3f7fd0", "#d0702a", "#3a9d68", "#a955b3", "#c4495a", "#7b8790", "#b39616", "#2aa3a8")
"""Of lines; they stay apart on white and on black, and for colour-blind eyes."""
_INK: Final = "var(--ink,#222)"
_SOFT: Final = "var(--soft,#666)"
_RULE: Final = "var(--rule,#ddd)"
_ACCENT: Final = "var(--accent,#7d5316)"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value and how sure it is."""

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
    """A line a row: a dot for the value, a bar for its interval."""
    low, high = min(row.low for row in rows), max(row.high for row in rows)
    ticks = round_ticks(low, high, most=6)
    low, high = min(low, ticks[0]), max(high, ticks[-1])
    height = _ROW * len(rows) + 44
    right = _WIDTH - 24

    def x(value: float) -> float:
        return _LABEL + (right - _LABEL) * (value - low) / ((high - low) or 1)

    parts = [_grid(x(tick), 6, height - 38, f"{tick:g}") for tick in ticks]
    for number, row in enumerate(rows):
        y = 18 + _ROW * number
        told = f"{row.label}: {row.value:.0f} ({row.low:.0f} to {row.high:.0f})"
        parts.append(
            f"<g><title>{escaped(told)}</title>"
            f'<text x="{_LABEL - 12}" y="{y + 5}" text-anchor="end" fill="{_INK}">{escaped(_short(row.label))}</text>'
            f'<path d="M{x(row.low):.1f} {y}H{x(row.high):.1f}" stroke="{_ACCENT}" stroke-width="5" opacity=".35" '
            f'stroke-linecap="round"/><circle cx="{x(row.value):.1f}" cy="{y}" r="5" fill="{_ACCENT}"/></g>'
        )
    parts.append(_axis_name(unit, height))
    return _svg(_WIDTH, height, title, parts)


def bar_chart(rows: Sequence[tuple[str, float, str]], *, title: str) -> str:
    """A bar a row: its label, its length, and what is written at its end. Lengths are from 0, and not negative."""
    label, right = 220, _WIDTH - 96
    longest = max((value for _, value, _ in rows), default=0.0) or 1.0
    parts = []
    for number, (name, value, told) in enumerate(rows):
        y = 8 + (_ROW + 4) * number
        width = max(1.0, (right - label) * value / longest)
        shown = name if len(name) <= 28 else name[:27] + "…"
        parts.append(
            f"<g><title>{escaped(f'{name}: {told}')}</title>"
            f'<text x="{label - 10}" y="{y + 15}" text-anchor="end" fill="{_INK}">{escaped(shown)}</text>'
            f'<rect x="{label}" y="{y + 2}" width="{width:.1f}" height="{_ROW - 6}" rx="3" fill="{_ACCENT}"/>'
            f'<text x="{label + width + 8:.1f}" y="{y + 15}" fill="{_SOFT}">{escaped(told)}</text></g>'
        )
    return _svg(_WIDTH, (_ROW + 4) * len(rows) + 16, title, parts)


def heat_map(names: Sequence[str], shares: Sequence[Sequence[float | None]], told: Sequence[Sequence[str]], *,
             title: str) -> str:  # fmt: skip
    """A square a pair, coloured by the share of the row's player; `told` is said of each.

    With up to 14 players the share stands in the square.
    """
    count = len(names)
    cell = max(12, min(44, (_WIDTH - _LABEL) // max(1, count)))
    width, height = _LABEL + cell * count + 8, cell * count + 34
    parts = []
    for row, name in enumerate(names):
        y = 26 + cell * row
        size = 14 if cell >= 16 else 10
        parts.append(f'<text x="{_LABEL - 8}" y="{y + cell / 2 + 4}" text-anchor="end" font-size="{size}" '
                     f'fill="{_INK}">{row + 1} {escaped(_short(name))}</text>')  # fmt: skip
        if cell >= 16 or (row + 1) % 5 == 0:
            parts.append(f'<text x="{_LABEL + cell * (row + 0.5)}" y="18" text-anchor="middle" font-size="{size}" '
                         f'fill="{_SOFT}">{row + 1}</text>')  # fmt: skip
        for column, share in enumerate(shares[row]):
            x = _LABEL + cell * column
            said = f"<title>{escaped(told[row][column])}</title>" if told[row][column] else ""
            parts.append(f'<g>{said}<rect x="{x + 1}" y="{y + 1}" width="{cell - 2}" height="{cell - 2}" rx="3" '
                         f'fill="{_heat(share)}"/>')  # fmt: skip
            if share is not None and cell >= 34:
                parts.append(f'<text x="{x + cell / 2}" y="{y + cell / 2 + 4}" text-anchor="middle" font-size="13" '
                             f'fill="{_on_heat(share)}">{100 * share:.0f}</text>')  # fmt: skip
            parts.append("</g>")
    return _svg(width, height, title, parts)


def line_chart(curves: Sequence[Curve], xs: Sequence[float], *, x_name: str, y_name: str, title: str) -> str:
    """Lines over `xs`, each named at its end."""
    values = [value for curve in curves for value in curve.values if value is not None]
    ticks = round_ticks(min(values), max(values))
    low, high = min(min(values), ticks[0]), max(max(values), ticks[-1])
    left, right, top, bottom = 52, _WIDTH - 136, 28, 300
    span = (xs[-1] - xs[0]) or 1

    def at(x: float, y: float) -> tuple[float, float]:
        return left + (right - left) * (x - xs[0]) / span, bottom - (bottom - top) * (y - low) / ((high - low) or 1)

    parts = []
    for tick in ticks:
        y = at(xs[0], tick)[1]
        parts.append(f'<path d="M{left} {y:.1f}H{right}" stroke="{_RULE}"/><text x="{left - 8}" y="{y + 4:.1f}" '
                     f'text-anchor="end" fill="{_SOFT}">{tick:g}</text>')  # fmt: skip
    for tick in round_ticks(xs[0], xs[-1], most=5):
        if xs[0] <= tick <= xs[-1]:
            x = at(tick, low)[0]
            parts.append(f'<path d="M{x:.1f} {bottom}v5" stroke="{_SOFT}"/><text x="{x:.1f}" y="{bottom + 20}" '
                         f'text-anchor="middle" fill="{_SOFT}">{tick:,.0f}</text>')  # fmt: skip
    ends = _spread([at(xs[-1], _last(curve))[1] for curve in curves], 16)
    for number, curve in enumerate(curves):
        colour = _COLOURS[number % len(_COLOURS)]
        points = [at(x, y) for x, y in zip(xs, curve.values, strict=True) if y is not None]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2.2" stroke-linejoin="round"/>')
        parts.append(f'<path d="M{right + 2} {points[-1][1]:.1f}L{right + 12} {ends[number]:.1f}" stroke="{colour}"/>')
        parts.append(f'<text x="{right + 16}" y="{ends[number] + 4:.1f}" fill="{_INK}">{escaped(_short(curve.label))}'
                     "</text>")  # fmt: skip
    parts.append(f'<text x="{left - 44}" y="12" fill="{_SOFT}">{escaped(y_name)}</text>')
    parts.append(_axis_name(x_name, bottom + 46, centre=(left + right) / 2))
    return _svg(_WIDTH, bottom + 46, title, parts)


def round_ticks(low: float, high: float, *, most: int = 7) -> list[float]:
    """Round numbers from at or below `low` to at or above `high`, about `most` of them."""
    span = (high - low) or abs(high) or 1.0
    step = 10 ** math.floor(math.log10(span / most))
    step = next(step * factor for factor in (1, 2, 5, 10) if span / (step * factor) <= most)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [round(step * number, 10) for number in range(first, last + 1)]


def _last(curve: Curve) -> float:
    return next(value for value in reversed(curve.values) if value is not None)


def _spread(ys: Sequence[float], gap: float) -> list[float]:
    """The same heights, moved down where they would lie on each other."""
    placed = list(ys)
    order = sorted(range(len(ys)), key=lambda k: ys[k])
    for before, after in itertools.pairwise(order):
        placed[after] = max(placed[after], placed[before] + gap)
    return placed


def _heat(share: float | None) -> str:
    """From red over the colour of wood to green."""
    if share is None:
        return _RULE
    ends = ((178, 58, 62), (216, 190, 140), (47, 126, 82))
    low, high, part = (*ends[:2], share * 2) if share < 0.5 else (*ends[1:], share * 2 - 1)
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in zip(low, high, strict=True))


def _on_heat(share: float) -> str:
    return "#fff" if abs(share - 0.5) > 0.28 else "#222"


def _grid(x: float, top: float, bottom: float, label: str) -> str:
    return (f'<path d="M{x:.1f} {top}V{bottom}" stroke="{_RULE}"/><text x="{x:.1f}" y="{bottom + 16}" '
            f'text-anchor="middle" fill="{_SOFT}">{label}</text>')  # fmt: skip


def _axis_name(name: str, height: float, *, centre: float = (_LABEL + _WIDTH - 24) / 2) -> str:
    return f'<text x="{centre}" y="{height - 4}" text-anchor="middle" fill="{_SOFT}">{escaped(name)}</text>'


def _short(label: str) -> str:
    return label if len(label) <= 17 else label[:16] + "…"


def _svg(width: float, height: float, title: str, parts: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img" '
        f'font-family="var(--sans,sans-serif)" font-size="14" '
        f'aria-label="{escaped(title)}">{"".join(parts)}</svg>'
    )
