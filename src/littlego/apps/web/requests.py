"""What requests share: types of fields, limits, and the way to the services."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from fastapi import Depends, Path, Request
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from littlego.core.board import Colour
from littlego.core.rules import Outcome

Id = Annotated[str, Path(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_-]+$")]
Identifier = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_-]+$")]
"""The same in a body."""
MoveText = Annotated[str, Field(max_length=5, pattern=r"^(PASS|[0-9]{1,2},[0-9]{1,2})$", examples=["2,3"])]
Edition = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$", examples=["2025"])]
"""The name of an edition; `/api/about` lists them."""

BINARY: Final[dict[str, Any]] = {"requestBody": {"content": {"application/octet-stream": {}}}}
"""The description of an operation whose body is a file."""


def _services_of(request: Request) -> Any:
    return request.app.state.services


if TYPE_CHECKING:
    from littlego.apps.web.app import Services

    TheServices = Annotated[Services, Depends(_services_of)]
else:  # the services have the routes beside them: they cannot be imported here
    TheServices = Annotated[Any, Depends(_services_of)]


Side = Literal["black", "white"]


class OutcomeShown(TypedDict):
    """How a game ended."""

    winner: Side | None
    """null: a tie."""
    verdict: str
    text: str


def outcome_shown(outcome: Outcome | None) -> OutcomeShown | None:
    """An outcome as pages see it."""
    if outcome is None:
        return None
    winner: Side | None = None if outcome.winner is None else "black" if outcome.winner is Colour.BLACK else "white"
    return {"winner": winner, "verdict": outcome.verdict.value, "text": str(outcome)}


class RequestBody(BaseModel):
    """The body of a request. Unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")
