"""The grade the course would give: `grade` an agent, `grade-class` a folder, `autograder` for Gradescope."""

from __future__ import annotations

import json as json_module
import shlex
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from littlego.apps.cli import options, output
from littlego.core.board import Colour
from littlego.core.errors import UsageError
from littlego.core.rules import DEFAULT_EDITION
from littlego.formats.text import listed, plural
from littlego.storage.files import write_text

if TYPE_CHECKING:
    from littlego.arena.games import Fixture
    from littlego.arena.pool import Executor, Failure
    from littlego.course.edition import Edition
    from littlego.course.grading.cohort.report import ClassFiles, ClassReport
    from littlego.course.grading.cohort.roster import HandedIn, Papers
    from littlego.course.grading.cohort.rows import Row
    from littlego.course.grading.cohort.run import ClassTerms, SubmissionProgress, Trial
    from littlego.course.grading.plan import Slot
    from littlego.course.grading.report import BatchGrade, GradeReport, OpponentGrade
    from littlego.course.grading.run import Grading, GradingTerms

_SHOWN = 5
"""Lost games shown in full."""


Stage = Annotated[
    str | None,
    typer.Option(
        metavar="STAGE",
        help="1, 2, all, submit (the games the course plays on submission), submit1, submit2. Default: 1.",
    ),
]
Repeats = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, max=9, help="How often to play it. Default: the edition's, 3 in 2025."),
]
Seed = Annotated[int, typer.Option(metavar="N", help="Seed of the opponents.")]


def grade(
    context: typer.Context,
    agent: Annotated[
        str,
        typer.Argument(
            metavar="AGENT",
            help="An agent's directory or .zip, a player, or cmd:'COMMAND'.",
            autocompletion=options.complete_players,
        ),
    ],
    *,
    edition: options.Edition,
    stage: Stage = None,
    late: Annotated[int, typer.Option(metavar="DAYS", min=0, help="Days after the deadline.")] = 0,
    repeats: Repeats = None,
    jobs: options.Jobs = 1,
    cluster: options.ClusterAddress = None,
    seed: Seed = 1,
    python: options.Python = None,
    strict: options.Strict = False,
    level: options.LevelOption = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Directory for games. Default: a new one in littlego-grades/.")
    ] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a page with replayable games.")] = None,
    gradescope: Annotated[Path | None, typer.Option(metavar="FILE", help="Write Gradescope's results.json.")] = None,
    json: options.Json = False,
) -> None:
    """Grade an agent as the course does: the same games, points and time budgets.

    The same command continues a grading that was stopped. Exits with 1 if the agent cannot be built,
    or not all games could be played. A whole class: littlego grade-class DIR.

      littlego grade my-agent
      littlego grade my-agent --edition 2024 --stage all --jobs 2 --html grade.html
      littlego grade class:my_player.py --edition 2019
      littlego grade my-agent --edition mycourse.toml --late 1
    """
    if gradescope is not None and not options.was_given("edition", context):
        edition = DEFAULT_EDITION  # the files of the kit that we are in are those of whom we grade
    if agent.startswith("class:") and edition == DEFAULT_EDITION:
        raise UsageError(f"{agent}: classes are graded as in 2019: add --edition 2019, or an edition of your own")
    from littlego.arena.building import GRADES, ToolMissing, find_python
    from littlego.course.grading import words
    from littlego.course.grading.cohort.submissions import open_named
    from littlego.course.grading.run import grading_plan, open_grading

    terms = _terms(options.edition_of(edition), stage, repeats, seed, strict=strict, level=level)
    for path in (html, gradescope):
        output.check_writable(path)
    if gradescope is not None and Path(agent).exists():
        from littlego.course.grading.gradescope import check_confinement

        check_confinement(terms.level)
    if python is not None:
        find_python(python)  # a wrong option is not the submission's fault, and must not become its 0
    stopped = False
    try:
        with options.for_one_agent(agent):
            entrant = open_named(agent, (out or Path(GRADES)) / "unpacked", python=python, edition=terms.edition)
    except UsageError as error:
        if gradescope is not None and not isinstance(error, ToolMissing):  # our own failure would be a 0
            from littlego.course.grading.gradescope import gradescope_problem

            write_text(gradescope, json_module.dumps(gradescope_problem(str(error)), indent=1))
        raise
    plan = grading_plan(entrant, terms, late_days=late)
    with options.executor(jobs, cluster) as executor, open_grading(entrant, plan, out=out) as grading:
        if stored := grading.report().played:
            output.note(f"Continues with {plural(stored, 'game')} of {plan.games} that {grading.folder} holds.")
        if grading.remark:
            output.note(grading.remark)
        try:
            with output.live(_progress_of(grading)) as step:
                grading.play(executor, on_result=step, on_void=_note_void)
        except KeyboardInterrupt:
            stopped = True
        report = grading.report()
    words.write_capsules(report)
    _write_files(report, html, gradescope)
    if json:
        made = {"date": report.date, "files": report.digest}
        output.print_json({**report.to_dict(), **made, "causes": words.causes_to_list(report)})
    else:
        _show(report)
    if stopped:
        output.stop(f"\nStopped after {report.played} of {plan.games} games.")
    if report.problem or not report.complete:
        raise typer.Exit(1)


