"""What requests share: types of fields, limits, and the way to the services."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from fastapi import Depends, Path, Request
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from littlego.apps.web.store import Editions, RulesShown, rules_shown
from littlego.core.board import Colour
from littlego.core.errors import FormatError, IllegalMove, UsageError
from littlego.core.game import GameRecord
from littlego.core.points import parse_move
from littlego.core.position import Position
from littlego.core.rules import DEFAULT_EDITION, Outcome, Rules
from littlego.formats.course import board_rows

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


class GameShown(TypedDict):
    """A game for a page, which plays it again from its start."""

    black: str
    white: str
    rules: RulesShown
    start_move: int
    """Moves played before the first board."""
    first: Side
    boards: list[str]
    """The first board, row after row: 0 empty, 1 Black, 2 White."""
    kos: list[str | None]
    """On it, the point where the ko may not be retaken."""
    moves: list[str]
    """`row,column` counted from 0 at the top left, or `PASS`."""
    outcome: OutcomeShown | None


def game_shown(record: GameRecord) -> GameShown:
    """A game as pages read it."""
    start = record.start
    return {
        "black": record.black,
        "white": record.white,
        "rules": rules_shown(start.rules),
        "start_move": start.moves_played,
        "first": "black" if start.to_move is Colour.BLACK else "white",
        "boards": ["".join(board_rows(start.board))],
        "kos": [None if start.ko is None else start.move_name(start.ko)],
        "moves": [start.move_name(move) for move in record.moves],
        "outcome": outcome_shown(record.outcome),
    }


class RequestBody(BaseModel):
    """The body of a request. Unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class RulesRequest(RequestBody):
    """The rules of a game."""

    edition: Edition = DEFAULT_EDITION
    size: Annotated[int, Field(ge=2, le=19, description="Default: the edition's, usually 5")] | None = None
    komi: Annotated[float, Field(ge=-361, le=361, multiple_of=0.5)] | None = None
    max_moves: Annotated[int, Field(ge=1, le=400)] | None = None

    def rules(self, editions: Editions) -> Rules:
        """Raises UsageError."""
        return editions.rules(self.edition, self.size).but(komi=self.komi, max_moves=self.max_moves)


class LineRequest(RulesRequest):
    """A position, by the moves that lead to it from the empty board."""

    moves: Annotated[list[MoveText], Field(max_length=400)] = []

    def record(self, editions: Editions, black: str = "Black", white: str = "White") -> GameRecord:
        """The line as a game. Raises UsageError for an illegal move."""
        return continued(GameRecord(black, white, Position.initial(self.rules(editions))), self.moves)


def continued(record: GameRecord, moves: list[str]) -> GameRecord:
    """A game with more moves. Raises UsageError for an illegal one."""
    position = record.final()
    if moves:
        record = replace(record, outcome=None)
    for text in moves:
        number = position.moves_played + 1
        if position.outcome() is not None:
            raise UsageError(f"move {number}, {text}: the game had already ended")
        try:
            move = parse_move(text, position.size)
            position = position.play(move)
        except (IllegalMove, FormatError) as error:
            raise UsageError(f"move {number}: {error}") from error
        record = record.then(move, 0.0)
    return replace(record, outcome=record.outcome or position.outcome())
