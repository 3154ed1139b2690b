"""The two sides."""

from __future__ import annotations

import enum
from typing import Final


class Colour(enum.Enum):
    """A side. The value is the digit that stands for it in the course's files."""

    BLACK = 1
    WHITE = 2

    opponent: Colour
    """The other side."""

    @property
    def symbol(self) -> str:
        """`X` or `O`, as the course draws stones."""
        return "X" if self is Colour.BLACK else "O"

    @property
    def word(self) -> str:
        """`black` or `white`, as JSON, GTP and file names write it."""
        return self.name.lower()

    def __str__(self) -> str:
        return self.name.capitalize()


# Plain attributes and names: looking a member up through its class is slow, and play does it often.
BLACK: Final = Colour.BLACK
WHITE: Final = Colour.WHITE
BLACK.opponent = WHITE
WHITE.opponent = BLACK
