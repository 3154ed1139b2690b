"""Why games were forfeited: grouped by cause, with the agent's own file and line, the costliest first."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Final

from littlego.core.verdict import Verdict
from littlego.course.grading.report import GradedGame, GradeReport, OpponentGrade
from littlego.course.missing_module import is_our_fault, missing_module, what_helps
from littlego.formats.printable import clipped

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
    def example(self) -> str:
        """Where to look: the first of its games."""
        grade, game = self.games[0]
        number = grade.number_of(game)
        return f"game {number} against {grade.opponent}, move {len(game.result.record.moves) + 1}"


def causes(report: GradeReport) -> list[Cause]:
    """Of the forfeits in the repeat that counts; the most frequent first."""
    return causes_of(report.grades)


def causes_of(grades: Iterable[OpponentGrade]) -> list[Cause]:
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
    found = [Cause(key[0], key[1], messages[key], tuple(games)) for key, games in groups.items()]
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
        return f"{'This is no grade yet' if is_our_fault(module) else 'Fix this first'}: {what_helps(module)}. {cost}"
    return f"Fix this first: {found[0].sentence}. {cost}"


def lacked_here(report: GradeReport) -> str:
    """The package that only this machine lacks, if it is the costliest cause, so that this is no grade; else empty."""
    found = causes(report)
    module = _missing(found[0], report) if found else ""
    return module if is_our_fault(module) else ""


def _missing(cause: Cause, report: GradeReport) -> str:
    """The module that was missing in forfeited games. An agent can print any message: what it imports decides."""
    module = missing_module(cause.message)
    return module if module in report.lacking else ""


CAUSE_COLUMNS = ("forfeited because", "games", "for instance")


def cause_rows(report: GradeReport) -> list[tuple[str, str, str]]:
    return [(cause.sentence, str(len(cause.games)), cause.example) for cause in causes(report)]


def causes_to_list(report: GradeReport) -> list[dict[str, Any]]:
    """As JSON values, the costliest first."""
    return [
        {
            "verdict": cause.verdict.value,
            "place": cause.place,
            "message": cause.message,
            "games": [grade.number_of(game) for grade, game in cause.games],
        }
        for cause in causes(report)
    ]
