"""Games: start one, play moves, take them back, resign, and see how it stands."""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Body, HTTPException, Query, Request
from fastapi.responses import PlainTextResponse
from pydantic import Field

from littlego.apps.web.api.requests import (
    BINARY,
    Id,
    LineRequest,
    MoveText,
    Person,
    PlaceRequest,
    RequestBody,
    Spelling,
    TheServices,
    bounded,
    checked_spelling,
    continued,
)
from littlego.apps.web.api.responses import (
    Game,
    GameLine,
    JobShown,
    LineShown,
    OpponentResults,
    PlayerLine,
    Result,
    Weeks,
)
from littlego.apps.web.http.access import OWNERS
from littlego.apps.web.jobs.queue import UNFINISHED
from littlego.apps.web.services.games import HUMAN, REVIEW, describe, weeks
from littlego.core.errors import FormatError, UsageError
from littlego.core.game import GameRecord
from littlego.core.points import Move
from littlego.formats.records import record_to_dict
from littlego.formats.sgf import write_variations
from littlego.formats.text import printable
from littlego.players.catalogue import MANUAL, PLAYERS, course_strengths
from littlego.review.reading import parse_games
from littlego.review.values import check_solvable

router = APIRouter(prefix="/api", tags=["games"])


SideNames = dict[Annotated[str, Field(pattern="^(black|white)$")], Annotated[str, Field(max_length=60)]]
VariationText = Annotated[str, Field(max_length=2000, pattern=r"^[0-9]{1,3}:[0-9PAS,_]*$", examples=["4:2,1_PASS"])]
"""After how many moves of the game it begins, and its moves."""


PersonName = Annotated[str, Query(max_length=60, description="A person's name; empty for everyone")]


class SgfResponse(PlainTextResponse):
    """An SGF file."""

    media_type = "application/x-go-sgf"


class NewGame(LineRequest):
    """Who plays whom, from the empty board or after some moves."""

    black: Spelling = HUMAN
    white: Spelling = "random"
    seed: Annotated[int, Field(ge=0, lt=2**31)] | None = None
    names: SideNames = Field({})


class PlayMove(RequestBody):
    """A person's move."""

    move: MoveText
    at: Annotated[int, Field(ge=0, le=400)] | None = None
    """How many moves had been played when the person chose it."""


class Branch(RequestBody):
    """After which move a game is continued, and by whom."""

    ply: Annotated[int, Field(ge=0, le=400)]
    moves: Annotated[list[MoveText], Field(max_length=400)] = Field([])
    """Played after that, instead of the game's."""
    black: Spelling = HUMAN
    white: Spelling = HUMAN
    names: SideNames = Field({})


@router.get("/players", response_model=list[PlayerLine])
async def players() -> Any:
    """The built-in players."""
    measured = course_strengths()
    ratings = {player.name: player.rating for player in measured.players}
    return [
        {"name": entry.name, "summary": entry.summary, "rating": ratings.get(entry.name), "quick": entry.is_quick}
        for entry in PLAYERS.values()
        if entry.name != MANUAL
    ]


@router.post("/games", status_code=201, response_model=Game)
async def begin(body: NewGame, services: TheServices, person: Person) -> Any:
    """Start a game. Seats are 'human', a built-in player's name, or 'agent:ID'."""
    seats = _seats(body, services, person)
    names = _names(seats, body.names)
    seed = secrets.randbelow(2**31) if body.seed is None else body.seed
    record = replace(body.record(services.editions, names["black"], names["white"]), seed=seed)
    if record.outcome is not None:
        raise HTTPException(422, "the game has ended after these moves")
    return services.games.keep(record, seats, person=person)


@router.get("/games", response_model=list[GameLine])
def newest(
    services: TheServices,
    person: Person,
    most: Annotated[int, Query(ge=1, le=200)] = 30,
    skip: Annotated[int, Query(ge=0, le=10**9)] = 0,
    search: Annotated[str, Query(max_length=60, description="Part of a player's name")] = "",
    result: Annotated[Result | None, Query()] = None,
) -> Any:
    """Your last games, or those of them that are searched for."""
    return services.games.newest(most, person=person, skip=skip, search=search, result=result)


@router.get("/results", response_model=list[OpponentResults])
def results(services: TheServices, person: Person, player: PersonName = "") -> Any:
    """How people fared against each opponent in your games here, the one with the most games first."""
    return services.games.results(person, player)


@router.get("/weeks", response_model=Weeks)
def by_week(services: TheServices, person: Person, player: PersonName = "") -> Any:
    """How often people gave a win away in your games here, week by week, by the reviews of their games."""
    return weeks(services.store, services.jobs, person, player)


