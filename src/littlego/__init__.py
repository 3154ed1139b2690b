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
