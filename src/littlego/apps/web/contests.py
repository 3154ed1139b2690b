"""Tournaments, in directories like those of `littlego tournament`, played by jobs."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Annotated, Final, cast

from fastapi import APIRouter, HTTPException, Path, Query
from fastapi.responses import JSONResponse, Response
from pydantic import Field
from typing_extensions import TypedDict

from littlego.apps.web.agents import KIND as AGENT
from littlego.apps.web.agents import Agents
from littlego.apps.web.auth import OWNERS, Owner, Person, Visitor
from littlego.apps.web.fair import Apart
from littlego.apps.web.jobs import UNFINISHED, JobShown
from littlego.apps.web.requests import (
    Edition,
    Id,
    RequestBody,
    TheServices,
)
from littlego.apps.web.store import TOURNAMENTS, NotFound, ServerStore, new_id, without_paths
from littlego.arena.store import Meeting
from littlego.arena.tournament.folder import FinishedGame, Tournament
from littlego.arena.tournament.page import report_page
from littlego.arena.tournament.plan import Format, TournamentPlan
from littlego.arena.tournament.roster import create, join
from littlego.arena.tournament.summary import Standing, Summary, add_risen, summarise
from littlego.core.rules import DEFAULT_EDITION
from littlego.course.contests import NamedPlayer, newcomers, plan_tournament
from littlego.formats.records import Json, record_to_dict
from littlego.players.catalogue import MANUAL, PLAYERS
from littlego.storage.files import plain_name

KIND: Final = "tournament"
OPPONENTS: Final = [name for name in PLAYERS if name != MANUAL]
"""The built-in players, which tournaments may have."""


class TournamentLine(TypedDict):
    """A tournament in a list."""

    id: str
    name: str
    job: str | None
    """The last job that played it."""
    created: float
    updated: float


class TournamentShown(TournamentLine):
    """A tournament with as much of its summary as everybody may see."""

    format: str
    planned_games: int
    games: int
    recent_games: int
    """The last tenth of the games, at least one a player: `risen` counts them."""
    standings: list[Standing]
    crosstable: list[Meeting]


class TournamentGame(TypedDict):
    """A game of a tournament in a list."""

    number: int
    black: str
    white: str
    winner: str | None
    text: str
    forfeit: bool
    capsule: bool
    """Whether there is a capsule to replay."""


class Tournaments:
    """The tournaments of a server."""

    def __init__(self, store: ServerStore, data: FilePath, agents: Agents, readers: Apart) -> None:
        self._store = store
        self._agents = agents
        self._readers = readers
        self._folder = data / TOURNAMENTS
        self._counting = asyncio.Lock()
        self._summaries: dict[str, tuple[tuple[int, int], Summary]] = {}

    async def begin(self, name: str, plan: TournamentPlan, players: Sequence[NamedPlayer]) -> TournamentLine:
        """Create a tournament. Raises UsageError."""
        tournament_id = new_id()
        await self._readers.ask(OWNERS, OWNERS, _create, self._folder / tournament_id, plan, players)
        self._store.put(KIND, tournament_id, {"name": name, "job": None})
        return self.find(tournament_id)

    async def join(self, tournament_id: str, players: Sequence[NamedPlayer]) -> None:
        """Add players. Raises NotFound, UsageError."""
        self.find(tournament_id)
        await self._readers.ask(OWNERS, OWNERS, _join, self._folder / tournament_id, players)

    def find(self, tournament_id: str) -> TournamentLine:
        """Raises NotFound."""
        return cast(TournamentLine, self._store.find(KIND, tournament_id))

    def newest(self) -> list[TournamentLine]:
        """All tournaments, last changed first."""
        return cast(list[TournamentLine], self._store.newest(KIND, 200))

    def note_job(self, tournament_id: str, job: str) -> None:
        data = self.find(tournament_id)
        self._store.put(KIND, tournament_id, {"name": data["name"], "job": job})

    async def shown(self, tournament_id: str) -> TournamentShown:
        """With standings, crosstable and ratings so far. Raises NotFound."""
        # One at a time: with many results it takes seconds, and the next caller finds it cached.
        async with self._counting:
            summary = await asyncio.to_thread(self._summary, tournament_id)
        return {
            **self.find(tournament_id),
            "format": summary.format,
            "planned_games": summary.planned_games,
            "games": summary.games,
            "recent_games": _recent(summary),
            "standings": summary.standings,
            "crosstable": summary.crosstable,
        }

    def _summary(self, tournament_id: str) -> Summary:
        with self._opened(tournament_id) as tournament:
            state = (tournament.store.count(), len(tournament.participants))
            known = self._summaries.get(tournament_id)
            if known is None or known[0] != state:
                summary = summarise(tournament)
                add_risen(summary, tournament, _recent(summary))
                known = self._summaries[tournament_id] = (state, summary)
            return known[1]

    def last_games(self, tournament_id: str, most: int, person: str) -> list[TournamentGame]:
        """The games that ended last, of a student those of their own agents. Raises NotFound."""
        with self._opened(tournament_id) as tournament:
            own = self._own_players(tournament, person)
            kept = tournament.store.last_games(most, players=own)
        return [_game_line(_seen_by(game, own)) for game in kept]

    def game(self, tournament_id: str, number: int, person: str) -> FinishedGame:
        """A game with its record and capsule. Raises NotFound, to a student for games of others, too."""
        with self._opened(tournament_id) as tournament:
            own = self._own_players(tournament, person)
            kept = tournament.store.game(number)
        if kept is None or (own is not None and own.isdisjoint({kept.result.record.black, kept.result.record.white})):
            raise NotFound(number)
        return _seen_by(kept, own)

    def _own_players(self, tournament: Tournament, person: str) -> set[str] | None:
        """The names of a student's agents in a tournament; None for the owner, who sees everybody's."""
        if not person:
            return None
        players = tournament.participants
        return {player.name for player in players if self._agents.person_behind(player.player) == person}

    def report(self, tournament_id: str) -> str:
        """The tournament as a page of its own. Raises NotFound."""
        name = self.find(tournament_id)["name"]
        with self._opened(tournament_id) as tournament:
            return report_page(summarise(tournament), tournament.store, title=name)

    def _opened(self, tournament_id: str) -> Tournament:
        self.find(tournament_id)
        return Tournament(self._folder / tournament_id)


# These two read and build what strangers wrote: called apart from the server.


def _create(folder: FilePath, plan: TournamentPlan, players: Sequence[NamedPlayer]) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    create(folder, plan, newcomers(plan, players))


def _join(folder: FilePath, players: Sequence[NamedPlayer]) -> None:
    with Tournament(folder) as tournament:
        for newcomer in newcomers(tournament.plan, players, challengers=0):
            join(tournament, newcomer)


def _recent(summary: Summary) -> int:
    """How many games the arrows of standings are about."""
    return max(len(summary.standings), summary.games // 10)


def _seen_by(kept: FinishedGame, own: set[str] | None) -> FinishedGame:
    """A game as the owner of these players sees it: the capsule has files and words of the program that lost."""
    record, outcome = kept.result.record, kept.result.record.outcome
    loser = None if outcome is None or outcome.winner is None else record.player(outcome.winner.opponent)
    if own is None or loser in own:
        return kept
    return replace(kept, result=replace(kept.result, capsule=None))


def _game_line(kept: FinishedGame) -> TournamentGame:
    record = kept.result.record
    outcome = record.outcome
    return {
        "number": kept.finished,
        "black": record.black,
        "white": record.white,
        "winner": outcome.winner.word if outcome and outcome.winner else None,
        "text": str(outcome),
        "forfeit": bool(outcome and outcome.verdict.is_forfeit),
        "capsule": kept.result.capsule is not None,
    }


router = APIRouter(prefix="/api/tournaments", tags=["tournaments"])

Number = Annotated[int, Path(ge=0, lt=2**53)]


PlayerName = Annotated[str, Field(min_length=1, max_length=60)]


class PlayersRequest(RequestBody):
    """Players: built-in names, or agent:ID."""

    players: Annotated[list[PlayerName], Field(min_length=1, max_length=500)]


class NewTournament(PlayersRequest):
    """A tournament."""

    name: Annotated[str, Field(min_length=1, max_length=60)] = "Tournament"
    players: Annotated[list[PlayerName], Field(min_length=2, max_length=500)]
    format: Annotated[str, Field(pattern="^(round-robin|gauntlet|swiss)$")] = "round-robin"
    games: Annotated[int, Field(ge=1, le=1000)] | None = None
    edition: Edition = DEFAULT_EDITION
    size: Annotated[int, Field(ge=2, le=19, description="Default: the edition's, usually 5")] | None = None
    openings: Annotated[
        int,
        Field(
            ge=0,
            le=3,
            description="Games start in turn from the positions after so many moves, each twice, colours swapped",
        ),
    ] = 0


@router.get("", dependencies=[Visitor])
async def every(services: TheServices) -> list[TournamentLine]:
    """All tournaments."""
    return services.tournaments.newest()


@router.post("", status_code=201, dependencies=[Owner])
async def begin(body: NewTournament, services: TheServices) -> TournamentLine:
    """Create a tournament; `run` plays it."""
    form = Format(body.format)
    plan = plan_tournament(
        form,
        services.editions.find(body.edition),
        len(body.players),
        games=body.games,
        size=body.size,
        openings=body.openings,
    )
    players = [_named(text, services) for text in body.players]
    return await services.tournaments.begin(body.name, plan, players)


@router.get("/{tournament}", dependencies=[Visitor])
async def find(tournament: Id, services: TheServices) -> TournamentShown:
    """Standings, crosstable and ratings so far."""
    return await services.tournaments.shown(tournament)


@router.post("/{tournament}/players", dependencies=[Owner])
async def add_players(tournament: Id, body: PlayersRequest, services: TheServices) -> TournamentShown:
    """Add players. Games already played do not change."""
    players = [_named(text, services) for text in body.players]
    await services.tournaments.join(tournament, players)
    return await services.tournaments.shown(tournament)


@router.post("/{tournament}/run", status_code=202, dependencies=[Owner])
async def run(tournament: Id, services: TheServices) -> JobShown:
    """Start the job that plays the remaining games. Stopping it loses nothing."""
    data = services.tournaments.find(tournament)
    if data["job"] is not None and services.jobs.stored.row(data["job"])["state"] in UNFINISHED:
        return services.jobs.find(data["job"])
    params = {"tournament": tournament}
    return services.jobs.begin(
        "tournament", data["name"], params, keep=lambda job: services.tournaments.note_job(tournament, job)
    )


@router.get("/{tournament}/games")
def games(
    tournament: Id,
    services: TheServices,
    person: Person,
    most: Annotated[int, Query(ge=1, le=500)] = 50,
) -> list[TournamentGame]:
    """The games that ended last; for students those of their own agents."""
    return services.tournaments.last_games(tournament, most, person)


@router.get("/{tournament}/games/{number}")
def game(tournament: Id, number: Number, services: TheServices, person: Person) -> Json:
    """The record of a game, as files of results have it."""
    return record_to_dict(services.tournaments.game(tournament, number, person).result.record)


@router.get("/{tournament}/games/{number}/capsule.json", response_class=JSONResponse)
def capsule(tournament: Id, number: Number, services: TheServices, person: Person) -> JSONResponse:
    """The capsule with which `littlego replay` reproduces a forfeit."""
    found = services.tournaments.game(tournament, number, person).result.capsule
    if found is None:
        whose = "agent of yours" if person else "program"
        raise HTTPException(404, f"this game has no capsule: no {whose} forfeited it")
    headers = {"content-disposition": f'attachment; filename="capsule-{number}.json"'}
    return JSONResponse({**found, "agent": without_paths(found["agent"], services.settings.data)}, headers=headers)


@router.get("/{tournament}/report.html", response_class=Response, dependencies=[Owner])
def report(tournament: Id, services: TheServices) -> Response:
    """The report of the tournament, as a page."""
    headers = {"content-disposition": 'attachment; filename="tournament.html"'}
    return Response(services.tournaments.report(tournament), media_type="text/html", headers=headers)


def _named(text: str, services: TheServices) -> NamedPlayer:
    """A player of a request. Raises HTTPException, UsageError."""
    kind, _, agent = text.partition(":")
    if kind == "agent":
        if services.owner_of(AGENT, agent) is None:
            raise HTTPException(404, f"no agent {agent[:40]!r} was uploaded here")
        return NamedPlayer(services.agents.spelling(agent), plain_name(services.agents.name_in_tournaments(agent)))
    if text not in OPPONENTS:
        there = ", ".join(OPPONENTS)
        raise HTTPException(422, f"no player is called {text[:80]!r}: there are {there}, and agent:ID for uploads")
    return NamedPlayer(text, text)
