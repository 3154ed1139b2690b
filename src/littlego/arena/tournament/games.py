"""The name of a game: who has Black, who White, and which of their games it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_BITS: Final = 20
MOST: Final = 1 << _BITS
"""More players, or games with one pair of colours, than this cannot be named."""


@dataclass(frozen=True, slots=True)
class GameKey:
    """A game of a tournament. Players are numbered in the order in which they joined, for good.

    Nothing about a key depends on who else takes part, so that a new player changes no game.
    """

    black: int
    white: int
    number: int
    """Counted from 0 over all games of the two, whoever has Black."""

    def packed(self) -> int:
        """The key as one number, for executors, whose tasks are numbers."""
        # 0-19 number | 20-39 white | 40-59 black
        return self.black << 2 * _BITS | self.white << _BITS | self.number


def unpack(packed: int) -> GameKey:
    """The key that `packed` gave."""
    mask = MOST - 1
    return GameKey(packed >> 2 * _BITS, packed >> _BITS & mask, packed & mask)
