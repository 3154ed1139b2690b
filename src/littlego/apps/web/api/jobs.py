"""Jobs: which run, how far they are, and how to stop them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from littlego.apps.web.api.requests import Id, Person, TheServices
from littlego.apps.web.api.responses import Game, JobLine, JobShown
from littlego.apps.web.services.store import derived_id

router = APIRouter(prefix="/api/jobs", tags=["jobs"])


@router.get("", response_model=list[JobLine])
async def newest(
    services: TheServices,
    person: Person,
    most: Annotated[int, Query(ge=1, le=200)] = 30,
    kind: Annotated[str | None, Query(max_length=20)] = None,
) -> Any:
    """The last jobs, or a student's own, without their results. `waiting_for` is what a waiting job waits for."""
    return services.jobs.newest(most, kind=kind, person=person or None)


@router.get("/queue", response_model=list[JobLine])
async def queue(services: TheServices, person: Person) -> Any:
    """The jobs that run or wait, or a student's own. News of them comes over /api/live, topic jobs."""
    return services.jobs.queue(person=person or None)


@router.get("/{job}", response_model=JobShown)
async def find(job: Id, services: TheServices) -> Any:
    """A job with its result.

    News of it comes over /api/live, topic job:ID, without the result: ask again when `result_version` has changed.
    """
    return services.jobs.find(job)


@router.post("/{job}/cancel", response_model=JobShown)
async def cancel(job: Id, services: TheServices) -> Any:
    """Stop a job. Its work so far is kept."""
    return services.jobs.cancel(job)


@router.post("/{job}/resume", status_code=202, response_model=JobShown)
async def go_on(job: Id, services: TheServices, person: Person) -> Any:
    """Continue a job that was stopped or has failed."""
    return services.jobs.go_on(job, by=person)


@router.post("/{job}/games/{game}/open", response_model=Game)
async def open_game(job: Id, game: Id, services: TheServices, person: Person) -> Any:
    """Copy a game that a graded agent did not win to the games of the server, to replay and review it."""
    record = services.gradings.lost_game(job, game)
    name = derived_id(services.settings.token or "", job, game, *((person,) if person else ()))
    return services.games.keep(record, name=name, person=person)
