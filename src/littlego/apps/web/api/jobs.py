"""Jobs: what runs, how far it is, and how to stop it."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from littlego.apps.web.api.asked import Id, TheArena

router = APIRouter(prefix="/api/jobs", tags=["jobs"])


@router.get("")
async def newest(arena: TheArena, most: Annotated[int, Query(ge=1, le=200)] = 30) -> list[dict[str, Any]]:
    """The last jobs."""
    return arena.jobs.newest(most)


@router.get("/{job}")
async def find(job: Id, arena: TheArena) -> dict[str, Any]:
    """A job with its result; news of it comes over /api/live, topic job:ID."""
    return arena.jobs.find(job)


@router.post("/{job}/cancel")
async def cancel(job: Id, arena: TheArena) -> dict[str, Any]:
    """Stop a job; what it has done is kept."""
    return arena.jobs.cancel(job)
