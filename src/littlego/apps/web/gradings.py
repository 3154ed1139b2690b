"""Gradings: each grades a copy of a version's files, in a job, and is kept.

grades/ID/files/           the agent's files as they were when the grading was started
grades/ID/results.sqlite   its games
grades/ID/report.html      the finished grading as a page
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Final

from fastapi import APIRouter
from fastapi.responses import FileResponse, PlainTextResponse
from pydantic import Field
from typing_extensions import TypedDict

from littlego.apps.web.agents import MOST_BYTES, Agents, bytes_in, copied
from littlego.apps.web.auth import OfAgent, OfJob
from littlego.apps.web.fair import Apart
from littlego.apps.web.jobs import Jobs, JobShown
from littlego.apps.web.requests import Edition, GameShown, Id, RequestBody, TheServices, game_shown
from littlego.apps.web.store import GRADES, REPORT, Editions, NotFound, ServerStore, kept_spelling, new_id
from littlego.core.errors import LittleGoError, UsageError
from littlego.core.game import GameRecord
from littlego.core.rules import DEFAULT_EDITION
from littlego.formats.course import CourseInput, write_input
from littlego.formats.records import Json, record_from_dict
from littlego.storage.scratch import remove_tree

KIND: Final = "grading"


class GradingLine(TypedDict):
    """A grading in the list of an agent's gradings."""

    id: str
    job: str
    version: int
    edition: str
    stage: str
    repeats: int | None
    digest: str
    """Changes with the agent's files."""
    created: float
    state: str
    points: float | None
    max_points: float | None
    complete: bool | None
    report: bool
    """Whether there is a report."""


