"""A grading as one HTML page, with a replay of every lost game."""

from __future__ import annotations

import re
from collections.abc import Sequence

from littlego.arena.building import without_path
from littlego.arena.store import review_command
from littlego.core.board import Colour
from littlego.core.points import Point
from littlego.course.grading import words
from littlego.course.grading.report import BatchGrade, GradeReport, OpponentGrade
from littlego.formats.html.page import Cell, CellValue, Page, Replay, Tone
from littlego.stats import Tally


def grade_page(report: GradeReport, *, earlier: Sequence[str] = (), pseudonym: str = "", commands: bool = False) -> str:
    """With `earlier`, what an earlier version of the agent got, in words; with the student's `pseudonym`, if any.

    `commands` that review lost games name our directory: they are for whoever graded.
    """
    page = Page(f"Grade of {report.plan.name}", words.heading(report).partition(": ")[2] + ".")
    if report.problem:
        page.text("The agent cannot be run, so it gets no points.", tone="bad")
        _add_earlier(page, earlier, pseudonym)
        return page.pre(report.problem).html()
    if not report.complete:
        page.text(f"Not finished: {report.played} of {report.plan.games} games played.", tone="doubt")
    if fix := words.first_fix(report):
        page.text(fix, tone="bad")
        page.table(words.CAUSE_COLUMNS, words.cause_rows(report, here=commands))
        if not commands:
            page.text("Ask whoever graded this for the file, and replace DIR by the directory of your agent.")
    page.facts(_facts(report))
    for failure in report.failures:
        page.text(f"Not played because of an error on our side: {failure}", tone="doubt")
    if len(report.repeats) > 1:
        _add_repeats(page, report)
    for batch in report.counted:
        _add_batch(page, batch)
    if luck := words.luck(report):
        page.section("Luck", luck)
    _add_losses(page, report, commands=commands)
    _add_wins(page, report)
    _add_earlier(page, earlier, pseudonym)
    _add_terms(page, report)
    return page.html()


def _add_earlier(page: Page, earlier: Sequence[str], pseudonym: str) -> None:
    if pseudonym:
        page.text(f"On the leaderboard this is {pseudonym}.")
    if earlier:
        page.section("Graded before", "Other files, or other terms, got:")
        page.table(["Earlier grades"], [[line] for line in earlier])


def _facts(report: GradeReport) -> list[tuple[str, str]]:
    grades = report.grades
    won, played = sum(grade.tally.wins for grade in grades), sum(grade.tally.games for grade in grades)
    facts = [
        ("Points", words.points_of(report.points, report.max_points)),
        ("Games won", f"{won} of {played}"),
        ("Forfeits", str(sum(grade.forfeits for grade in grades))),
    ]
    used = sum(batch.cpu_seconds for batch in report.counted)
    budget = sum(batch.batch.budget_seconds for batch in report.counted)
    distinct = sum(grade.distinct for grade in grades)
    return [*facts, ("CPU time", f"{used:.0f} s of {budget:g} s") if used else ("Distinct games", str(distinct))]


def _add_repeats(page: Page, report: GradeReport) -> None:
    page.section("Repeats", f"The edition plays the grading {len(report.repeats)} times and keeps the best total.")
    rows: list[list[CellValue]] = []
    for number, batches in enumerate(report.repeats):
        name = f"repeat {number + 1}" + (" (counts)" if number == report.best else "")
        seconds = sum(batch.cpu_seconds for batch in batches)
        wins = sum(grade.tally.wins for batch in batches for grade in batch.opponents)
        points = words.points(report.points_of(number))
        rows.append([name, points, wins, f"{seconds:.1f} s" if seconds else "–"])
    page.table(["Repeat", "Points", "Games won", "CPU time"], rows)


def _add_batch(page: Page, batch: BatchGrade) -> None:
    page.section(f"{batch.batch.title}: {words.points_of(batch.points, batch.batch.max_points)} points")
    page.table(["Opponent", "Points", "Rubric", "Won"], [_points_row(grade) for grade in batch.opponents])
    page.table(
        ["Opponent", "As Black", "As White", "95% interval", "Distinct games", "Forfeits", "Slowest move"],
        [_games_row(grade) for grade in batch.opponents],
    )
    page.text(words.repetition_remark(batch), tone="doubt")
    page.text(words.time_line(batch), tone="bad" if batch.overrun else "plain")
    page.text(words.evidence(batch))


