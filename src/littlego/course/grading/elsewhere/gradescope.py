"""A grading as Gradescope's `results.json`, so that littlego can be the autograder."""

from __future__ import annotations

from typing import Any, Final

from littlego.arena.building import without_path
from littlego.core.colour import Colour
from littlego.course.grading.causes import causes_of, first_fix
from littlego.course.grading.report import BatchGrade, GradeReport, OpponentGrade
from littlego.course.grading.words import heading, losses, points, time_line
from littlego.formats.text import plural

_SHOWN: Final = 3
"""Lost games shown in a test's output."""


def gradescope_results(report: GradeReport) -> dict[str, Any]:
    """The repeat that counts, with one test for each opponent."""
    lines = [heading(report)]
    if report.problem:
        lines.append(f"The agent cannot be run:\n{report.problem}")
    if fix := first_fix(report):
        lines.append(fix)
    if len(report.repeats) > 1:
        totals = ", ".join(points(report.points_of(repeat)) for repeat in range(len(report.repeats)))
        lines.append(f"Totals of the repeats: {totals}. The best counts.")
    lines += [f"{batch.batch.title}: {time_line(batch)}" for batch in report.counted]
    lines += [f"Not played because of an error on our side: {failure}" for failure in report.failures]
    wins = sum(grade.tally.wins for grade in report.grades)
    return _results(
        round(report.points, 4),
        "\n".join(lines),
        tests=[_test(report, batch, grade) for batch in report.counted for grade in batch.opponents],
        leaderboard=[
            {"name": "Points", "value": round(report.points, 4), "order": "desc"},
            {"name": "Wins", "value": wins, "order": "desc"},
            {
                "name": "CPU seconds",
                "value": round(sum(batch.cpu_seconds for batch in report.counted), 1),
                "order": "asc",
            },
        ],
    )


def gradescope_problem(message: str) -> dict[str, Any]:
    """For a submission that could not be graded at all."""
    return _results(0.0, f"Nothing could be graded: {message}", tests=[], leaderboard=[])


def _results(
    score: float, output: str, *, tests: list[dict[str, Any]], leaderboard: list[dict[str, Any]]
) -> dict[str, Any]:
    return {
        "score": score,
        "output": output,
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": tests,
        "leaderboard": leaderboard,
    }


def _test(report: GradeReport, batch: BatchGrade, grade: OpponentGrade) -> dict[str, Any]:
    return {
        "name": f"{batch.batch.title}: {grade.opponent}",
        "score": round(grade.award.points, 4),
        "max_score": grade.rubric.max_points,
        "status": "passed" if grade.award.points == grade.rubric.max_points else "failed",
        "output": _output(report, grade),
        "output_format": "text",
        "visibility": "visible",
    }


def _output(report: GradeReport, grade: OpponentGrade) -> str:
    if report.problem:
        return "The agent cannot be run."
    low, high = grade.tally.interval
    by_colour = ", ".join(
        f"{grade.tally_as(colour).wins} of {grade.tally_as(colour).games} as {colour}" for colour in Colour
    )
    lines = [
        f"{grade.award.line} points",
        f"Won {grade.tally.wins} of {grade.tally.games} games: {by_colour}. {grade.distinct} distinct games; "
        f"95% interval of the win rate: {100 * low:.1f}% to {100 * high:.1f}%.",
        *([f"The agent ran with {without_path(report.runtime)}."] if report.runtime else []),
    ]
    lines += [f"{len(cause.games)} forfeited: {cause.sentence}" for cause in causes_of([grade])]
    lost = losses([grade])
    lines += [f"\n{loss.text()}" for loss in lost[:_SHOWN]]
    if len(lost) > _SHOWN:
        lines.append(f"\nand {plural(len(lost) - _SHOWN, 'more lost game')}.")
    return "\n".join(lines)
