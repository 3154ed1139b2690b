"""Jobs: what runs, how far it is, and how to stop it."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from littlego.apps.web.api.asked import Id, TheArena

router = APIRouter(prefix="/api/jobs", tags=["jobs"])


@router.get("")
async def newest(arena: TheArena, most: Annotated[int, Query(ge=1, le=200)] = 30) -> list[dict[str, Any]]:
    """The last jobs, without their results; `waiting_for` is the job that one waits for."""
    return arena.jobs.newest(most)


@router.get("/queue")
async def queue(arena: TheArena) -> list[dict[str, Any]]:
    """The jobs that run and wait; news of them comes over /api/live, topic jobs."""
    return arena.jobs.queue()


@router.get("/{job}")
async def find(job: Id, arena: TheArena) -> dict[str, Any]:
    """A job with its result.

    News of it comes over /api/live, topic job:ID, without the result: ask again when `result_version` has changed.
    """
    return arena.jobs.find(job)


@router.post("/{job}/cancel")
async def cancel(job: Id, arena: TheArena) -> dict[str, Any]:
    """Stop a job; what it has done is kept."""
    return arena.jobs.cancel(job)


@router.post("/{job}/resume", status_code=202)
async def go_on(job: Id, arena: TheArena) -> dict[str, Any]:
    """Run a job again that was stopped or has failed; it goes on where it was."""
    return arena.jobs.go_on(job)
