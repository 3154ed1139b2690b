"""Learning: start a training, and ask what a learner thinks of a position."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, HTTPException
from pydantic import Field
from typing_extensions import TypedDict

from littlego.apps.web.auth import Owner, Person, person
from littlego.apps.web.jobs import JobShown
from littlego.apps.web.requests import LineRequest, RequestBody, Side, TheServices
from littlego.apps.web.store import TRAINING, new_id
from littlego.core.board import Colour

router = APIRouter(prefix="/api/learn", tags=["learning"])

Rate = Annotated[float, Field(gt=0, le=2)]
"""Of a sum of weights, where more than 1 makes sense."""
Share = Annotated[float, Field(ge=0, le=1)]
Opponent = Literal["self", "random", "greedy", "aggressive", "alphabeta"]


class Thoughts(TypedDict):
    """What a learner thinks of a position."""

    to_move: Side
    values: dict[str, float]
    """By move, the chance, 0 to 1, that the side to move wins."""


class NewTraining(RequestBody):
    """A training of Little-Go."""

    games: Annotated[int, Field(ge=100, le=2_000_000)] = 20_000
    alpha: Rate = 1.0
    epsilon: Share = 0.1
    opponents: Annotated[list[Opponent], Field(min_length=1, max_length=12)] = Field(["self"])
    seed: Annotated[int, Field(ge=0, lt=2**31)] = 1


class NewTicTacToe(RequestBody):
    """Two learners of tic-tac-toe."""

    games: Annotated[int, Field(ge=10, le=200_000)] = 3000
    alpha: Annotated[float, Field(gt=0, le=1)] = 0.2
    epsilon: Share = 0.02
    seed: Annotated[int, Field(ge=0, lt=2**31)] = 1


class LearnedValuesRequest(LineRequest):
    """A position, and the learner that is asked about it."""

    model: Annotated[str, Field(max_length=40, pattern=r"^[A-Za-z0-9_-]*$")] = ""
    """From a training on this server; empty for the one that ships with Little-Go."""


@router.post("/training", status_code=202, dependencies=[Owner])
async def train(body: NewTraining, services: TheServices) -> JobShown:
    """Start the job that trains a learner of Little-Go. Its curve grows in its result."""
    params = {**body.model_dump(), "model": new_id()}
    return services.jobs.begin("train", _titled("Little-Go", body), params)


@router.post("/tictactoe", status_code=202)
async def tictactoe(body: NewTicTacToe, services: TheServices, person: Person) -> JobShown:
    """Start the job in which two learners of tic-tac-toe play each other."""
    return services.jobs.begin("tictactoe", _titled("Tic-tac-toe", body), body.model_dump(), person=person)


@router.post("/values", dependencies=[Depends(person)])
def values(body: LearnedValuesRequest, services: TheServices) -> Thoughts:
    """What a learner thinks: for each legal move the chance, 0 to 1, that the side to move wins."""
    from littlego.players.learned import LearnerPlayer, from_file

    position = body.record(services.editions).final()
    if position.outcome() is not None:
        raise HTTPException(409, "the game has ended: there is no move to judge")
    folder = services.settings.data / TRAINING / body.model
    if body.model and not (folder / "model.json").is_file():
        raise HTTPException(404, "there is no such model, or its training has not finished")
    player = from_file(folder, 0) if body.model else LearnerPlayer()
    if not player.plays(position.rules):
        raise HTTPException(422, "this learner has not learned this game: it plays with another size, komi or length")
    moves = position.legal_moves()
    found = {position.move_name(move): round(player.value_after(position, move), 4) for move in moves}
    return {"to_move": "black" if position.to_move is Colour.BLACK else "white", "values": found}


def _titled(game: str, body: NewTraining | NewTicTacToe) -> str:
    """By which somebody who compares settings tells two trainings apart."""
    return f"{game}, {body.games:,} games, rate {body.alpha:g}, exploration {body.epsilon:g}, seed {body.seed}"
