"""Little-Go: Go on a small board with a move limit and stones-only scoring.

A position, a game, a match, an exact value and a trained learner:

>>> import littlego as lg
>>> position = lg.Position.initial().play("2,2")  # or "C3"
>>> print(position)
   0 1 2 3 4
 0 . . . . .
 1 . . . . .
 2 . . X . .
 3 . . . . .
 4 . . . . .
move 2 of 24, White (O) to move
>>> lg.play_game("greedy", "random", seed=1)
<GameRecord greedy - random, 24 moves (0,1 3,0 2,1 ... 0,4 1,4), Black wins by 4.5 (12-7.5)>
>>> lg.play_match("aggressive", "random", games=20).tally.win_rate > 0.5
True
>>> print(lg.Oracle().value(position))
Black
>>> learner = lg.train_learner(games=200)
>>> position.is_legal(learner.choose(position))
True

What is illegal says why, with words that everyone shows:

>>> position.play("2,2")
Traceback (most recent call last):
littlego.core.errors.IllegalMove: 2,2: the point is occupied
"""

__version__ = "0.2.0"

import sys

if sys.argv[:1] == ["-m"] and not sys.flags.safe_path and sys.path[0] != __path__[0].rpartition("/")[0]:
    # `python -m littlego`, perhaps in an agent's directory, where a `typing.py` may lie: look elsewhere.
    del sys.path[0]

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
    from littlego.core.points import PASS, Move, Pass, Point, Symmetry, move_name, parse_move, symmetries
    from littlego.core.position import Position
    from littlego.core.rules import EDITIONS, Ending, Ko, Rules, edition_rules
    from littlego.core.verdict import Outcome, Score, Verdict, Why
    from littlego.course.grading.report import GradeReport
    from littlego.course.quick import TournamentResult, grade_agent, play_tournament
    from littlego.course.quick_match import Match, play_game, play_match
    from littlego.formats.course import CourseInput, CourseOutput, parse_input, parse_output, write_input, write_output
    from littlego.formats.diagram import draw_board, parse_board
    from littlego.formats.records import parse_record, write_record
    from littlego.formats.sgf.games import parse_sgf, write_sgf
    from littlego.formats.svg import draw_svg
    from littlego.players.catalogue import PLAYERS, make_player
    from littlego.players.learner import LearnerPlayer, train_learner
    from littlego.review.quick import make_drills, review_game
    from littlego.review.reading import read_games
    from littlego.review.verdicts import GameReview
    from littlego.solve.oracle import MoveValue, Oracle
    from littlego.stats import Tally

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
    "GameReview",
    "GradeReport",
    "IllegalMove",
    "Ko",
    "LearnerPlayer",
    "LittleGoError",
    "Match",
    "Move",
    "MoveValue",
    "Oracle",
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
    "Tally",
    "TournamentResult",
    "UnknownPlayer",
    "UsageError",
    "Verdict",
    "Why",
    "draw_board",
    "draw_svg",
    "edition_rules",
    "grade_agent",
    "make_drills",
    "make_player",
    "move_name",
    "parse_board",
    "parse_input",
    "parse_move",
    "parse_output",
    "parse_record",
    "parse_sgf",
    "play_game",
    "play_match",
    "play_tournament",
    "read_games",
    "review_game",
    "symmetries",
    "train_learner",
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
    "play_game": "littlego.course.quick_match:play_game",
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
    "GradeReport": "littlego.course.grading.report:GradeReport",
    "TournamentResult": "littlego.course.quick:TournamentResult",
    "grade_agent": "littlego.course.quick:grade_agent",
    "play_tournament": "littlego.course.quick:play_tournament",
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
    "parse_sgf": "littlego.formats.sgf.games:parse_sgf",
    "write_sgf": "littlego.formats.sgf.games:write_sgf",
    "draw_svg": "littlego.formats.svg:draw_svg",
    "PLAYERS": "littlego.players.catalogue:PLAYERS",
    "make_player": "littlego.players.catalogue:make_player",
    "Match": "littlego.course.quick_match:Match",
    "play_match": "littlego.course.quick_match:play_match",
    "make_drills": "littlego.review.quick:make_drills",
    "review_game": "littlego.review.quick:review_game",
    "read_games": "littlego.review.reading:read_games",
    "GameReview": "littlego.review.verdicts:GameReview",
    "MoveValue": "littlego.solve.oracle:MoveValue",
    "Oracle": "littlego.solve.oracle:Oracle",
    "train_learner": "littlego.players.learner:train_learner",
    "Tally": "littlego.stats:Tally",
    "LearnerPlayer": "littlego.players.learner:LearnerPlayer",
}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = _WHERE[name].partition(":")
    value = globals()[name] = getattr(import_module(module), attribute)
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, "__version__", "__doc__", "__name__"})