def _terms(
    edition: Edition, stage: str | None, repeats: int | None, seed: int, *, strict: bool, level: str | None = None
) -> GradingTerms:
    from littlego.course.grading.run import GradingTerms

    limits = options.limits_of(edition, strict=strict)
    return GradingTerms(edition, stage or edition.scheme.batches[0].key, repeats, seed, options.level_of(level), limits)


def autograder(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="The .zip to write.")],
    *,
    edition: options.Edition,
    stage: Stage = None,
    repeats: Repeats = None,
    seed: Seed = 1,
    strict: options.Strict = False,
) -> None:
    """Write an autograder for Gradescope, which grades every submission there.

    littlego autograder grader.zip --stage submit
    """
    from littlego.course.grading.gradescope import write_autograder

    terms = _terms(options.edition_of(edition), stage, repeats, seed, strict=strict)
    with output.writing(path):
        write_autograder(path, terms)
    print(f"{path}: upload it under Configure Autograder; {terms.games} games for every submission.")
    output.note("Choose the container's time limit for that many games; nothing is shown of a run that it cuts off.")


def _write_files(report: GradeReport, html: Path | None, gradescope: Path | None) -> None:
    if gradescope is not None and not report.complete:
        output.note(f"{gradescope} is not written: not all games were played, and a score would count.")
    elif gradescope is not None:
        from littlego.course.grading.gradescope import gradescope_results

        write_text(gradescope, json_module.dumps(gradescope_results(report), indent=1))
    if html is not None:
        from littlego.course.grading.html import grade_page

        write_text(html, grade_page(report, commands=True))
        output.note(f"Written to {html}: open it in a browser.")


def _note_void(failure: Failure) -> None:
    from littlego.arena.games import void_words
    from littlego.course.grading.plan import is_agent

    fixture: Fixture[Slot] = failure.task
    opponent = fixture.white if is_agent(fixture.black) else fixture.black
    output.note(void_words(failure, f"Game {fixture.key.game + 1} against {opponent}"))


def _progress_of(grading: Grading) -> Callable[[], str]:
    from littlego.course.grading.run import Pace

    pace = Pace()
    pace.note("", grading.played, grading.plan.games)

    def line() -> str:
        report = grading.report()
        pace.note("", report.played, report.plan.games)
        rows = [row for batch in report.batches for row in batch.opponents]
        won, forfeits = sum(row.tally.wins for row in rows), sum(row.forfeits for row in rows)
        so_far = f"{report.played} of {plural(report.plan.games, 'game')}: {won} won, {plural(forfeits, 'forfeit')}"
        return f"{so_far}, {output.time_left(pace.seconds_left())}"

    return line


