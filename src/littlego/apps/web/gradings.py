"""Gradings: each grades a version of an agent, in a job, and is kept.

grades/ID/results.sqlite   its games
grades/ID/report.html      the finished grading as a page
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Final

from fastapi import APIRouter
from fastapi.responses import FileResponse
from pydantic import Field
from typing_extensions import TypedDict

from littlego.apps.web.agents import MOST_BYTES, Agents, bytes_in
from littlego.apps.web.auth import OfAgent
from littlego.apps.web.jobs import Jobs, JobShown
from littlego.apps.web.requests import Edition, Id, RequestBody, TheServices
from littlego.apps.web.store import GRADES, REPORT, Editions, NotFound, ServerStore, new_id
from littlego.core.errors import UsageError
from littlego.core.rules import DEFAULT_EDITION
from littlego.formats.records import Json
from littlego.storage.scratch import remove_tree

KIND: Final = "grading"


class GradingLine(TypedDict):
    """A grading in the list of an agent's gradings."""

    id: str
    job: str
    version: int
    edition: str
    stage: str
    created: float
    state: str
    points: float | None
    max_points: float | None
    complete: bool | None
    report: bool
    """Whether there is a report."""


class Gradings:
    """The gradings of a server."""

    def __init__(self, store: ServerStore, agents: Agents, jobs: Jobs, data: Path, editions: Editions) -> None:
        self._store = store
        self._agents = agents
        self._jobs = jobs
        self._editions = editions
        self._folder = data.resolve() / GRADES

    async def begin(self, agent: str, body: GradeRequest, *, by: str) -> JobShown:
        """Grade the newest version, as somebody asks. Raises NotFound, UsageError, NoRoom.

        If it was graded in this way before, that job is resumed, unless `again` is set.
        """
        self._editions.find(body.edition).scheme.selected(body.stage)
        if by and await asyncio.to_thread(self._bytes_of, by) >= MOST_BYTES:
            most = f"{MOST_BYTES >> 20} MiB"
            raise UsageError(f"your agents and gradings take {most}: delete an agent, which deletes its gradings")
        grading, version = new_id(), self._agents.version(agent)
        how = {"edition": body.edition, "stage": body.stage, "version": version["number"]}
        if not body.again and (known := self._same_as(agent, how)):
            return self._jobs.go_on(known, by=by)
        name = self._agents.find(agent)["name"]
        params = {**how, "agent": agent, "grading": grading, "name": name, "spelling": version["whole"]}

        def keep(job: str) -> None:
            self._store.put(KIND, grading, {**how, "agent": agent, "job": job})
            self._agents.note_job(agent, "grade", job)

        title = f"Grading of {name}, {body.edition}"
        return self._jobs.begin("grade", title, params, person=self._agents.person_of(agent), by=by, keep=keep)

    def _bytes_of(self, person: str) -> int:
        """What a person's agents and their gradings take."""
        mine = {agent["id"] for agent in self._agents.newest(person)}
        gradings = (data["id"] for data in self._store.newest(KIND) if data["agent"] in mine)
        return self._agents.bytes_of(person) + sum(bytes_in(self._folder / grading) for grading in gradings)

    def _same_as(self, agent: str, how: Json) -> str | None:
        """The job of an earlier grading of the same version in the same way, if there is one."""
        same = (str(one["job"]) for one in self.newest_of(agent) if how.items() <= one.items())
        return next(same, None)

    def newest_of(self, agent: str) -> list[Json]:
        found = [data for data in self._store.newest(KIND) if data["agent"] == agent]
        return sorted(found, key=lambda data: -data["created"])

    def list_of(self, agent: str) -> list[GradingLine]:
        """The gradings of an agent with their points, the newest first. Raises NotFound."""
        self._agents.find(agent)
        return [self._line(grading) for grading in self.newest_of(agent)]

    def _line(self, grading: Json) -> GradingLine:
        points = self._jobs.stored.parts_of_result(grading["job"], ("points", "max_points", "complete"))
        return {
            "id": grading["id"],
            "job": grading["job"],
            "version": grading["version"],
            "edition": grading["edition"],
            "stage": grading["stage"],
            "created": grading["created"],
            "state": self._jobs.stored.row(grading["job"])["state"],
            "points": points["points"],
            "max_points": points["max_points"],
            "complete": points["complete"],
            "report": (self._folder / grading["id"] / REPORT).is_file(),
        }

    def report(self, agent: str, grading: str) -> Path:
        """The page of a finished grading. Raises NotFound."""
        if not any(one["id"] == grading for one in self.newest_of(agent)):
            raise NotFound(grading)
        path = self._folder / grading / REPORT
        if not path.is_file():
            raise NotFound(REPORT)
        return path

    def delete_of(self, agent: str) -> None:
        for grading in self.newest_of(agent):
            self._store.delete(KIND, grading["id"])
            remove_tree(self._folder / grading["id"])


router = APIRouter(prefix="/api", tags=["gradings"])


class GradeRequest(RequestBody):
    """How to grade."""

    edition: Edition = DEFAULT_EDITION
    stage: Annotated[str, Field(max_length=40, pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")] = "submit"
    again: bool = False
    """Grade even if the same version has been graded in the same way."""


@router.post("/agents/{agent}/grade", status_code=202)
async def grade(agent: Id, body: GradeRequest, services: TheServices, person: OfAgent) -> JobShown:
    """Start the job that grades the newest version of an agent by an edition's rubric.

    If it has been graded in this way before, this is that job, resumed if it was stopped, unless `again` is set.
    """
    services.hand_ins.check_grading(services.editions.find(body.edition), body.stage, person)
    return await services.gradings.begin(agent, body, by=person)


@router.get("/agents/{agent}/gradings")
def gradings(agent: Id, services: TheServices, _person: OfAgent) -> list[GradingLine]:
    """All gradings of an agent, the newest first."""
    return services.gradings.list_of(agent)


@router.get("/agents/{agent}/gradings/{grading}/report.html", response_class=FileResponse)
def report(agent: Id, grading: Id, services: TheServices, _person: OfAgent) -> FileResponse:
    """The report of a finished grading: a page with every lost game to replay."""
    name = services.agents.find(agent)["name"]
    return FileResponse(services.gradings.report(agent, grading), filename=f"grade-{name}.html")
