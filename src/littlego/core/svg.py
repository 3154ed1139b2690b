"""Positions as SVG: a function of a position that returns text, for pages, notebooks and docs."""

from __future__ import annotations

from html import escape
from typing import Final

from littlego.core.board import Colour
from littlego.core.errors import UsageError
from littlego.core.points import Move, Pass, Point, points_of
from littlego.core.position import Position

CELL: Final = 40
"""The distance between neighbouring points, in the drawing's own units."""
MARGIN: Final = 42
"""From the edge of a drawing, with its coordinates, to the first line."""

# Colours live in CSS variables, so that a page may restyle a board and dark mode needs no second file.
_STYLE = """
.littlego{--wood:#e3b873;--wood-edge:#b98a45;--line:#5b4220;--label:#6b5a43;--mark:#c8322b;
  --black-light:#5d6066;--black-dark:#0c0d0f;--white-light:#ffffff;--white-dark:#d2cfc6}
@media (prefers-color-scheme:dark){.littlego{--wood:#b98d4f;--wood-edge:#7a592a;--line:#3a2913;--label:#b9ab96;
  --mark:#ff6a5e;--white-dark:#c3c0b8}}
.littlego text{font:500 13px/1 ui-sans-serif,system-ui,sans-serif;fill:var(--label);
  text-anchor:middle;dominant-baseline:central}
.littlego .wood{fill:var(--wood);stroke:var(--wood-edge);stroke-width:1.5}
.littlego .line{stroke:var(--line);stroke-width:1.2;stroke-linecap:round}
.littlego .star{fill:var(--line)}
.littlego .stone{filter:drop-shadow(0 1.5px 1.5px rgb(0 0 0/.45))}
.littlego .last,.littlego .ko{fill:none;stroke:var(--mark);stroke-width:2.4}
"""


def draw_svg(position: Position, *, last_move: Move | str | None = None, width: int = 300) -> str:
    """The SVG of a position: stones, the last move ringed, the ko point squared. Raises UsageError.

    Adapts to light and dark mode. Nothing in it is fetched from elsewhere.

    >>> lg.draw_svg(lg.Position.initial().play("2,2"), last_move="2,2")[:4]
    '<svg'
    """
    if width < 1:
        raise UsageError(f"width {width}: expected at least 1")
    if isinstance(last_move, str):
        last_move = position.parse_move(last_move)
    side = 2 * MARGIN + CELL * (position.size - 1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="littlego" viewBox="0 0 {side} {side}" '
        f'width="{width}" height="{width}" role="img" aria-label="{escape(_spoken(position), quote=True)}">',
        shared_definitions(),
        _empty_board(position.size),
        *(_label_pair(k, side) for k in range(position.size)),
        *_stones(position),
        *_marks(position, last_move),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _spoken(position: Position) -> str:
    black, white = position.board.black.bit_count(), position.board.white.bit_count()
    return (
        f"{position.size} by {position.size} board, {black} black and {white} white stones, {position.to_move} to move"
    )


def shared_definitions() -> str:
    """The style and the gradients of stones; a page of many drawings needs them once."""
    return f"<style>{_STYLE}</style>\n<defs>" + "".join(
        f'<radialGradient id="littlego-{name}" cx="35%" cy="30%" r="75%">'
        f'<stop offset="0%" stop-color="var(--{name}-light)"/>'
        f'<stop offset="100%" stop-color="var(--{name}-dark)"/></radialGradient>'
        for name in ("black", "white")
    ) + "</defs>"  # fmt: skip


def _empty_board(size: int) -> str:
    far = MARGIN + CELL * (size - 1)
    overhang = CELL * 55 // 100
    start, side = MARGIN - overhang, far - MARGIN + 2 * overhang
    wood = f'<rect class="wood" x="{start}" y="{start}" width="{side}" height="{side}" rx="5"/>'
    places = range(MARGIN, far + 1, CELL)
    lines = [f'<path class="line" d="M{MARGIN} {at}H{far}M{at} {MARGIN}V{far}"/>' for at in places]
    stars = [_xy(point, size) for point in _stars(size)]
    dots = [f'<circle class="star" cx="{x}" cy="{y}" r="3.2"/>' for x, y in stars]
    return "\n".join([wood, *lines, *dots])


def _stars(size: int) -> list[Point]:
    """The dotted points: the centre of odd boards, the corner stars from 7x7 on, and the sides from 13x13 on."""
    middle = [size // 2] if size % 2 and size >= 5 else []
    inset = 2 if size < 13 else 3
    corners = [inset, size - 1 - inset] if size >= 7 else []
    points = [(row, column) for row in corners + middle for column in corners + middle]
    return [row * size + column for row, column in points if size >= 13 or (row in middle) == (column in middle)]


def _label_pair(k: int, side: int) -> str:
    at, edge = MARGIN + CELL * k, 9
    places = ((at, edge), (at, side - edge), (edge, at), (side - edge, at))
    return "".join(f'<text x="{x}" y="{y}">{k}</text>' for x, y in places)


def _stones(position: Position) -> list[str]:
    return [
        f'<circle class="stone" cx="{x}" cy="{y}" r="{CELL * 0.46:g}" fill="url(#littlego-{colour.word})"/>'
        for colour in Colour
        for x, y in (_xy(point, position.size) for point in points_of(position.board.stones(colour)))
    ]


def _marks(position: Position, last_move: Move | None) -> list[str]:
    marks = []
    if last_move is not None and not isinstance(last_move, Pass):
        x, y = _xy(last_move, position.size)
        marks.append(f'<circle class="last" cx="{x}" cy="{y}" r="{CELL * 0.21:g}"/>')
    if position.ko is not None:
        x, y = _xy(position.ko, position.size)
        half = CELL * 0.18
        marks.append(f'<rect class="ko" x="{x - half:g}" y="{y - half:g}" width="{2 * half:g}" height="{2 * half:g}"/>')
    return marks


def _xy(point: Point, size: int) -> tuple[int, int]:
    return MARGIN + CELL * (point % size), MARGIN + CELL * (point // size)