def _points_row(grade: OpponentGrade) -> list[CellValue]:
    award, most = grade.award, grade.rubric.max_points
    tone: Tone = "good" if award.points == most else "doubt" if award.points else "bad"
    return [
        grade.opponent,
        Cell(words.points_of(award.points, most), sort=award.points, tone=tone),
        award.line,
        Cell(_rate(grade.tally), sort=grade.tally.win_rate, meter=grade.tally.win_rate),
    ]


def _games_row(grade: OpponentGrade) -> list[CellValue]:
    low, high = grade.tally.interval
    return [
        grade.opponent,
        *(Cell(_rate(grade.tally_as(colour)), sort=grade.tally_as(colour).win_rate) for colour in Colour),
        Cell(f"{100 * low:.1f}–{100 * high:.1f}%", sort=low),
        grade.distinct,
        grade.forfeits,
        f"{grade.slowest_move:.2f} s" if grade.cpu_seconds else "–",
    ]


def _rate(tally: Tally) -> str:
    return f"{tally.wins} of {tally.games}"


def _add_losses(page: Page, report: GradeReport, *, commands: bool) -> None:
    lost = words.all_losses(report)
    if not lost:
        page.section("Lost games", "None.")
        return
    games = sum(len(story.games) for story in lost)
    text = "1 game was not won" if games == 1 else f"{games} games were not won"
    text += f", {len(lost)} of them distinct" if len(lost) < games else ""
    page.section("Lost games", f"{text}. Open one and step through it with the arrow keys.")
    commands = commands and report.plan.rules.passing
    page.games(
        _replay(
            story,
            "bad",
            opened=not number,
            command=review_command(report.directory, story.number) if commands else "",
        )
        for number, story in enumerate(lost)
    )


def _add_wins(page: Page, report: GradeReport) -> None:
    won = words.all_wins(report)
    if won:
        page.section("Won games", "Each distinct game once.")
        page.games(_replay(story, "good") for story in won)


def _replay(story: words.Story, tone: Tone, *, opened: bool = False, command: str = "") -> Replay:
    record = story.game.result.record
    outcome = record.outcome
    forfeited = tone == "bad" and bool(outcome and outcome.verdict.is_forfeit)
    last_words = story.last_words()
    review = f"To see which move lost it: {command}" if command and not forfeited else ""
    notes: dict[int, str] = {}
    tried: list[Point] = []
    if forfeited and outcome is not None:
        tried = _tried(outcome.reason, record.start.size)
        notes[len(record.moves)] = f"Here {story.colour} forfeited at move {len(record.moves) + 1}: {outcome.reason}."
    return Replay(
        record,
        title=story.title,
        tag="forfeited" if forfeited else f"{'won' if tone == 'good' else 'lost'} as {story.colour}",
        tone=tone,
        remark=f"The end of its stderr: {' / '.join(reversed(last_words))}" if last_words else review,
        notes=notes,
        points={len(record.moves): {"bad": tried}} if tried else {},
        opened=opened,
        id=f"game-{story.number}",
    )


def _tried(reason: str, size: int) -> list[Point]:
    """The point of an illegal move, which begins the reason of its forfeit."""
    match = re.match(r"(\d+),(\d+): ", reason)
    row, column = (int(match[1]), int(match[2])) if match else (size, size)
    return [row * size + column] if row < size and column < size else []


def _add_terms(page: Page, report: GradeReport) -> None:
    limits = report.plan.limits
    page.section("How it was graded")
    page.text(
        f"Edition {report.plan.edition.name}, seed {report.plan.seed}; {limits.cpu_seconds:g} s of CPU time and "
        f"{limits.wall_seconds:g} s of real time a move." + (f" Isolation {report.level}." if report.level else "")
    )
    if report.date:
        page.text(f"The last game was played on {report.date}.")
    for remark in report.remarks:
        page.text(f"Its files: {remark}.", tone="doubt")
    if report.runtime:
        page.text(f"The agent ran with {without_path(report.runtime)}.")
    if report.digest:
        page.text(f"Digest of its files: {report.digest}.")
    page.text(
        "The 95% interval estimates the true win rate as if all games were independent; it is too narrow when "
        "deterministic players repeat games. It does not affect the points."
    )
