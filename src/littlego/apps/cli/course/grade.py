"""`littlego grade`: the grade the course would give an agent, and why; `littlego autograder`: the same elsewhere."""

from __future__ import annotations

import json as json_module
import shlex
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from littlego.apps.cli import completion, options, output
from littlego.core.colour import Colour
from littlego.core.errors import UsageError
from littlego.formats.text import plural

if TYPE_CHECKING:
    from littlego.arena.games import Fixture
    from littlego.arena.pool import Failure
    from littlego.course.grading.plan import Slot
    from littlego.course.grading.report import BatchGrade, GradeReport, OpponentGrade
    from littlego.course.grading.run import Grading

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
    agent: Annotated[
        str,
        typer.Argument(
            metavar="AGENT",
            help="An agent's directory or .zip, a player, or cmd:'COMMAND'.",
            autocompletion=completion.players,
        ),
    ],
    *,
    edition: options.Edition = options.EDITION,
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
    regret: Annotated[
        float | None,
        typer.Option(metavar="S", min=1, help="Also search S seconds for wins that it threw away (advisory)."),
    ] = None,
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
    if agent.startswith("class:") and edition == options.EDITION:
        raise UsageError(f"{agent}: classes are graded as in 2019: add --edition 2019, or an edition of your own")
    found = options.edition_of(edition)
    stage, limits = stage or found.scheme.batches[0].key, options.limits_of(found, strict=strict)
    from littlego.arena.building import GRADES, ToolMissing, find_python
    from littlego.course.grading import causes
    from littlego.course.grading.cohort.submissions import open_named
    from littlego.course.grading.run import GradingTerms, grading_plan, open_grading
    from littlego.course.grading.words import write_capsules
    from littlego.course.packed import SeveralAgents

    for path in (html, gradescope):
        output.check_writable(path)
    confinement = options.level_of(level)
    if gradescope is not None and Path(agent).exists():
        from littlego.course.grading.gradescope import check_confinement

        check_confinement(confinement)
    if python is not None:
        find_python(python)  # a wrong option is not the submission's fault, and must not become its 0
    stopped = False
    try:
        entrant = open_named(agent, (out or Path(GRADES)) / "unpacked", python=python, edition=found)
    except UsageError as error:
        if not isinstance(error, ToolMissing):
            _write_problem(gradescope, str(error))
        if isinstance(error, SeveralAgents) and Path(agent).is_dir():
            raise UsageError(f"{error}; to grade them all: littlego grade-class {shlex.quote(agent)}") from error
        raise
    terms = GradingTerms(found, stage, repeats, seed, confinement, limits)
    plan = grading_plan(entrant, terms, late_days=late)
    if regret:
        from littlego.course.grading.causes import check_regret

        check_regret(plan.rules)
    with options.executor(jobs, cluster) as executor, open_grading(entrant, plan, out=out) as grading:
        if stored := grading.report().played:
            output.note(f"Continues with {plural(stored, 'game')} of {plan.games} that {grading.folder} holds.")
        if grading.remark:
            output.note(grading.remark)
        try:
            with output.live(_live_view(grading)) as step:
                grading.play(executor, on_result=step, on_void=_note_void)
        except KeyboardInterrupt:
            stopped = True
        report = grading.report()
    if regret and not stopped:
        report = _with_regret(report, regret)
    write_capsules(report)
    _write_files(report, html, gradescope)
    if json:
        made = {"date": report.date, "files": report.digest}
        output.print_json({**report.to_dict(), **made, "causes": causes.causes_to_list(report)})
    else:
        _show(report)
    if stopped:
        output.stop(f"\nStopped after {report.played} of {plan.games} games.")
    if report.problem or not report.complete:
        raise typer.Exit(1)


def autograder(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="The .zip to write.")],
    *,
    edition: options.Edition = options.EDITION,
    stage: Stage = None,
    repeats: Repeats = None,
    seed: Seed = 1,
    strict: options.Strict = False,
) -> None:
    """Write an autograder for Gradescope, which grades every submission there.

    littlego autograder grader.zip --stage submit
    """
    from littlego.course.grading.gradescope import AutograderTerms, write_autograder

    found = options.edition_of(edition)
    terms = AutograderTerms(found, stage or found.scheme.batches[0].key, repeats, seed, strict)
    with output.writing(path):
        write_autograder(path, terms)
    print(f"{path}: upload it under Configure Autograder; {terms.games} games for every submission.")
    output.note("Choose the container's time limit for that many games; nothing is shown of a run that it cuts off.")


def _write_problem(gradescope: Path | None, message: str) -> None:
    """For Gradescope, which shows a student nothing else. Nothing is written for our own failures: it would be a 0."""
    if gradescope is not None:
        from littlego.course.grading.gradescope import gradescope_problem

        gradescope.write_text(json_module.dumps(gradescope_problem(message), indent=1))


