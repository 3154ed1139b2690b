"""Exact values: for every move of a position, and as an analysis in KataGo's format."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter, Body, HTTPException
from pydantic import Field, model_validator

from littlego.apps.web.api.schemas.requests import MOST_MOVES, Identifier, LineRequest, TheArena
from littlego.apps.web.api.schemas.responses import Analysis, MoveValues
from littlego.apps.web.services.analyst import Busy
from littlego.solve.oracle import why_unsolvable

router = APIRouter(prefix="/api", tags=["analysis"])


class ValuesRequest(LineRequest):
    """A position: by the moves that lead to it, or as that of a game after `ply` moves.

    A game brings its own rules and start, so nothing else may be given beside `game` and `ply`.
    """

    game: Identifier | None = None
    ply: Annotated[int, Field(ge=0, le=MOST_MOVES)] | None = None
    """How many moves of the game; all of them if left out."""

    @model_validator(mode="after")
    def _one_or_the_other(self) -> ValuesRequest:
        others = self.model_fields_set - {"game", "ply"}
        if self.game is not None and others:
            raise ValueError(f"give game and ply, or {', '.join(sorted(others))}, not both")
        if self.game is None and self.ply is not None:
            raise ValueError("ply needs a game")
        return self


@router.post("/values", response_model=MoveValues)
async def values(body: ValuesRequest, arena: TheArena) -> Any:
    """Who wins after each legal move with best play; values not known yet come over topic values:KEY."""
    record = body.record(arena.editions) if body.game is None else arena.games.record(body.game, body.ply)
    position = record.final()
    if position.outcome() is not None:
        raise HTTPException(409, "the game has ended: there is no move to judge")
    if why := why_unsolvable(position):
        raise HTTPException(422, f"this position has no exact values: {why}")
    return await arena.analyst.ask(position)


@router.post("/analysis", response_model=list[Analysis], response_model_exclude_unset=True)
async def analysis(
    arena: TheArena,
    query: Annotated[
        dict[str, Any],
        Body(examples=[{"id": "1", "moves": [["B", "C3"]], "rules": "little-go", "boardXSize": 5, "boardYSize": 5}]),
    ],
) -> Any:
    """Answer one query, in the format of `littlego analyze`: an answer for every turn, or one with `error`."""
    try:
        json.dumps(query, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise HTTPException(422, "the query holds half of a surrogate pair, which cannot be sent back") from None
    try:
        return await arena.analyst.analyse(query)
    except Busy as error:
        raise HTTPException(503, str(error)) from error
