"""The state of a tournament as one value, for tables, JSON, pages and reports: standings, ratings, the crosstable."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from littlego.arena.ratings import PairScore, Ratings, fit_ratings
from littlego.arena.store import Meeting
from littlego.arena.tournament import pairings
from littlego.arena.tournament.folder import Tournament
from littlego.arena.tournament.plan import Format
from littlego.formats.records import rules_to_dict
from littlego.stats import Tally


@dataclass(slots=True)
class Standing:
    """A player's results."""

    player: str
    games: int
    wins: int
    losses: int
    ties: int
    as_black: Tally
    as_white: Tally
    forfeits: int
    """Games it lost by its own fault."""
    distinct_games: int
    """Different games by moves and opponent; deterministic players repeat theirs."""
    win_rate: float
    interval_95: tuple[float, float]
    rating: float | None = None
    """Of those who have played."""
    rating_interval_95: tuple[float, float] | None = None
    superiority: float | None = None
    """The probability that it is stronger than the next, if they can be compared."""
    score: float | None = None
    """In a Swiss: points from games, and full points for byes."""
    buchholz: float | None = None
    """There: the sum of its opponents' scores, once for every meeting."""
    byes: int | None = None
    risen: int | None = None
    """Places won in the last games, if somebody has asked for that, and it is known."""

    @property
    def tally(self) -> Tally:
        """With both colours."""
        return Tally(self.wins, self.losses, self.ties)


@dataclass(frozen=True, slots=True)
class Place:
    """A row of the leaderboard of 2019."""

    rank: int
    """0: none, of a guest."""
    player: str
    points: int
    matches_won: int
    matches_lost: int
    matches_open: int
    """Unfinished, or drawn, which only even board sizes allow."""
    games_won: int


@dataclass(frozen=True, slots=True)
class Summary:
    """The state of a tournament."""

    format: str
    rules: dict[str, Any]
    limits: dict[str, float]
    seed: int
    games_a_pair: int
    planned_games: int
    """In a Swiss without byes."""
    games: int
    distinct_games: int
    forfeits: int
    verdicts: dict[str, int]
    black_advantage: float
    """What having Black is worth, in Elo."""
    black_advantage_interval_95: tuple[float, float]
    groups: int
    """Of players connected by games. Ratings of different groups cannot be compared."""
    standings: list[Standing]
    """Best players first."""
    crosstable: list[Meeting]
    competition: list[Place] = field(default_factory=list)
    """Of 2019: the leaderboard."""
    not_qualified: list[str] = field(default_factory=list)
    """There: who is not in it."""


def summarise(tournament: Tournament) -> Summary:
    """Changes nothing, and works in a read-only directory."""
    tournament.reload()
    plan, participants = tournament.plan, tournament.participants
    names = [participant.name for participant in participants]
    meetings = meetings_of(names, tournament.store.meetings())
    fit = fit_meetings(meetings)
    rows = standings(names, meetings, fit)
    places: list[Place] = []
    if plan.format is Format.SWISS:
        _add_scores(tournament, rows)
    if plan.format is Format.COURSE_2019:
        part = [participant.name for participant in pairings.qualified(participants)]
        places = leaderboard(part, meetings, plan.games, {one.name for one in participants if one.guest})
    rows = _ordered(rows, plan.format, places)
    for row, after in itertools.pairwise(rows):
        if row.rating is not None and after.rating is not None:
            row.superiority = fit.superiority(row.player, after.player)
    return Summary(
        format=plan.format.value,
        rules=rules_to_dict(plan.rules),
        limits=plan.limits.as_dict(),
        seed=plan.seed,
        games_a_pair=plan.games,
        planned_games=_planned(tournament),
        games=sum(met.games for met in meetings),
        distinct_games=sum(met.distinct_games for met in meetings),
        forfeits=sum(row.forfeits for row in rows),
        verdicts=tournament.store.verdicts(),
        black_advantage=fit.black_advantage,
        black_advantage_interval_95=fit.black_advantage_interval,
        groups=len(fit.groups),
        standings=rows,
        crosstable=meetings,
        competition=places,
        not_qualified=[name for name in names if places and name not in {place.player for place in places}],
    )


def add_risen(summary: Summary, tournament: Tournament, last: int) -> None:
    """Add how many places each player has won in the last `last` games; not where more than results decide them."""
    form = Format(summary.format)
    if form in (Format.SWISS, Format.COURSE_2019) or last >= (games := tournament.store.count()):
        return
    names = [row.player for row in summary.standings]
    meetings = meetings_of(names, tournament.store.meetings(until=games - last))
    before = standings(names, meetings, fit_meetings(meetings) if form is Format.GAUNTLET else None)
    place = {row.player: number for number, row in enumerate(_ordered(before, form))}
    for number, row in enumerate(summary.standings):
        row.risen = place[row.player] - number


def meetings_of(names: Iterable[str], meetings: Iterable[Meeting]) -> list[Meeting]:
    """Without the games of players who have left, which do not count."""
    here = set(names)
    return [met for met in meetings if {met.black, met.white} <= here]


