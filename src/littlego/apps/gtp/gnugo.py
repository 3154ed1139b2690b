"""Commands that GNU Go added to GTP and that programs made for it ask every engine, such as Kigo and qGo."""

from __future__ import annotations

from collections.abc import Callable

from littlego.apps.gtp.analysis import GtpAnalyst
from littlego.apps.gtp.game import GtpGame
from littlego.core.colour import BLACK, WHITE, Colour
from littlego.core.errors import FormatError, UsageError
from littlego.core.points import Mask, Move, points_of
from littlego.core.vertex import parse_vertex, vertex_name
from littlego.formats.gtp import parse_colour

Commands = dict[str, Callable[[tuple[str, ...]], str | None]]
_MOST_MOVES = 10
"""Of `top_moves_black` and `top_moves_white`, as GNU Go."""


def gnugo_commands(game: GtpGame, analyst: GtpAnalyst) -> Commands:
    """Each answers in GNU Go's own words. They raise FormatError and UsageError."""

    def names(points: Mask) -> str:
        return " ".join(vertex_name(point, game.position.size) for point in points_of(points))

    def side(words: tuple[str, ...]) -> Colour:
        if not words:
            raise FormatError("syntax error: expected COLOUR")
        return parse_colour(words[0])

    def is_legal(words: tuple[str, ...]) -> str:
        if len(words) < 2:
            raise FormatError("syntax error: expected COLOUR VERTEX")
        position = game.turn(side(words))
        return "1" if position.is_legal(parse_vertex(words[1], position.size)) else "0"

    def last_move(_words: tuple[str, ...]) -> str:
        if not game.moves:
            raise UsageError("no previous move known")
        return move_words(game.moves[-1])

    def move_words(made: tuple[Colour, Move]) -> str:
        colour, move = made
        return f"{colour.word} {vertex_name(move, game.position.size)}"

    def top_moves(colour: Colour) -> str:
        best = analyst.winning_moves(game.turn(colour))[:_MOST_MOVES]
        return " ".join(f"{move} 1.00" for move in best)

    return {
        "query_boardsize": lambda _: str(game.position.size),
        "get_komi": lambda _: f"{game.position.rules.komi:.1f}",
        "get_handicap": lambda _: str(game.start.board.black.bit_count()),
        "level": lambda _: None,
        "list_stones": lambda words: names(game.position.board.stones(side(words))),
        "captures": lambda words: str(game.captured_by(side(words))),
        "all_legal": lambda words: names(game.turn(side(words)).legal_points()),
        "is_legal": is_legal,
        "last_move": last_move,
        "move_history": lambda _: "\n".join(move_words(made) for made in reversed(game.moves)),
        "top_moves_black": lambda _: top_moves(BLACK),
        "top_moves_white": lambda _: top_moves(WHITE),
    }
