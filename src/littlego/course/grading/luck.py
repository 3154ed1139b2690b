"""How much of a grade is luck: the points that the same agent could get if it were graded again."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Final

from littlego.course.grading.report import GradeReport, OpponentGrade
from littlego.stats import wilson_interval

_DRAWS: Final = 2000
_SEED: Final = 1
_MOST_GAMES: Final = 10_000


def points_interval(grades: Sequence[OpponentGrade]) -> tuple[float, float]:
    """The middle 95% of the points in another grading with as many games.

    The true win rate is as uncertain as the games leave it (a Beta distribution with Jeffreys' prior), and another
    grading draws as many games from it. Ties count as losses, as in the rubric. If games repeat, as between players
    that never vary, the rate is known less well than this says.
    """
    rng = random.Random(_SEED)
    totals = sorted(sum(_drawn(grade, rng) for grade in grades) for _ in range(_DRAWS))
    return totals[math.floor(0.025 * _DRAWS)], totals[math.ceil(0.975 * _DRAWS) - 1]


def _drawn(grade: OpponentGrade, rng: random.Random) -> float:
    games, wins = grade.tally.games, grade.tally.wins
    if grade.overrun or not games:
        return grade.award.points
    rate = rng.betavariate(wins + 0.5, games - wins + 0.5)
    return grade.rubric.award(sum(rng.random() < rate for _ in range(games)), games).points


def luck_lines(report: GradeReport) -> list[str]:
    """Sentences on the points that luck could have changed; empty before all games are played.

    And if the best of several repeats counts: its games are not a fair sample.
    """
    grades = report.grades
    is_one_sample = report.complete and not report.problem and len(report.repeats) == 1
    if not is_one_sample or not any(grade.tally.games for grade in grades):
        return []
    share = float(report.plan.edition.late.share(report.plan.late_days))
    low, high = (share * end for end in points_interval(grades))
    total = f"The same agent, graded again with as many games, would get {low:g} to {high:g} points 19 times in 20."
    return [total, *filter(None, map(near_a_line, grades))]


def near_a_line(grade: OpponentGrade) -> str:
    """For a win rate too near a line of the rubric to be sure of: how many games would settle it. Else nothing."""
    games, wins = grade.tally.games, grade.tally.wins
    if grade.overrun or not games:
        return ""
    low, high = wilson_interval(wins, games)
    lines = [band.at_least / 100 for band in grade.rubric.bands if band.at_least / 100 > 0]
    unsure = [line for line in lines if low < line < high]
    if not unsure:
        return ""
    rate = wins / games
    line = min(unsure, key=lambda each: abs(each - rate))
    where = f"Against {grade.opponent}, {wins} of {games}: the true win rate may lie on either side of {100 * line:g}%"
    needed = games_to_settle(rate, line)
    if needed is None:
        return f"{where}, and this rate is too near it for any number of games to tell."
    return f"{where}; about {needed} games at this rate would tell."


def games_to_settle(rate: float, line: float) -> int | None:
    """How many games it takes until a 95% interval around a rate leaves out a line; None if that is too many."""
    games = 10
    while games <= _MOST_GAMES:
        low, high = wilson_interval(rate * games, games)
        if not low < line < high:
            return games
        games += max(10, games // 20 // 10 * 10)
    return None
