"""What a teacher looks at in a graded class: who forfeited and why, who is slow, who is alike, and every game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import quote

from littlego.course.grading.cohort.rows import PAGE, Row
from littlego.course.grading.cohort.similarity import Similar, similar_pairs
from littlego.course.grading.cohort.traces import Trace, read_trace
from littlego.formats.html.page import Cell, CellValue, Page

GAMES: Final = "games.html"
_SLOWEST: Final = 10


def traces_of(rows: Iterable[Row], out: Path) -> dict[str, Trace]:
    """By slug."""
    return {row.slug: read_trace(out / "students" / row.slug) for row in rows}


def similar_rows(rows: Sequence[Row], traces: Mapping[str, Trace]) -> list[Similar]:
    """Pairs of submissions that are alike, by student; copies of all but the smallest programs are among them."""
    names = {row.slug: row.student for row in rows}
    programs = {slug: trace.shingles for slug, trace in traces.items() if trace.shingles}
    games = {slug: {line.number: line.hash for line in trace.games if line.hash} for slug, trace in traces.items()}
    pairs = similar_pairs(programs, games)
    return [Similar(names[pair.first], names[pair.second], pair.programs, pair.games) for pair in pairs]


def page_of(row: Row, anchor: str = "") -> str:
    """The link from the class's directory to a submission's page."""
    return f"students/{quote(row.slug)}/{PAGE}" + (f"#{anchor}" if anchor else "")


def add_forfeits(page: Page, rows: Sequence[Row]) -> None:
    """Every reason for forfeits, with a link to the first game that was lost that way."""
    causes = [(row, cause) for row in rows for cause in row.causes]
    if not causes:
        return
    page.section("Forfeits", "Games lost by a crash, an illegal move or a limit, by cause. The link opens one of them.")
    page.table(
        ["Student", "Games", "Cause"],
        [
            [row.student, cause.games, Cell(cause.sentence, href=page_of(row, cause.anchor))]
            for row, cause in sorted(causes, key=lambda pair: -pair[1].games)
        ],
    )


def add_slowest(page: Page, rows: Sequence[Row]) -> None:
    slow = sorted((row for row in rows if row.slowest_seconds), key=lambda row: -row.slowest_seconds)[:_SLOWEST]
    if slow:
        page.section("Slowest", "Submissions by their slowest move.")
        page.table(
            ["Student", "Slowest move", "CPU time, all games"],
            [
                [
                    Cell(row.student, href=page_of(row)),
                    Cell(f"{row.slowest_seconds:.2f} s", sort=row.slowest_seconds),
                    Cell(f"{row.cpu_seconds:.0f} s", sort=row.cpu_seconds),
                ]
                for row in slow
            ],
        )


def add_similar(page: Page, pairs: Sequence[Similar], links: Mapping[tuple[str, str], str]) -> None:
    """`links` lead to the pages on which pairs stand side by side."""
    if not pairs:
        return
    page.section(
        "Near-identical submissions",
        "Pairs whose programs share most of their structure, whatever the names, comments and layout, or whose games "
        "went the same way. Parts of the starter kit do not count. This is a hint to read both, not a finding: two "
        "authors can follow one textbook, and strong agents play alike.",
    )
    page.table(
        ["Student", "And", "Program in common", "Games in common", "Line by line"],
        [
            [
                pair.first,
                pair.second,
                Cell(f"{100 * pair.programs:.0f}%", sort=pair.programs),
                Cell("–" if pair.games is None else f"{100 * pair.games:.0f}%", sort=pair.games or -1.0),
                Cell("side by side", href=link) if (link := links.get((pair.first, pair.second))) else "–",
            ]
            for pair in pairs
        ],
    )


def games_page(title: str, rows: Sequence[Row], traces: Mapping[str, Trace]) -> Page:
    """A line for each game of the class, which links to its board."""
    page = Page(f"Games of {title}", "Every game that was played. Click a heading to sort, a game to step through it.")
    lines: list[list[CellValue]] = [
        [
            row.student,
            line.opponent,
            Cell(line.title, sort=line.number, href=page_of(row, line.anchor)),
            line.colour,
            Cell("won" if line.won else "lost", tone="good" if line.won else "bad"),
            line.moves,
            line.result,
        ]
        for row in rows
        for line in traces[row.slug].games
    ]
    return page.table(["Student", "Opponent", "Game", "As", "Result", "Moves", "Outcome"], lines)
