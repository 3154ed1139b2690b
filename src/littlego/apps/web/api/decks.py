"""Drills: decks, the next position to solve, and whether an answer was right."""

from __future__ import annotations

import asyncio
import datetime
from dataclasses import replace
from typing import Annotated, Any, Final

from fastapi import APIRouter, Body, HTTPException
from fastapi.responses import JSONResponse, Response
from pydantic import Field

from littlego.apps.web.api.schemas.job_results import Job, job_response
from littlego.apps.web.api.schemas.requests import (
    MOST_MOVES,
    Id,
    Identifier,
    MoveText,
    Person,
    RequestBody,
    TheServices,
)
from littlego.apps.web.api.schemas.responses import DeckId, DeckLine, DrillAnswer, NextDrill, Nothing, TodaysPuzzle
from littlego.apps.web.puzzles.shipped import difficulty, puzzle_of
from littlego.apps.web.services.decks import KEPT, SHIPPED, Decks, standing, zipped
from littlego.apps.web.services.game_view import describe
from littlego.core.points import parse_move
from littlego.review.drills.deck import Deck, Drill
from littlego.review.drills.score import DrillScore
from littlego.review.values import check_solvable

router = APIRouter(prefix="/api/decks", tags=["drills"])

UNNAMED: Final = ("You", "Du")
"""What pages call a player without a name, in each of their languages."""


class NewDeck(RequestBody):
    """Whose mistakes to drill: yours, or those of another player in the games on this server."""

    player: Annotated[str, Field(min_length=1, max_length=60)] = "You"


class DrillMove(RequestBody):
    """A move for a drill."""

    drill: Annotated[str, Field(max_length=40)]
    move: MoveText


class KeptMistake(RequestBody):
    """A position in which a game was thrown away: after `ply` moves of a game."""

    game: Identifier
    ply: Annotated[int, Field(ge=0, le=MOST_MOVES)]


@router.get("", response_model=list[DeckLine])
async def every(services: TheServices, person: Person) -> Any:
    """All decks."""
    return await asyncio.to_thread(services.decks(person).all)


@router.post("", status_code=202, response_model=Job)
async def make(body: NewDeck, services: TheServices, person: Person) -> JSONResponse:
    """Start the job that makes a deck from the wins that a player threw away in the games on this server."""
    await asyncio.to_thread(services.decks(person).check_room)
    records = await asyncio.to_thread(services.games.records_of, body.player, person)
    if not records:
        if body.player in UNNAMED:
            raise HTTPException(422, "you have finished no 5x5 game on this server yet")
        raise HTTPException(422, f"{body.player} has finished no 5x5 game on this server yet")
    name = "My mistakes" if body.player in UNNAMED else f"Mistakes of {body.player}"
    params = {"records": records, "player": body.player, "name": name, "person": person}
    job = services.jobs.begin("deck", name, params, person=person)
    return job_response(job, 202)


@router.post("/import", status_code=201, response_model=DeckId)
async def take_in(
    services: TheServices, person: Person, text: Annotated[str, Body(max_length=900_000, embed=True)]
) -> Any:
    """Store a deck that `littlego drill make` wrote."""
    return {"id": await asyncio.to_thread(services.decks(person).take_in, text)}


@router.get("/today", response_model=TodaysPuzzle)
async def today(services: TheServices, person: Person) -> Any:
    """The puzzle of the day, by the date in UTC: the same on every server. Answer it in its deck."""
    return await asyncio.to_thread(_puzzle_of_today, services.decks(person))


