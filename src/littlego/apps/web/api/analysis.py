"""The analysis call in the words that KataGo's users know."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter, Body, HTTPException

from littlego.apps.web.api.answers import Analysis
from littlego.apps.web.api.asked import TheArena

router = APIRouter(prefix="/api", tags=["analysis"])


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
        raise HTTPException(422, "half of a surrogate pair is no character")
    return await arena.analyst.analyse(query)


def _is_text(query: dict[str, Any]) -> bool:
    """Whether all of it can be said back."""
    try:
        json.dumps(query, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True