@router.post("/games/import", status_code=201, response_model=Game)
async def take_in(
    services: TheServices, person: Person, text: Annotated[str, Body(max_length=400_000, embed=True)]
) -> Any:
    """Store a game given as the text of an SGF, a JSON record or a capsule; of several games, the first."""
    return await _kept(services, text, person)


@router.put("/games/import", status_code=201, response_model=Game, openapi_extra=BINARY)
async def take_in_file(request: Request, services: TheServices, person: Person) -> Any:
    """Store a game given as a file, which is the body: SGF is read in the encoding that it names."""
    return await _kept(services, await request.body(), person)


async def _kept(services: TheServices, data: bytes | str, person: str) -> Any:
    try:
        record = (await asyncio.to_thread(parse_games, data, source="the game"))[0]
    except FormatError as error:
        raise HTTPException(422, printable(str(error))) from error
    return services.games.keep(bounded(record), person=person)


@router.post("/positions", response_model=LineShown)
async def position(body: PlaceRequest, services: TheServices) -> Any:
    """A line of moves, as pages draw it: from the empty board, or from a position of a game."""
    return describe(body.place(services))


@router.get("/games/{game}.sgf", response_class=SgfResponse)
def as_sgf(
    game: Id, services: TheServices, line: Annotated[list[VariationText] | None, Query(max_length=50)] = None
) -> SgfResponse:
    """A game as SGF, with variations if some are given."""
    headers = {"content-disposition": f'attachment; filename="littlego-{game}.sgf"'}
    record = services.games.record(game)
    text = write_variations(record, [_variation(each, record) for each in line or ()])
    return SgfResponse(text, headers=headers)


@router.get("/games/{game}", response_model=Game)
async def find(game: Id, services: TheServices) -> Any:
    """A game as it stands."""
    return services.games.find(game)


@router.post("/games/{game}/branch", status_code=201, response_model=Game)
async def branch(game: Id, body: Branch, services: TheServices, person: Person) -> Any:
    """Start a new game from a position of a game, with other players if you like."""
    seats = _seats(body, services, person)
    line = continued(services.games.record(game, body.ply), body.moves)
    return services.games.branch(line, seats, _names(seats, body.names), person=person)


@router.post("/games/{game}/moves", response_model=Game)
async def play(game: Id, body: PlayMove, services: TheServices) -> Any:
    """Play a move. The opponent's reply comes over /api/live, topic game:ID."""
    return services.games.play(game, body.move, at=body.at)


@router.post("/games/{game}/undo", response_model=Game)
async def undo(game: Id, services: TheServices) -> Any:
    """Take back your last move and those after it."""
    return services.games.undo(game)


@router.post("/games/{game}/resign", response_model=Game)
async def resign(game: Id, services: TheServices) -> Any:
    """Resign the game."""
    return services.games.resign(game)


@router.post("/games/{game}/retry", response_model=Game)
async def retry(game: Id, services: TheServices) -> Any:
    """Ask a player that failed to move again."""
    return services.games.retry(game)


@router.post("/games/{game}/review", response_model=JobShown, tags=["reviews"])
async def review(game: Id, services: TheServices, person: Person) -> Any:
    """The job that reviews the game as it stands, started if there is none.

    Its `result` grows while it runs. News comes over /api/live, topic job:ID.
    """
    record = services.games.record(game)
    check_solvable(record.start)
    fields = record_to_dict(record)
    reviewed = {"moves": fields["moves"], "outcome": fields["outcome"]}
    known = services.store.get(REVIEW, game)
    if known is not None and {key: known.get(key) for key in reviewed} == reviewed:
        job = services.jobs.find(known["job"])
        if job["state"] in (*UNFINISHED, "done"):
            return job
    return services.jobs.begin(
        "review",
        f"Review of {record.black} against {record.white}",
        {"record": fields},
        person=services.owner_of("game", game) or OWNERS,
        by=person,
        keep=lambda job: services.store.put(REVIEW, game, {"job": job, **reviewed}),
    )


def _variation(text: str, record: GameRecord) -> tuple[int, tuple[Move, ...]]:
    """Raises UsageError."""
    ply, _, names = text.partition(":")
    if int(ply) > len(record.moves):
        raise UsageError(f"the game has {len(record.moves)} moves: there is no move {ply}")
    begun = record.without_last(len(record.moves) - int(ply))
    return int(ply), continued(begun, names.split("_") if names else []).moves[int(ply) :]


def _seats(body: NewGame | Branch, services: TheServices, person: str) -> dict[str, str]:
    return {
        "black": checked_spelling(body.black, services, person),
        "white": checked_spelling(body.white, services, person),
    }


def _names(seats: dict[str, str], chosen: dict[str, str]) -> dict[str, str]:
    return {
        colour: chosen.get(colour) or ("You" if seat == HUMAN else seat.rstrip("/").rsplit("/", 1)[-1][:40])
        for colour, seat in seats.items()
    }
