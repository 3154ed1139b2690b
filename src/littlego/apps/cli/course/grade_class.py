"""`littlego grade --class`: a row for every submission in a folder."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from littlego.apps.cli import output
from littlego.core.errors import UsageError

if TYPE_CHECKING:
    from littlego.arena.pool.tasks import Executor
    from littlego.course.grading.cohort.report import ClassReport
    from littlego.course.grading.cohort.run import ClassTerms, Progress, Row
    from littlego.course.grading.cohort.submissions import Submission
    from littlego.course.grading.elsewhere.roster import Roster

_SHOWN_IGNORED = 5
_PROBLEM_SHOWN = 160
"""Characters of a problem shown during grading; the files have all of it."""
_WRITE_EVERY = 2.0
"""Seconds between updates of the class's files; each submission's own report is written at once."""


def grade_class(
    folder: Path, terms: ClassTerms, executor: Executor, *, out: Path | None, roster: Path | None = None, json: bool
) -> None:
    """Grade the submissions in `folder`, write the class's files, and print its table.

    Exits with 1 if a submission could not be graded through our own fault, with 130 if stopped.
    """
    from littlego.arena.entrants.programs import GRADES
    from littlego.course.grading.cohort.report import FILES
    from littlego.course.grading.cohort.run import grade_submissions
    from littlego.course.grading.cohort.submissions import find_submissions
    from littlego.course.grading.elsewhere.roster import read_roster

    students_of = read_roster(roster) if roster else None
    terms.edition.scheme.selected(terms.stage)
    submissions, ignored = find_submissions(folder)
    students = {submission.student for submission in submissions}
    if strangers := sorted(terms.late.keys() - students):
        raise UsageError(f"--late: no submission is called {strangers[0]!r}: there are {', '.join(sorted(students))}")
    title = folder.absolute().name
    out = out or Path(GRADES) / f"class-{title}-{terms.edition.name}"
    if out.absolute().is_relative_to(folder.absolute()) and GRADES not in out.parts:
        raise UsageError(f"{out}: is inside the folder of submissions, and would count as one: choose another --out")
    if ignored:
        more = f" and {len(ignored) - _SHOWN_IGNORED} more" if len(ignored) > _SHOWN_IGNORED else ""
        output.note(output.printable(f"Not submissions, left out: {', '.join(ignored[:_SHOWN_IGNORED])}{more}."))
    watch = _Watch(title, terms, submissions, out)
    stopped = False
    with output.live(watch.line) as step:
        watch.step = step
        try:
            grade_submissions(submissions, out, terms, executor, on_progress=watch, on_stop=_tell_stop)
        except KeyboardInterrupt:
            stopped = True
    report = watch.write(last=True)
    if students_of is not None:
        _fill(students_of, report, out)
    if json:
        output.print_json(report.to_dict())
    else:
        _show(report)
    output.note(f"\nWritten to {out}: {', '.join(FILES)}, and students/NAME/report.html for each.")
    if stopped:
        output.stop(f"Stopped with {len(watch.rows)} of {len(submissions)} graded.")
    if not report.complete:
        output.note(f"Some could not be graded, through our own fault. To try again:\n  {output.same_command()}")
        raise typer.Exit(1)


def _fill(roster: Roster, report: ClassReport, out: Path) -> None:
    """Write the list of students with their points, and note who is missing on either side."""
    from littlego.course.grading.elsewhere.roster import filled
    from littlego.storage.whole_files import write_whole

    done = filled(roster, report.rows, f"Little-Go {report.terms.edition.name} stage {report.terms.stage}")
    with output.writing(out / done.file):
        write_whole(out / done.file, done.text)
    output.note(f"To import: {out / done.file}")
    if done.missing:
        output.note(output.printable(f"On the list without a submission: {'; '.join(done.missing)}."))
    if done.unknown:
        output.note(output.printable(f"Submissions of nobody on the list: {'; '.join(done.unknown)}."))


def _tell_stop() -> None:
    output.note("Stopping after the games under way; press Ctrl-C again to stop at once.")


class _Watch:
    """Follows a run: shows progress, and keeps the class's files up to date."""

    def __init__(self, title: str, terms: ClassTerms, submissions: list[Submission], out: Path) -> None:
        self._title, self._terms, self._submissions, self._out = title, terms, submissions, out
        self._began = time.monotonic()
        self._under_way: dict[str, Progress] = {}
        self._written = 0.0
        self._played = 0
        self._planned = 0
        self.rows: dict[str, Row] = {}
        self.step: Callable[[], None] = lambda: None

    def __call__(self, progress: Progress) -> None:
        slug = progress.submission.slug
        if progress.row is not None:
            self._under_way.pop(slug, None)
            self.rows[slug] = progress.row
            output.note(_row_line(progress.row, len(self.rows), len(self._submissions)))
            if time.monotonic() - self._written > _WRITE_EVERY:
                self.write()
        else:
            before = self._under_way.get(slug)
            self._played += before is not None
            self._planned = progress.planned
            self._under_way[slug] = progress
        self.step()

    def line(self) -> str:
        total = len(self._submissions)
        lines = [
            f"{len(self.rows)} of {total} submissions, {self._time_left()}; Ctrl-C stops, the same command continues"
        ]
        for progress in self._under_way.values():
            bar = "#" * (20 * progress.played // max(1, progress.planned))
            name = output.printable(progress.submission.student)[:30]
            lines.append(f"  {name:<30} {bar:<20} {progress.played}/{progress.planned}")
        return "\n".join(lines)

    def _time_left(self) -> str:
        left = sum(progress.planned - progress.played for progress in self._under_way.values())
        left += self._planned * (len(self._submissions) - len(self.rows) - len(self._under_way))
        return output.time_left(self._played, left, time.monotonic() - self._began)

    def write(self, *, last: bool = False) -> ClassReport:
        """Similarities and the page of games take a while, and are left to the last time."""
        from littlego.course.grading.cohort.report import ClassReport, with_similar, write_class_report
        from littlego.course.grading.cohort.run import Row, Status

        rows = [
            self.rows.get(submission.slug) or Row(submission.student, submission.slug, Status.UNFINISHED)
            for submission in self._submissions
        ]
        report = ClassReport(self._title, self._terms, tuple(rows))
        with output.writing(self._out):
            report = with_similar(report, self._out) if last else report
            write_class_report(report, self._out)
        self._written = time.monotonic()
        return report


def _row_line(row: Row, number: int, total: int) -> str:
    from littlego.course.grading.words import points

    shown = "" if row.points is None else f"{points(row.points)} of {points(row.max_points)}, "
    problem = textwrap.shorten(row.problem, _PROBLEM_SHOWN, placeholder=" ...")
    line = f"{number}/{total}  {row.student}: {shown}{row.status.value}"
    return output.printable(f"{line}: {problem}" if problem else line)


def _show(report: ClassReport) -> None:
    from littlego.course.grading.words import points

    output.print_table(
        ["student", "points", "won", "forfeits", "status"],
        [
            (
                row.student,
                "-" if row.points is None else points(row.points),
                f"{row.wins}/{row.games}" if row.games else "-",
                str(row.forfeits) if row.games else "-",
                "too slow" if row.overrun else row.status.value,
            )
            for row in report.rows
        ],
        title=f"{report.title}: {_submissions(len(report.rows))}, edition {report.terms.edition.name}",
    )


def _submissions(count: int) -> str:
    return "1 submission" if count == 1 else f"{count} submissions"
