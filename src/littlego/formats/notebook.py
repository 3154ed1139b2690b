"""What `str` and notebooks show for the values of `core`, diagrams and SVG, and a diagram read back."""

from __future__ import annotations

import re
from typing import Final

from littlego.core.board import Board
from littlego.core.colour import BLACK, WHITE, Colour
from littlego.core.errors import FormatError
from littlego.core.game import GameRecord
from littlego.core.points import parse_point
from littlego.core.position import Position
from littlego.core.rules import Rules, edition_rules
from littlego.formats.course import fewest_moves
from littlego.formats.diagram import draw_board, parse_board
from littlego.formats.svg import draw_svg

_TURN: Final = re.compile(
    r"move (?P<number>\d+) of (?P<length>\d+), (?P<colour>Black|White) \([XO]\) to move"
    r"(, ko at (?P<ko>\d+,\d+))?(, after (?P<passes>a|\d+) pass(es)?)?"
)
"""The last line of a drawn position."""


def svg_of(value: Board | Position | GameRecord) -> str:
    """A board or a position; of a game, its last position, with the last move ringed."""
    if isinstance(value, Position):
        return draw_svg(value)
    if isinstance(value, Board):
        return draw_svg(Position(edition_rules(size=value.size), value))
    return draw_svg(value.final(), last_move=value.moves[-1] if value.moves else None)


def position_of_diagram(text: str, to_move: Colour | None, moves_played: int | None, rules: Rules | None) -> Position:
    """See `Position.from_diagram`."""
    drawing, _, last = text.rstrip().rpartition("\n")
    if turn := _TURN.fullmatch(last.strip()):
        return _position_with_turn(parse_board(drawing), turn, to_move, moves_played, rules)
    return _position(parse_board(text), to_move or BLACK, moves_played, rules)


def _position_with_turn(
    board: Board, turn: re.Match[str], to_move: Colour | None, moves_played: int | None, rules: Rules | None
) -> Position:
    rules = rules or edition_rules(size=board.size).but(max_moves=int(turn["length"]))
    played = int(turn["number"]) - 1 if moves_played is None else moves_played
    position = _position(board, to_move or (BLACK if turn["colour"] == "Black" else WHITE), played, rules)
    passes = (turn["passes"] or "0").replace("a", "1")
    ko = parse_point(turn["ko"], board.size) if turn["ko"] else None
    return position._replace(ko=ko, passes=int(passes))


def _position(board: Board, to_move: Colour, moves_played: int | None, rules: Rules | None) -> Position:
    if rules is not None and rules.size != board.size:
        raise FormatError(f"diagram: expected a board of {rules.size} rows, as the rules have, got {board.size}")
    if moves_played is None:
        moves_played = fewest_moves(board, to_move)
    return Position(rules or edition_rules(size=board.size), board, to_move, moves_played=moves_played)


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
