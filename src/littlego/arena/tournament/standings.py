"""Who did how well: tallies by colour, forfeits, distinct games and the crosstable, from columns of the store.

Everything is counted with numpy, so that a million games take seconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from littlego.stats import Tally

Counts = np.ndarray[tuple[int, int], np.dtype[np.int64]]
"""A row for who had Black, a column for who had White."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How one player did."""

    name: str
    black: Tally
    white: Tally
    forfeits: int
    """Games lost by its own fault."""
    distinct: int
    """Different games, by moves and opponent: deterministic players repeat theirs."""

    @property
    def tally(self) -> Tally:
        """Both colours together."""
        black, white = self.black, self.white
        return Tally(black.wins + white.wins, black.losses + white.losses, black.ties + white.ties)

    @property
    def points(self) -> float:
        """A win is one, a tie a half."""
        return self.tally.wins + self.tally.ties / 2

    @property
    def share(self) -> float:
        """Points a game; 0 without games."""
        return self.points / self.tally.games if self.tally.games else 0.0


@dataclass(frozen=True, slots=True)
class Results:
    """All games counted, players in the order of `names`."""

    names: tuple[str, ...]
    black_wins: Counts
    white_wins: Counts
    ties: Counts
    forfeits: tuple[int, ...]
    distinct: tuple[int, ...]
    distinct_games: int

    @property
    def games(self) -> int:
        """How many games were counted."""
        return int(self.black_wins.sum() + self.white_wins.sum() + self.ties.sum())

    def standing(self, who: int) -> Standing:
        """How the player of a place in `names` did."""
        black = Tally(*(int(counts[who].sum()) for counts in (self.black_wins, self.white_wins, self.ties)))
        white = Tally(*(int(counts[:, who].sum()) for counts in (self.white_wins, self.black_wins, self.ties)))
        return Standing(self.names[who], black, white, self.forfeits[who], self.distinct[who])

    def standings(self) -> list[Standing]:
        """Everyone, in the order of `names`."""
        return [self.standing(who) for who in range(len(self.names))]

    def against(self, who: int, other: int) -> Tally:
        """How a player did against another, with both colours."""
        wins = self.black_wins[who, other] + self.white_wins[other, who]
        losses = self.white_wins[who, other] + self.black_wins[other, who]
        return Tally(int(wins), int(losses), int(self.ties[who, other] + self.ties[other, who]))


def count_results(columns: np.ndarray[Any, Any], names: Mapping[int, str], *, until: int | None = None) -> Results:
    """Count the games between the players of `names` (their numbers and names), or the first `until` of them.

    Games with anyone else, who has left the plan, do not count.
    """
    listed = list(names)
    place = np.full(max([*listed, *_highest(columns)], default=0) + 1, -1)
    place[listed] = np.arange(len(listed))
    black, white = place[columns["black"]], place[columns["white"]]
    known = (black >= 0) & (white >= 0)
    black, white, winner = black[known][:until], white[known][:until], columns["winner"][known][:until]
    forfeit, moves = columns["forfeit"][known][:until].astype(bool), columns["moves"][known][:until]
    pair = black * len(listed) + white
    lost = np.where(winner == 1, white, black)[forfeit & (winner != 0)]
    different = _distinct_pairs(pair, moves)
    per_black, per_white = np.divmod(different, max(1, len(listed)))
    distinct = np.bincount(per_black, minlength=len(listed)) + np.bincount(per_white, minlength=len(listed))
    return Results(
        tuple(names.values()),
        _table(pair[winner == 1], len(listed)),
        _table(pair[winner == 2], len(listed)),
        _table(pair[winner == 0], len(listed)),
        tuple(int(count) for count in np.bincount(lost, minlength=len(listed))),
        tuple(int(count) for count in distinct),
        len(different),
    )


def _highest(columns: np.ndarray[Any, Any]) -> Sequence[int]:
    return [int(columns[field].max()) for field in ("black", "white")] if len(columns) else []


def _table(pair: np.ndarray[Any, Any], size: int) -> Counts:
    return np.bincount(pair, minlength=size * size).reshape(size, size)


def _distinct_pairs(pair: np.ndarray[Any, Any], moves: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The pair of every different game, once each."""
    order = np.lexsort((moves, pair))
    pair, moves = pair[order], moves[order]
    new = np.ones(len(pair), dtype=bool)
    new[1:] = (pair[1:] != pair[:-1]) | (moves[1:] != moves[:-1])
    return pair[new]