def _show(report: GradeReport) -> None:
    from littlego.course.grading import words

    output.print_sentences(output.printable(words.heading(report)))
    if report.problem:
        print(f"\nThe agent cannot be run, so it gets no points:\n{output.printable(report.problem)}")
        return
    if fix := words.first_fix(report):
        output.print_sentences(output.printable(f"\n{fix}"))
        output.print_table(
            words.CAUSE_COLUMNS[:-1], [row[:-1] for row in words.cause_rows(report, here=True)], title="Forfeits"
        )
    if len(report.repeats) > 1:
        totals = ", ".join(words.points(report.points_of(repeat)) for repeat in range(len(report.repeats)))
        print(f"The best of {len(report.repeats)} repeats counts: {totals}. Below is repeat {report.best + 1}.")
    for remark in report.remarks:
        output.print_sentences(output.printable(f"Its files: {remark}."))
    if report.runtime:
        output.print_sentences(output.printable(f"The agent ran with {report.runtime}."))
    for batch in report.counted:
        _show_batch(batch)
    if luck := words.luck(report):
        output.print_sentences(luck)
    remarks = [remark for row in report.grades for game in row.games for remark in game.result.remarks]
    again = [remark for remark in remarks if ": try " in remark]
    if strict := [remark for remark in remarks if remark not in again]:
        print(output.printable(f"A stricter host might not accept {plural(len(strict), 'move')}, such as {strict[0]}"))
    if again:
        print(output.printable(f"{plural(len(again), 'move')} had to be played again, such as {again[0]}"))
    _show_losses(report)
    for failure in report.failures:
        print(f"\nNot played because of an error on our side: {failure}. Run the same command to try again.")
    if report.level:
        print(f"\nIsolation: {report.level.partition(':')[0]}; the report has the details.")
    print(f"\nResults are in {report.directory}.")


def _show_batch(batch: BatchGrade) -> None:
    from littlego.course.grading import words

    output.print_table(
        ["opponent", "points", "rubric"],
        [
            (row.opponent, words.points_of(row.award.points, row.rubric.max_points), row.award.line)
            for row in batch.opponents
        ],
        title=f"{batch.batch.title}: {words.points_of(batch.points, batch.batch.max_points)} points",
    )
    output.print_table(
        ["opponent", "wins", "as Black", "as White", "95% interval", "distinct", "forfeits"],
        [_games(row) for row in batch.opponents],
    )
    if remark := words.repetition_remark(batch):
        output.print_sentences(remark)
    output.print_sentences(words.time_line(batch))
    if known := words.evidence(batch):
        output.print_sentences(known)


def _games(row: OpponentGrade) -> tuple[str, ...]:
    tallies = [row.tally, *(row.tally_as(colour) for colour in Colour)]
    wins = [f"{tally.wins}/{tally.games}" for tally in tallies]
    interval = output.percent_interval(row.tally.interval) if row.tally.games else "-"
    return (row.opponent, *wins, interval, str(row.distinct), str(row.forfeits))


def _show_losses(report: GradeReport) -> None:
    from littlego.arena.games import capsule_path
    from littlego.arena.store import review_command
    from littlego.course.grading import words

    lost = words.all_losses(report)
    for loss in lost[:_SHOWN]:
        output.print_sentences(f"\n{output.printable(loss.text())}")
        if loss.game.result.capsule is not None:
            print(f"  littlego replay {shlex.quote(str(capsule_path(Path(report.directory), loss.number)))}")
        elif report.plan.rules.passing:
            print(f"  {review_command(report.directory, loss.number)}")
    if len(lost) > _SHOWN:
        print(f"\nand {plural(len(lost) - _SHOWN, 'more lost game')}; --html FILE and --json list every one.")
    if lost and report.plan.rules.passing:
        where, player = shlex.quote(report.directory), shlex.quote(report.plan.name)
        output.note(
            f"Next, the wins that were thrown away, as exercises for you and tests for it:\n"
            f"  littlego drill make {where} --player {player} --out drills.json"
        )


_PROBLEM_SHOWN = 200
"""Characters of a problem shown during grading; the files have all of it."""


