"""Agents: upload, check and grade them."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path, Query, Request
from fastapi.responses import FileResponse, Response
from pydantic import Field

from littlego.apps.web.api.requests import BINARY, Edition, Id, Person, RequestBody, Spelling, TheServices
from littlego.apps.web.api.responses import Agent, GradingLine, JobShown, Nothing
from littlego.apps.web.services.decks import zipped
from littlego.apps.web.services.store import NotFound
from littlego.core.errors import LittleGoError
from littlego.core.rules import DEFAULT_EDITION
from littlego.course.kits.starter import write_kit
from littlego.storage.scratch import temporary_directory

router = APIRouter(prefix="/api/agents", tags=["agents"])


kits = APIRouter(tags=["agents"])


@kits.get("/api/kits/{language}.zip", response_class=Response)
def kit(language: Annotated[str, Path(max_length=10)]) -> Response:
    """A starter kit, as `littlego new` writes it: an agent in python, c++ or java that already plays."""
    with temporary_directory("littlego-kit-") as folder:
        write_kit(folder / "my-agent", language=language)
        body = zipped(folder)
    headers = {"content-disposition": f'attachment; filename="little-go-{language.replace("+", "p")}.zip"'}
    return Response(body, media_type="application/zip", headers=headers)


class AgentPath(RequestBody):
    """An agent on the server's machine."""

    player: Spelling


class CheckRequest(RequestBody):
    """By which edition to check."""

    edition: Edition = DEFAULT_EDITION


class GradeRequest(RequestBody):
    """How to grade."""

    edition: Edition = DEFAULT_EDITION
    stage: Annotated[str, Field(max_length=40, pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")] = "submit"
    repeats: Annotated[int, Field(ge=1, le=9)] | None = None
    again: bool = False
    """Grade even if the same files have been graded in the same way."""


@router.get("", response_model=list[Agent], response_model_exclude_unset=True)
def every(services: TheServices, person: Person) -> Any:
    """All agents, or a student's own; each is 'agent:ID' wherever a player is asked for."""
    return services.agents.newest(person or None)


@router.put("", status_code=201, response_model=Agent, response_model_exclude_unset=True, openapi_extra=BINARY)
async def upload(
    request: Request,
    services: TheServices,
    person: Person,
    name: Annotated[str, Query(max_length=60)],
    file: Annotated[str, Query(max_length=200)],
) -> Any:
    """Upload an agent: the body is a .zip or one of the course's files. Only the referee runs it."""
    body = await request.body()
    return await asyncio.to_thread(services.agents.take_in, name, file, body, person)


@router.post("", status_code=201, response_model=Agent, response_model_exclude_unset=True)
def point_at(body: AgentPath, services: TheServices) -> Any:
    """Add an agent by its path on the server's machine. Only a server that is not open to others allows this."""
    if not services.settings.is_local:
        raise HTTPException(403, "this server is open to others: upload the agent's files")
    return services.agents.point_at(body.player)


@router.get("/{agent}", response_model=Agent, response_model_exclude_unset=True)
async def find(agent: Id, services: TheServices) -> Any:
    """An agent, with the last job of each kind."""
    return services.agents.find(agent)


@router.delete("/{agent}", response_model=Nothing)
async def delete(agent: Id, services: TheServices) -> Any:
    """Delete an agent, its files and its gradings. Its jobs are stopped first."""
    jobs = set(services.agents.find(agent)["jobs"].values())
    for job in jobs | {grading["job"] for grading in services.gradings.newest_of(agent)}:
        await services.jobs.stop(job)
    await asyncio.to_thread(services.agents.delete, agent)
    await asyncio.to_thread(services.gradings.delete_of, agent)
    return {}


@router.post("/{agent}/check", status_code=202, response_model=JobShown)
async def check(agent: Id, services: TheServices, person: Person, body: CheckRequest | None = None) -> Any:
    """Start the job that looks for what would lose games: files, build, first moves, time, ko, ..."""
    data = services.agents.find(agent)
    edition = services.editions.find((body or CheckRequest()).edition).name
    params = {"spelling": services.agents.kept_spelling(agent), "edition": edition}
    return services.jobs.begin(
        "check",
        f"Check of {data['name']}",
        params,
        person=services.agents.person_of(agent),
        by=person,
        keep=lambda job: services.agents.note_job(agent, "check", job),
    )


@router.post("/{agent}/grade", status_code=202, response_model=JobShown)
async def grade(agent: Id, body: GradeRequest, services: TheServices, person: Person) -> Any:
    """Start the job that grades an agent's files, as they are now, by an edition's rubric.

    If they have been graded in this way before, this is that job, resumed if it was stopped, unless `again` is set.
    """
    prepared = await asyncio.to_thread(
        services.gradings.prepare, agent, edition=body.edition, stage=body.stage, repeats=body.repeats, by=person
    )
    known = None if body.again else services.gradings.same_as(prepared)
    if known is None:
        try:
            return services.gradings.begin(prepared, by=person)
        except (LittleGoError, NotFound):
            await asyncio.to_thread(services.gradings.drop, prepared["id"])
            raise
    await asyncio.to_thread(services.gradings.drop, prepared["id"])
    return services.jobs.go_on(known, by=person)


@router.get("/{agent}/gradings", response_model=list[GradingLine])
def gradings(agent: Id, services: TheServices) -> Any:
    """All gradings of an agent, the newest first; `digest` changes with the agent's files."""
    return services.gradings.list_of(agent)


@router.get("/{agent}/gradings/{grading}/report.html", response_class=FileResponse)
def report(agent: Id, grading: Id, services: TheServices) -> FileResponse:
    """The report of a finished grading: a page with every lost game to replay."""
    name = services.agents.find(agent)["name"]
    return FileResponse(services.gradings.report(agent, grading), filename=f"grade-{name}.html")
