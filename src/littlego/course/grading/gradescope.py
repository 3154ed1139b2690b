"""Gradescope: a grading as its `results.json`, and the `.zip` that it takes as an autograder.

setup.sh, run_autograder     what Gradescope runs, once and for every submission
requirements.txt             every package that grading needs, in the version it has here
littlego/                    this package
edition.toml, opponents/     the edition, if it is a file, and the agents that play in it
"""

from __future__ import annotations

import re
import shlex
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, Final

import littlego
from littlego.arena.building import GIVEN, main_file, without_path
from littlego.arena.untrusted import plain_files
from littlego.core.board import Colour
from littlego.core.errors import UsageError
from littlego.core.rules import EDITIONS
from littlego.course.edition import EDITION_FILE, Edition, Rubric, format_edition
from littlego.course.grading.report import BatchGrade, GradeReport, OpponentGrade
from littlego.course.grading.run import GradingTerms
from littlego.course.grading.words import causes_of, first_fix, heading, losses, points, time_line
from littlego.formats.text import plural
from littlego.players.catalogue import PLAYERS
from littlego.sandbox.limits import Level, probe

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
    lines += [f"{batch.batch.title}: {time_line(batch)}" for batch in report.counted if not report.problem]
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


def check_confinement(level: Level | None) -> None:
    """Raises UsageError if an agent could write its own results here. `level` None is the best of this machine."""
    if (probe().default if level is None else level) < Level.LINUX:
        raise UsageError(
            f"Gradescope's file is written at the level {Level.LINUX} and above alone (see 'littlego sandbox'): at "
            f"{Level.PORTABLE} an agent could write it itself"
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
    lines += [f"{len(cause.games)} forfeited: {cause.sentence}" for cause in causes_of([grade], report.places)]
    lost = losses([grade])
    lines += [f"\n{loss.text()}" for loss in lost[:_SHOWN]]
    if len(lost) > _SHOWN:
        lines.append(f"\nand {plural(len(lost) - _SHOWN, 'more lost game')}.")
    return "\n".join(lines)


HERE: Final = Path(__file__).parent
_PACKAGE: Final = Path(littlego.__file__).parent
_DATE: Final = (2020, 1, 1, 0, 0, 0)
"""Of every file in the archive, so that the same input makes the same archive."""
_OPPONENTS: Final = "opponents"


def _options(terms: GradingTerms) -> list[str]:
    """For `littlego grade`, in the container."""
    is_shipped = terms.edition.name in EDITIONS
    words = ["--edition", terms.edition.name if is_shipped else f"$root/source/{EDITION_FILE}"]
    words += ["--stage", terms.stage, "--seed", str(terms.seed)]
    words += ["--strict"] if terms.limits and terms.limits.strict else []
    return words + ([] if terms.repeats is None else ["--repeats", str(terms.repeats)])


def write_autograder(path: Path, terms: GradingTerms) -> None:
    """Raises OSError, and UsageError for a stage that the edition does not have, or an opponent that has to stay."""
    for rubric in (rubric for batch in terms.edition.scheme.selected(terms.stage) for rubric in batch.rubrics):
        if not rubric.files and rubric.spelling not in PLAYERS:
            raise UsageError(
                f"{rubric.opponent} is {rubric.spelling}, which the archive cannot take along: only the players of "
                f"littlego and folders with agents can play elsewhere"
            )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        _add(archive, "setup.sh", (HERE / "setup.sh").read_bytes(), 0o755)
        run = (HERE / "run_autograder.sh").read_text(encoding="utf-8").replace("@OPTIONS@", _quoted(_options(terms)))
        _add(archive, "run_autograder", run.encode(), 0o755)
        _add(archive, "requirements.txt", "".join(f"{line}\n" for line in pinned()).encode())
        for file in sorted(_PACKAGE.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                _add(archive, f"littlego/{file.relative_to(_PACKAGE).as_posix()}", file.read_bytes())
        if terms.edition.name not in EDITIONS:
            for name, content in _edition_files(terms.edition):
                _add(archive, name, content)


def _quoted(words: Iterable[str]) -> str:
    """For the shell, in which only our own `$root` is a variable."""
    return " ".join(f'"{word}"' if word.startswith("$root/") else shlex.quote(word) for word in words)


def _edition_files(edition: Edition) -> Iterator[tuple[str, bytes]]:
    """The edition's file, and those of the agents that play in it."""

    def moved(rubric: Rubric) -> Rubric:
        return replace(rubric, player=f"{_OPPONENTS}/{rubric.opponent}") if rubric.files else rubric

    scheme = edition.scheme
    batches = tuple(replace(batch, rubrics=tuple(map(moved, batch.rubrics))) for batch in scheme.batches)
    yield EDITION_FILE, format_edition(replace(edition, scheme=replace(scheme, batches=batches))).encode()
    for rubric in scheme.rubrics().values():
        if rubric.files:
            for relative, descriptor in plain_files(main_file(Path(rubric.spelling)).parent, GIVEN):
                with open(descriptor, "rb", closefd=False) as stream:
                    yield f"{_OPPONENTS}/{rubric.opponent}/{relative.as_posix()}", stream.read()


def pinned() -> list[str]:
    """`name==version` for every package that grading needs, with those that they need."""
    found: dict[str, str] = {}
    waiting = _needed_by("littlego")
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in found:
            continue
        try:
            found[name] = distribution(name).version
        except PackageNotFoundError:  # for another system or Python only
            continue
        waiting += _needed_by(name)
    return [f"{name}=={found[name]}" for name in sorted(found)]


def _needed_by(name: str) -> list[str]:
    lines = (line for line in distribution(name).requires or [] if "extra ==" not in line)
    return [match[0] for line in lines if (match := re.match(r"[\w.-]+", line))]


def _add(archive: zipfile.ZipFile, name: str, content: bytes, mode: int = 0o644) -> None:
    entry = zipfile.ZipInfo(name, _DATE)
    entry.external_attr = (0o100000 | mode) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, content)
