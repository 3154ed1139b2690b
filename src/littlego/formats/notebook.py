"""What notebooks show for the values of `core`: boards as SVG."""

from __future__ import annotations

from littlego.core.board import Board
from littlego.core.game import GameRecord
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.formats.svg import draw_svg


def svg_of(value: Board | Position | GameRecord) -> str:
    """A board or position as it stands; a game at its end, with its last move ringed."""
    if isinstance(value, Position):
        return draw_svg(value)
    if isinstance(value, Board):
        return draw_svg(Position(edition_rules(size=value.size), value))
    return draw_svg(value.final(), last_move=value.moves[-1] if value.moves else None)