def cohort(
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
    late: Annotated[Path | None, typer.Option(metavar="FILE", help="Days late, as lines of student,days.")] = None,
    due: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="Count late days from then, such as '2025-11-01 23:59', by Gradescope's times."
        ),
    ] = None,
    adjust: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Points by hand, as lines of student,points,note.")
    ] = None,
    competition: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Add the points for ranks in this tournament of the class, as in 2019."),
    ] = None,
    known: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Earlier work: submissions that resemble it are named.")
    ] = None,
    starter: Annotated[
        Path | None, typer.Option(metavar="DIR", help="What the course handed out, which makes nobody's work alike.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Grade this student alone. May be repeated.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Who will not build or run, and why. Plays no games.")
    ] = False,
    edition: options.Edition,
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

    chosen = _terms(options.edition_of(edition), stage, repeats, seed, strict=strict, level=level)
    terms = ClassTerms(**vars(chosen), python=python)
    papers = Papers(roster, late, due, adjust, column, known, starter, competition)
    if dry_run:
        try_class(source, terms, papers, jobs=jobs, only=only or [], json=json)
        return
    with options.executor(jobs, cluster) as executor:
        grade_class(source, terms, executor, papers, out=out, only=only or [], json=json)


def try_class(
    source: Path, terms: ClassTerms, papers: Papers, *, jobs: int, only: Sequence[str] = (), json: bool = False
) -> None:
    """Print who will not build or run, and why. Exits with 1 if there is anybody."""
    from dataclasses import asdict

    from littlego.course.grading.cohort.report import ClassReport
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
        do_not_run = "does not run as it is" if len(broken) == 1 else "do not run as they are"
        print(f"{how_many} {do_not_run}." if broken else "All of them run.")
    sides = handed_in.counted
    for line in ClassReport(handed_in.title, terms, (), missing=sides.missing, unknown=sides.unknown).attention():
        output.note(output.printable(line))
    if broken:
        raise typer.Exit(1)


def _show_trials(title: str, trials: Sequence[Trial]) -> None:
    from littlego.course.failures import essence

    output.print_table(
        ["student", "", "why"],
        [
            (trial.student, "runs" if trial.runs else "DOES NOT RUN", essence(trial.problem, _PROBLEM_SHOWN))
            for trial in trials
        ],
        title=f"{title}: {plural(len(trials), 'submission')}",
    )
    for runtime, how_many in sorted(Counter(trial.runtime for trial in trials if trial.runtime).items()):
        output.print_sentences(output.printable(f"  {how_many} with {runtime}."))


