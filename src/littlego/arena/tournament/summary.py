"""The state of a tournament as one value, for tables, JSON and reports: standings, ratings, the 2019 leaderboard."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Final

from littlego.arena.ratings import PairScore, PlayerRating, Ratings, fit_ratings
from littlego.arena.store import Meeting
from littlego.arena.tournament import pairings
from littlego.arena.tournament.folder import Participant, Tournament
from littlego.arena.tournament.plan import Format, TournamentPlan
from littlego.formats.records import rules_to_dict
from littlego.stats import Tally


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
class Results:
    """All games counted."""

    names: tuple[str, ...]
    """In the order of the standings."""
    meetings: Mapping[tuple[str, str], Meeting]
    """By Black and White."""

    @property
    def games(self) -> int:
        return sum(met.games for met in self.meetings.values())

    @property
    def distinct_games(self) -> int:
        return sum(met.distinct for met in self.meetings.values())

    @property
    def forfeits(self) -> int:
        return sum(met.black_forfeits + met.white_forfeits for met in self.meetings.values())

    def standings(self) -> list[Standing]:
        """In the order of `names`."""
        rows = {name: Standing(name, Tally(), Tally(), 0, 0) for name in self.names}
        for met in self.meetings.values():
            row = rows[met.black]
            rows[met.black] = replace(
                row,
                black=row.black + Tally(met.black_wins, met.white_wins, met.ties),
                forfeits=row.forfeits + met.black_forfeits,
                distinct=row.distinct + met.distinct,
            )
            row = rows[met.white]
            rows[met.white] = replace(
                row,
                white=row.white + Tally(met.white_wins, met.black_wins, met.ties),
                forfeits=row.forfeits + met.white_forfeits,
                distinct=row.distinct + met.distinct,
            )
        return list(rows.values())

    def against(self, one: str, other: str) -> Tally:
        """The results of one player against another, with both colours."""
        tally = Tally()
        if met := self.meetings.get((one, other)):
            tally += Tally(met.black_wins, met.white_wins, met.ties)
        if met := self.meetings.get((other, one)):
            tally += Tally(met.white_wins, met.black_wins, met.ties)
        return tally

    def ordered(self, names: Sequence[str]) -> Results:
        """The same with the players in this order, and so the crosstable."""
        place = {name: number for number, name in enumerate(names)}
        pairs = sorted(self.meetings, key=lambda pair: (place[pair[0]], place[pair[1]]))
        return Results(tuple(names), {pair: self.meetings[pair] for pair in pairs})


def count_results(meetings: Iterable[Meeting], names: Iterable[str]) -> Results:
    """The results between these players. Games with players who have left the plan do not count."""
    names = tuple(names)
    here = set(names)
    return Results(names, {(met.black, met.white): met for met in meetings if {met.black, met.white} <= here})


_POINTS: Final = ((2, 20), (5, 15), (10, 10))
"""(last rank, points for it)"""
_POINTS_FOR_THE_REST: Final = 5


@dataclass(frozen=True, slots=True)
class Place:
    """A row of the leaderboard."""

    name: str
    rank: int
    """0: none, of a guest."""
    points: int
    matches_won: int
    matches_lost: int
    matches_open: int
    """Unfinished, or drawn, which only even board sizes allow."""
    games_won: int


def rank_points(rank: int) -> int:
    return next((points for last, points in _POINTS if rank <= last), _POINTS_FOR_THE_REST)


def competition_places(results: Results, games: int, names: Iterable[str], guests: Collection[str] = ()) -> list[Place]:
    """The leaderboard, by matches won and then games won; equal numbers of matches share the better rank.

    A match is won by whoever has won more of its games and can no longer be overtaken. Guests take no rank; matches
    against them count.
    """
    qualified = set(names)
    wins = {row.name: row.tally.wins for row in results.standings() if row.name in qualified}
    rows = []
    for player in wins:
        won = lost = 0
        for other in wins:
            if other == player:
                continue
            tally = results.against(player, other)
            left = games - tally.games
            won += tally.wins > tally.losses + left
            lost += tally.losses > tally.wins + left
        rows.append((won, wins[player], player, lost))
    rows.sort(key=lambda row: (-row[0], -row[1], row[2]))
    places = []
    for won, games_won, name, lost in rows:
        better = sum(other[0] > won for other in rows if other[2] not in guests)
        rank, points = (0, 0) if name in guests else (1 + better, rank_points(1 + better))
        places.append(Place(name, rank, points, won, lost, len(rows) - 1 - won - lost, games_won))
    return places


@dataclass(frozen=True, slots=True)
class SwissScore:
    """A player's score in a Swiss."""

    score: float
    """Points from games, and full points for byes."""
    buchholz: float
    """The sum of its opponents' scores, once for every meeting."""
    byes: int


@dataclass(frozen=True)
class Summary:
    """The state of a tournament."""

    plan: TournamentPlan
    planned: int
    """Games in the plan; in a Swiss without byes."""
    results: Results
    """Best players first."""
    ratings: dict[str, PlayerRating]
    """By name, for all who have played."""
    fit: Ratings
    verdicts: dict[str, int]
    places: list[Place]
    """In the competition of 2019."""
    swiss: dict[str, SwissScore]

    def superiority(self, name: str) -> float | None:
        """The probability that a player is stronger than the next in the table, if they can be compared."""
        after = self._next.get(name, "")
        return self.fit.superiority(name, after) if name in self.ratings and after in self.ratings else None

    @cached_property
    def _next(self) -> dict[str, str]:
        return dict(itertools.pairwise(self.results.names))

    @property
    def not_qualified(self) -> list[str]:
        """Who is not in the competition of 2019."""
        part = {place.name for place in self.places}
        return [player.name for player in self.plan.players if player.name not in part]

    @property
    def standings(self) -> list[Standing]:
        return self.results.standings()


