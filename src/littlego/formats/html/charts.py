"""Charts as SVG for the pages: they take the page's colours, light or dark, and need no library.

Knows nothing of Go. Every text is escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from littlego.figures import round_ticks
from littlego.formats.text import escaped

_WIDTH: Final = 580
"""Narrow, so that text stays legible when a phone scales it down."""
_ROW: Final = 24
_LABEL: Final = 140
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
