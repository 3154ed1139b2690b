"""Why a grade is what it is: forfeits by cause, with the agent's own file and line; luck; won positions thrown away."""

from __future__ import annotations

import math
import random
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final

from littlego.arena.games import capsule_path
from littlego.core.board import Colour
from littlego.core.errors import UsageError
from littlego.core.position import Position
from littlego.core.rules import Rules, Verdict
from littlego.course.check.failures import missing_module, what_helps
from littlego.course.grading.report import GradedGame, GradeReport, OpponentGrade
from littlego.formats.text import clipped
from littlego.stats import wilson_interval

if TYPE_CHECKING:
    from littlego.review.values import Watch

_DRAWS: Final = 2000
_SEED: Final = 1
_MOST_GAMES: Final = 10_000


def points_interval(grades: Sequence[OpponentGrade]) -> tuple[float, float]:
    """The middle 95% of the points in another grading with as many games.

    The true win rate with each colour is as uncertain as the games leave it (a Beta distribution with Jeffreys' prior),
    and another grading draws as many games from it. Ties count as losses, as in the rubric. If games repeat, as between
    players that never vary, the rate is known less well than this says.
    """
    rng = random.Random(_SEED)
    totals = sorted(sum(_drawn(grade, rng) for grade in grades) for _ in range(_DRAWS))
    return totals[math.floor(0.025 * _DRAWS)], totals[math.ceil(0.975 * _DRAWS) - 1]


def _drawn(grade: OpponentGrade, rng: random.Random) -> float:
    if grade.overrun or not grade.tally.games:
        return grade.award.points
    won = 0
    for tally in filter(lambda each: each.games, map(grade.tally_as, Colour)):
        rate = rng.betavariate(tally.wins + 0.5, tally.games - tally.wins + 0.5)
        won += sum(rng.random() < rate for _ in range(tally.games))
    return grade.rubric.award(won, grade.tally.games).points


def luck_lines(report: GradeReport) -> list[str]:
    """Sentences on the points that luck could have changed; empty before all games are played.

    And for an agent that only forfeited, and if the best of several repeats counts: its games are not a fair sample.
    """
    grades = report.grades
    is_one_sample = report.complete and not report.problem and len(report.repeats) == 1
    if not is_one_sample or all(grade.forfeits == grade.tally.games for grade in grades):
        return []  # a program that forfeits every game is not unlucky
    share = float(report.plan.edition.late.share(report.plan.late_days))
    low, high = (max(0.0, share * end + report.plan.by_hand) for end in points_interval(grades))
    total = (
        f"Graded again with the same number of games, this agent would score {low:g} to {high:g} points in 19 cases "
        "out of 20."
    )
    return [total, *filter(None, map(near_a_line, grades))]


def near_a_line(grade: OpponentGrade) -> str:
    """For a win rate close to a line of the rubric: how many games would decide it. Else nothing."""
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
        return f"{where}, and that is too close to call, however many games are played."
    return f"{where}; about {needed} games at this rate would decide it."


