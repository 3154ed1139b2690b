"""Little-Go: Go on a small board with a move limit and stones-only scoring.

>>> import littlego
>>> position = littlego.Position.initial().play(littlego.parse_move("2,2", 5))
>>> position
<Position 5x5 2025: move 2 of 24, White to move>
>>> print(position.why_illegal(littlego.parse_move("2,2", 5)).value)
the point is occupied
>>> players = {colour: littlego.make_player("greedy", seed=1) for colour in littlego.Colour}
>>> record = littlego.play_game(players)
>>> record.outcome.verdict
<Verdict.SCORE: 'score'>
"""

__version__ = "0.1.0"

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from littlego.core.board import Board
    from littlego.core.colour import BLACK, WHITE, Colour
    from littlego.core.errors import (
        FormatError,
        IllegalMove,
        LittleGoError,
        PlayerFault,
        Resigned,
        TakeBack,
        UnknownPlayer,
        UsageError,
    )
    from littlego.core.game import GameRecord, Player
    from littlego.core.game import play as play_game
    from littlego.core.points import PASS, Move, Pass, Point, Symmetry, move_name, parse_move, symmetries
    from littlego.core.position import Position
    from littlego.core.rules import EDITIONS, Ending, Ko, Rules, edition_rules
    from littlego.core.verdict import Outcome, Score, Verdict, Why
    from littlego.formats.course import CourseInput, CourseOutput, parse_input, parse_output, write_input, write_output
    from littlego.formats.diagram import draw_board, parse_board
    from littlego.formats.records import parse_record, write_record
    from littlego.formats.sgf import parse_sgf, write_sgf
    from littlego.formats.svg import draw_svg
    from littlego.players.catalogue import PLAYERS, make_player

__all__ = [
    "BLACK",
    "EDITIONS",
    "PASS",
    "PLAYERS",
    "WHITE",
    "Board",
    "Colour",
    "CourseInput",
    "CourseOutput",
    "Ending",
    "FormatError",
    "GameRecord",
    "IllegalMove",
    "Ko",
    "LittleGoError",
    "Move",
    "Outcome",
    "Pass",
    "Player",
    "PlayerFault",
    "Point",
    "Position",
    "Resigned",
    "Rules",
    "Score",
    "Symmetry",
    "TakeBack",
    "UnknownPlayer",
    "UsageError",
    "Verdict",
    "Why",
    "draw_board",
    "draw_svg",
    "edition_rules",
    "make_player",
    "move_name",
    "parse_board",
    "parse_input",
    "parse_move",
    "parse_output",
    "parse_record",
    "parse_sgf",
    "play_game",
    "symmetries",
    "write_input",
    "write_output",
    "write_record",
    "write_sgf",
]

# Loaded when asked for, so that a part can be used without the dependencies of the others: the
# referee's supervisor runs on the standard library alone. A test compares this with the imports above.
_WHERE = {
    "Board": "littlego.core.board:Board",
    "BLACK": "littlego.core.colour:BLACK",
    "Colour": "littlego.core.colour:Colour",
    "WHITE": "littlego.core.colour:WHITE",
    "FormatError": "littlego.core.errors:FormatError",
    "IllegalMove": "littlego.core.errors:IllegalMove",
    "LittleGoError": "littlego.core.errors:LittleGoError",
    "PlayerFault": "littlego.core.errors:PlayerFault",
    "Resigned": "littlego.core.errors:Resigned",
    "TakeBack": "littlego.core.errors:TakeBack",
    "UnknownPlayer": "littlego.core.errors:UnknownPlayer",
    "UsageError": "littlego.core.errors:UsageError",
    "GameRecord": "littlego.core.game:GameRecord",
    "Player": "littlego.core.game:Player",
    "play_game": "littlego.core.game:play",
    "Move": "littlego.core.points:Move",
    "PASS": "littlego.core.points:PASS",
    "Pass": "littlego.core.points:Pass",
    "Point": "littlego.core.points:Point",
    "Symmetry": "littlego.core.points:Symmetry",
    "move_name": "littlego.core.points:move_name",
    "parse_move": "littlego.core.points:parse_move",
    "symmetries": "littlego.core.points:symmetries",
    "Position": "littlego.core.position:Position",
    "EDITIONS": "littlego.core.rules:EDITIONS",
    "Ending": "littlego.core.rules:Ending",
    "Ko": "littlego.core.rules:Ko",
    "Rules": "littlego.core.rules:Rules",
    "edition_rules": "littlego.core.rules:edition_rules",
    "Outcome": "littlego.core.verdict:Outcome",
    "Score": "littlego.core.verdict:Score",
    "Verdict": "littlego.core.verdict:Verdict",
    "Why": "littlego.core.verdict:Why",
    "CourseInput": "littlego.formats.course:CourseInput",
    "CourseOutput": "littlego.formats.course:CourseOutput",
    "parse_input": "littlego.formats.course:parse_input",
    "parse_output": "littlego.formats.course:parse_output",
    "write_input": "littlego.formats.course:write_input",
    "write_output": "littlego.formats.course:write_output",
    "draw_board": "littlego.formats.diagram:draw_board",
    "parse_board": "littlego.formats.diagram:parse_board",
    "parse_record": "littlego.formats.records:parse_record",
    "write_record": "littlego.formats.records:write_record",
    "parse_sgf": "littlego.formats.sgf:parse_sgf",
    "write_sgf": "littlego.formats.sgf:write_sgf",
    "draw_svg": "littlego.formats.svg:draw_svg",
    "PLAYERS": "littlego.players.catalogue:PLAYERS",
    "make_player": "littlego.players.catalogue:make_player",
}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = _WHERE[name].partition(":")
    value = globals()[name] = getattr(import_module(module), attribute)
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, "__version__", "__doc__", "__name__"})
