"""What requests share: types of fields, limits, and the way to the services."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Final

from fastapi import Depends, HTTPException, Path, Request
from pydantic import BaseModel, ConfigDict, Field, model_validator

from littlego.apps.web.all_services import Services
from littlego.apps.web.http.access import OWNERS
from littlego.apps.web.http.security import PERSON
from littlego.apps.web.services.editions import Editions
from littlego.apps.web.services.games import HUMAN
from littlego.core.errors import FormatError, IllegalMove, UsageError
from littlego.core.game import SEED_BITS, GameRecord
from littlego.core.points import parse_move
from littlego.core.position import Position
from littlego.core.rules import DEFAULT_EDITION, Rules
from littlego.course.spelling import parse_entrant
from littlego.formats.text import printable
from littlego.players.catalogue import MANUAL, PLAYERS

Id = Annotated[str, Path(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_-]+$")]
Identifier = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_-]+$")]
"""The same in a body."""
MoveText = Annotated[str, Field(max_length=5, pattern=r"^(PASS|[0-9]{1,2},[0-9]{1,2})$", examples=["2,3"])]
Spelling = Annotated[str, Field(min_length=1, max_length=400)]
Edition = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$", examples=["2025"])]
"""The name of an edition; `/api/about` lists them."""
MOST_MOVES: Final = 400
MOST_NAME: Final = 60
_MOST_REASON: Final = 2000


BINARY: Final[dict[str, Any]] = {"requestBody": {"content": {"application/octet-stream": {}}}}
"""The description of an operation whose body is a file."""


def services_of(request: Request) -> Services:
    services: Services = request.app.state.services
    return services


TheServices = Annotated[Services, Depends(services_of)]


def person_of(request: Request) -> str:
    person: str = request.scope[PERSON]
    return person


Person = Annotated[str, Depends(person_of)]
"""Who sends a request, if visitors may not: a student's key, or empty for the owner."""


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


class PlaceRequest(LineRequest):
    """A position: by moves from the empty board, or by moves after the first `ply` moves of a game.

    A game brings its own rules and start, so nothing else may be given beside `game`, `ply` and `moves`.
    """

    game: Identifier | None = None
    ply: Annotated[int, Field(ge=0, le=MOST_MOVES)] | None = None
    """How many moves of the game; all of them if left out."""

    @model_validator(mode="after")
    def _one_or_the_other(self) -> PlaceRequest:
        others = self.model_fields_set & RulesRequest.model_fields.keys()
        if self.game is not None and others:
            raise ValueError(f"give game and ply, or {', '.join(sorted(others))}, not both")
        if self.game is None and self.ply is not None:
            raise ValueError("ply needs a game")
        return self

    def place(self, services: Services) -> GameRecord:
        """The line to the position. Raises NotFound, UsageError."""
        if self.game is None:
            return self.record(services.editions)
        return continued(services.games.record(self.game, self.ply), self.moves)


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


def bounded(record: GameRecord) -> GameRecord:
    """A game from elsewhere, with printable names. Raises UsageError if it exceeds the limits of games here."""
    rules = record.start.rules
    if rules.max_moves > MOST_MOVES:
        raise UsageError(f"the game may last {rules.max_moves:,} moves: at most {MOST_MOVES} can be shown")
    if rules.attempts > MOST_MOVES:
        raise UsageError(f"the game gives {rules.attempts:,} attempts at a move: at most {MOST_MOVES} are possible")
    if record.seed is not None and not 0 <= record.seed < 2**SEED_BITS:
        raise UsageError(f"the game's seed: expected a whole number from 0 to 2^{SEED_BITS} - 1")
    if len(rules.edition) > MOST_NAME or len(record.start.earlier) > MOST_MOVES:
        raise UsageError(f"the game's edition has a name of over {MOST_NAME} letters, or its start too many boards")
    if record.outcome is not None:
        record = replace(record, outcome=replace(record.outcome, reason=record.outcome.reason[:_MOST_REASON]))
    black, white = (printable(name)[:MOST_NAME] or "?" for name in (record.black, record.white))
    return replace(record, black=black, white=white)


def checked_spelling(text: str, services: Services, person: str) -> str:
    """A player's spelling as a person's games store it. Raises HTTPException or UsageError if it may not play here."""
    if text == HUMAN or (text in PLAYERS and text != MANUAL):
        return text
    kind, colon, rest = text.partition(":")
    if colon and kind == "agent":
        owner = services.owner_of("agent", rest)
        if owner is None or person not in (OWNERS, owner):
            raise HTTPException(404, f"no agent {rest[:40]!r} was uploaded here")
        return text
    if services.settings.is_local and (colon or "/" in text):
        try:
            parse_entrant(text)  # so that a wrong path is refused now, not at the first move
        except OSError as error:
            raise UsageError(f"{text[:80]}: cannot be read: {error.strerror}") from error
        return text
    there = ", ".join(name for name in PLAYERS if name != MANUAL)
    raise HTTPException(422, f"no player is called {text[:80]!r}: there are {there}, and agent:ID for uploaded agents")
