"""Agents that were uploaded, or pointed at: kept as files, checked and graded by jobs through the referee.

agents/ID/upload/...     what came in
agents/ID/unpacked-...   an archive's files
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any, Final

from littlego.apps.web.store import Json, NotThere, Store, new_id
from littlego.apps.web.work import Tell
from littlego.arena.programs import MAIN_FILES
from littlego.core.errors import UsageError
from littlego.core.rules import DEFAULT_EDITION
from littlego.course.grading.class_submissions import Submission, open_submission
from littlego.course.spelling import parse_entrant

KIND: Final = "agent"
_FOLDER: Final = "agents"
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,39}")


class Agents:
    """The agents of a server."""

    def __init__(self, store: Store, data: Path) -> None:
        self._store = store
        self._folder = data / _FOLDER

    def take_in(self, name: str, file: str, body: bytes) -> Json:
        """Keep an upload: a .zip, or one of the course's files. Raises UsageError for what holds no agent."""
        if not _NAME.fullmatch(name):
            raise UsageError(f"name {name[:40]!r}: expected up to 40 letters, digits and . _ + -")
        if not file.lower().endswith(".zip") and file not in MAIN_FILES:
            raise UsageError(f"{file[:80]!r}: expected a .zip, or one of {', '.join(MAIN_FILES)}")
        agent = new_id()
        place = self._folder / agent
        upload = place / "upload"
        upload.mkdir(parents=True)
        try:
            if file in MAIN_FILES:
                (upload / file).write_bytes(body)
                handed_in = upload
            else:
                handed_in = upload / "agent.zip"
                handed_in.write_bytes(body)
            opened = open_submission(Submission(name, name, handed_in), place, python=None, edition=DEFAULT_EDITION)
        except UsageError:
            shutil.rmtree(place)
            raise
        return self._keep(agent, name, opened.entrant.spelling)

    def point_at(self, spelling: str) -> Json:
        """Keep an agent on this machine by its path. Raises UsageError."""
        entrant = parse_entrant(spelling)
        name = re.sub(r"[^A-Za-z0-9_.+-]", "_", entrant.name).strip(".")[:40] or "agent"
        return self._keep(new_id(), name, entrant.spelling)

    def _keep(self, agent: str, name: str, spelling: str) -> Json:
        data = {"name": name, "spelling": spelling, "jobs": {}}
        self._store.put(KIND, agent, data)
        return {"id": agent, **data}

    def find(self, agent: str) -> Json:
        """An agent. Raises NotThere."""
        data = self._store.get(KIND, agent)
        if data is None:
            raise NotThere(agent)
        return {"id": agent, **data}

    def note_job(self, agent: str, kind: str, job: str) -> None:
        """Remember the last job of a kind."""
        data = self._store.get(KIND, agent)
        if data is not None:
            data["jobs"][kind] = job
            self._store.put(KIND, agent, data)

    def newest(self) -> list[Json]:
        """All agents, the last changed first."""
        return self._store.newest(KIND, 500)

    def delete(self, agent: str) -> None:
        """Forget an agent and its files; its games stay. Raises NotThere."""
        self.find(agent)
        self._store.delete(KIND, agent)
        shutil.rmtree(self._folder / agent, ignore_errors=True)


def check(params: dict[str, Any], _data: Path, tell: Tell) -> dict[str, Any]:
    """The job that inspects an agent."""
    from littlego.arena.supervised import Supervisor
    from littlego.course.inspection import Inspection

    spelling = params["spelling"]
    if ":" in spelling.split("/")[0]:
        raise UsageError("only agents that are a program with files can be checked")
    checks: list[dict[str, Any]] = []
    with Supervisor() as supervisor:
        inspection = Inspection(Path(spelling), supervisor)
        titles = inspection.titles()
        for found in inspection.checks():
            checks.append({"title": found.title, "status": found.status.value, "detail": found.detail})
            tell(len(checks), len(titles), found.title, {"checks": checks})
        inspection.close()
    return {"checks": checks}


def grade(params: dict[str, Any], data: Path, tell: Tell) -> dict[str, Any]:
    """The job that grades an agent as an edition does."""
    from littlego.course.grading.html import grade_page
    from littlego.course.grading.run import grading_plan, open_grading

    entrant = parse_entrant(params["spelling"], edition=params["edition"])
    plan = grading_plan(entrant, edition=params["edition"], stage=params["stage"], repeats=params["repeats"])
    folder = data / "grades" / params["folder"]
    with open_grading(entrant, plan, out=folder) as grading:

        def step(_result: object = None) -> None:
            report = grading.report()
            tell(report.played, plan.games, "playing", report.to_dict)

        step()
        grading.play(jobs=params["jobs"], on_result=step)
        report = grading.report()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.html").write_text(grade_page(report), encoding="utf-8")
    return report.to_dict()
