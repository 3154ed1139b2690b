"""The rules of a game and the course's editions of them, why a move is illegal, and how a game ended."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, field, replace
from typing import Final

from littlego.core.board import Colour, grid
from littlego.core.errors import UsageError


class Ko(enum.Enum):
    """Which boards a move may not recreate."""

    SIMPLE = "simple"
    """The board before the opponent's last move."""
    POSITIONAL = "positional"
    """Any earlier board of the game."""


class Ending(enum.Enum):
    """What ends a game before its last move."""

    TWO_PASSES = "two_passes"
    """Passing is allowed; two passes in a row end the game."""
    NO_MOVE = "no_move"
    """Passing is not allowed; the game ends when the side to move has no legal move."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Everything that decides what is legal, when a game ends and who has won it."""

    size: int
    komi: float
    """Added to White's stones."""
    max_moves: int
    """The length of a game; a pass is a move."""
    ko: Ko = Ko.SIMPLE
    ending: Ending = Ending.TWO_PASSES
    attempts: int = 1
    """How many times a player in this process is asked for a legal move before it forfeits."""
    edition: str = "custom"
    passing: bool = field(init=False, compare=False, repr=False)
    """Whether a player may pass: follows from `ending`, stored because every move asks."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "passing", self.ending is Ending.TWO_PASSES)
        grid(self.size)
        if not math.isfinite(twice := self.komi * 2) or twice != int(twice):
            raise UsageError(f"komi {self.komi}: expected a multiple of 0.5")
        if self.max_moves < 1 or self.attempts < 1:
            raise UsageError(
                f"a game needs at least one move and one attempt, got {self.max_moves} and {self.attempts}"
            )

    def but(self, *, komi: float | None = None, max_moves: int | None = None) -> Rules:
        """These rules with another komi or length; their edition is then `custom`.

        >>> small = lg.edition_rules().but(komi=0.5)
        >>> small.komi, small.max_moves, small.edition
        (0.5, 24, 'custom')
        """
        komi = self.komi if komi is None else komi
        max_moves = self.max_moves if max_moves is None else max_moves
        if (komi, max_moves) == (self.komi, self.max_moves):
            return self
        return replace(self, komi=komi, max_moves=max_moves, edition="custom")


DEFAULT_SIZE: Final = 5
DEFAULT_EDITION: Final = "2025"
EDITIONS: Final = ("2019", "2022", "2024", "2025")

_ATTEMPTS_IN_2019: Final = 100
"""The 2019 host asks for ever; a player that guesses at random finds a move within this many."""


def edition_rules(edition: str = DEFAULT_EDITION, size: int = DEFAULT_SIZE) -> Rules:
    """The rules of an edition on a board of `size`. Raises UsageError for an unknown edition.

    >>> lg.edition_rules("2024", size=7).komi
    3.5
    """
    if edition not in EDITIONS:
        raise UsageError(f"edition {edition!r}: expected one of {', '.join(EDITIONS)}")
    if not isinstance(size, int):
        raise TypeError(f"board size {size!r}: expected a whole number")
    as_written = Rules(size=size, komi=size / 2, max_moves=size * size - 1, edition=edition)
    if edition == "2019":
        return replace(as_written, ko=Ko.POSITIONAL, ending=Ending.NO_MOVE, attempts=_ATTEMPTS_IN_2019)
    return as_written


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