def summarise(tournament: Tournament) -> Summary:
    """Changes nothing, and works in a read-only directory."""
    plan, participants = tournament.look()
    results = count_results(tournament.store.meetings(), [participant.name for participant in participants])
    fit = fit_results(results)
    ratings = {player.name: player for player in fit.players}
    names = {participant.id: participant.name for participant in participants}
    scores = _swiss_scores(tournament, names) if plan.format is Format.SWISS else {}
    places: list[Place] = []
    if plan.format is Format.COURSE_2019:
        part = [participant.name for participant in pairings.qualified(participants)]
        places = competition_places(results, plan.games, part, {each.name for each in plan.players if each.guest})
    return Summary(
        plan,
        _planned(tournament, participants),
        results.ordered(_order(results, scores, places, ratings if plan.format is Format.GAUNTLET else {})),
        ratings,
        fit,
        tournament.store.verdicts(),
        places,
        scores,
    )


def names_before(tournament: Tournament, summary: Summary, last: int) -> tuple[str, ...]:
    """The players as they were ordered before the last `last` games; none if results alone do not decide that."""
    by_results = summary.plan.format not in (Format.SWISS, Format.COURSE_2019)
    if not by_results or last >= (games := tournament.store.count()):
        return ()
    results = count_results(tournament.store.meetings(until=games - last), summary.results.names)
    ratings = {}
    if summary.plan.format is Format.GAUNTLET:
        ratings = {player.name: player for player in fit_results(results).players}
    return results.ordered(_order(results, {}, [], ratings)).names


def _planned(tournament: Tournament, participants: list[Participant]) -> int:
    """Games between those who take part; who has left plays no more, and is not counted."""
    plan = tournament.plan
    if plan.format is Format.SWISS:
        here = {participant.id for participant in participants}
        paired = tournament.store.rounds()
        keys = [key for number, each in enumerate(paired) for key in pairings.round_games(number, each, plan.games)]
        rounds = plan.rounds or pairings.default_rounds(len(participants))
        to_pair = max(0, rounds - len(paired)) * (len(participants) // 2) * plan.games
        return sum(key.black in here and key.white in here for key in keys) + to_pair
    return sum(1 for _ in pairings.first_blacks(plan, participants)) * plan.games


def _swiss_scores(tournament: Tournament, names: dict[int, str]) -> dict[str, SwissScore]:
    store, games = tournament.store, tournament.plan.games
    stand = pairings.progress_after(names, store.rounds(), tournament.scores(), games, store.finished())
    return {
        names[player]: SwissScore(
            one.score,
            sum(stand[other].score * times for other, times in one.met.items() if other in stand),
            one.byes,
        )
        for player, one in stand.items()
    }


def fit_results(results: Results) -> Ratings:
    """Ratings of everyone who has played."""
    return fit_ratings(
        PairScore(met.black, met.white, met.games, met.black_wins + met.ties / 2, met.distinct)
        for met in results.meetings.values()
    )


def _order(
    results: Results, scores: dict[str, SwissScore], places: list[Place], ratings: dict[str, PlayerRating]
) -> list[str]:
    """The names, best first; by `ratings` if opponents differ."""
    where = {place.name: number for number, place in enumerate(places)}

    def key(row: Standing) -> tuple[float, ...]:
        if places:
            return (where.get(row.name, len(where)), -row.tally.share)
        if row.name in scores:
            return (-scores[row.name].score, -scores[row.name].buchholz, -row.tally.share)
        if row.name in ratings:
            return (-ratings[row.name].rating,)
        return (-row.tally.share, -row.tally.games)

    return [row.name for row in sorted(results.standings(), key=key)]


def summary_to_dict(summary: Summary) -> dict[str, Any]:
    plan, results = summary.plan, summary.results
    fields: dict[str, Any] = {
        "format": plan.format.value,
        "rules": rules_to_dict(plan.rules),
        "limits": plan.limits.as_dict(),
        "seed": plan.seed,
        "games_a_pair": plan.games,
        "planned_games": summary.planned,
        "games": results.games,
        "distinct_games": results.distinct_games,
        "verdicts": summary.verdicts,
        "black_advantage": summary.fit.black_advantage,
        "black_advantage_interval_95": list(summary.fit.black_advantage_interval),
        "standings": [_standing_to_dict(row, summary) for row in summary.standings],
    }
    if summary.places:
        rows = map(asdict, summary.places)
        fields["competition"] = [{"rank": row.pop("rank"), "player": row.pop("name"), **row} for row in rows]
    return {**fields, "crosstable": _crosstable(results)}


def _standing_to_dict(row: Standing, summary: Summary) -> dict[str, Any]:
    tally = row.tally
    fields = {
        "player": row.name,
        "games": tally.games,
        **asdict(tally),
        "as_black": asdict(row.black),
        "as_white": asdict(row.white),
        "forfeits": row.forfeits,
        "distinct_games": row.distinct,
        "win_rate": tally.win_rate,
        "interval_95": list(tally.interval),
    }
    if row.name in summary.ratings:
        rated = summary.ratings[row.name]
        fields |= {
            "rating": rated.rating,
            "rating_interval_95": list(rated.interval),
            "superiority": summary.superiority(row.name),
        }
    if row.name in summary.swiss:
        fields |= asdict(summary.swiss[row.name])
    return fields


def _crosstable(results: Results) -> list[dict[str, Any]]:
    """A row for every pair of colours that met."""
    names = ("black", "white", "games", "black_wins", "white_wins", "ties")
    return [{name: getattr(met, name) for name in names} for met in results.meetings.values()]
