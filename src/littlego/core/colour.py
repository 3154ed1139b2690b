"""The two sides."""

from __future__ import annotations

import enum


class Colour(enum.Enum):
    """A side. The value is the digit that stands for it in the course's files."""

    BLACK = 1
    WHITE = 2

    @property
    def opponent(self) -> Colour:
        """The other side."""
        return Colour.WHITE if self is Colour.BLACK else Colour.BLACK

    @property
    def symbol(self) -> str:
        """`X` or `O`, as the course draws stones."""
        return "X" if self is Colour.BLACK else "O"

    def __str__(self) -> str:
        return self.name.capitalize()
