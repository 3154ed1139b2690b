"""Hints: the known values of a position's moves, and a sentence about them.

Symmetric positions share one question. Each position that was asked for is a view of it, with its own names of moves.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from littlego.core.colour import BLACK
from littlego.core.points import Move, Symmetry
from littlego.core.position import Position
from littlego.formats.phrases import plural
from littlego.review.values import Value
from littlego.review.verdicts import MARGINS_LEFT

UNKNOWN: Final = "unknown"


class SearchState(enum.StrEnum):
    """How the search for a question stands."""

    SETTLED = "settled"
    WORKING = "working"
    PAUSED = "paused"
    """Nobody has asked for a while."""
    GIVEN_UP = "given_up"
    """The search died too often."""


_REST: Final = {
    SearchState.WORKING: "working out the rest…",
    SearchState.PAUSED: "the search for the rest is paused until you ask again.",
    SearchState.GIVEN_UP: "the search for the rest failed several times and was given up: ask again in a minute.",
}


class AskedPosition(NamedTuple):
    """A position that was asked for, and the symmetry that turns it into the question's."""

    position: Position
    symmetry: Symmetry


@dataclass(slots=True)
class Question:
    """A position, the canonical one of its eight images, and the known values of its moves."""

    position: Position
    values: dict[Move, Value]
    views: dict[str, AskedPosition] = field(default_factory=dict)
    """The positions that were asked for, by key."""
    asked: float = 0.0
    """When it was last asked."""
    spent: float = 0.0
    """Seconds of search so far."""
    tries: dict[Move, int] = field(default_factory=dict)
    """By move, how many slices of search did not find its value."""
    margins: dict[Move, int] = field(default_factory=dict)
    """By move, Black's stones minus White's in the end, if both play for the margin."""
    wants_margins: bool = False
    breakdowns: int = 0
    """How often in a row the search died."""
    state: SearchState = SearchState.WORKING

    def missing(self) -> list[Move]:
        """The moves without a value, least tried first."""
        return self._least_tried(self.values)

    def missing_margins(self) -> list[Move]:
        """The moves whose margin is wanted and not known, least tried first."""
        if not self.wants_margins:
            return []
        return self._least_tried(self.margins)

    def _least_tried(self, known: Mapping[Move, object]) -> list[Move]:
        moves = [move for move in self.position.legal_moves() if move not in known]
        return sorted(moves, key=lambda move: self.tries.get(move, 0))

    @property
    def is_open(self) -> bool:
        return bool(self.missing() or self.missing_margins())

    def see(self, position: Position, symmetry: Symmetry) -> str:
        """Remember a view of the question, and return its key."""
        key = position.key()
        self.views[key] = AskedPosition(position, symmetry)
        return key

    def answer(self, key: str) -> dict[str, Any]:
        """The fields of `MoveValues` in the API, for a view."""
        position, symmetry = self.views[key]
        moves = position.legal_moves()
        found = {move: self.values[image] for move in moves if (image := symmetry.move(move)) in self.values}
        mover = position.to_move
        return {
            "key": key,
            "to_move": mover.word,
            "plies_left": position.plies_left,
            "value": self._value(),
            "values": {position.move_name(move): value.value for move, value in found.items()},
            "missing": [position.move_name(move) for move in moves if move not in found],
            "leads": {
                position.move_name(move): self._lead(image)
                for move in moves
                if (image := symmetry.move(move)) in self.margins
            },
            "leads_missing": len(self.missing_margins()),
            "margins_left": MARGINS_LEFT,
            "state": self.state.value if len(found) < len(moves) else SearchState.SETTLED.value,
            "words": self.words(),
        }

    def _lead(self, move: Move) -> float:
        ahead = self.margins[move] - self.position.rules.komi
        return ahead if self.position.to_move is BLACK else -ahead

    def _value(self) -> str:
        """Who wins with best play. One winning move is enough to know."""
        mover = self.position.to_move
        best = max(self.values.values(), key=lambda value: value.rank(mover), default=None)
        if best is None or (best.winner is not mover and len(self.values) < len(self.position.legal_moves())):
            return UNKNOWN
        return best.value

    def words(self) -> str:
        """How many of the moves win, in a sentence or two."""
        mover, total = self.position.to_move, len(self.position.legal_moves())
        ranks = [value.rank(mover) for value in self.values.values()]
        wins, ties = ranks.count(2), ranks.count(1)
        if len(ranks) < total:
            found = f", {wins} of them {_keep(wins)} the win" if wins else ", no win among them" if ranks else ""
            return f"{_of(len(ranks), total)} known{found}; {_REST.get(self.state, _REST[SearchState.WORKING])}"
        if wins:
            return f"{_of(wins, total)} {_keep(wins)} the win."
        if ties:
            return f"No move wins. {_of(ties, total)} {_keep(ties)} the tie."
        return "Every move loses against best play."


def _of(count: int, total: int) -> str:
    return f"{count} of {plural(total, 'move')}"


def _keep(count: int) -> str:
    return "keeps" if count == 1 else "keep"
