"""The verdicts on a move."""

from __future__ import annotations

import enum


class Judgement(enum.Enum):
    """What a move did for the side that made it. The values are the words of the JSON."""

    KEPT = "kept_the_win"
    ONLY_MOVE = "the_only_move"
    LOSING_MOVE = "the_losing_move"
    """The last move of the game that gave a better result away."""
    THREW_AWAY = "threw_the_win_away"
    """Gave a better result away, but the opponent gave it back later, or may have."""
    KEPT_TIE = "kept_the_tie"
    LOST_ANYWAY = "was_lost_anyway"
    FORCED = "had_no_choice"
    UNKNOWN = "not_known_yet"
    AFTER_THE_END = "after_the_end"

    @property
    def is_mistake(self) -> bool:
        return self in (Judgement.LOSING_MOVE, Judgement.THREW_AWAY)
