"""From a graded class to a competition: who takes part, with which agent and how many points."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from littlego.core.errors import UsageError
from littlego.course.grading.cohort.names import pseudonyms
from littlego.course.grading.cohort.rows import REPORT, SubmissionStatus

_FIRST: Final = "1"
"""The key of the stage whose points count."""


@dataclass(frozen=True, slots=True)
class Competitor:
    """A student whose agent can play."""

    name: str
    """The student's pseudonym, with dashes: standings are shown to everybody."""
    player: str
    """The agent's spelling; of several, that of the last stage."""
    points: float
    """From stage 1, less what a late submission loses."""


def competitors(grades: Path) -> tuple[list[Competitor], list[str]]:
    """The competitors from the directory that `grade --class` wrote, by pseudonym, and who is left out, and why.

    Raises UsageError if it is no such directory, or the class is not graded completely.
    """
    try:
        return _competitors(grades)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise UsageError(f"{grades}: not what this version of 'littlego grade --class' writes: {error!r}") from error


def _competitors(grades: Path) -> tuple[list[Competitor], list[str]]:
    data = _read(grades / "class.json")
    names = pseudonyms((row["student"] for row in data["rows"]), grades)
    found, left_out = [], []
    for row in data["rows"]:
        status = SubmissionStatus(row["status"])
        if not status.is_final:
            raise UsageError(f"{grades}: {row['student']} is not graded yet: run 'littlego grade --class' again")
        if status is not SubmissionStatus.GRADED:
            left_out.append(f"{row['student']}: {row['status']}")
            continue
        report = _read(grades / "students" / row["slug"] / REPORT)["report"]
        agent = report["agent"]
        player = [agent["spelling"], *agent["stages"].values()][-1]
        found.append(Competitor(names[row["student"]].replace(" ", "-"), player, _stage1(data["stage"], row, report)))
    return sorted(found, key=lambda each: each.name), left_out


def _stage1(stage: str, row: dict[str, Any], report: dict[str, Any]) -> float:
    if stage == _FIRST:
        return float(row["points"])
    batches = [batch for repeat in report["repeats"] for batch in repeat["batches"]]
    titles = {batch["title"] for batch in batches if batch["stage"] == _FIRST}
    lines = [line["points"] for line in row["opponents"] if line["batch"] in titles]
    if not lines:
        raise UsageError(f"the class was graded with --stage {stage}: the competition needs points from stage 1")
    late = report["points"] / report["earned"] if report["earned"] else 1.0
    return float(sum(lines)) * late


def _read(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot be read: expected what 'littlego grade --class' writes: {error}") from error
    if not isinstance(data, dict):
        raise UsageError(f"{path}: expected what 'littlego grade --class' writes")
    return data
