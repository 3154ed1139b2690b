"""The rules of a game as a value, and the course's editions as named values of it."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, field, replace
from typing import Final

from littlego.core.board import grid
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
        if not math.isfinite(self.komi) or self.komi * 2 != int(self.komi * 2):
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