def _write_files(report: GradeReport, html: Path | None, gradescope: Path | None) -> None:
    if gradescope is not None and not report.complete:
        output.note(f"{gradescope} is not written: not all games were played, and a score would count.")
    elif gradescope is not None:
        from littlego.course.grading.gradescope import gradescope_results

        gradescope.write_text(json_module.dumps(gradescope_results(report), indent=1))
    if html is not None:
        from littlego.course.grading.html import grade_page

        html.write_text(grade_page(report, commands=True), encoding="utf-8")
        output.note(f"Written to {html}: open it in a browser.")


def _with_regret(report: GradeReport, seconds: float) -> GradeReport:
    from littlego.course.grading.causes import with_regret

    try:
        with output.stages() as update:
            return with_regret(report, seconds=seconds, watch=partial(update, "won positions"))
    except KeyboardInterrupt:
        output.note("Stopped the search for wins that were thrown away: the grade is complete without it.")
        return report


def _note_void(failure: Failure) -> None:
    from littlego.arena.games import void_words
    from littlego.course.grading.plan import is_agent

    fixture: Fixture[Slot] = failure.task
    opponent = fixture.white if is_agent(fixture.black) else fixture.black
    output.note(void_words(failure, f"Game {fixture.key.game + 1} against {opponent}"))


def _live_view(grading: Grading) -> Callable[[], str]:
    """A function that shows the progress of the batch under way, by opponent."""
    from littlego.course.grading.pace import Pace

    pace = Pace()
    pace.note(grading.plan.name, grading.against())

    def draw() -> str:
        report = grading.report()
        under_way = next((batch for batch in report.batches if not batch.complete), report.batches[-1])
        pace.note(grading.plan.name, grading.against())
        left = output.time_left(pace.seconds_left(0))
        repeat = f", repeat {under_way.round.repeat + 1} of {len(report.repeats)}" if len(report.repeats) > 1 else ""
        lines = [f"{under_way.batch.title}{repeat}: {report.played} of {report.plan.games} games in total, {left}"]
        for row in under_way.opponents:
            played = len(row.games)
            bar = "#" * round(20 * played / row.planned)
            won = f"won {row.tally.wins:3}  forfeits {row.forfeits}"
            lines.append(f"  {row.opponent:<11} {bar:<20} {played:3}/{row.planned}  {won}")
        if under_way.cpu_seconds:
            lines.append(f"  CPU time {under_way.cpu_seconds:.0f} s of {under_way.batch.budget_seconds:g} s")
        return "\n".join(lines)

    return draw


def _show(report: GradeReport) -> None:
    from littlego.course.grading import causes, words
    from littlego.course.grading.causes import luck_lines

    print(output.printable(words.heading(report)))
    if report.problem:
        print(f"\nThe agent cannot be run, so it gets no points:\n{output.printable(report.problem)}")
        return
    if fix := causes.first_fix(report):
        print(output.printable(f"\n{fix}"))
        output.print_table(
            causes.CAUSE_COLUMNS[:-1], [row[:-1] for row in causes.cause_rows(report, here=True)], title="Forfeits"
        )
    if len(report.repeats) > 1:
        totals = ", ".join(words.points(report.points_of(repeat)) for repeat in range(len(report.repeats)))
        print(f"The best of {len(report.repeats)} repeats counts: {totals}. Below is repeat {report.best + 1}.")
    for remark in report.remarks:
        print(output.printable(f"Its files: {remark}."))
    if report.runtime:
        print(output.printable(f"The agent ran with {report.runtime}."))
    for batch in report.counted:
        _show_batch(batch)
    for line in luck_lines(report):
        print(line)
    _show_remarks(report)
    if report.regret:
        output.print_table(words.REGRET_COLUMNS, words.regret_rows(report.regret), title="Won positions thrown away")
        print(words.regret_remark(report.regret))
    _show_losses(report)
    for failure in report.failures:
        print(f"\nNot played because of an error on our side: {failure}. Run the same command to try again.")
    if report.level:
        print(f"\nIsolation: {report.level.partition(':')[0]}; the report has the details.")
    print(f"\nResults are in {report.directory}.")


def _show_remarks(report: GradeReport) -> None:
    remarks = [remark for row in report.grades for game in row.games for remark in game.result.remarks]
    if remarks:
        print(output.printable(f"{len(remarks)} moves that a stricter host might not accept, such as {remarks[0]}"))


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
        print(remark)
    print(words.time_line(batch))


def _games(row: OpponentGrade) -> tuple[str, ...]:
    tallies = [row.tally, *(row.tally_as(colour) for colour in Colour)]
    wins = [f"{tally.wins}/{tally.games}" for tally in tallies]
    interval = output.percent_interval(row.tally.interval) if row.tally.games else "-"
    return (row.opponent, *wins, interval, str(row.distinct), str(row.forfeits))


def _show_losses(report: GradeReport) -> None:
    from littlego.arena.games import capsule_path
    from littlego.course.grading import words
    from littlego.review.reading import review_command

    lost = words.all_losses(report)
    for loss in lost[:_SHOWN]:
        print(f"\n{output.printable(loss.text())}")
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
