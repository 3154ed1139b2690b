"""Tournaments: create one, add players, run it, and see the standings."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path, Query
from fastapi.responses import HTMLResponse, JSONResponse
from pydantic import Field

from littlego.apps.web.api.analysis import values_along
from littlego.apps.web.api.requests import (
    Edition,
    Id,
    Person,
    RequestBody,
    Spelling,
    TheServices,
    checked_spelling,
)
from littlego.apps.web.api.responses import (
    Game,
    GameValues,
    JobShown,
    LineShown,
    Tournament,
    TournamentGame,
    TournamentLine,
)
from littlego.apps.web.http.access import OWNERS
from littlego.apps.web.jobs.queue import UNFINISHED
from littlego.apps.web.services.games import describe
from littlego.apps.web.services.store import derived_id, without_paths
from littlego.arena.tournament.pairings import default_rounds
from littlego.arena.tournament.plan import DEFAULT_GAMES, Format, TournamentPlan
from littlego.core.rules import DEFAULT_EDITION, EDITIONS

router = APIRouter(prefix="/api/tournaments", tags=["tournaments"])

Number = Annotated[int, Path(ge=0, lt=2**53)]


class PlayersRequest(RequestBody):
    """Players: built-in names, or agent:ID."""

    players: Annotated[list[Spelling], Field(min_length=1, max_length=500)]


class NewTournament(PlayersRequest):
    """A tournament."""

    name: Annotated[str, Field(min_length=1, max_length=60)] = "Tournament"
    players: Annotated[list[Spelling], Field(min_length=2, max_length=500)]
    format: Annotated[str, Field(pattern="^(round-robin|gauntlet|swiss)$")] = "round-robin"
    games: Annotated[int, Field(ge=1, le=1000)] | None = None
    rounds: Annotated[int, Field(ge=1, le=100)] | None = None
    edition: Edition = DEFAULT_EDITION
    size: Annotated[int, Field(ge=2, le=19, description="Default: the edition's, usually 5")] | None = None
    seed: Annotated[int, Field(ge=0, lt=2**31)] = 1
    openings: Annotated[
        int,
        Field(
            ge=0,
            le=3,
            description="Games start in turn from the positions after so many moves, each twice, colours swapped",
        ),
    ] = 0


@router.get("", response_model=list[TournamentLine], response_model_exclude_unset=True)
async def every(services: TheServices) -> Any:
    """All tournaments."""
    return services.tournaments.newest()


@router.post("", status_code=201, response_model=TournamentLine, response_model_exclude_unset=True)
async def begin(body: NewTournament, services: TheServices) -> Any:
    """Create a tournament; `run` plays it."""
    form = Format(body.format)
    if body.rounds is not None and form is not Format.SWISS:
        raise HTTPException(422, "only a Swiss has rounds")
    games = body.games or DEFAULT_GAMES[form]
    rounds = (body.rounds or default_rounds(len(body.players))) if form is Format.SWISS else None
    edition = services.editions.find(body.edition)
    own = None if edition.name in EDITIONS else edition.board
    size = body.size or edition.board.size
    plan = TournamentPlan(
        form,
        (),
        games,
        body.seed,
        edition.name,
        size,
        rounds,
        edition.limits,
        python=edition.default_python,
        openings=body.openings,
        board=own,
    )
    players = [_named(text, services) for text in body.players]
    return await services.tournaments.ask(services.tournaments.begin, body.name, plan, players, 1)


@router.get("/{tournament}", response_model=Tournament, response_model_exclude_unset=True)
async def find(tournament: Id, services: TheServices) -> Any:
    """Standings, crosstable and ratings so far."""
    data = services.tournaments.find(tournament)
    return {**data, **await services.tournaments.ask(services.tournaments.summary, tournament)}


@router.post("/{tournament}/players", response_model=Tournament, response_model_exclude_unset=True)
async def join(tournament: Id, body: PlayersRequest, services: TheServices) -> Any:
    """Add players. Games already played do not change."""
    players = [_named(text, services) for text in body.players]
    await services.tournaments.ask(services.tournaments.join, tournament, players)
    return await find(tournament, services)


@router.post("/{tournament}/run", status_code=202, response_model=JobShown)
async def run(tournament: Id, services: TheServices) -> Any:
    """Start the job that plays the remaining games. Stopping it loses nothing."""
    data = services.tournaments.find(tournament)
    if data["job"] is not None and services.jobs.row(data["job"])["state"] in UNFINISHED:
        return services.jobs.find(data["job"])
    params = {"tournament": tournament, "jobs": None}
    return services.jobs.begin(
        "tournament", data["name"], params, keep=lambda job: services.tournaments.note_job(tournament, job)
    )


@router.get("/{tournament}/games", response_model=list[TournamentGame])
async def games(
    tournament: Id,
    services: TheServices,
    person: Person,
    most: Annotated[int, Query(ge=1, le=500)] = 50,
    forfeits: bool = False,
) -> Any:
    """The games that ended last; for students those of their own agents."""
    return await services.tournaments.ask(
        services.tournaments.last_games, tournament, most, person, forfeits_only=forfeits
    )


@router.get("/{tournament}/games/{number}", response_model=LineShown)
async def game(tournament: Id, number: Number, services: TheServices, person: Person) -> Any:
    """A game of the tournament, as pages draw it."""
    return describe(
        (await services.tournaments.ask(services.tournaments.game, tournament, number, person)).result.record
    )


@router.get("/{tournament}/games/{number}/values", response_model=GameValues)
async def values_of_game(tournament: Id, number: Number, services: TheServices, person: Person) -> Any:
    """Who wins after each move of a game with best play, as far as that can be found in a moment."""
    kept = await services.tournaments.ask(services.tournaments.game, tournament, number, person)
    return await values_along(kept.result.record, services)


@router.post("/{tournament}/games/{number}/open", response_model=Game)
async def open_game(tournament: Id, number: Number, services: TheServices, person: Person) -> Any:
    """Copy a game of the tournament to the games of the server, to replay and review it."""
    kept = await services.tournaments.ask(services.tournaments.game, tournament, number, person)
    whose = (person,) if person else ()
    name = derived_id(services.settings.token or "", tournament, number, *whose)
    return services.games.keep(kept.result.record, name=name, person=person)


@router.get("/{tournament}/games/{number}/capsule.json", response_class=JSONResponse)
async def capsule(tournament: Id, number: Number, services: TheServices, person: Person) -> JSONResponse:
    """The capsule with which `littlego replay` reproduces a forfeit."""
    kept = await services.tournaments.ask(services.tournaments.game, tournament, number, person)
    if kept.result.capsule is None:
        whose = "agent of yours" if person else "program"
        raise HTTPException(404, f"this game has no capsule: no {whose} forfeited it")
    headers = {"content-disposition": f'attachment; filename="capsule-{number}.json"'}
    shown = {**kept.result.capsule, "agent": without_paths(kept.result.capsule["agent"], services.settings.data)}
    return JSONResponse(shown, headers=headers)


@router.get("/{tournament}/report.html", response_class=HTMLResponse)
async def report(tournament: Id, services: TheServices) -> HTMLResponse:
    """The report of the tournament, as a page."""
    text = await services.tournaments.ask(services.tournaments.report, tournament)
    return HTMLResponse(text, headers={"content-disposition": 'attachment; filename="tournament.html"'})


def _named(text: str, services: TheServices) -> tuple[str, str]:
    """A player's name and its spelling: tournaments are the owner's."""
    spelling = checked_spelling(text, services, OWNERS)
    if text.startswith("agent:"):
        agent = text.removeprefix("agent:")
        return services.agents.name_in_tournaments(agent), services.agents.spelling(agent)
    return text.rstrip("/").rsplit("/", 1)[-1], spelling
