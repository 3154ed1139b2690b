"""`littlego grade-class`: a row for every submission of a class."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from littlego.apps.cli import options, output
from littlego.apps.cli.course.grade import Repeats, Seed, Stage
from littlego.core.errors import UsageError
from littlego.formats.text import listed, plural

if TYPE_CHECKING:
    from littlego.arena.pool import Executor
    from littlego.course.grading.cohort.report import ClassReport
    from littlego.course.grading.cohort.roster import HandedIn, Papers
    from littlego.course.grading.cohort.rows import Row
    from littlego.course.grading.cohort.run import ClassTerms, SubmissionProgress, Trial
    from littlego.course.grading.cohort.similarity import Shingles
    from littlego.course.grading.cohort.submissions import Submission

_SHOWN = 5
_PROBLEM_SHOWN = 200
"""Characters of a problem shown during grading; the files have all of it."""
_WRITE_EVERY = 2.0
"""Seconds between updates of the class's files; each submission's own report is written at once."""


def command(
    source: Annotated[
        Path,
        typer.Argument(metavar="DIR", help="The submissions: a folder, or the .zip that the course system hands out."),
    ],
    *,
    roster: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Students as Canvas, Moodle or Gradescope exports them.")
    ] = None,
    column: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The roster's column for the points. Default: its only empty assignment."),
    ] = None,
    late: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Days late, as lines of student,days; or Gradescope's scores.")
    ] = None,
    due: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="Count late days from then, such as '2025-11-01 23:59', by Gradescope's times."
        ),
    ] = None,
    adjust: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Points by hand, as lines of student,points,note.")
    ] = None,
    known: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Earlier work: submissions that resemble it are named.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Grade this student alone. May be repeated.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Who will not build or run, and why. Plays no games.")
    ] = False,
    edition: options.Edition = options.EDITION,
    stage: Stage = None,
    repeats: Repeats = None,
    seed: Seed = 1,
    jobs: options.Jobs = 1,
    cluster: options.ClusterAddress = None,
    python: options.Python = None,
    strict: options.Strict = False,
    level: options.LevelOption = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Directory for reports. Default: a new one in littlego-grades/.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Grade a class: every submission in a folder, with a table, a page for each student, and the list to import.

    The same command continues a grading that was stopped, and grades what is new or has changed. Exits with 1 if a
    submission could not be graded because of an error on our side.

      littlego grade-class submissions --dry-run
      littlego grade-class submissions.zip --roster roster.csv --stage all --jobs 8
      littlego grade-class submissions --out grades --only "Day, Dan"
    """
    from littlego.course.grading.cohort.roster import Papers
    from littlego.course.grading.cohort.run import ClassTerms

    found = options.edition_of(edition)
    stage, limits = stage or found.scheme.batches[0].key, options.limits_of(found, strict=strict)
    terms = ClassTerms(found, stage, repeats, seed, options.level_of(level), limits, python=python)
    papers = Papers(roster, late, due, adjust, column)
    if dry_run:
        try_class(source, terms, papers, jobs=jobs, only=only or [], json=json)
        return
    with options.executor(jobs, cluster) as executor:
        grade_class(source, terms, executor, papers, out=out, known=known, only=only or [], json=json)


def try_class(
    source: Path, terms: ClassTerms, papers: Papers, *, jobs: int, only: Sequence[str] = (), json: bool = False
) -> None:
    """Print who will not build or run, and why. Exits with 1 if there is anybody."""
    from dataclasses import asdict

    from littlego.course.grading.cohort.roster import read_class
    from littlego.course.grading.cohort.run import try_submissions
    from littlego.storage.scratch import temporary_directory

    with temporary_directory("littlego-class-") as place:
        handed_in = read_class(source, place, papers)
        terms = handed_in.terms(terms)
        _note_remarks(handed_in, terms)
        chosen = handed_in.asked(only)
        trials: list[Trial] = []
        with output.stages(transient=True) as update:

            def count(trial: Trial) -> None:
                trials.append(trial)
                update("trying", len(trials), len(chosen), remark=trial.student)

            found = try_submissions(chosen, terms, jobs=jobs, on_trial=count)
    broken = [trial for trial in found if not trial.runs]
    if json:
        output.print_json([asdict(trial) for trial in found])
    else:
        _show_trials(handed_in.title, found)
        how_many = f"{len(broken)} of {plural(len(found), 'submission')}"
        print(f"{how_many} do not run as they are." if broken else "All of them run.")
    for line in handed_in.both_sides():
        output.note(output.printable(line))
    if broken:
        raise typer.Exit(1)


def _show_trials(title: str, trials: Sequence[Trial]) -> None:
    from littlego.course.grading.cohort.report import essence

    output.print_table(
        ["student", "", "why"],
        [
            (trial.student, "runs" if trial.runs else "DOES NOT RUN", essence(trial.problem, _PROBLEM_SHOWN))
            for trial in trials
        ],
        title=f"{title}: {plural(len(trials), 'submission')}",
    )
    runtimes: dict[str, list[Trial]] = {}
    for trial in trials:
        runtimes.setdefault(trial.runtime, []).append(trial)
    for runtime, those in sorted(runtimes.items()):
        if runtime:
            print(output.printable(f"  {len(those)} with {runtime}."))


