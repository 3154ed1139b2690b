"""Drills: decks, the next position to solve, and whether an answer was right."""

from __future__ import annotations

import asyncio
import datetime
from dataclasses import replace
from typing import Annotated, Any, Final

from fastapi import APIRouter, Body, HTTPException
from fastapi.responses import JSONResponse, Response
from pydantic import Field

from littlego.apps.web.api.requests import (
    MOST_MOVES,
    Id,
    Identifier,
    MoveText,
    Person,
    RequestBody,
    TheServices,
)
from littlego.apps.web.api.responses import (
    DeckId,
    DeckLine,
    DrillAnswer,
    JobShown,
    NextDrill,
    Nothing,
    TodaysPuzzle,
)
from littlego.apps.web.services.decks import KEPT, SHIPPED, deck_files, difficulty, puzzle_of, standing
from littlego.apps.web.services.games import describe
from littlego.core.points import parse_move
from littlego.review.drills import Deck, Drill, DrillScore
from littlego.review.values import check_solvable

router = APIRouter(prefix="/api/decks", tags=["drills"])

UNNAMED: Final = "You"
"""What pages call a player without a name."""


class NewDeck(RequestBody):
    """Whose mistakes to drill: yours, or those of another player in the games on this server."""

    player: Annotated[str, Field(min_length=1, max_length=60)] = UNNAMED


class DrillMove(RequestBody):
    """A move for a drill."""

    drill: Annotated[str, Field(max_length=40)]
    move: MoveText


class KeptMistake(RequestBody):
    """A position in which a game was thrown away: after `ply` moves of a game."""

    game: Identifier
    ply: Annotated[int, Field(ge=0, le=MOST_MOVES)]


@router.get("", response_model=list[DeckLine])
def every(services: TheServices, person: Person) -> Any:
    """All decks."""
    return services.decks(person).all()


@router.post("", status_code=202, response_model=JobShown)
async def make(body: NewDeck, services: TheServices, person: Person) -> Any:
    """Start the job that makes a deck from the wins that a player threw away in the games on this server."""
    await asyncio.to_thread(services.decks(person).check_room)
    records = await asyncio.to_thread(services.games.records_of, body.player, person)
    if not records:
        if body.player == UNNAMED:
            raise HTTPException(422, "you haven't finished a 5x5 game on this server yet")
        raise HTTPException(422, f"{body.player} hasn't finished a 5x5 game on this server yet")
    name = "My mistakes" if body.player == UNNAMED else f"Mistakes of {body.player}"
    params = {"records": records, "player": body.player, "name": name, "person": person}
    return services.jobs.begin("deck", name, params, person=person)


@router.post("/import", status_code=201, response_model=DeckId)
def take_in(services: TheServices, person: Person, text: Annotated[str, Body(max_length=900_000, embed=True)]) -> Any:
    """Store a deck that `littlego drill make` wrote."""
    return {"id": services.decks(person).take_in(text)}


@router.get("/today", response_model=TodaysPuzzle)
def today(services: TheServices, person: Person) -> Any:
    """The puzzle of the day, by the date in UTC: the same on every server. Answer it in its deck."""
    day = datetime.datetime.now(datetime.UTC).date()
    decks = services.decks(person)
    return {"date": day.isoformat(), **_shown(puzzle_of(day), SHIPPED, decks.score(), decks.find(SHIPPED))}


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
def as_json(deck: Id, services: TheServices, person: Person) -> JSONResponse:
    """A deck's file, for `littlego drill` and `littlego check --deck`."""
    headers = {"content-disposition": f'attachment; filename="deck-{deck}.json"'}
    return JSONResponse(services.decks(person).find(deck).to_dict(), headers=headers)


@router.get("/{deck}.zip", response_class=Response)
def as_zip(deck: Id, services: TheServices, person: Person) -> Response:
    """A deck as input.txt and accepted.txt files."""
    headers = {"content-disposition": f'attachment; filename="deck-{deck}.zip"'}
    return Response(deck_files(services.decks(person).find(deck)), media_type="application/zip", headers=headers)


@router.delete("/{deck}", response_model=Nothing)
def delete(deck: Id, services: TheServices, person: Person) -> Any:
    """Delete a deck; the score of its drills stays."""
    services.decks(person).delete(deck)
    return {}


@router.get("/{deck}/next", response_model=NextDrill)
def following(deck: Id, services: TheServices, person: Person) -> Any:
    """The drill to solve now."""
    decks = services.decks(person)
    found, score = decks.find(deck), decks.score()
    drill = score.next_drill(found)
    if drill is None:
        raise HTTPException(404, "the deck is empty")
    return _shown(drill, deck, score, found)


@router.post("/{deck}/answers", response_model=DrillAnswer)
def answer(deck: Id, body: DrillMove, services: TheServices, person: Person) -> Any:
    """Answer a drill: whether the move keeps the win, all moves that do, and the new score."""
    decks = services.decks(person)
    found = decks.find(deck)
    drill = next((one for one in found.drills if one.id == body.drill), None)
    if drill is None:
        raise HTTPException(404, f"the deck has no drill {body.drill!r}")
    position = drill.position
    move = parse_move(body.move, position.size)
    position.play(move)
    right = drill.is_right(move)
    return {
        "right": right,
        "accepted": [position.move_name(each) for each in drill.accepted],
        "played": None if drill.played is None else position.move_name(drill.played),
        **standing(decks.answer(drill, right=right), found),
    }


def _shown(drill: Drill, name: str, score: DrillScore, deck: Deck) -> dict[str, Any]:
    fields = {"id": drill.id, "deck": name, "title": drill.title, "difficulty": difficulty(drill.id)}
    return {**fields, **standing(score, deck), **describe(drill.record)}
