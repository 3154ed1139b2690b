"""What `str` and notebooks show for the values of `core`: diagrams and SVG."""

from __future__ import annotations

from littlego.core.board import Board
from littlego.core.game import GameRecord
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.formats.diagram import draw_board
from littlego.formats.svg import draw_svg


def svg_of(value: Board | Position | GameRecord) -> str:
    """A board or a position; of a game, its last position, with the last move ringed."""
    if isinstance(value, Position):
        return draw_svg(value)
    if isinstance(value, Board):
        return draw_svg(Position(edition_rules(size=value.size), value))
    return draw_svg(value.final(), last_move=value.moves[-1] if value.moves else None)


def diagram_of(value: Board | Position) -> str:
    """The board as a diagram; for a position, also the turn, the ko and the passes."""
    if isinstance(value, Board):
        return draw_board(value)
    turn = f"move {value.moves_played + 1} of {value.rules.max_moves}, {value.to_move} ({value.to_move.symbol}) to move"
    if value.ko is not None:
        turn += f", ko at {value.move_name(value.ko)}"
    if value.passes:
        turn += ", after a pass" if value.passes == 1 else f", after {value.passes} passes"
    return f"{draw_board(value.board)}\n{turn}"
