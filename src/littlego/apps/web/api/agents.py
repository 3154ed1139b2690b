"""Agents: upload one, have it checked, have it graded."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import FileResponse
from pydantic import Field

from littlego.apps.web.api.asked import Asked, Edition, Id, Spelling, TheArena
from littlego.core.rules import DEFAULT_EDITION

router = APIRouter(prefix="/api/agents", tags=["agents"])


class PathAsked(Asked):
    """An agent on the server's machine."""

    player: Spelling


class GradeAsked(Asked):
    """Which grading."""

    edition: Edition = DEFAULT_EDITION
    stage: Literal["1", "2", "all", "submit", "submit1", "submit2"] = "submit"
    repeats: Annotated[int, Field(ge=1, le=9)] | None = None


@router.get("")
async def every(arena: TheArena) -> list[dict[str, Any]]:
    """All agents; each is 'agent:ID' wherever a player is asked for."""
    return arena.agents.newest()


@router.put("", status_code=201, openapi_extra={"requestBody": {"content": {"application/octet-stream": {}}}})
async def upload(
    request: Request,
    arena: TheArena,
    name: Annotated[str, Query(max_length=60)],
    file: Annotated[str, Query(max_length=200)],
) -> dict[str, Any]:
    """Upload a .zip or one of the course's files, as the body. It is unpacked with care and only run by the referee."""
    body = await request.body()
    return await asyncio.to_thread(arena.agents.take_in, name, file, body)


@router.post("", status_code=201)
async def point_at(asked: PathAsked, arena: TheArena) -> dict[str, Any]:
    """Take an agent from a path on the server's machine; only where the server is for this machine alone."""
    if not arena.settings.is_local:
        raise HTTPException(403, "this server is open to others: upload the agent's files")
    return await asyncio.to_thread(arena.agents.point_at, asked.player)


@router.get("/{agent}")
async def find(agent: Id, arena: TheArena) -> dict[str, Any]:
    """An agent, with the last job of each kind."""
    return arena.agents.find(agent)


@router.delete("/{agent}")
async def delete(agent: Id, arena: TheArena) -> dict[str, Any]:
    """Forget an agent and its files."""
    arena.agents.delete(agent)
    return {}


@router.post("/{agent}/check", status_code=202)
async def check(agent: Id, arena: TheArena) -> dict[str, Any]:
    """The job that looks for what would lose games: files, build, first moves, time, ko, ..."""
    data = arena.agents.find(agent)
    job = arena.jobs.begin("check", f"Check of {data['name']}", {"spelling": data["spelling"]})
    arena.agents.note_job(agent, "check", job["id"])
    return job


@router.post("/{agent}/grade", status_code=202)
async def grade(agent: Id, asked: GradeAsked, arena: TheArena) -> dict[str, Any]:
    """The job that grades an agent by an edition's rubric."""
    data = arena.agents.find(agent)
    params = {
        "spelling": data["spelling"],
        "edition": asked.edition,
        "stage": asked.stage,
        "repeats": asked.repeats,
        "jobs": 1,
        "folder": f"{agent}-{asked.edition}-{asked.stage}-{asked.repeats or 0}",
    }
    job = arena.jobs.begin("grade", f"Grading of {data['name']}, {asked.edition}", params)
    arena.agents.note_job(agent, "grade", job["id"])
    return job


@router.get("/{agent}/report.html", response_class=FileResponse)
async def report(agent: Id, arena: TheArena) -> FileResponse:
    """The last grading as a page of its own, with every lost game to replay."""
    job = arena.jobs.find(arena.agents.find(agent)["jobs"].get("grade", ""))
    path = arena.settings.data / "grades" / job["params"]["folder"] / "report.html"
    if not path.is_file():
        raise HTTPException(404, "the grading has not finished yet")
    return FileResponse(path, filename=f"grade-{arena.agents.find(agent)['name']}.html")
