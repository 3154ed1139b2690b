"""Gradings: each grades a copy of an agent's files, in a job, and is kept.

grades/ID/files/           the agent's files as they were when the grading was started
grades/ID/results.sqlite   its games
grades/ID/report.html      the finished grading as a page
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from littlego.apps.web.cohort import rights
from littlego.apps.web.services.agents import Agents
from littlego.apps.web.services.editions import Editions
from littlego.apps.web.services.store import NotFound, ServerStore, kept_spelling, new_id
from littlego.arena.tournament.folder import fingerprint_of
from littlego.core.errors import UsageError
from littlego.core.game import GameRecord
from littlego.course.spelling import parse_entrant
from littlego.formats.records import Json, record_from_dict
from littlego.storage.scratch import remove_tree

if TYPE_CHECKING:  # a grading's own process needs no web server
    from littlego.apps.web.jobs.queue import Jobs

KIND: Final = "grading"
FOLDER: Final = "grades"
REPORT: Final = "report.html"


class Gradings:
    """The gradings of a server. All methods but `newest_of` and `begin` are slow: call them in a thread."""

    def __init__(self, store: ServerStore, agents: Agents, jobs: Jobs, data: Path, editions: Editions) -> None:
        self._store = store
        self._agents = agents
        self._jobs = jobs
        self._data = data
        self._editions = editions
        self._folder = data.resolve() / FOLDER

    def prepare(self, agent: str, *, edition: str, stage: str, repeats: int | None, by: str) -> Json:
        """Copy the agent's files for a grading, as somebody asks, for `begin` to start. Raises NotFound, UsageError."""
        if by and self._bytes_of(by) >= rights.GRADING_BYTES:
            most = f"{rights.GRADING_BYTES >> 20} MiB"
            raise UsageError(f"your gradings take {most}: delete an agent, which deletes its gradings")
        found = self._editions.find(edition)
        found.scheme.selected(stage)
        entrant = parse_entrant(self._agents.spelling(agent), python=found.default_python, edition=found.like)
        grading = new_id()
        folder = self._folder / grading
        files = folder / "files"
        try:
            folder.mkdir(parents=True)
            digest = fingerprint_of(entrant, files)
        except BaseException:
            remove_tree(folder)
            raise
        return {
            "id": grading,
            "agent": agent,
            "name": self._agents.find(agent)["name"],
            "spelling": kept_spelling(entrant.at(files).spelling, self._data),
            "digest": digest,
            "edition": edition,
            "stage": stage,
            "repeats": repeats,
        }

    def _bytes_of(self, person: str) -> int:
        """What the gradings of a person's agents take."""
        agents = {agent["id"] for agent in self._agents.newest(person)}
        folders = (self._folder / data["id"] for data in self._store.newest(KIND) if data["agent"] in agents)
        places = ((place, names) for folder in folders for place, _, names in os.walk(folder))
        return sum(_bytes_in(Path(place, name)) for place, names in places for name in names)

    def begin(self, prepared: Json, *, by: str) -> Json:
        """Start the job of a grading. Raises NotFound if the agent was deleted meanwhile, UsageError, NoRoom."""
        given = {key: value for key, value in prepared.items() if key != "id"}
        kept = {key: prepared[key] for key in ("agent", "digest", "edition", "stage", "repeats")}
        person = self._agents.person_of(prepared["agent"])
        title = f"Grading of {prepared['name']}, {prepared['edition']}"

        def keep(job: str) -> None:
            self._store.put(KIND, prepared["id"], {**kept, "job": job})
            self._agents.note_job(prepared["agent"], "grade", job)

        params = {**given, "grading": prepared["id"], "jobs": 1}
        return self._jobs.begin("grade", title, params, person=person, by=by, keep=keep)

    def same_as(self, prepared: Json) -> str | None:
        """The job of an earlier grading of the same files with the same options, if there is one."""
        deciding = ("edition", "stage", "repeats", "digest")
        same = (g for g in self.newest_of(prepared["agent"]) if all(g[key] == prepared[key] for key in deciding))
        return next((str(grading["job"]) for grading in same), None)

    def drop(self, grading: str) -> None:
        """Delete the files of a grading."""
        remove_tree(self._folder / grading)

    def newest_of(self, agent: str) -> list[Json]:
        found = [data for data in self._store.newest(KIND) if data["agent"] == agent]
        return sorted(found, key=lambda data: -data["created"])

    def list_of(self, agent: str) -> list[Json]:
        """The gradings of an agent with their points, the newest first. Raises NotFound."""
        self._agents.find(agent)
        return [self._line(grading) for grading in self.newest_of(agent)]

    def _line(self, grading: Json) -> Json:
        job = self._jobs.row(grading["job"])
        points = self._jobs.parts_of_result(grading["job"], ("points", "max_points", "complete"))
        shown = ("id", "job", "edition", "stage", "repeats", "digest", "created")
        return {
            **{key: grading[key] for key in shown},
            "state": job["state"],
            **points,
            "report": (self._folder / grading["id"] / REPORT).is_file(),
        }

    def report(self, agent: str, grading: str) -> Path:
        """The page of a finished grading. Raises NotFound."""
        path: Path = self._folder / self._find(agent, grading)["id"] / REPORT
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

    def _find(self, agent: str, grading: str) -> Json:
        found = next((one for one in self.newest_of(agent) if one["id"] == grading), None)
        if found is None:
            raise NotFound(grading)
        return found

    def delete_of(self, agent: str) -> None:
        for grading in self.newest_of(agent):
            self._store.delete(KIND, grading["id"])
            self.drop(grading["id"])


def _bytes_in(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:  # a file of a grading that runs, now gone
        return 0
