"""Exact values: for every move of a position, and along a game."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, HTTPException

from littlego.apps.web.all_services import Services
from littlego.apps.web.api.requests import Id, PlaceRequest, TheServices
from littlego.apps.web.api.responses import GameValues, MoveValues
from littlego.apps.web.services.analyst import Busy
from littlego.apps.web.services.games import positions_of
from littlego.core.game import GameRecord
from littlego.solve.oracle import why_unsolvable

router = APIRouter(prefix="/api", tags=["analysis"])


class ValuesRequest(PlaceRequest):
    """A position, and whether by how much each move wins or loses is wanted, too."""

    leads: bool = False


@router.post("/values", response_model=MoveValues)
async def values(body: ValuesRequest, services: TheServices) -> Any:
    """Who wins after each legal move with best play; values not known yet come over topic values:KEY."""
    record = body.place(services)
    position = record.final()
    if position.outcome() is not None:
        raise HTTPException(409, "the game has ended: there is no move to judge")
    if why := why_unsolvable(position):
        raise HTTPException(422, f"this position has no exact values: {why}")
    return await services.analyst.ask(position, leads=body.leads)


@router.get("/games/{game}/values", response_model=GameValues)
async def values_of_game(game: Id, services: TheServices) -> Any:
    """Who wins after each move of a game with best play, as far as that can be found in a moment."""
    return await values_along(services.games.record(game), services)


async def values_along(record: GameRecord, services: Services) -> dict[str, Any]:
    """The fields of `GameValues`: nothing is known where there are no exact values."""
    positions = positions_of(record)
    if why_unsolvable(positions[0]):
        return {"values": [None] * len(positions)}
    try:
        return {"values": await services.analyst.along(positions)}
    except Busy as error:
        raise HTTPException(503, str(error)) from error