def grade_class(
    source: Path,
    terms: ClassTerms,
    executor: Executor,
    papers: Papers | None = None,
    *,
    out: Path | None = None,
    known: Path | None = None,
    only: Sequence[str] = (),
    json: bool = False,
) -> None:
    """Grade the submissions, or `only` some of them, write the class's files, and print its table.

    Exits with 1 if a submission could not be graded because of an error on our side, with 130 if stopped.
    """
    from littlego.arena.building import GRADES
    from littlego.course.grading.cohort.report import FILES, known_work
    from littlego.course.grading.cohort.roster import Papers, read_class
    from littlego.course.grading.cohort.rows import tidy_students
    from littlego.course.grading.cohort.run import grade_submissions

    papers = papers or Papers()
    terms.check()
    out = out or Path(GRADES) / f"class-{source.absolute().stem}-{terms.edition.name}"
    if out.absolute().is_relative_to(source.absolute()) and GRADES not in out.parts:
        raise UsageError(f"{out}: is inside the folder of submissions, and would count as one: choose another --out")
    handed_in = read_class(source, out / "handed-in", papers)
    terms = handed_in.terms(terms)
    terms.check()
    shapes = known_work(known, terms.edition)
    _note_remarks(handed_in, terms)
    asked = handed_in.asked(only)
    gone = tidy_students(out, handed_in.counted.without_roster)
    if gone:
        output.note(output.printable(f"Reports of submissions that are gone, in {out / 'students'}: {listed(gone)}."))
    watch = _Watch(handed_in, terms, out, {submission.slug for submission in asked})
    stopped = False
    with output.live(watch.line) as step:
        watch.step = step
        try:
            handed_in.share_pseudonyms(out)
            grade_submissions(asked, out, terms, executor, on_progress=watch, on_stop=_tell_stop)
        except KeyboardInterrupt:
            stopped = True
    report = watch.write(shapes)
    if json:
        output.print_json(report.to_dict())
    else:
        _show(report)
    output.note(f"\nWritten to {out}: {', '.join(FILES)}, and students/NAME/report.html for each.")
    _fill(handed_in, report, out)
    for line in report.attention():
        output.note(output.printable(line))
    if stopped:
        output.stop(f"Stopped with {len(watch.rows)} of {len(asked)} graded.")
    if any(row.slug in watch.asked and not row.status.is_final for row in report.rows):
        output.note("Some could not be graded because of an error on our side. When that is fixed, to try again:")
        output.note(f"  {output.same_command()}")
        raise typer.Exit(1)


def _note_remarks(handed_in: HandedIn, terms: ClassTerms) -> None:
    if handed_in.ignored:
        output.note(output.printable(f"Not submissions, left out: {listed(handed_in.ignored, most=_SHOWN)}."))
    for line in handed_in.remarks(terms):
        output.note(output.printable(line))


def _fill(handed_in: HandedIn, report: ClassReport, out: Path) -> None:
    """Write the list of students with their points, for its system to import."""
    from littlego.course.grading.cohort.report import BYTE_ORDER_MARK
    from littlego.storage.files import write_whole

    done = handed_in.filled(report.rows, f"Little-Go {report.terms.edition.name} stage {report.terms.stage}")
    if done is None:
        return
    with output.writing(out / done.file):
        write_whole(out / done.file, BYTE_ORDER_MARK + done.text)
    output.note(f"To import: {out / done.file}")
    if waiting := sum(not row.status.is_final for row in report.rows):
        output.note(f"Before you import it: {plural(waiting, 'submission')} without points yet.")
    if done.remark:
        output.note(output.printable(f"Before you import it: {done.remark}."))


def _tell_stop() -> None:
    output.note("Stopping after the games under way; Ctrl-C again stops at once.")


class _Watch:
    """Follows a run: shows progress, and keeps the class's files up to date."""

    def __init__(self, handed_in: HandedIn, terms: ClassTerms, out: Path, asked: set[str]) -> None:
        from littlego.course.grading.pace import Pace

        self._handed_in, self._terms, self._out = handed_in, terms, out
        self.asked = asked
        self._likely_done = {
            each.slug for each in handed_in.submissions if self._so_far(each, asked=False).status.is_final
        }
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

    def write(self, known: Mapping[str, Shingles] | None = None) -> ClassReport:
        """The class's files as they are now; with `known` work, at the end, with similarities, which take a while."""
        from littlego.course.grading.cohort.report import ClassReport, with_similar, write_class_report

        rows = [
            self.rows.get(submission.slug) or self._so_far(submission, asked=submission.slug in self.asked)
            for submission in self._handed_in.submissions
        ]
        counted = self._handed_in.counted
        report = ClassReport(
            self._handed_in.title, self._terms, tuple(rows), missing=counted.missing, unknown=counted.unknown
        )
        with output.writing(self._out):
            if known is not None:
                report = with_similar(report, self._out, known)
            write_class_report(report, self._out)
        self._written = time.monotonic()
        return report

    def _so_far(self, submission: Submission, *, asked: bool) -> Row:
        from littlego.course.grading.cohort.rows import row_so_far

        place = self._out / "students" / submission.slug
        row = row_so_far(place, self._terms.identity(submission.student), student=submission.student, asked=asked)
        return replace(row, student=submission.student, slug=submission.slug)


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
        if row.note:
            print(output.printable(f"  {row.student}: {row.by_hand:+g} points by hand: {row.note}"))
