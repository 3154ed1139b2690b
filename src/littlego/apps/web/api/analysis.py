"""Exact values: for every move of a position, and in the words that KataGo's users know."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter, Body, HTTPException
from pydantic import Field, model_validator

from littlego.apps.web.api.schemas.requests import MOST_MOVES, Identifier, LineRequest, TheArena
from littlego.apps.web.api.schemas.responses import Analysis, MoveValues
from littlego.apps.web.services.analyst import Busy
from littlego.core.errors import UsageError
from littlego.core.position import Position
from littlego.solve.oracle import why_unsolvable

router = APIRouter(prefix="/api", tags=["analysis"])


class ValuesRequest(LineRequest):
    """A position: by the moves that lead to it, or as a game stood after some of its moves.

    With a game come its own rules and its own start: nothing else may be given beside `game` and `ply`.
    """

    game: Identifier | None = None
    ply: Annotated[int, Field(ge=0, le=MOST_MOVES)] | None = None
    """Moves of the game; all of them if left out."""

    @model_validator(mode="after")
    def _one_or_the_other(self) -> ValuesRequest:
        others = self.model_fields_set - {"game", "ply"}
        if self.game is not None and others:
            raise ValueError(f"give game and ply, or {', '.join(sorted(others))}, not both")
        if self.game is None and self.ply is not None:
            raise ValueError("ply belongs to a game: give that, too")
        return self


@router.post("/values", response_model=MoveValues)
async def values(body: ValuesRequest, arena: TheArena) -> Any:
    """Who wins after each legal move with best play; what is not known yet comes over topic values:KEY."""
    position = _position(body, arena)
    if position.outcome() is not None:
        raise HTTPException(409, "the game has ended: there is no move to judge")
    if why := why_unsolvable(position):
        raise HTTPException(422, f"this position has no exact values: {why}")
    return await arena.analyst.ask(position)


def _position(body: ValuesRequest, arena: TheArena) -> Position:
    """Raises UsageError, NotFound."""
    if body.game is None:
        return body.record().final()
    record = arena.games.record(body.game)
    ply = len(record.moves) if body.ply is None else body.ply
    if ply > len(record.moves):
        raise UsageError(f"the game has {len(record.moves)} moves: nothing is known of move {ply}")
    return record.without_last(len(record.moves) - ply).final()


@router.post("/analysis", response_model=list[Analysis], response_model_exclude_unset=True)
async def analysis(
    arena: TheArena,
    query: Annotated[
        dict[str, Any],
        Body(examples=[{"id": "1", "moves": [["B", "C3"]], "rules": "little-go", "boardXSize": 5, "boardYSize": 5}]),
    ],
) -> Any:
    """One query, as a line of `littlego analyze`; an answer for every turn, or one with `error`."""
    if not _is_text(query):
        raise HTTPException(422, "the query holds half of a surrogate pair, which is no character")
    try:
        return await arena.analyst.analyse(query)
    except Busy as error:
        raise HTTPException(503, str(error)) from error


def _is_text(query: dict[str, Any]) -> bool:
    """Whether all of it can be sent back as UTF-8."""
    try:
        json.dumps(query, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True