class Gradings:
    """The gradings of a server."""

    def __init__(
        self, store: ServerStore, agents: Agents, jobs: Jobs, readers: Apart, data: Path, editions: Editions
    ) -> None:
        self._store = store
        self._agents = agents
        self._jobs = jobs
        self._readers = readers
        self._data = data
        self._editions = editions
        self._folder = data.resolve() / GRADES

    async def begin(self, agent: str, body: GradeRequest, *, by: str) -> JobShown:
        """Grade the newest version, as somebody asks. Raises NotFound, UsageError, NoRoom.

        If it was graded in this way before, that job is resumed, unless `again` is set.
        """
        edition = self._editions.find(body.edition)
        edition.scheme.selected(body.stage)
        if by and await asyncio.to_thread(self._bytes_of, by) >= MOST_BYTES:
            most = f"{MOST_BYTES >> 20} MiB"
            raise UsageError(f"your agents and gradings take {most}: delete an agent, which deletes its gradings")
        grading, version = new_id(), self._agents.version(agent)
        folder = self._folder / grading
        try:
            folder.mkdir(parents=True)
            how = (self._agents.whole(agent), folder / "files", edition.default_python, edition.like)
            spelling, digest = await self._readers.ask(by, by, copied, *how)
            options = {"edition": body.edition, "stage": body.stage, "repeats": body.repeats, "digest": digest}
            if not body.again and (known := self._same_as(agent, options)):
                await asyncio.to_thread(remove_tree, folder)
                return self._jobs.go_on(known, by=by)
            name = self._agents.find(agent)["name"]
            params = {
                **options,
                "agent": agent,
                "grading": grading,
                "name": name,
                "spelling": kept_spelling(spelling, self._data),
            }

            def keep(job: str) -> None:
                self._store.put(KIND, grading, {**options, "agent": agent, "version": version["number"], "job": job})
                self._agents.note_job(agent, "grade", job)

            title = f"Grading of {name}, {body.edition}"
            return self._jobs.begin("grade", title, params, person=self._agents.person_of(agent), by=by, keep=keep)
        except (LittleGoError, NotFound, OSError, TimeoutError):
            await asyncio.to_thread(remove_tree, folder)
            raise

    def _bytes_of(self, person: str) -> int:
        """What a person's agents and their gradings take."""
        mine = {agent["id"] for agent in self._agents.newest(person)}
        gradings = (data["id"] for data in self._store.newest(KIND) if data["agent"] in mine)
        return self._agents.bytes_of(person) + sum(bytes_in(self._folder / grading) for grading in gradings)

    def _same_as(self, agent: str, options: Json) -> str | None:
        """The job of an earlier grading of the same files with the same options, if there is one."""
        same = (one for one in self.newest_of(agent) if all(one[key] == value for key, value in options.items()))
        return next((str(grading["job"]) for grading in same), None)

    def newest_of(self, agent: str) -> list[Json]:
        found = [data for data in self._store.newest(KIND) if data["agent"] == agent]
        return sorted(found, key=lambda data: -data["created"])

    def list_of(self, agent: str) -> list[GradingLine]:
        """The gradings of an agent with their points, the newest first. Raises NotFound."""
        self._agents.find(agent)
        return [self._line(grading) for grading in self.newest_of(agent)]

    def _line(self, grading: Json) -> GradingLine:
        points = self._jobs.parts_of_result(grading["job"], ("points", "max_points", "complete"))
        return {
            "id": grading["id"],
            "job": grading["job"],
            "version": grading["version"],
            "edition": grading["edition"],
            "stage": grading["stage"],
            "repeats": grading["repeats"],
            "digest": grading["digest"],
            "created": grading["created"],
            "state": self._jobs.row(grading["job"])["state"],
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

    def lost_game(self, job: str, game: str) -> GameRecord:
        """A game that was not won, by its number in the result of a grading's job. Raises NotFound."""
        repeats = (self._jobs.find(job)["result"] or {}).get("repeats", ())
        rows = (row for repeat in repeats for batch in repeat["batches"] for row in batch["opponents"])
        for lost in (lost for row in rows for lost in row["lost"]):
            if str(lost["game"]) == game:
                return record_from_dict(lost["record"], source="game")
        raise NotFound(game)

    def delete_of(self, agent: str) -> None:
        for grading in self.newest_of(agent):
            self._store.delete(KIND, grading["id"])
            remove_tree(self._folder / grading["id"])


router = APIRouter(prefix="/api", tags=["gradings"])


class GradeRequest(RequestBody):
    """How to grade."""

    edition: Edition = DEFAULT_EDITION
    stage: Annotated[str, Field(max_length=40, pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")] = "submit"
    repeats: Annotated[int, Field(ge=1, le=9)] | None = None
    again: bool = False
    """Grade even if the same files have been graded in the same way."""


@router.post("/agents/{agent}/grade", status_code=202)
async def grade(agent: Id, body: GradeRequest, services: TheServices, person: OfAgent) -> JobShown:
    """Start the job that grades an agent's files, as they are now, by an edition's rubric.

    If they have been graded in this way before, this is that job, resumed if it was stopped, unless `again` is set.
    """
    services.hand_ins.check_grading(services.editions.find(body.edition), body.stage, person)
    return await services.gradings.begin(agent, body, by=person)


@router.get("/agents/{agent}/gradings")
def gradings(agent: Id, services: TheServices, _person: OfAgent) -> list[GradingLine]:
    """All gradings of an agent, the newest first; `digest` changes with the agent's files."""
    return services.gradings.list_of(agent)


@router.get("/agents/{agent}/gradings/{grading}/report.html", response_class=FileResponse)
def report(agent: Id, grading: Id, services: TheServices, _person: OfAgent) -> FileResponse:
    """The report of a finished grading: a page with every lost game to replay."""
    name = services.agents.find(agent)["name"]
    return FileResponse(services.gradings.report(agent, grading), filename=f"grade-{name}.html")


@router.get("/jobs/{job}/games/{game}")
def lost_game(job: Id, game: Id, services: TheServices, _person: OfJob) -> GameShown:
    """A game that a graded agent did not win, by its number in the job's result."""
    return game_shown(services.gradings.lost_game(job, game))


@router.get("/jobs/{job}/games/{game}/input.txt", response_class=PlainTextResponse)
def last_input(job: Id, game: Id, services: TheServices, _person: OfJob) -> PlainTextResponse:
    """What the side to move read at the end of a game that a graded agent did not win: what made it forfeit."""
    headers = {"content-disposition": 'attachment; filename="input.txt"'}
    before, now = ([None, *services.gradings.lost_game(job, game)])[-2:]
    given = CourseInput(now.to_move, before.board if before else now.board, now.board)
    return PlainTextResponse(write_input(given), headers=headers)
