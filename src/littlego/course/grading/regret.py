"""The advisory part of a grading: how often a won position was thrown away. It does not affect the points."""

from __future__ import annotations

from dataclasses import replace

from littlego.core.errors import UsageError
from littlego.core.position import Position
from littlego.core.rules import Rules
from littlego.course.grading.report import GradeReport
from littlego.review.regret import regret_of
from littlego.review.values import Watch
from littlego.solve.oracle import Oracle, why_unsolvable


def check_regret(rules: Rules) -> None:
    """Raises UsageError for rules whose positions cannot be solved."""
    if why := why_unsolvable(Position.initial(rules)):
        raise UsageError(f"--regret: {why}")


def with_regret(report: GradeReport, *, seconds: float, watch: Watch | None = None) -> GradeReport:
    """The report with the agent's regret, as far as `seconds` allow; ends of games are solved first.

    Unchanged if no games were played. Raises UsageError for rules that cannot be solved.
    """
    records = report.records()
    if not records:
        return report
    return replace(
        report, regret=regret_of(records, report.plan.name, Oracle(memory=1 << 30), seconds=seconds, watch=watch)
    )
