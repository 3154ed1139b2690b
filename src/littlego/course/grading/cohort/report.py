"""A graded class as files: named rows for the teacher, pseudonymous ranks for everyone."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import statistics
import time
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from littlego.core.errors import UsageError
from littlego.core.rules import EDITIONS
from littlego.course.edition import EDITION_FILE, Edition, format_edition
from littlego.course.failures import essence
from littlego.course.grading.cohort.rows import FILE as PSEUDONYMS
from littlego.course.grading.cohort.rows import REPORT, Row, SubmissionStatus, pseudonyms, row_so_far
from littlego.course.grading.cohort.run import ClassTerms, SubmissionProgress
from littlego.course.grading.cohort.similarity import (
    Shingles,
    Similar,
    our_agent,
    read_shape,
    shape_of,
    similar_pairs,
)
from littlego.course.grading.cohort.submissions import Submission, find_submissions, open_submission
from littlego.course.grading.run import Pace
from littlego.course.grading.words import points as points_text
from littlego.formats.html.page import Cell, CellValue, Page, Tone
from littlego.formats.text import listed, printable
from littlego.storage.files import now, read_csv, write_whole, writing
from littlego.storage.scratch import temporary_directory

if TYPE_CHECKING:
    from littlego.course.grading.cohort.roster import HandedIn

LEADERBOARDS: Final = "leaderboards"
"""The leaderboards of earlier days, by date."""
FILES: Final = ("class.html", "class.csv", "class.json", "leaderboard.html", "leaderboard.csv")

_PROBLEM_IN_CSV: Final = 500
OUR_AGENT: Final = "Little-Go's own agent"
KIT_UNCHANGED: Final = "a starter kit, unchanged"
BYTE_ORDER_MARK: Final = "\ufeff"
"""Without it spreadsheets take UTF-8 for something else, and spoil names."""


@dataclass(frozen=True)
class ClassReport:
    """All rows of a class, by name."""

    title: str
    terms: ClassTerms
    rows: tuple[Row, ...]
    similar: tuple[Similar, ...] = ()
    """Pairs that are alike; advice, worked out at the end."""
    known: tuple[Similar, ...] = ()
    """Submissions, each with the known work that it is like."""
    missing: tuple[str, ...] = ()
    """Students of the roster without a submission."""
    unknown: tuple[str, ...] = ()
    """Submissions that match nobody on the roster."""

    @property
    def graded(self) -> int:
        return sum(row.status is SubmissionStatus.GRADED for row in self.rows)

    @property
    def complete(self) -> bool:
        return all(row.status.is_final for row in self.rows)

    def same_files(self) -> list[list[Row]]:
        """Groups of submissions whose files are identical."""
        groups: dict[str, list[Row]] = {}
        for row in self.rows:
            if row.digest:
                groups.setdefault(row.digest, []).append(row)
        return [group for group in groups.values() if len(group) > 1]

    def ranked(self) -> list[tuple[int | None, Row]]:
        """Rows with their ranks, best first; equals share a rank, and rows that are not final have none."""
        final = [row for row in self.rows if row.status.is_final]
        ranked: list[tuple[int | None, Row]] = [
            (1 + sum(_merit(other) > _merit(row) for other in final), row)
            for row in sorted(final, key=_merit, reverse=True)
        ]
        return ranked + [(None, row) for row in self.rows if not row.status.is_final]

    def attention(self, *, most: int | None = None) -> list[str]:
        """What a teacher has to look at beside the grades, with at most so many names of each kind.

        In four lines: who does not play, who has copied, who is missing, who has more points than there are.
        """
        resembled: dict[str, list[str]] = {}
        for each in self.known:
            resembled.setdefault(each.second, []).append(f"{each.first} ({100 * each.programs:.0f}%)")
        kits = {each.first for each in self.known if each.second == KIT_UNCHANGED}
        groups = [[row.student for row in group] for group in self.same_files() if group[0].student not in kits]
        alike = [
            f"{each.first} and {each.second} ({100 * each.programs:.0f}%)"
            for each in self.similar
            if not any({each.first, each.second} <= set(group) for group in groups)
        ]
        broken = [row.student for row in self.rows if row.problem and row.status.is_final]
        above = [
            f"{row.student} ({points_text(row.points)} of {points_text(row.max_points)})"
            for row in self.rows
            if row.points is not None and row.points > row.max_points
        ]
        lines: list[dict[str, Sequence[str]]] = [
            {"Do not run, or forfeit half their games": broken},
            {
                **{f"Like {work}": names for work, names in resembled.items()},
                "Identical": [listed(group, most=most, by=" = ") for group in groups],
                "Near-identical": alike,
            },
            {"Without a submission": self.missing, "Submissions of nobody on the roster": self.unknown},
            {"More points than the maximum": above},
        ]
        told = [
            [f"{title}: {listed(names, most=most, by='; ')}." for title, names in kinds.items() if names]
            for kinds in lines
        ]
        return [" ".join(sentences) for sentences in told if sentences]

    def to_dict(self) -> dict[str, Any]:
        return {
            "class": self.title,
            "edition": self.terms.edition.name,
            "stage": self.terms.stage,
            "seed": self.terms.seed,
            "python": self.terms.python,
            "submissions": len(self.rows),
            "complete": self.complete,
            "rows": [{**asdict(row), "report": f"students/{row.slug}/{REPORT}"} for row in self.rows],
            "similar": [asdict(pair) for pair in self.similar],
            "known": [asdict(pair) for pair in self.known],
            "missing": list(self.missing),
            "unknown": list(self.unknown),
            "same_files": [[row.student for row in group] for group in self.same_files()],
        }


def _merit(row: Row) -> tuple[float, int]:
    return row.points or 0.0, row.wins


def known_work(folder: Path | None, edition: Edition) -> dict[str, Shingles]:
    """By name, the programs that nobody may hand in as their own: ours, and those in a folder of earlier work.

    Raises UsageError if the folder has none.
    """
    known = {OUR_AGENT: our_agent()}
    for submission in find_submissions(folder)[0] if folder else ():
        with temporary_directory("littlego-known-") as place, contextlib.suppress(UsageError):
            opened = open_submission(submission, place, python=None, edition=edition)
            known[f"{submission.path.name} in {folder}"] = shape_of(opened)
    return known


def with_similar(
    report: ClassReport, out: Path, known: Mapping[str, Shingles], handed_out: frozenset[int] = frozenset()
) -> ClassReport:
    """The report with the submissions that are alike, or like `known` work, apart from what was `handed_out`."""
    places = {row.student: out / "students" / row.slug for row in report.rows}
    programs = {student: read_shape(place) for student, place in places.items()}
    pairs = similar_pairs({**programs, **known}, handed_out)
    by_known = [
        replace(pair, first=pair.second, second=pair.first) if pair.first in known else pair
        for pair in pairs
        if (pair.first in known) != (pair.second in known)
    ]
    kits = [Similar(student, KIT_UNCHANGED, 1.0) for student, program in programs.items() if program.is_kit]
    among = tuple(pair for pair in pairs if not {pair.first, pair.second} & known.keys())
    return replace(report, similar=among, known=(*by_known, *kits))


def write_class_report(report: ClassReport, out: Path) -> None:
    """Write `FILES`, each atomically. Raises OSError, and UsageError for unreadable pseudonyms."""
    names = pseudonyms((row.student for row in report.rows), out)
    edition = report.terms.edition
    if edition.name not in EDITIONS:
        write_whole(out / EDITION_FILE, format_edition(edition))
    write_whole(out / "class.json", json.dumps(report.to_dict(), indent=1) + "\n")
    write_whole(out / "class.csv", BYTE_ORDER_MARK + _class_csv(report, names))
    write_whole(out / "class.html", _class_page(report, names).html())
    board = _leaderboard_rows(report, names, _ranks_before(out))
    leaders = BYTE_ORDER_MARK + _csv(_leaderboard_columns(report), board)
    write_whole(out / "leaderboard.csv", leaders)
    (out / LEADERBOARDS).mkdir(exist_ok=True)
    write_whole(out / LEADERBOARDS / f"{now()[:10]}.csv", leaders)
    write_whole(out / "leaderboard.html", _leaderboard_page(report, board).html())


def _ranks_before(out: Path) -> dict[str, int] | None:
    """By pseudonym, on the newest leaderboard of an earlier day; None if there is none."""
    earlier = [path for path in (out / LEADERBOARDS).glob("????-??-??.csv") if path.stem < now()[:10]]
    if not earlier:
        return None
    head, *rows = read_csv(max(earlier))
    rank, name = head.index("rank"), head.index("name")
    return {row[name]: int(row[rank]) for row in rows if row[rank]}


def _class_csv(report: ClassReport, names: dict[str, str]) -> str:
    columns = _opponent_columns(report)
    head = ["student", "pseudonym", "status", "points", "max_points", "late_days", "earned", "wins", "games"]
    head += ["forfeits", "cpu_seconds", "slowest_seconds", "main_forfeit", "graded", "earlier_points"]
    head += [f"{title} {what}" for title in columns for what in ("points", "wins", "games")]
    head += ["by_hand", "note", "submission", "files", "runtime", "problem"]
    return _csv(head, (_csv_row(row, names[row.student], columns) for row in report.rows))


def _csv_row(row: Row, pseudonym: str, columns: Sequence[str]) -> list[object]:
    lines = _lines_by_column(row)
    against: list[object] = []
    for title in columns:
        line = lines.get(title)
        against += [round(line["points"], 4), line["wins"], line["games"]] if line else ["", "", ""]
    return [
        row.student, pseudonym, row.status, _rounded(row.points), row.max_points,
        row.late_days, _rounded(row.earned), row.wins, row.games, row.forfeits, row.cpu_seconds, row.slowest_seconds,
        row.causes[0]["sentence"] if row.causes else "", row.date,
        "; ".join(f"{points_text(each.points or 0.0)} ({each.date})" for each in row.earlier),
        *against, row.by_hand, row.note, row.submission, row.digest, row.runtime, essence(row.details, _PROBLEM_IN_CSV),
    ]  # fmt: skip


def _rounded(points: float | None) -> float | str:
    return "" if points is None else round(points, 4)


def _csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(head)
    writer.writerows([safe_cell(value) for value in row] for row in rows)
    return text.getvalue()


def safe_cell(value: object) -> object:
    """Text escaped so that no spreadsheet takes it for a formula; numbers unchanged."""
    if not isinstance(value, str):
        return value
    shown = printable(value)
    first = unicodedata.normalize("NFKC", shown[:1])  # spreadsheets of East Asia take full-width signs as well
    return f"'{shown}" if first in ("=", "+", "-", "@") else shown


def _opponent_columns(report: ClassReport) -> list[str]:
    """All opponents of any row. No opponent is in two batches of a stage."""
    return list(dict.fromkeys(title for row in report.rows for title in _lines_by_column(row)))


def _lines_by_column(row: Row) -> dict[str, dict[str, Any]]:
    return {line["opponent"]: line for line in row.opponents}


def _class_page(report: ClassReport, names: dict[str, str]) -> Page:
    chosen = report.terms
    page = Page(
        f"Grades of {report.title}",
        f"{len(report.rows)} submissions, edition {chosen.edition.name}, stage {chosen.stage}, seed {chosen.seed}.",
        footer="Contains names, for the teacher only. The leaderboard contains none.",
    )
    if not report.complete:
        waiting = len(report.rows) - sum(row.status.is_final for row in report.rows)
        missing = f"{waiting} of {len(report.rows)} submissions are not graded yet"
        page.text(f"Not finished: {missing}. Run the same command again to continue.", tone="doubt")
    page.facts(_facts(report))
    if report.graded > 1:
        page.table(["Points", "Submissions"], _distribution(report))
    page.section("All submissions", "Each name links to the full report. Click a heading to sort.")
    columns = _opponent_columns(report)
    late = any(row.late_days for row in report.rows)
    head = ["Student", "Points", *(["Days late (earned)"] if late else []), "Status", "Forfeits"]
    head += [*columns, "Games won", "Slowest move", "CPU time"]
    page.table(head, [_table_row(row, columns, late=late) for row in report.rows])
    _add_attention(page, report)
    for title, text, columns, rows in _tables(report):
        if rows:
            page.section(title, text).table(columns, rows)
    levels = sorted({row.isolation for row in report.rows if row.isolation})
    used = chosen.limits or chosen.edition.limits
    limits = f"{used.cpu_seconds:g} s of CPU time and {used.wall_seconds:g} s of real time a move"
    page.section("How it was graded", f"{limits}. " + " ".join(f"Isolation {level}." for level in levels))
    runtimes = Counter(row.runtime for row in report.rows if row.runtime).most_common()
    if runtimes:
        page.table(["Ran with", "Submissions"], runtimes)
    page.section("Pseudonyms", f"Who is who on the leaderboard. Stored in {PSEUDONYMS}: keep that file private.")
    page.table(["Student", "Pseudonym"], [[row.student, names[row.student]] for row in report.rows])
    return page


def _facts(report: ClassReport) -> list[tuple[str, str]]:
    final = [row for row in report.rows if row.status.is_final]
    facts = [("Submissions", str(len(report.rows))), ("Graded", str(report.graded))]
    facts.append(("Cannot be run", str(len(final) - report.graded)))
    if not final:
        return facts
    values = [row.points or 0.0 for row in final]
    most = points_text(max(row.max_points for row in final))
    median, best = points_text(statistics.median(values)), points_text(max(values))
    return [*facts, ("Median", f"{median} of {most}"), ("Best", f"{best} of {most}")]


def _table_row(row: Row, columns: Sequence[str], *, late: bool) -> list[CellValue]:
    lines = _lines_by_column(row)
    share = (row.points or 0.0) / row.max_points if row.max_points else 0.0
    shown = "–" if row.points is None else points_text(row.points)
    status = "too slow" if row.overrun else row.status
    tone: Tone = (
        "good" if status is SubmissionStatus.GRADED else "bad" if row.overrun or row.status.is_final else "doubt"
    )
    return [
        Cell(row.student, href=quote(row.page)),
        Cell(shown, sort=-1.0 if row.points is None else row.points, meter=share),
        *([Cell(_lateness(row), sort=row.late_days)] if late else []),
        Cell(status, tone=tone),
        row.forfeits if row.games else "–",
        *(_against(lines.get(title)) for title in columns),
        Cell(f"{row.wins}/{row.games}" if row.games else "–", sort=row.wins),
        Cell(f"{row.slowest_seconds:.2f} s" if row.slowest_seconds else "–", sort=row.slowest_seconds),
        Cell(f"{row.cpu_seconds:.0f} s" if row.games else "–", sort=row.cpu_seconds),
    ]


def _lateness(row: Row) -> str:
    """How late it was, and what it earned before that was taken off."""
    if not row.late_days:
        return "–"
    earned = "" if row.earned is None else f" ({points_text(row.earned)})"
    return f"{row.late_days}{earned}"


def _against(line: dict[str, Any] | None) -> Cell:
    if line is None or not line["games"]:
        return Cell("–", sort=-1.0)
    return Cell(f"{points_text(line['points'])} ({line['wins']}/{line['games']})", sort=line["points"])


def _add_attention(page: Page, report: ClassReport) -> None:
    troubled, lines = [row for row in report.rows if row.problem], report.attention()
    if not troubled and not lines:
        return
    page.section(
        "Needs attention",
        "Submissions that could not be run, forfeited many games, or failed because of an error on our side; known "
        "work, copies, who is missing, and points above the maximum.",
    )
    for line in lines:
        page.text(line, tone="doubt")
    for row in troubled:
        ours = "" if row.status.is_final else " (our failure, not the student's)"
        page.section(f"{row.student}: {row.status}{ours}", level=3).pre(row.details)


def _tables(report: ClassReport) -> Iterator[tuple[str, str, list[str], list[list[CellValue]]]]:
    """Titles, texts, heads and rows of the tables that are shown if they have rows."""
    rows = report.rows
    yield (
        "Graded more than once",
        "Other files, or other terms. The link opens the report of that time.",
        ["Student", "Points now", "On", "Points then", "On", "Files then"],
        _regraded(rows),
    )
    causes = sorted(((row, cause) for row in rows for cause in row.causes), key=lambda pair: -len(pair[1]["games"]))
    yield (
        "Forfeits",
        "Games lost by a crash, an illegal move or a limit, by cause. The link opens one of them.",
        ["Student", "Games", "Cause", "To see it again"],
        [
            [
                row.student,
                len(cause["games"]),
                Cell(cause["sentence"], href=f"{quote(row.page)}#game-{cause['games'][0]}"),
                Cell(cause["replay"], is_code=True),
            ]
            for row, cause in causes
        ],
    )
    yield (
        "Remarks on files",
        "As 'littlego check' has them. They cost no points here.",
        ["Student", "Remark"],
        [[row.student, remark] for row in rows for remark in row.remarks],
    )
    yield (
        "Near-identical submissions",
        "Pairs whose programs share most of their structure, whatever the names, comments and layout. Parts of the "
        "starter kit, and files that many handed in, do not count. This is a hint to read both, not a finding: two "
        "authors can follow one textbook. JPlag and compare50 show two programs side by side.",
        ["Student", "And", "Program in common"],
        [[pair.first, pair.second, Cell(f"{100 * pair.programs:.0f}%", sort=pair.programs)] for pair in report.similar],
    )


def _regraded(rows: Sequence[Row]) -> list[list[CellValue]]:
    """The old grade beside the new one."""
    return [
        [
            Cell(row.student, href=quote(row.page)),
            "–" if row.points is None else points_text(row.points),
            row.date,
            Cell(points_text(each.points or 0.0), sort=each.points, href=quote(each.page)),
            each.date,
            each.digest,
        ]
        for row in rows
        for each in reversed(row.earlier)
    ]


def _leaderboard_page(report: ClassReport, board: list[Any]) -> Page:
    page = Page(
        f"Leaderboard of {now()[:10]}",
        f"{len(report.rows)} submissions, edition {report.terms.edition.name}, stage {report.terms.stage}.",
        footer="Names on this page are pseudonyms.",
    )
    rows: list[list[CellValue]] = []
    most = max((row.max_points for row in report.rows), default=0.0)
    for rank, change, name, points, *rest in board:
        place = Cell(rank or "–", sort=float(rank) if rank else 1e9)
        moved = f"{'▲' if change > 0 else '▼'}{abs(change)}" if isinstance(change, int) and change else ""
        change_cell = Cell(moved or change or "", sort=float(change) if isinstance(change, int) else 0)
        meter = points / most if most and rank else None
        shown = Cell(points_text(points) if rank else "–", sort=points if rank else -1, meter=meter)
        rows.append([Cell(name), place, change_cell, shown, *rest])
    head = [title.capitalize() for title in _leaderboard_columns(report)[3:]]
    return page.table(["Name", "Rank", "Change", *head], rows)


def _leaderboard_columns(report: ClassReport) -> list[str]:
    columns = [f"against {title}" for title in _opponent_columns(report)]
    return ["rank", "change", "name", "points", "wins", "games", *columns]


def _leaderboard_rows(report: ClassReport, names: dict[str, str], before: Mapping[str, int] | None) -> list[Any]:
    """Ranks by pseudonym, with the places won since the last leaderboard of an earlier day.

    Equals are ordered by pseudonym, so that the order of names stays hidden.
    """
    columns = _opponent_columns(report)
    ranked = sorted(report.ranked(), key=lambda pair: (pair[0] is None, pair[0] or 0, names[pair[1].student]))
    rows = []
    for rank, row in ranked:
        lines = _lines_by_column(row)
        wins = [lines[title]["wins"] if title in lines else 0 for title in columns]
        points = "" if rank is None else round(row.points or 0.0, 4)
        name = names[row.student]
        change: int | str = "" if before is None or rank is None else "new"
        if before is not None and rank is not None and name in before:
            change = before[name] - rank
        rows.append(["" if rank is None else rank, change, name, points, row.wins, row.games, *wins])
    return rows


def _distribution(report: ClassReport) -> list[list[CellValue]]:
    """Submissions by points, including those that got none, in ten steps."""
    final = [row for row in report.rows if row.status.is_final]
    most = max(row.max_points for row in final) or 1.0
    counts = Counter(min(9, int(10 * (row.points or 0.0) / most)) for row in final)
    return [
        [Cell(f"{points_text(step * most / 10)} to {points_text((step + 1) * most / 10)}", sort=step),
         Cell(counts[step], meter=counts[step] / max(counts.values()))]
        for step in range(10)
    ]  # fmt: skip


_WRITE_EVERY: Final = 2.0
"""Seconds between updates of the class's files; each submission's own report is written at once."""


class ClassFiles:
    """What is known of a class whose grading is under way, and its files, which are kept up to date.

    `asked` are the slugs of the submissions that are graded now.
    """

    def __init__(self, handed_in: HandedIn, terms: ClassTerms, out: Path, asked: set[str]) -> None:
        self._handed_in, self._terms, self._out = handed_in, terms, out
        self.asked = asked
        self._pace = Pace()
        self._written = 0.0
        self.under_way: dict[str, SubmissionProgress] = {}
        self.rows: dict[str, Row] = {}
        """Graded in this run."""

    def take(self, progress: SubmissionProgress) -> None:
        """Note how far a submission is, and write the class's files if that was long ago. Raises UsageError."""
        slug = progress.submission.slug
        if progress.row is None:
            self._pace.note(slug, progress.played, progress.planned)
            self.under_way[slug] = progress
            return
        self.under_way.pop(slug, None)
        self._pace.done(slug)
        self.rows[slug] = progress.row
        if time.monotonic() - self._written > _WRITE_EVERY:
            self.write()

    @property
    def seconds_left(self) -> float | None:
        waiting = self.asked - self.rows.keys() - self.under_way.keys()
        return self._pace.seconds_left(len(waiting) * self._terms.games)

    def write(
        self, known: Mapping[str, Shingles] | None = None, handed_out: frozenset[int] = frozenset()
    ) -> ClassReport:
        """The class's files as they are now; with `known` work, at the end, with similarities, which take a while.

        Raises UsageError.
        """
        rows = [
            self.rows.get(submission.slug) or self._so_far(submission, asked=submission.slug in self.asked)
            for submission in self._handed_in.submissions
        ]
        counted = self._handed_in.counted
        report = ClassReport(
            self._handed_in.title, self._terms, tuple(rows), missing=counted.missing, unknown=counted.unknown
        )
        with writing(self._out):
            if known is not None:
                report = with_similar(report, self._out, known, handed_out)
            write_class_report(report, self._out)
        self._written = time.monotonic()
        return report

    def _so_far(self, submission: Submission, *, asked: bool) -> Row:
        place = self._out / "students" / submission.slug
        return row_so_far(place, self._terms.identity(submission.student), student=submission.student, asked=asked)