def fit_meetings(meetings: Iterable[Meeting]) -> Ratings:
    """Ratings of everyone who has played."""
    return fit_ratings(
        PairScore(met.black, met.white, met.games, met.black_wins + met.ties / 2, met.distinct_games)
        for met in meetings
    )


def standings(names: Sequence[str], meetings: Iterable[Meeting], fit: Ratings | None = None) -> list[Standing]:
    """In the order of `names`."""
    black, white = dict.fromkeys(names, Tally()), dict.fromkeys(names, Tally())
    forfeits, distinct = Counter[str](), Counter[str]()
    for met in meetings:
        black[met.black] += Tally(met.black_wins, met.white_wins, met.ties)
        white[met.white] += Tally(met.white_wins, met.black_wins, met.ties)
        forfeits.update({met.black: met.black_forfeits, met.white: met.white_forfeits})
        distinct.update({met.black: met.distinct_games, met.white: met.distinct_games})
    rows = {}
    for name in names:
        both = black[name] + white[name]
        rows[name] = Standing(
            name,
            both.games,
            both.wins,
            both.losses,
            both.ties,
            black[name],
            white[name],
            forfeits[name],
            distinct[name],
            both.win_rate,
            both.interval,
        )
    for rated in fit.players if fit else ():
        rows[rated.name].rating, rows[rated.name].rating_interval_95 = rated.rating, rated.interval
    return list(rows.values())


def against(crosstable: Iterable[Meeting]) -> Mapping[tuple[str, str], Tally]:
    """By the names of two players: the results of the first against the second, with both colours."""
    tallies: defaultdict[tuple[str, str], Tally] = defaultdict(Tally)
    for met in crosstable:
        tallies[met.black, met.white] += Tally(met.black_wins, met.white_wins, met.ties)
        tallies[met.white, met.black] += Tally(met.white_wins, met.black_wins, met.ties)
    return tallies


_POINTS: Final = ((2, 20), (5, 15), (10, 10))
"""(last rank, points for it)"""
_POINTS_FOR_THE_REST: Final = 5


def rank_points(rank: int) -> int:
    return next((points for last, points in _POINTS if rank <= last), _POINTS_FOR_THE_REST)


def leaderboard(
    names: Sequence[str], meetings: Sequence[Meeting], games: int, guests: Collection[str] = ()
) -> list[Place]:
    """Of 2019, by matches won and then games won; equal numbers of matches share the better rank.

    A match is won by whoever has won more of its `games` and can no longer be overtaken. Guests take no rank; matches
    against them count.
    """
    tallies = against(meetings)
    rows = []
    for player in names:
        met = [tallies[player, other] for other in names if other != player]
        won = sum(tally.wins > tally.losses + games - tally.games for tally in met)
        lost = sum(tally.losses > tally.wins + games - tally.games for tally in met)
        rows.append((won, sum(tally.wins for tally in met), player, lost))
    rows.sort(key=lambda row: (-row[0], -row[1], row[2]))
    places = []
    for won, games_won, name, lost in rows:
        better = sum(other[0] > won for other in rows if other[2] not in guests)
        rank, points = (0, 0) if name in guests else (1 + better, rank_points(1 + better))
        places.append(Place(rank, name, points, won, lost, len(rows) - 1 - won - lost, games_won))
    return places


def _ordered(rows: Iterable[Standing], form: Format, places: Sequence[Place] = ()) -> list[Standing]:
    """Best first: in a gauntlet by rating, for opponents differ."""
    where = {place.player: number for number, place in enumerate(places)}

    def key(row: Standing) -> tuple[float, ...]:
        if places:
            return (where.get(row.player, len(where)), -row.tally.share)
        if form is Format.SWISS:
            return (-(row.score or 0), -(row.buchholz or 0), -row.tally.share)
        if form is Format.GAUNTLET:
            return (-(row.rating or 0), -row.tally.share)
        return (-row.tally.share, -row.games)

    return sorted(rows, key=key)


def _planned(tournament: Tournament) -> int:
    """Games between those who take part; who has left plays no more, and is not counted."""
    plan, participants = tournament.plan, tournament.participants
    if plan.format is Format.SWISS:
        here = {participant.id for participant in participants}
        paired = tournament.store.rounds()
        keys = [key for number, each in enumerate(paired) for key in pairings.round_games(number, each, plan.games)]
        rounds = plan.rounds or pairings.default_rounds(len(participants))
        to_pair = max(0, rounds - len(paired)) * (len(participants) // 2) * plan.games
        return sum(key.black in here and key.white in here for key in keys) + to_pair
    return sum(1 for _ in pairings.first_blacks(plan, participants)) * plan.games


def _add_scores(tournament: Tournament, rows: Iterable[Standing]) -> None:
    """Those of a Swiss."""
    store, numbers = tournament.store, {participant.name: participant.id for participant in tournament.participants}
    stand = pairings.progress_after(
        numbers.values(), store.rounds(), tournament.scores(), tournament.plan.games, store.finished()
    )
    for row in rows:
        mine = stand[numbers[row.player]]
        row.score, row.byes = mine.score, mine.byes
        row.buchholz = sum(stand[other].score * times for other, times in mine.met.items() if other in stand)
