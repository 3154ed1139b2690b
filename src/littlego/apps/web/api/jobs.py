"""Jobs: which run, how far they are, and how to stop them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse

from littlego.apps.web.api.schemas.job_results import Job, JobLine, job_response
from littlego.apps.web.api.schemas.requests import Id, Person, TheServices

router = APIRouter(prefix="/api/jobs", tags=["jobs"])


@router.get("", response_model=list[JobLine])
async def newest(services: TheServices, person: Person, most: Annotated[int, Query(ge=1, le=200)] = 30) -> Any:
    """The last jobs, or a student's own, without their results. `waiting_for` is what a waiting job waits for."""
    return services.jobs.newest(most, person=person or None)


@router.get("/queue", response_model=list[JobLine])
async def queue(services: TheServices, person: Person) -> Any:
    """The jobs that run or wait, or a student's own. News of them comes over /api/live, topic jobs."""
    return services.jobs.queue(person=person or None)


@router.get("/{job}", response_model=Job)
async def find(job: Id, services: TheServices) -> JSONResponse:
    """A job with its result.

    News of it comes over /api/live, topic job:ID, without the result: ask again when `result_version` has changed.
    """
    return job_response(services.jobs.find(job))


@router.post("/{job}/cancel", response_model=Job)
async def cancel(job: Id, services: TheServices) -> JSONResponse:
    """Stop a job. Its work so far is kept."""
    return job_response(services.jobs.cancel(job))


@router.post("/{job}/resume", status_code=202, response_model=Job)
async def go_on(job: Id, services: TheServices, person: Person) -> JSONResponse:
    """Continue a job that was stopped or has failed."""
    return job_response(services.jobs.go_on(job, by=person), 202)
