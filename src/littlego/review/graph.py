"""The value of a game, move by move, as SVG: who wins with best play, and where that changed."""

from __future__ import annotations

from html import escape
from typing import Final

from littlego.core.colour import Colour
from littlego.review.values import Value
from littlego.review.verdicts import GameReview, MoveReview
from littlego.review.words import sentence, summary

_STEP: Final = 26
_LEFT: Final = 76
_TOP, _BOTTOM, _HEIGHT = 34, 130, 186
_Y: Final = {Value.BLACK: _TOP, Value.TIE: (_TOP + _BOTTOM) // 2, Value.WHITE: _BOTTOM}

# Colours are CSS variables, as on boards, so that a page may restyle it and dark mode needs no second file.
_STYLE: Final = """
.value-graph{--ink:#4a4033;--faint:#8d8271;--line:#2f6f5e;--bad:#b3261e;--grid:#d9cfbd;max-width:100%;height:auto}
@media (prefers-color-scheme:dark){.value-graph{--ink:#e6dccb;--faint:#a99d8a;--line:#7fd0b8;--bad:#ff8a80;
  --grid:#4a4236}}
.value-graph text{font:500 12px/1 ui-sans-serif,system-ui,sans-serif;fill:var(--faint)}
@media (max-width:600px){.value-graph text{font-size:19px}.value-graph .side{font-size:17px}}
.value-graph .side{fill:var(--ink);font-weight:600;dominant-baseline:central}
.value-graph .grid{stroke:var(--grid);stroke-width:1}
.value-graph .value{fill:none;stroke:var(--line);stroke-width:2.5;stroke-linejoin:round;stroke-linecap:round}
.value-graph .unknown{fill:none;stroke:var(--faint);stroke-width:1.5;stroke-dasharray:2 5;stroke-linecap:round}
.value-graph .kept{fill:var(--line)}
.value-graph .mistake{fill:var(--bad);stroke:none}
.value-graph .which{fill:var(--bad);font-weight:600;text-anchor:middle}
.value-graph .number{text-anchor:middle}
"""


def draw_value_graph(review: GameReview) -> str:
    """The SVG: a line that is high where Black wins and low where White does, with a dot at each mistake.

    Unknown stretches are dashed. Adapts to light and dark mode.
    """
    moves = review.moves[: review.length]
    values = [moves[0].before if moves else None, *(move.after for move in moves)]
    width = _LEFT + _STEP * max(1, len(values) - 1) + 26
    label = escape(f"Who wins with best play, by move. {summary(review)}", quote=True)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="value-graph" viewBox="0 0 {width} {_HEIGHT}" '
        f'width="{width}" height="{_HEIGHT}" role="img" aria-label="{label}">',
        f"<style>{_STYLE}</style>",
        *_frame(review, len(values), width, ties=Value.TIE in values),
        *_line(values),
        *(_dot(k, move) for k, move in enumerate(moves, start=1)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _frame(review: GameReview, count: int, width: int, *, ties: bool) -> list[str]:
    sides = [(Value.BLACK, str(Colour.BLACK)), (Value.WHITE, str(Colour.WHITE))]
    if ties:
        sides.insert(1, (Value.TIE, "a tie"))
    parts = []
    for value, text in sides:
        y = _Y[value]
        parts.append(f'<path class="grid" d="M{_LEFT} {y}H{width - 20}"/>')
        parts.append(f'<text class="side" x="4" y="{y}">{text}</text>')
    first = review.positions[0].moves_played
    numbered = [k for k in range(count) if (first + k) % 4 == 0]
    return parts + [f'<text class="number" x="{_x(k)}" y="{_HEIGHT - 6}">{first + k}</text>' for k in numbered]


def _line(values: list[Value | None]) -> list[str]:
    """A solid path for each known stretch, and a dashed one before each that follows unknown values."""
    middle = _Y[Value.TIE]
    parts, known, last_known = [], "", 0
    for k, value in enumerate([*values, None]):
        if value is not None:
            if not known and k:
                parts.append(f'<path class="unknown" d="M{_x(last_known)} {middle}H{_x(k)}"/>')
            known += f"{'L' if known else 'M'}{_x(k)} {_Y[value]}"
            last_known = k
        elif known:
            parts.append(f'<path class="value" d="{known}"/>')
            known = ""
    if values[-1] is None:
        parts.append(f'<path class="unknown" d="M{_x(0)} {middle}H{_x(len(values) - 1)}"/>')
    return parts


def _dot(k: int, move: MoveReview) -> str:
    if move.after is None:
        return ""
    y = _Y[move.after]
    name = f"{move.number}. {move.colour} {move.position.move_name(move.move)}: {sentence(move)}"
    tooltip = f"<title>{escape(name)}</title>"
    if not move.judgement.is_mistake:
        return f'<circle class="kept" cx="{_x(k)}" cy="{y}" r="3">{tooltip}</circle>'
    above = y - 14 if move.after is Value.BLACK else y + 24
    return (
        f'<circle class="mistake" cx="{_x(k)}" cy="{y}" r="6">{tooltip}</circle>'
        f'<text class="which" x="{_x(k)}" y="{above}">{move.number}</text>'
    )


def _x(k: int) -> int:
    return _LEFT + _STEP * k
