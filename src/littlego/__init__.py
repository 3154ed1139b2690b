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
<GameRecord greedy - random, 24 moves (0,3 0,4 1,4 ... 0,4 3,3), Black wins by 4.5 (12-7.5)>
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
    from littlego.core.board import BLACK, WHITE, Board, Colour, draw_board, parse_board
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
    from littlego.core.rules import EDITIONS, Ending, Ko, Outcome, Rules, Score, Verdict, Why, edition_rules
    from littlego.core.svg import draw_svg
    from littlego.course.contests import Match, TournamentResult, grade_agent, play_game, play_match, play_tournament
    from littlego.course.grading.report import GradeReport
    from littlego.formats.course import CourseInput, CourseOutput, parse_input, parse_output, write_input, write_output
    from littlego.formats.records import parse_record, write_record
    from littlego.formats.sgf import parse_sgf, write_sgf
    from littlego.players.catalogue import PLAYERS, make_player
    from littlego.players.learned import LearnerPlayer, train_learner
    from littlego.review.drills import make_drills
    from littlego.review.reading import read_games
    from littlego.review.verdicts import GameReview, review_game
    from littlego.solve.oracle import MoveValue, Oracle
    from littlego.stats import Tally

__all__ = [
    "BLACK", "EDITIONS", "PASS", "PLAYERS", "WHITE", "Board", "Colour", "CourseInput", "CourseOutput",
    "Ending", "FormatError", "GameRecord", "GameReview", "GradeReport", "IllegalMove", "Ko", "LearnerPlayer",
    "LittleGoError", "Match", "Move", "MoveValue", "Oracle", "Outcome", "Pass", "Player", "PlayerFault",
    "Point", "Position", "Resigned", "Rules", "Score", "Symmetry", "TakeBack", "Tally", "TournamentResult",
    "UnknownPlayer", "UsageError", "Verdict", "Why", "draw_board", "draw_svg", "edition_rules", "grade_agent",
    "make_drills", "make_player", "move_name", "parse_board", "parse_input", "parse_move", "parse_output",
    "parse_record", "parse_sgf", "play_game", "play_match", "play_tournament", "read_games", "review_game",
    "symmetries", "train_learner", "write_input", "write_output", "write_record", "write_sgf",
]  # fmt: skip

# Loaded when asked for, so that a part can be used without the dependencies of the others: the
# referee's supervisor runs on the standard library alone. A test compares this with the imports above.
_MODULES = {
    "core.board": "BLACK WHITE Board Colour draw_board parse_board",
    "core.errors": "FormatError IllegalMove LittleGoError PlayerFault Resigned TakeBack UnknownPlayer UsageError",
    "core.game": "GameRecord Player",
    "core.points": "PASS Move Pass Point Symmetry move_name parse_move symmetries",
    "core.position": "Position",
    "core.rules": "EDITIONS Ending Ko Outcome Rules Score Verdict Why edition_rules",
    "core.svg": "draw_svg",
    "course.grading.report": "GradeReport",
    "course.contests": "Match TournamentResult grade_agent play_game play_match play_tournament",
    "formats.course": "CourseInput CourseOutput parse_input parse_output write_input write_output",
    "formats.records": "parse_record write_record",
    "formats.sgf": "parse_sgf write_sgf",
    "players.catalogue": "PLAYERS make_player",
    "players.learned": "LearnerPlayer train_learner",
    "review.drills": "make_drills",
    "review.reading": "read_games",
    "review.verdicts": "GameReview review_game",
    "solve.oracle": "MoveValue Oracle",
    "stats": "Tally",
}
_WHERE = {name: f"littlego.{module}" for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_WHERE[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, "__version__", "__doc__", "__name__"})
