"""The state of a tournament as one value, for tables, JSON and reports."""

from __future__ import annotations

import itertools
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from littlego.arena.ratings import PlayerRating, Ratings, fit_arrays
from littlego.arena.tournament.directory import Tournament
from littlego.arena.tournament.pairings import formats, swiss
from littlego.arena.tournament.plan import Format, TournamentPlan
from littlego.arena.tournament.report.competition import Place, competition_places
from littlego.arena.tournament.roster import Participant
from littlego.arena.tournament.standings import Results, Standing, count_results
from littlego.formats.records import rules_to_dict


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
    columns: np.ndarray[Any, Any]
    numbers: dict[int, str]
    """Names of the participants by number."""

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
    columns = tournament.store.columns()
    names = {participant.id: participant.name for participant in participants}
    results = count_results(columns, names)
    fit = fit_results(results)
    ratings = {player.name: player for player in fit.players}
    scores = _swiss_scores(tournament, names) if plan.format is Format.SWISS else {}
    places: list[Place] = []
    if plan.format is Format.COURSE_2019:
        part = [participant.name for participant in formats.qualified(participants)]
        places = competition_places(results, plan.games, part)
    return Summary(
        plan,
        _planned(tournament, participants),
        results.ordered(_order(results, scores, places, ratings if plan.format is Format.GAUNTLET else {})),
        ratings,
        fit,
        tournament.store.verdicts(),
        places,
        scores,
        columns,
        names,
    )


def names_before(summary: Summary, last: int) -> tuple[str, ...]:
    """The players as they were ordered before the last `last` games; none if results alone do not decide that."""
    by_results = summary.plan.format not in (Format.SWISS, Format.COURSE_2019)
    if not by_results or last >= len(summary.columns):
        return ()
    results = count_results(summary.columns[: len(summary.columns) - last], summary.numbers)
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
        keys = [key for number, each in enumerate(paired) for key in swiss.round_games(number, each, plan.games)]
        rounds = plan.rounds or swiss.default_rounds(len(participants))
        to_pair = max(0, rounds - len(paired)) * (len(participants) // 2) * plan.games
        return sum(key.black in here and key.white in here for key in keys) + to_pair
    return sum(1 for _ in formats.first_blacks(plan, participants)) * plan.games


def _swiss_scores(tournament: Tournament, names: dict[int, str]) -> dict[str, SwissScore]:
    rounds = tournament.store.rounds()
    stand = swiss.progress_after(names, rounds, tournament.scores(), tournament.plan.games, tournament.store.finished())
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
    met = results.meetings
    active = np.unique(np.concatenate([met.black, met.white]))
    return fit_arrays(
        [results.names[who] for who in active.tolist()],
        black=np.searchsorted(active, met.black),
        white=np.searchsorted(active, met.white),
        games=met.games.astype(np.float64),
        wins=met.black_wins + met.ties / 2,
        distinct=met.distinct.astype(np.float64),
    )


def _order(
    results: Results, scores: dict[str, SwissScore], places: list[Place], ratings: dict[str, PlayerRating]
) -> list[int]:
    """Indices into `results`, best first; by `ratings` if opponents differ."""
    where = {place.name: number for number, place in enumerate(places)}
    standings = results.standings()

    def key(index: int) -> tuple[float, ...]:
        name = results.names[index]
        if places:
            return (where.get(name, len(where)), -standings[index].tally.share)
        if name in scores:
            return (-scores[name].score, -scores[name].buchholz, -standings[index].tally.share)
        if name in ratings:
            return (-ratings[name].rating,)
        return (-standings[index].tally.share, -standings[index].tally.games)

    return sorted(range(len(results.names)), key=lambda index: (*key(index), index))


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
    met = results.meetings
    names = ("games", "black_wins", "white_wins", "ties")
    columns = [getattr(met, name).tolist() for name in ("black", "white", *names)]
    return [
        {"black": results.names[black], "white": results.names[white], **dict(zip(names, counts, strict=True))}
        for black, white, *counts in zip(*columns, strict=True)
    ]
