"""`littlego grade --class`: a row for every submission in a folder."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from littlego.apps.cli import output
from littlego.core.errors import UsageError
from littlego.formats.text import listed, plural

if TYPE_CHECKING:
    from littlego.arena.pool import Executor
    from littlego.course.grading.cohort.report import ClassReport
    from littlego.course.grading.cohort.rows import Row, Stored
    from littlego.course.grading.cohort.run import ClassTerms, SubmissionProgress
    from littlego.course.grading.cohort.submissions import Submission
    from littlego.course.grading.elsewhere.roster import Roster

_SHOWN_IGNORED = 5
_SHOWN_ALIKE = 5
_PROBLEM_SHOWN = 200
"""Characters of a problem shown during grading; the files have all of it."""
_WRITE_EVERY = 2.0
"""Seconds between updates of the class's files; each submission's own report is written at once."""


def try_class(folder: Path, terms: ClassTerms, *, jobs: int, roster: Path | None, only: list[str], json: bool) -> None:
    """Print who will not build or run, and why. Exits with 1 if there is anybody."""
    from dataclasses import asdict

    from littlego.course.grading.cohort.dry_run import try_submissions
    from littlego.course.grading.cohort.report import essence
    from littlego.course.grading.cohort.submissions import find_submissions
    from littlego.course.grading.elsewhere.roster import both_sides, read_roster

    students_of = read_roster(roster) if roster else None
    submissions, ignored = find_submissions(folder)
    _note_ignored(ignored)
    counting = _newest(submissions, students_of)
    chosen = _named(only, submissions, counting, students_of)
    with output.progress("trying", len(chosen)) as step:
        trials = try_submissions(chosen, terms, jobs=jobs, on_trial=lambda _trial: step())
    broken = [trial for trial in trials if not trial.runs]
    if json:
        output.print_json([asdict(trial) for trial in trials])
    else:
        output.print_table(
            ["student", "", "why"],
            [
                (trial.student, "runs" if trial.runs else "DOES NOT RUN", essence(trial.problem, _PROBLEM_SHOWN))
                for trial in trials
            ],
            title=f"{folder.absolute().name}: {plural(len(trials), 'submission')}",
        )
        runtimes = sorted({trial.runtime for trial in trials if trial.runtime})
        for runtime in runtimes:
            print(output.printable(f"  They run with {runtime}."))
        how_many = f"{len(broken)} of {plural(len(trials), 'submission')}"
        print(f"{how_many} do not run as they are." if broken else "All of them run.")
    if students_of is not None:
        _note_both_sides(*both_sides(students_of, [each.student for each in submissions]))
    if broken:
        raise typer.Exit(1)


def grade_class(
    folder: Path,
    terms: ClassTerms,
    executor: Executor,
    *,
    out: Path | None,
    roster: Path | None = None,
    only: Sequence[str] = (),
    json: bool,
) -> None:
    """Grade the submissions in `folder`, or `only` some of them, write the class's files, and print its table.

    Exits with 1 if a submission could not be graded because of an error on our side, with 130 if stopped.
    """
    from littlego.arena.building import GRADES
    from littlego.course.grading.cohort.report import FILES
    from littlego.course.grading.cohort.run import grade_submissions
    from littlego.course.grading.cohort.submissions import find_submissions
    from littlego.course.grading.elsewhere.roster import late_days, read_roster

    students_of = read_roster(roster) if roster else None
    terms.check()
    submissions, ignored = find_submissions(folder)
    title = folder.absolute().name
    out = out or Path(GRADES) / f"class-{title}-{terms.edition.name}"
    if out.absolute().is_relative_to(folder.absolute()) and GRADES not in out.parts:
        raise UsageError(f"{out}: is inside the folder of submissions, and would count as one: choose another --out")
    _note_ignored(ignored)
    everything = submissions
    submissions = _newest(everything, students_of)
    terms = replace(terms, late=late_days(terms.late, everything, submissions, students_of))
    _note_marked_late(submissions, terms)
    asked = _named(only, everything, submissions, students_of)
    _note_left_over(submissions, out)
    watch = _Watch(title, terms, submissions, out, {submission.slug for submission in asked})
    stopped = False
    with output.live(watch.line) as step:
        watch.step = step
        try:
            grade_submissions(asked, out, terms, executor, on_progress=watch, on_stop=_tell_stop)
        except KeyboardInterrupt:
            stopped = True
    report = watch.write(last=True)
    if students_of is not None:
        _fill(students_of, report, out)
    if json:
        output.print_json(report.to_dict())
    else:
        _show(report)
    if report.similar:
        alike = [f"{pair.first} and {pair.second} ({100 * pair.programs:.0f}%)" for pair in report.similar]
        output.note(output.printable(f"Near-identical: {listed(alike, most=_SHOWN_ALIKE)}; see class.html."))
    output.note(f"\nWritten to {out}: {', '.join(FILES)}, and students/NAME/report.html for each.")
    if stopped:
        output.stop(f"Stopped with {len(watch.rows)} of {len(asked)} graded.")
    if any(row.slug in watch.asked and not row.status.is_final for row in report.rows):
        output.note("Some could not be graded because of an error on our side. When that is fixed, to try again:")
        output.note(f"  {output.same_command()}")
        raise typer.Exit(1)


def _note_ignored(ignored: list[str]) -> None:
    if ignored:
        output.note(output.printable(f"Not submissions, left out: {listed(ignored, most=_SHOWN_IGNORED)}."))


def _newest(submissions: list[Submission], roster: Roster | None) -> list[Submission]:
    """The newest of each student on the list, and all of the others."""
    from littlego.course.grading.elsewhere.roster import newest_of_each

    if roster is None:
        return submissions
    newest, older = newest_of_each(submissions, roster)
    for line in older:
        output.note(output.printable(f"Resubmitted: {line}."))
    return newest


def _named(
    only: Sequence[str], submissions: list[Submission], counting: list[Submission], roster: Roster | None
) -> list[Submission]:
    """Those of `counting` that are named, by submission or by student; all of them without names. Raises UsageError."""
    from littlego.course.grading.elsewhere.roster import named_submission

    if not only:
        return counting
    names = {named_submission(name, submissions, counting, roster, "--only") for name in only}
    if older := sorted(names - {submission.student for submission in counting}):
        raise UsageError(f"--only: {older[0]!r} was handed in again: the newest counts")
    return [submission for submission in counting if submission.student in names]


def _note_marked_late(submissions: list[Submission], terms: ClassTerms) -> None:
    """Canvas marks late submissions in their names, but not by how many days."""
    marked = [each.student for each in submissions if "LATE" in re.split(r"[_.]", each.student)]
    if (forgotten := [student for student in marked if student not in terms.late]) and terms.edition.late.days:
        output.note(output.printable(f"Marked late, and without days in --late FILE: {listed(forgotten)}."))


def _note_left_over(submissions: list[Submission], out: Path) -> None:
    """Reports of submissions that are no longer there might be handed out by mistake."""
    slugs = {submission.slug for submission in submissions}
    if gone := sorted(path.name for path in (out / "students").glob("*") if path.is_dir() and path.name not in slugs):
        output.note(
            output.printable(f"Reports of submissions that are gone, in {out / 'students'}: {', '.join(gone)}.")
        )


def _fill(roster: Roster, report: ClassReport, out: Path) -> None:
    """Write the list of students with their points, and note who is missing on either side."""
    from littlego.course.grading.cohort.report import BYTE_ORDER_MARK
    from littlego.course.grading.elsewhere.roster import filled
    from littlego.storage.files import write_whole

    done = filled(roster, report.rows, f"Little-Go {report.terms.edition.name} stage {report.terms.stage}")
    with output.writing(out / done.file):
        write_whole(out / done.file, BYTE_ORDER_MARK + done.text)
    output.note(f"To import: {out / done.file}")
    if waiting := sum(not row.status.is_final for row in report.rows):
        output.note(f"Before you import it: {plural(waiting, 'submission')} without points yet.")
    if done.remark:
        output.note(output.printable(f"Before you import it: {done.remark}."))
    _note_both_sides(done.missing, done.unknown)


def _note_both_sides(missing: Sequence[str], unknown: Sequence[str]) -> None:
    if missing:
        output.note(output.printable(f"On the roster without a submission: {'; '.join(missing)}."))
    if unknown:
        output.note(output.printable(f"Submissions that match nobody on the roster: {'; '.join(unknown)}."))


def _tell_stop() -> None:
    output.note("Stopping after the games under way; press Ctrl-C again to stop at once.")


class _Watch:
    """Follows a run: shows progress, and keeps the class's files up to date."""

    def __init__(
        self, title: str, terms: ClassTerms, submissions: list[Submission], out: Path, asked: set[str]
    ) -> None:
        from littlego.course.grading.pace import Pace

        self._title, self._terms, self._submissions, self._out = title, terms, submissions, out
        self.asked = asked
        self._likely_done = {each.slug for each in submissions if self._counts(self._stored(each), each)}
        """Graded by an earlier run, unless their files have changed: no games are expected of them."""
        self._pace = Pace()
        self._under_way: dict[str, SubmissionProgress] = {}
        self._written = 0.0
        self.rows: dict[str, Row] = {}
        self.step: Callable[[], None] = lambda: None

    def __call__(self, progress: SubmissionProgress) -> None:
        slug = progress.submission.slug
        if progress.remark:
            output.note(output.printable(progress.remark))
        if progress.row is not None:
            self._under_way.pop(slug, None)
            self._pace.done(slug)
            self.rows[slug] = progress.row
            output.note(_row_line(progress.row, len(self.rows), len(self.asked)))
            if time.monotonic() - self._written > _WRITE_EVERY:
                self.write()
        else:
            self._pace.note(slug, progress.against)
            self._under_way[slug] = progress
        self.step()

    def line(self) -> str:
        total = len(self.asked)
        lines = [
            f"{len(self.rows)} of {total} submissions, {self._time_left()}; Ctrl-C stops, the same command continues"
        ]
        for progress in self._under_way.values():
            bar = "#" * (20 * progress.played // max(1, progress.planned))
            name = output.printable(progress.submission.student)[:30]
            lines.append(f"  {name:<30} {bar:<20} {progress.played}/{progress.planned}")
        return "\n".join(lines)

    def _time_left(self) -> str:
        waiting = self.asked - self._likely_done - self.rows.keys() - self._under_way.keys()
        return output.time_left(self._pace.seconds_left(len(waiting)))

    def write(self, *, last: bool = False) -> ClassReport:
        """Similarities take a while, and are left to the last time."""
        from littlego.course.grading.cohort.report import ClassReport, with_similar, write_class_report

        rows = [self.rows.get(submission.slug) or self._earlier_row(submission) for submission in self._submissions]
        report = ClassReport(self._title, self._terms, tuple(rows))
        with output.writing(self._out):
            report = with_similar(report, self._out) if last else report
            write_class_report(report, self._out)
        self._written = time.monotonic()
        return report

    def _stored(self, submission: Submission) -> Stored | None:
        from littlego.course.grading.cohort.rows import stored_report

        return stored_report(self._out / "students" / submission.slug)

    def _counts(self, stored: Stored | None, submission: Submission) -> bool:
        """Whether an earlier report was made by the same terms."""
        return stored is not None and stored.terms == self._terms.identity(submission.student)

    def _earlier_row(self, submission: Submission) -> Row:
        """Of a submission that this run has not come to: as it was, or with what it got before."""
        from littlego.course.grading.cohort.rows import Row, SubmissionStatus, as_earlier, earlier_reports, ungraded_row

        place = self._out / "students" / submission.slug
        ungraded = ungraded_row(place, self._terms.identity(submission.student))
        if ungraded is not None and submission.slug not in self.asked:
            return replace(ungraded, student=submission.student)
        stored = self._stored(submission)
        if stored is not None and self._counts(stored, submission) and submission.slug not in self.asked:
            return replace(stored.row, student=submission.student)
        earlier = earlier_reports(place)
        earlier = (*earlier, *([as_earlier(stored)] if stored else []))
        return Row(submission.student, submission.slug, SubmissionStatus.UNFINISHED, earlier=earlier)


def _row_line(row: Row, number: int, total: int) -> str:
    from littlego.course.grading.cohort.report import essence
    from littlego.course.grading.words import points

    shown = "" if row.points is None else f"{points(row.points)} of {points(row.max_points)}, "
    problem = essence(row.problem, _PROBLEM_SHOWN)
    line = f"{number}/{total}  {row.student}: {shown}{row.status.value}"
    return output.printable(f"{line}: {problem}" if problem else line)


def _show(report: ClassReport) -> None:
    from littlego.course.grading.words import points

    late = any(row.late_days for row in report.rows)
    output.print_table(
        ["student", "points", *(["days late"] if late else []), "won", "forfeits", "status"],
        [
            (
                row.student,
                "-" if row.points is None else points(row.points),
                *([str(row.late_days or "-")] if late else []),
                f"{row.wins}/{row.games}" if row.games else "-",
                str(row.forfeits) if row.games else "-",
                "too slow" if row.overrun else row.status.value,
            )
            for row in report.rows
        ],
        title=f"{report.title}: {plural(len(report.rows), 'submission')}, edition {report.terms.edition.name}",
    )
    for row in report.rows:
        for earlier in row.earlier[-1:]:
            print(output.printable(f"  {row.student} had {points(earlier.points)} points on {earlier.date}."))