def games_to_settle(rate: float, line: float) -> int | None:
    """How many games it takes until a 95% interval around a rate leaves out a line; None if that is too many."""
    games = 10
    while games <= _MOST_GAMES:
        low, high = wilson_interval(rate * games, games)
        if not low < line < high:
            return games
        games += max(10, games // 20 // 10 * 10)
    return None


def check_regret(rules: Rules) -> None:
    """Raises UsageError for rules whose positions cannot be solved."""
    from littlego.solve.oracle import why_unsolvable

    if why := why_unsolvable(Position.initial(rules)):
        raise UsageError(f"--regret: {why}")


def with_regret(report: GradeReport, *, seconds: float, watch: Watch | None = None) -> GradeReport:
    """The report with the agent's regret, as far as `seconds` allow; ends of games are solved first.

    Unchanged if no games were played. Raises UsageError for rules that cannot be solved.
    """
    from littlego.review.regret import regret_of
    from littlego.solve.oracle import Oracle

    records = report.records()
    if not records:
        return report
    return replace(
        report, regret=regret_of(records, report.plan.name, Oracle(memory=1 << 30), seconds=seconds, watch=watch)
    )


_PYTHON_FRAME: Final = re.compile(r'^[ \t]*File "([^"]+)", line (\d+)', re.M)
_JAVA_FRAME: Final = re.compile(r"^[ \t]*at [\w.$<>]+\((\w+\.java):(\d+)\)", re.M)
_JAVA_ERROR: Final = re.compile(r'^(?:Exception in thread "[^"]*" )?((?:[a-z]\w*\.)+[A-Z]\w*(?:: .*)?)$', re.M)
_ELSEWHERE: Final = re.compile(r"/(?:site-packages|lib/python[\d.]+|pypy[\d.]*)/|^<|^/usr/")
"""Files that are not the agent's own."""
_MOVE: Final = re.compile(r"^(?:PASS|\d+,\d+): ")
_DIGITS: Final = re.compile(r"\d+(?:\.\d+)?")

_LONGEST: Final = 300
"""Characters of a file's name or of a message: an agent may print anything."""

_LEFT_WORDS: Final = (Verdict.CRASH, Verdict.NO_OUTPUT)
"""The verdicts that standard error explains."""

_WHAT: Final = {
    Verdict.CRASH: "it crashed",
    Verdict.CPU_TIME: "it used too much CPU time",
    Verdict.WALL_TIME: "it took too long",
    Verdict.MEMORY: "it used too much memory",
    Verdict.NO_OUTPUT: "it left no output.txt",
    Verdict.BAD_FORMAT: "its output was not a move",
}


@dataclass(frozen=True)
class Cause:
    """A reason for which games were forfeited."""

    verdict: Verdict
    place: str
    """The agent's file and line, such as `my_player3.py, line 12`; empty if nothing names it."""
    message: str
    """The exception, or what was wrong with the move."""
    games: tuple[tuple[OpponentGrade, GradedGame], ...]
    """In the order of play."""

    @property
    def sentence(self) -> str:
        what = _WHAT.get(self.verdict, "it made an illegal move" if "illegal" in self.verdict.value else "it failed")
        where = f" at {self.place}" if self.place else ""
        return f"{what}{where}: {self.message}" if self.message else f"{what}{where}"

    @property
    def number(self) -> int:
        """Of the first of its games."""
        return self.games[0][1].number

    @property
    def example(self) -> str:
        """Where to look: the first of its games."""
        grade, game = self.games[0]
        return f"game {self.number} against {grade.opponent}, move {len(game.result.record.moves) + 1}"


def causes(report: GradeReport) -> list[Cause]:
    """Of the forfeits in the repeat that counts; the most frequent first."""
    return causes_of(report.grades, report.places)


def causes_of(grades: Iterable[OpponentGrade], places: Mapping[int, str] | None = None) -> list[Cause]:
    """`places` says where the agent was when its time ran out, by the numbers of games."""
    groups: dict[tuple[Verdict, str, str], list[tuple[OpponentGrade, GradedGame]]] = {}
    messages: dict[tuple[Verdict, str, str], str] = {}
    for grade in grades:
        for game in grade.lost:
            outcome = game.result.record.outcome
            if outcome is None or not outcome.verdict.is_forfeit:
                continue
            stderr = game.result.capsule["stderr"] if game.result.capsule else ""
            place, exception = blamed(stderr) if outcome.verdict in _LEFT_WORDS else ("", "")
            place = clipped(place, _LONGEST)
            message = clipped(exception or _MOVE.sub("", outcome.reason), _LONGEST)
            # Numbers differ from game to game; the cause is the same.
            key = outcome.verdict, place, _DIGITS.sub("#", message)
            groups.setdefault(key, []).append((grade, game))
            messages.setdefault(key, message)
    found = [
        Cause(key[0], key[1] or (places or {}).get(games[0][1].number, ""), messages[key], tuple(games))
        for key, games in groups.items()
    ]
    return sorted(found, key=lambda cause: -len(cause.games))


def blamed(stderr: str) -> tuple[str, str]:
    """The agent's own file and line in the last traceback on standard error, and the exception; empty if unknown."""
    if frames := list(_PYTHON_FRAME.finditer(stderr)):
        own = [frame for frame in frames if not _ELSEWHERE.search(frame[1])] or frames
        # The exception is the first line after the traceback that is not indented.
        after = stderr[frames[-1].end() :].splitlines()[1:]
        message = next((line for line in after if line and not line[0].isspace()), "")
        return f"{PurePath(own[-1][1]).name}, line {own[-1][2]}", message.strip()
    if frame := _JAVA_FRAME.search(stderr):
        error = _JAVA_ERROR.search(stderr)
        return f"{frame[1]}, line {frame[2]}", error[1] if error else ""
    lines = stderr.strip().splitlines()
    return "", lines[-1].strip() if lines else ""


def first_fix(report: GradeReport) -> str:
    """What to fix first, in a sentence or two; empty if nothing was forfeited."""
    found = causes(report)
    if not found:
        return ""
    played = sum(grade.tally.games for grade in report.grades)
    cost = f"That cost {len(found[0].games)} of {played} games; see {found[0].example}."
    if module := _missing(found[0], report):
        return f"Fix this first: {what_helps(module)}. {cost}"
    return f"Fix this first: {found[0].sentence}. {cost}"


def _missing(cause: Cause, report: GradeReport) -> str:
    """The module that was missing in forfeited games. An agent can print any message: what it imports decides."""
    module = missing_module(cause.message)
    return module if module in report.lacking else ""


CAUSE_COLUMNS = ("forfeited because", "games", "for instance", "to see it again")


def cause_rows(report: GradeReport, *, here: bool) -> list[tuple[str, str, str, str]]:
    """`here`: for whoever has the directory of the games; others get the capsule, a file, from its owner."""
    return [
        (cause.sentence, str(len(cause.games)), cause.example, replay_command(report, cause.number, here=here))
        for cause in causes(report)
    ]


def replay_command(report: GradeReport, number: int, *, here: bool) -> str:
    """The command that reproduces the forfeit of a game."""
    capsule = capsule_path(Path(report.directory), number)
    return f"littlego replay {shlex.quote(str(capsule))}" if here else f"littlego replay {capsule.name} --agent DIR"


def causes_to_list(report: GradeReport) -> list[dict[str, Any]]:
    """As JSON values, the costliest first."""
    return [
        {
            "verdict": cause.verdict.value,
            "place": cause.place,
            "message": cause.message,
            "games": [game.number for _, game in cause.games],
        }
        for cause in causes(report)
    ]
