"""The job that checks an agent, by running it through the referee."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from littlego.apps.web.http.paths import full_spelling
from littlego.apps.web.jobs.progress import Progress
from littlego.arena.entrants.programs import without_path
from littlego.arena.referee.client import Supervisor
from littlego.core.errors import UsageError
from littlego.course.check.inspection import Inspection


def run(params: dict[str, Any], data: Path, progress: Progress) -> dict[str, Any]:
    """The findings of all checks, in order. Raises UsageError if the agent is not a program with files."""
    spelling = full_spelling(params["spelling"], data)
    if ":" in spelling.split("/")[0]:
        raise UsageError("only programs with files can be checked")
    checks: list[dict[str, Any]] = []
    with Supervisor() as supervisor, Inspection(Path(spelling), supervisor) as inspection:
        titles = inspection.titles()
        for found in inspection.checks():
            checks.append({"title": found.title, "status": found.status.value, "detail": without_path(found.detail)})
            progress(len(checks), len(titles), found.title, {"checks": checks})
    return {"checks": checks}