@router.post("/kept", status_code=201, response_model=DeckId)
async def keep(body: KeptMistake, services: TheServices, person: Person) -> Any:
    """Keep a position of a game as a drill, if its winning moves are all known."""
    record = services.games.record(body.game, body.ply)
    position = record.final()
    if position.outcome() is not None:
        raise HTTPException(422, "the game has ended there")
    check_solvable(position)
    answer = await services.analyst.ask(position)
    if answer["missing"]:
        raise HTTPException(409, "not every right answer is known yet: try again in a moment")
    mover = answer["to_move"]
    accepted = tuple(parse_move(move, position.size) for move, value in answer["values"].items() if value == mover)
    if not accepted:
        raise HTTPException(422, "no move wins here, so there is nothing to find")
    played = services.games.record(body.game).moves[body.ply : body.ply + 1]
    drill = Drill(replace(record, seconds=(), outcome=None), accepted, next(iter(played), None))
    await asyncio.to_thread(services.decks(person).add, drill)
    return {"id": KEPT}


@router.get("/{deck}.json", response_class=JSONResponse)
async def as_json(deck: Id, services: TheServices, person: Person) -> JSONResponse:
    """A deck's file, for `littlego drill` and `littlego check --deck`."""
    headers = {"content-disposition": f'attachment; filename="deck-{deck}.json"'}
    found = await asyncio.to_thread(lambda: services.decks(person).find(deck).to_dict())
    return JSONResponse(found, headers=headers)


@router.get("/{deck}.zip", response_class=Response)
async def as_zip(deck: Id, services: TheServices, person: Person) -> Response:
    """A deck as input.txt and accepted.txt files."""
    headers = {"content-disposition": f'attachment; filename="deck-{deck}.zip"'}
    body = await asyncio.to_thread(lambda: zipped(services.decks(person).find(deck)))
    return Response(body, media_type="application/zip", headers=headers)


@router.delete("/{deck}", response_model=Nothing)
async def delete(deck: Id, services: TheServices, person: Person) -> Any:
    """Delete a deck; the score of its drills stays."""
    await asyncio.to_thread(services.decks(person).delete, deck)
    return {}


@router.get("/{deck}/next", response_model=NextDrill)
async def following(deck: Id, services: TheServices, person: Person) -> Any:
    """The drill to solve now."""
    return await asyncio.to_thread(_next_drill, services.decks(person), deck)


@router.post("/{deck}/answers", response_model=DrillAnswer)
async def answer(deck: Id, body: DrillMove, services: TheServices, person: Person) -> Any:
    """Answer a drill: whether the move keeps the win, all moves that do, and the new score."""
    return await asyncio.to_thread(_answered, services.decks(person), deck, body)


def _next_drill(decks: Decks, deck: str) -> dict[str, Any]:
    found, score = decks.find(deck), decks.score()
    drill = score.next_drill(found)
    if drill is None:
        raise HTTPException(404, "the deck is empty")
    return _shown(drill, deck, score, found)


def _puzzle_of_today(decks: Decks) -> dict[str, Any]:
    day = datetime.datetime.now(datetime.UTC).date()
    drill = puzzle_of(day)
    shown = _shown(drill, SHIPPED, decks.score(), decks.find(SHIPPED))
    return {"date": day.isoformat(), **shown}


def _shown(drill: Drill, name: str, score: DrillScore, deck: Deck) -> dict[str, Any]:
    fields = {"id": drill.id, "deck": name, "title": drill.title, "difficulty": difficulty(drill.id)}
    return {**fields, **standing(score, deck), **describe(drill.record)}


def _answered(decks: Decks, deck: str, body: DrillMove) -> dict[str, Any]:
    found = decks.find(deck)
    drill = _drill(found, body.drill)
    position = drill.position
    move = parse_move(body.move, position.size)
    position.play(move)
    right = drill.is_right(move)
    score = decks.answer(drill, right=right)
    return {
        "right": right,
        "accepted": [position.move_name(each) for each in drill.accepted],
        "played": None if drill.played is None else position.move_name(drill.played),
        **standing(score, found),
    }


def _drill(deck: Deck, name: str) -> Drill:
    for drill in deck.drills:
        if drill.id == name:
            return drill
    raise HTTPException(404, f"the deck has no drill {name[:40]!r}")
