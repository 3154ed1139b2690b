"""Standings: tallies by colour, forfeits, distinct games and the crosstable, from columns of the store.

Counted with numpy, so that a million games take a moment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from littlego.stats import Tally

Array: TypeAlias = np.ndarray[Any, Any]

_ODD: Final = np.uint64(0x9E3779B97F4A7C15)
"""2^64 divided by the golden ratio: multiples of it differ in their upper bits."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's results."""

    name: str
    black: Tally
    white: Tally
    forfeits: int
    """Games it lost by its own fault."""
    distinct: int
    """Different games by moves and opponent; deterministic players repeat theirs."""

    @property
    def tally(self) -> Tally:
        """With both colours."""
        return self.black + self.white


@dataclass(frozen=True, slots=True)
class Meetings:
    """The results of every ordered pair of players that met, sorted by `black`, then `white`."""

    black: Array
    """Indices into the results' names."""
    white: Array
    black_wins: Array
    white_wins: Array
    ties: Array
    distinct: Array
    """Different games, by their moves."""

    @property
    def games(self) -> Array:
        counts: Array = self.black_wins + self.white_wins + self.ties
        return counts


@dataclass(frozen=True, slots=True)
class Results:
    """All games counted, players in the order of `names`."""

    names: tuple[str, ...]
    meetings: Meetings
    forfeits: tuple[int, ...]

    @property
    def games(self) -> int:
        return int(self.meetings.games.sum())

    @property
    def distinct_games(self) -> int:
        return int(self.meetings.distinct.sum())

    def standings(self) -> list[Standing]:
        """In the order of `names`."""
        met, number = self.meetings, len(self.names)
        black, white = (
            [
                np.bincount(side, counts, number).astype(int).tolist()
                for counts in (met.black_wins, met.white_wins, met.ties)
            ]
            for side in (met.black, met.white)
        )
        distinct = np.bincount(met.black, met.distinct, number) + np.bincount(met.white, met.distinct, number)
        return [
            Standing(
                name,
                Tally(black[0][who], black[1][who], black[2][who]),
                Tally(white[1][who], white[0][who], white[2][who]),
                self.forfeits[who],
                int(distinct[who]),
            )
            for who, name in enumerate(self.names)
        ]

    def against(self, one: int, other: int) -> Tally:
        """The results of one player against another, with both colours."""
        as_white = self._tally(other, one)
        return self._tally(one, other) + Tally(as_white.losses, as_white.wins, as_white.ties)

    def _tally(self, black: int, white: int) -> Tally:
        """Black's results in the games with these colours."""
        met = self.meetings
        low, high = np.searchsorted(met.black, [black, black + 1])
        place = int(low + np.searchsorted(met.white[low:high], white))
        if place == high or met.white[place] != white:
            return Tally()
        return Tally(int(met.black_wins[place]), int(met.white_wins[place]), int(met.ties[place]))

    def ordered(self, order: Sequence[int]) -> Results:
        """The same with the players in this order of indices."""
        place = np.empty(len(order), dtype=np.int64)
        place[list(order)] = np.arange(len(order))
        met = self.meetings
        black, white = place[met.black], place[met.white]
        by = np.lexsort((white, black))
        counts = (met.black_wins, met.white_wins, met.ties, met.distinct)
        return Results(
            tuple(self.names[who] for who in order),
            Meetings(black[by], white[by], *(count[by] for count in counts)),
            tuple(self.forfeits[who] for who in order),
        )


def count_results(columns: Array, names: Mapping[int, str], *, until: int | None = None) -> Results:
    """Count the games between the players of `names` (by number), or the first `until` of them.

    Games with players who have left the plan do not count.
    """
    listed = list(names)
    place = np.full(max([*listed, *_highest(columns)], default=0) + 1, -1)
    place[listed] = np.arange(len(listed))
    black, white = place[columns["black"]], place[columns["white"]]
    known = (black >= 0) & (white >= 0)
    black, white, winner = black[known][:until], white[known][:until], columns["winner"][known][:until]
    forfeit, moves = columns["forfeit"][known][:until].astype(bool), columns["moves"][known][:until]
    lost = np.where(winner == 1, white, black)[forfeit & (winner != 0)]
    return Results(
        tuple(names.values()),
        _meetings(black, white, winner, moves),
        tuple(np.bincount(lost, minlength=len(listed)).tolist()),
    )


def _meetings(black: Array, white: Array, winner: Array, moves: Array) -> Meetings:
    width = int(white.max(initial=0)) + 1
    key = black * width + white
    pairs, games = _grouped(key)
    met = len(pairs)

    def count(which: Array) -> Array:
        return np.bincount(games[which], minlength=met)

    # Sorted by pair, and within it by a hash of the moves, games that are the same are side by side. The pair takes the
    # upper bits of a word; the hash, spread over all bits first, gives up as many.
    bits = max(1, (met - 1).bit_length())
    spread = moves.astype(np.uint64) * _ODD >> np.uint64(1 + bits)
    marks = np.sort(games << (63 - bits) | spread.astype(np.int64))
    is_new = np.ones(len(marks), dtype=bool)
    is_new[1:] = marks[1:] != marks[:-1]
    return Meetings(
        pairs // width,
        pairs % width,
        count(winner == 1),
        count(winner == 2),
        count(winner == 0),
        np.bincount(marks[is_new] >> (63 - bits), minlength=met),
    )


def _grouped(keys: Array) -> tuple[Array, Array]:
    """The different keys in order, and the place of each key among them; without sorting where they are dense."""
    span = int(keys.max(initial=0)) + 1
    if span > 4 * len(keys):
        different, places = np.unique(keys, return_inverse=True)
        return different, places
    there = np.bincount(keys, minlength=span) > 0
    return np.flatnonzero(there), (np.cumsum(there) - 1)[keys]


def _highest(columns: Array) -> Sequence[int]:
    return [int(columns[field].max()) for field in ("black", "white")] if len(columns) else []
