"""Why a move is illegal, and how a game ended: the same words for referee, GTP and page."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from littlego.core.colour import Colour


class Verdict(enum.Enum):
    """How a game ended. The values are the words of the JSON records."""

    SCORE = "score"
    RESIGNED = "resigned"
    ILLEGAL_OCCUPIED = "illegal_occupied"
    ILLEGAL_SUICIDE = "illegal_suicide"
    ILLEGAL_KO = "illegal_ko"
    ILLEGAL_OFF_BOARD = "illegal_off_board"
    ILLEGAL_PASS = "illegal_pass"
    BAD_FORMAT = "bad_format"
    NO_OUTPUT = "no_output"
    CRASH = "crash"
    CPU_TIME = "cpu_time"
    WALL_TIME = "wall_time"
    MEMORY = "memory"
    BATCH_BUDGET = "batch_budget"
    FORFEIT = "forfeit"
    """For a reason that a record from elsewhere does not give."""
    VOID = "void"

    @property
    def is_forfeit(self) -> bool:
        """Whether a player lost by its own fault and not on the board."""
        return self not in (Verdict.SCORE, Verdict.RESIGNED, Verdict.VOID)


class Why(enum.Enum):
    """The rule that a move breaks, as a sentence that follows the move."""

    OFF_BOARD = "the point is not on the board"
    OCCUPIED = "the point is occupied"
    SUICIDE = "the stone would have no liberty (suicide)"
    KO = "the move would retake the ko at once"
    REPEATS = "the move would repeat an earlier board of this game"
    NO_PASSING = "passing is not allowed in this edition"

    @property
    def verdict(self) -> Verdict:
        return _VERDICT_OF[self]


_VERDICT_OF = {
    Why.OFF_BOARD: Verdict.ILLEGAL_OFF_BOARD,
    Why.OCCUPIED: Verdict.ILLEGAL_OCCUPIED,
    Why.SUICIDE: Verdict.ILLEGAL_SUICIDE,
    Why.KO: Verdict.ILLEGAL_KO,
    Why.REPEATS: Verdict.ILLEGAL_KO,
    Why.NO_PASSING: Verdict.ILLEGAL_PASS,
}


@dataclass(frozen=True, slots=True)
class Score:
    """Stones on the board, White's with komi."""

    black: float
    white: float

    @property
    def winner(self) -> Colour | None:
        """The side with more, or None for a tie (possible on even sizes only)."""
        if self.black == self.white:
            return None
        return Colour.BLACK if self.black > self.white else Colour.WHITE

    def __str__(self) -> str:
        return f"{self.black:g}-{self.white:g}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game: who won (None: a tie, or void), how, and the score on the board.

    `reason` is a sentence for people; empty when the score says it all.
    """

    winner: Colour | None
    verdict: Verdict
    score: Score
    reason: str = ""

    def won_by(self, colour: Colour) -> bool | None:
        """Whether a side won; None for a tie or a void game.

        >>> lg.Position.initial().play("pass").play("pass").outcome().won_by(lg.WHITE)
        True
        """
        return None if self.winner is None else self.winner is colour

    def __str__(self) -> str:
        if self.verdict is Verdict.VOID:
            return f"No result: {self.reason}"
        if self.winner is None:
            return f"A tie, {self.score}"
        if self.verdict is Verdict.SCORE:
            margin = abs(self.score.black - self.score.white)
            return f"{self.winner} wins by {margin:g} ({self.score})"
        if self.verdict is Verdict.RESIGNED:
            return f"{self.winner} wins: {self.winner.opponent} resigned"
        return f"{self.winner} wins: {self.winner.opponent} forfeited; {self.reason}"
