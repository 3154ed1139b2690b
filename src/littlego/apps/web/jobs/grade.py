"""The job that grades an agent by an edition's rubric."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from littlego.apps.web.http.paths import full_spelling
from littlego.apps.web.jobs.progress import Progress
from littlego.apps.web.services.editions import Editions
from littlego.apps.web.services.gradings import FOLDER, REPORT
from littlego.arena.entrants.programs import without_path
from littlego.arena.pool.local import LocalPool
from littlego.course.grading.causes import lacked_here
from littlego.course.grading.html import grade_page
from littlego.course.grading.report import GradeReport
from littlego.course.grading.run import GradingTerms, grading_plan, open_grading
from littlego.course.spelling import parse_entrant
from littlego.storage.whole_files import write_whole


def run(params: dict[str, Any], data: Path, progress: Progress) -> dict[str, Any]:
    """Play the missing games of a grading, and write its report."""
    edition = Editions(data).find(params["edition"])
    spelling = full_spelling(params["spelling"], data)
    entrant = parse_entrant(spelling, python=edition.default_python, edition=edition.like)
    terms = GradingTerms(edition, params["stage"], params["repeats"])
    plan = grading_plan(entrant, terms, name=params.get("name"))
    if "grading" in params:
        # The identity of a grading must not change when the data directory is moved.
        plan = dataclasses.replace(plan, agent=f"agent:{params['agent']}")
    folder = data / FOLDER / (params.get("grading") or params["folder"])

    def result_of(report: GradeReport) -> dict[str, Any]:
        fields = {key: value for key, value in report.to_dict().items() if key != "directory"}
        return fields | {"runtime": without_path(report.runtime), "lacked_here": lacked_here(report)}

    with open_grading(entrant, plan, out=folder) as grading, LocalPool(params["jobs"]) as pool:

        def step() -> None:
            report = grading.report()
            progress(report.played, plan.games, "games", lambda: result_of(report))

        step()
        grading.play(pool, on_result=step)
        report = grading.report()
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / REPORT, grade_page(report))
    return result_of(report)
