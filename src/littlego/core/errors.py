"""Every exception the package raises on purpose.

LittleGoError
├── UsageError           a request that cannot be met; the message says what is possible
│   ├── FormatError      text that cannot be read
│   └── UnknownPlayer    a player name that is not in the catalogue
├── IllegalMove          a move against the rules; `why` names the rule
└── PlayerFault          the player is at fault, not we: it forfeits; `verdict` says how
    └── Resigned         a player resigned

TakeBack                 not an error: a player asks the game loop to go back
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from littlego.core.rules import Verdict, Why


class LittleGoError(Exception):
    """The root of the tree. Catching it catches no bug of ours."""


class UsageError(LittleGoError):
    """A request that cannot be met. The command line shows the message and exits with 2."""


class FormatError(UsageError):
    """Text that cannot be read. The message names the source, the place and what was expected."""


class UnknownPlayer(UsageError):
    """A name that no player has."""


class IllegalMove(LittleGoError):
    """A move that the rules forbid in this position."""

    def __init__(self, move_text: str, why: Why) -> None:
        super().__init__(f"{move_text}: {why.value}")
        self.move_text = move_text
        self.why = why


class PlayerFault(LittleGoError):
    """A player that cannot continue, by its own fault, and forfeits."""

    def __init__(self, verdict: Verdict, message: str) -> None:
        super().__init__(message)
        self.verdict = verdict


class Resigned(PlayerFault):
    """A player that resigned."""


class TakeBack(Exception):
    """Raised by a player's `choose`: go back to the last time this player was to move."""