def grade_class(
    source: Path,
    terms: ClassTerms,
    executor: Executor,
    papers: Papers | None = None,
    *,
    out: Path | None = None,
    only: Sequence[str] = (),
    json: bool = False,
) -> None:
    """Grade the submissions, or `only` some of them, write the class's files, and print its table.

    Exits with 1 if a submission could not be graded because of an error on our side, with 130 if stopped.
    """
    from littlego.arena.building import GRADES
    from littlego.course.grading.cohort.report import FILES, ClassFiles, known_work
    from littlego.course.grading.cohort.roster import Papers, read_class
    from littlego.course.grading.cohort.rows import tidy_students
    from littlego.course.grading.cohort.run import grade_submissions
    from littlego.course.grading.cohort.similarity import handed_out_in

    papers = papers or Papers()
    terms.check()
    out = out or Path(GRADES) / f"class-{source.absolute().stem}-{terms.edition.name}"
    if out.absolute().is_relative_to(source.absolute()) and GRADES not in out.parts:
        raise UsageError(f"{out}: is inside the folder of submissions, and would count as one: choose another --out")
    handed_in = read_class(source, out / "handed-in", papers)
    terms = handed_in.terms(terms)
    terms.check()
    if papers.competition is not None:
        terms = _with_extra_points(terms, papers.competition, handed_in, out)
    shapes, handed_out = known_work(papers.known, terms.edition), handed_out_in(papers.starter)
    _note_remarks(handed_in, terms)
    asked = handed_in.asked(only)
    gone = tidy_students(out, handed_in.counted.without_roster)
    if gone:
        output.note(output.printable(f"Reports of submissions that are gone, in {out / 'students'}: {listed(gone)}."))
    files = ClassFiles(handed_in, terms, out, {submission.slug for submission in asked})
    stopped = False
    with output.live(lambda: _progress_lines(files)) as step:

        def follow(progress: SubmissionProgress) -> None:
            files.take(progress)
            if progress.remark:
                output.note(output.printable(progress.remark))
            if progress.row is not None:
                output.note(_row_line(progress.row, len(files.rows), len(asked)))
            step()

        def tell_stop() -> None:
            output.note("Stopping after the games under way; Ctrl-C again stops at once.")

        try:
            handed_in.share_pseudonyms(out)
            grade_submissions(asked, out, terms, executor, on_progress=follow, on_stop=tell_stop)
        except KeyboardInterrupt:
            stopped = True
    report = files.write(shapes, handed_out)
    if json:
        output.print_json(report.to_dict())
    else:
        _show_class(report)
    output.note(f"\nWritten to {out}: {', '.join(FILES)}, and students/NAME/report.html for each.")
    _fill(handed_in, report, out)
    for line in report.attention(most=_SHOWN):
        output.note(output.printable(line))
    if stopped:
        output.stop(f"Stopped with {len(files.rows)} of {len(asked)} graded.")
    if any(row.slug in files.asked and not row.status.is_final for row in report.rows):
        output.note("Some could not be graded because of an error on our side. When that is fixed, to try again:")
        output.note(f"  {output.same_command()}")
        raise typer.Exit(1)


def _with_extra_points(terms: ClassTerms, competition: Path, handed_in: HandedIn, out: Path) -> ClassTerms:
    """With the points of a tournament, besides those by hand. Raises UsageError."""
    from littlego.course.contests import extra_points, places_in

    with output.writing(out):
        out.mkdir(parents=True, exist_ok=True)
        handed_in.share_pseudonyms(out)
    by_hand = dict(terms.by_hand)
    students = [each.student for each in handed_in.submissions]
    for student, (points, why) in extra_points(places_in(competition), students, out).items():
        before, note = by_hand.get(student, (0.0, ""))
        by_hand[student] = before + points, "; ".join(filter(None, (note, why)))
    return replace(terms, by_hand=by_hand)


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


def _progress_lines(files: ClassFiles) -> str:
    left = output.time_left(files.seconds_left)
    done = f"{len(files.rows)} of {len(files.asked)} submissions"
    lines = [f"{done}, {left}; Ctrl-C stops, the same command continues"]
    for progress in files.under_way.values():
        bar = "#" * (20 * progress.played // max(1, progress.planned))
        name = output.printable(progress.submission.student)[:30]
        lines.append(f"  {name:<30} {bar:<20} {progress.played}/{progress.planned}")
    return "\n".join(lines)


def _row_line(row: Row, number: int, total: int) -> str:
    from littlego.course.failures import essence
    from littlego.course.grading.words import points

    shown = "" if row.points is None else f"{points(row.points)} of {points(row.max_points)}, "
    problem = essence(row.problem, _PROBLEM_SHOWN)
    line = f"{number}/{total}  {row.student}: {shown}{row.status}"
    return output.printable(f"{line}: {problem}" if problem else line)


def _show_class(report: ClassReport) -> None:
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
                "too slow" if row.overrun else row.status,
            )
            for row in report.rows
        ],
        title=f"{report.title}: {plural(len(report.rows), 'submission')}, edition {report.terms.edition.name}",
    )
    for row in report.rows:
        for earlier in row.earlier[-1:]:
            print(output.printable(f"  {row.student} had {points(earlier.points or 0.0)} points on {earlier.date}."))
        if row.note:
            print(output.printable(f"  {row.student}: {row.by_hand:+g} points by hand: {row.note}"))
