"""The ranking of the 2019 competition: matches won, ranks, and the points of the course."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from littlego.arena.tournament.standings import Results

_POINTS: Final = ((2, 20), (5, 15), (10, 10))
"""(last rank, points for it)"""
_POINTS_FOR_THE_REST: Final = 5


@dataclass(frozen=True, slots=True)
class Place:
    """A row of the leaderboard."""

    name: str
    rank: int
    points: int
    matches_won: int
    matches_lost: int
    matches_open: int
    """Unfinished, or drawn, which only even board sizes allow."""
    games_won: int


def rank_points(rank: int) -> int:
    return next((points for last, points in _POINTS if rank <= last), _POINTS_FOR_THE_REST)


def competition_places(results: Results, games: int, names: Iterable[str]) -> list[Place]:
    """The leaderboard, by matches won and then games won; equal numbers of matches share the better rank.

    A match is won by whoever has won more of its games and can no longer be overtaken.
    """
    qualified = set(names)
    indices = [k for k, name in enumerate(results.names) if name in qualified]
    standings = results.standings()
    rows = []
    for player in indices:
        won = lost = 0
        for other in indices:
            if other == player:
                continue
            tally = results.against(player, other)
            left = games - tally.games
            won += tally.wins > tally.losses + left
            lost += tally.losses > tally.wins + left
        rows.append((won, standings[player].tally.wins, results.names[player], lost))
    rows.sort(key=lambda row: (-row[0], -row[1], row[2]))
    places = []
    for won, games_won, name, lost in rows:
        rank = 1 + sum(other[0] > won for other in rows)
        places.append(Place(name, rank, rank_points(rank), won, lost, len(rows) - 1 - won - lost, games_won))
    return places
