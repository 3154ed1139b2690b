"""The ranking of the 2019 competition: matches won, ranks, and the points of the course."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from littlego.arena.tournament.standings import Results

_POINTS: Final = ((2, 20), (5, 15), (10, 10))
"""Up to this rank, these points."""
_POINTS_FOR_THE_REST: Final = 5


@dataclass(frozen=True, slots=True)
class Place:
    """Where a player came in."""

    name: str
    rank: int
    points: int
    matches_won: int
    matches_lost: int
    matches_open: int
    """Not finished, or level, which only even boards can bring about."""
    games_won: int


def rank_points(rank: int) -> int:
    """What the course gives for a rank."""
    return next((points for last, points in _POINTS if rank <= last), _POINTS_FOR_THE_REST)


def competition_places(results: Results, games: int, takes_part: Iterable[str]) -> list[Place]:
    """The leaderboard: by matches won; those with as many share the better rank, by games won below each other.

    A match is won by whoever has won more of its games once they are all played, or cannot be
    overtaken any more.
    """
    part = set(takes_part)
    everyone = [who for who, name in enumerate(results.names) if name in part]
    standings = results.standings()
    rows = []
    for who in everyone:
        won = lost = level = 0
        for other in everyone:
            if other == who:
                continue
            tally = results.against(who, other)
            left = games - tally.games
            won += tally.wins > tally.losses + left
            lost += tally.losses > tally.wins + left
            level += not (tally.wins > tally.losses + left or tally.losses > tally.wins + left)
        rows.append((won, standings[who].tally.wins, results.names[who], lost, level))
    rows.sort(key=lambda row: (-row[0], -row[1], row[2]))
    places = []
    for won, games_won, name, lost, level in rows:
        rank = 1 + sum(other[0] > won for other in rows)
        places.append(Place(name, rank, rank_points(rank), won, lost, level, games_won))
    return places
