"""Who is who in a class: the list of students that a course system exports, and what each has handed in.

Canvas      Grades > Export > Export Entire Gradebook
Moodle      View all submissions > Download grading worksheet
Gradescope  Roster > More > Download Roster, or an assignment's Download Grades

A submission belongs to a student if its name is the student's login, number or e-mail address, or contains a number:
the student's, as in downloads from Canvas (`doejane_48213_99812_hw.zip`) and Moodle
(`Jane Doe_123456_assignsubmission_file_`), or if Gradescope's export names the student. What follows the number is the
student's own file name, and says nothing. People's names are not compared.

The list, filled in, is what the system imports again.
"""

from __future__ import annotations

import csv
import enum
import io
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from difflib import get_close_matches
from functools import reduce
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

from littlego.core.errors import UsageError
from littlego.course.failures import essence
from littlego.course.grading.cohort.report import safe_cell
from littlego.course.grading.cohort.rows import Row, share_pseudonyms
from littlego.course.grading.cohort.submissions import (
    Submission,
    course_number,
    find_submissions,
    numbered,
    read_noted,
    with_slugs,
    words_of,
)
from littlego.course.grading.words import points as points_text
from littlego.formats.text import listed, plural
from littlego.storage.files import csv_tables

if TYPE_CHECKING:
    from littlego.course.grading.cohort.run import ClassTerms


class System(enum.Enum):
    """Whose list of students it is. The values name the files that are written."""

    CANVAS = "canvas"
    MOODLE = "moodle"
    GRADESCOPE = "gradescope"


_HEADS: Final = {
    System.CANVAS: ("Student", "ID"),
    System.MOODLE: ("Identifier", "Full name", "Grade"),
    System.GRADESCOPE: ("First Name", "Last Name", "SID"),
}
_NUMBERS: Final = {
    System.CANVAS: ("ID", "SIS User ID", "SIS Login ID"),
    System.MOODLE: ("Identifier",),
    System.GRADESCOPE: ("SID", "Submission ID"),
}
_MAIL: Final = ("Email address", "Email")
_POSSIBLE: Final = "Points Possible"
_FEEDBACK: Final = "Feedback comments"
_MAXIMUM: Final = ("Maximum Grade", "Maximum grade")
_ROLE: Final = "Role"
"""Gradescope's: whoever is no student gets no grade."""
_TEST_STUDENTS: Final = ("Student, Test", "Test Student")
_STATUS: Final = "Status"
_LATE: Final = re.compile(r" - (.*) late\b")
_HOURS: Final = {"year": 8760.0, "week": 168.0, "day": 24.0, "hour": 1.0, "min": 1 / 60, "sec": 1 / 3600}
_OF_AN_ASSIGNMENT: Final = re.compile(r".*\(\d+\)")
"""Canvas's columns of assignments: `HW2 (998877)`."""


@dataclass(frozen=True)
class Roster:
    """A list of students as their system exported it."""

    system: System
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """With those that are no students, such as Canvas's second line."""
    delimiter: str = ","

    def students(self) -> list[tuple[int, str, set[str]]]:
        """For each student: the row, the name, and the words that a submission's name may have. Not for test students
        and teachers."""
        column = {name: number for number, name in enumerate(self.head)}
        named = _NUMBERS[self.system]
        found = []
        for number, row in enumerate(self.rows):
            parts = {System.CANVAS: ("Student",), System.MOODLE: ("Full name",)}
            name = " ".join(row[column[key]].strip() for key in parts.get(self.system, ("First Name", "Last Name")))
            name = name.strip()
            role = row[column[_ROLE]].strip().casefold() if _ROLE in column else "student"
            if not name or _POSSIBLE in name or name in _TEST_STUDENTS or role != "student":
                continue
            words = {_plain(re.sub(r"^Participant ", "", row[column[key]])) for key in named if key in column}
            mails = [row[column[mail]] for mail in _MAIL if mail in column]
            words |= {_plain(text) for mail in mails for text in (mail, mail.partition("@")[0])}
            found.append((number, name, words - {""}))
        return found

    def names(self) -> dict[int, str]:
        """By row, the names of the students; of namesakes with the number as well."""
        students = self.students()
        often = Counter(name for _, name, _ in students)
        number = self.head.index(next(key for key in _NUMBERS[self.system] if key in self.head))
        return {
            row: name if often[name] == 1 else f"{name} ({self.rows[row][number].strip()})" for row, name, _ in students
        }

    def identities(self) -> dict[int, str]:
        """By row, what stays the same of a student from one export of the roster to the next."""
        return {row: " ".join(sorted(words)) or name for row, name, words in self.students()}

    def days_late(self) -> dict[int, int]:
        """By row, every day begun, as Moodle's worksheet tells in words: `1 day 2 hours late`."""
        if _STATUS not in self.head:
            return {}
        found = {}
        for number, row in enumerate(self.rows):
            if late := _LATE.search(row[self.head.index(_STATUS)]):
                parts = re.findall(r"(\d+) (year|week|day|hour|min|sec)", late[1])
                found[number] = math.ceil(sum(int(count) * _HOURS[unit] for count, unit in parts) / 24)
        return {number: days for number, days in found.items() if days}


def read_roster(path: Path) -> Roster:
    """A list as a system exported it, or as a spreadsheet saved it again. Raises UsageError."""
    heads: list[list[str]] = []
    for delimiter, lines in csv_tables(path).items():
        head = [name.strip() for name in lines[0]] if lines else []
        if (system := _system(head)) is not None:
            whole = tuple(tuple((row + [""] * len(head))[: len(head)]) for row in lines[1:])
            _check_rows(path, roster := Roster(system, tuple(head), whole, delimiter))
            return roster
        heads.append(head)
    wanted = " or ".join(f"{system.name.capitalize()}'s ({', '.join(names)})" for system, names in _HEADS.items())
    raise UsageError(f"{path}: line 1: expected the columns of {wanted}, in English, got {', '.join(heads[0])[:60]!r}")


def _check_rows(path: Path, roster: Roster) -> None:
    """Raises UsageError where rows have become one, or come twice. Comments may have line breaks, names not."""
    numbers, head = _NUMBERS[roster.system], roster.head
    naming = [head.index(name) for name in (*_HEADS[roster.system], *numbers, *_MAIL) if name in head]
    students = {number for number, _, _ in roster.students()}
    lines: dict[str, int] = {}
    line = 2
    for number, row in enumerate(roster.rows):
        if cell := next((row[column] for column in naming if "\n" in row[column]), ""):
            raise UsageError(f"{path}: line {line}: {cell!r:.60} goes on in the next line: is a quote not closed?")
        if [name.strip() for name in row] == list(head):
            raise UsageError(f"{path}: line {line}: the heading of line 1 once more: expected each student once")
        key = row[head.index(numbers[0])].strip()
        if number in students and key and lines.setdefault(key, line) != line:
            raise UsageError(f"{path}: line {line}: {key!r} is in line {lines[key]} too: expected each student once")
        line += 1 + sum(cell.count("\n") for cell in row)


def _system(head: Sequence[str]) -> System | None:
    return next((system for system, names in _HEADS.items() if all(name in head for name in names)), None)


@dataclass(frozen=True)
class Counting:
    """The submissions that count: of each student the newest, under the student's name."""

    submissions: tuple[Submission, ...]
    owners: Mapping[str, tuple[int, ...]]
    """The rows of the roster that a submission belongs to, by its slug; none for strangers, or without a roster."""
    older: tuple[str, ...] = ()
    """Sentences on those that do not count."""
    missing: tuple[str, ...] = ()
    """Students of the roster without a submission."""
    unknown: tuple[str, ...] = ()
    """Submissions that match nobody on the roster."""
    without_roster: Mapping[str, str] = field(default_factory=dict)
    """The slugs that submissions have without the roster."""
    _words: Mapping[str, str] = field(default_factory=dict)
    """Every word that names a submission, without case and accents, and whose it is."""
    _absent: Mapping[str, str] = field(default_factory=dict)
    """Every word that names a student of the roster without a submission, and the student."""

    def named(self, name: str, where: str) -> Submission:
        """The submission that counts of the student of this name, number, login or address. Raises UsageError, which
        says where the name was read."""
        slug = self._words.get(_plain(name)) or next(map(self._words.get, map(_plain, words_of(name))), None)
        by_slug = {submission.slug: submission for submission in self.submissions}
        if slug in by_slug:
            return by_slug[slug]
        if student := self._absent.get(_plain(name)):
            raise UsageError(
                f"{where}: {student!r} is on the roster and has no submission: students without one cannot be given "
                "points; an empty folder with the student's number as its name would be one"
            )
        close = get_close_matches(_plain(name), [word for word in self._words if not word.isdigit()], 1)
        students = "; ".join(submission.student for submission in self.submissions)
        known = f"did you mean {by_slug[self._words[close[0]]].student!r}?" if close else f"there are {students}"
        raise UsageError(f"{where}: no submission is called {name!r}: {known}")


def counting(submissions: Sequence[Submission], roster: Roster | None) -> Counting:
    """Who has handed in what, by the roster, or by the names that the course system gave.

    Canvas numbers resubmissions (`hw.zip`, `hw-1.zip`); otherwise the newer file counts. Raises UsageError if two
    submissions share a student and neither replaces the other.
    """
    students = roster.students() if roster else []
    names = roster.names() if roster else {}
    groups: dict[str, list[Submission]] = {}
    rows: dict[str, tuple[int, ...]] = {}
    for submission in submissions:
        found = dict.fromkeys(_owner(words, students) for words in submission.people)
        owners = tuple(row for row in found if row is not None)
        number = course_number(submission.path.name)
        key = f"rows {owners}" if owners else f"{submission.student} {number}" if number else submission.path.name
        groups.setdefault(key, []).append(submission)
        rows[key] = owners
    newest = {key: reduce(_newer, _with_files(group)) for key, group in groups.items()}
    holders: dict[int, str] = {}
    for key, owners in rows.items():
        for row in owners:
            if holders.setdefault(row, key) != key:
                both = f"{newest[holders[row]].path.name} and {newest[key].path.name}"
                raise UsageError(f"{both} are submissions of one student, {names[row]}: keep one")
    # By the student, not by the file: a student's directory stays the same, whatever is handed in next.
    chosen = with_slugs(_named(newest, rows, names), list(groups))
    words: dict[str, str] = {}
    for (key, group), one in zip(groups.items(), chosen, strict=True):
        own = [one.student, *(word for each in group for word in (each.student, each.path.name, *chain(*each.people)))]
        own += [word for row, name, known in students if row in rows[key] for word in (name, *known)]
        for word in own:
            words.setdefault(_plain(word), one.slug)
    older = (
        f"{each.path.name} is older than {newest[key].path.name}, which counts"
        for key, group in groups.items()
        for each in _with_files(group)
        if each is not newest[key]
    )
    return Counting(
        tuple(sorted(chosen, key=lambda each: (each.student.casefold(), each.slug))),
        {one.slug: owners for one, owners in zip(chosen, rows.values(), strict=True)},
        tuple(older),
        tuple(name for row, name in names.items() if row not in holders),
        tuple(newest[key].path.name for key in groups if roster and not rows[key]),
        {one.slug: newest[key].slug for key, one in zip(groups, chosen, strict=True)},
        words,
        {_plain(word): names[row] for row, name, known in students if row not in holders for word in (name, *known)},
    )


def _named(
    newest: Mapping[str, Submission], rows: Mapping[str, Sequence[int]], names: Mapping[int, str]
) -> list[Submission]:
    """The submissions under their students' names, no two under the same."""
    chosen = [
        replace(one, student=" and ".join(names[row] for row in rows[key]) or one.student)
        for key, one in newest.items()
    ]
    often = Counter(one.student for one in chosen)
    return [
        replace(one, student=f"{one.student} ({course_number(one.path.name) or one.path.name})")
        if often[one.student] > 1
        else one
        for one in chosen
    ]


def late_days(
    counted: Counting, roster: Roster | None, named: Mapping[str, int], due: datetime | None
) -> dict[str, int]:
    """Days late by the student's name: as a file says, else by Moodle's worksheet, else by Gradescope's times."""
    days: dict[str, int] = {}
    by_row = roster.days_late() if roster else {}
    for submission in counted.submissions:
        found = max((by_row.get(row, 0) for row in counted.owners[submission.slug]), default=0)
        if not found and due is not None and submission.handed_in is not None:
            found = math.ceil(max(0.0, (submission.handed_in - due).total_seconds()) / (24 * 3600))
        if found:
            days[submission.student] = found
    return {student: late for student, late in (days | dict(named)).items() if late}


@dataclass(frozen=True)
class Papers:
    """What a teacher gives beside the submissions."""

    roster: Path | None = None
    late: Path | None = None
    """Lines of student,days."""
    due: str | None = None
    """From when late days are counted."""
    adjust: Path | None = None
    """Lines of student,points,note."""
    column: str | None = None
    """The roster's, for the points."""
    known: Path | None = None
    """Earlier work."""
    starter: Path | None = None
    """What the course handed out."""
    competition: Path | None = None
    """A tournament of the class, whose ranks are worth points."""

    def days_late(self, student: Callable[[str, str], str] = lambda name, _where: name) -> dict[str, int]:
        """By the `student` of a name, as `read_noted` asks. Raises UsageError."""
        lines = read_noted(self.late, "student,days", "0 to 9999", r"[0-9]{1,4}", student) if self.late else {}
        return {name: int(days) for name, (days,) in lines.items()}

    def points_by_hand(self, student: Callable[[str, str], str]) -> dict[str, tuple[float, str]]:
        """To add, and why, likewise. Raises UsageError."""
        form, number = "student,points,note", r"[+-]?[0-9]{1,4}([.][0-9]{1,4})?"
        lines = read_noted(self.adjust, form, "-9999 to 9999", number, student) if self.adjust else {}
        return {name: (float(points), note) for name, (points, note) in lines.items()}


@dataclass(frozen=True)
class HandedIn:
    """A class's submissions, and what is known of their students."""

    title: str
    counted: Counting
    ignored: Sequence[str]
    """What else is in the folder."""
    roster: Roster | None
    _papers: Papers

    @property
    def submissions(self) -> tuple[Submission, ...]:
        return self.counted.submissions

    def asked(self, only: Sequence[str]) -> list[Submission]:
        """Those of the students who are named; all of them without names. Raises UsageError."""
        slugs = {self.counted.named(name, "--only").slug for name in only}
        return [each for each in self.submissions if not only or each.slug in slugs]

    def terms(self, terms: ClassTerms) -> ClassTerms:
        """With days late and points by hand, by student. Raises UsageError."""
        due = None if self._papers.due is None else parse_due(self._papers.due)
        days = late_days(self.counted, self.roster, self._papers.days_late(self._student), due)
        if not terms.edition.late.days and self._papers.late is None:
            days = {}  # Moodle's words and Gradescope's times mean nothing to it
        return replace(terms, late=days, by_hand=self._papers.points_by_hand(self._student))

    def _student(self, name: str, where: str) -> str:
        return self.counted.named(name, where).student

    def remarks(self, terms: ClassTerms) -> list[str]:
        """Sentences on what was handed in more than once, and late."""
        found = [f"Resubmitted: {line}." for line in self.counted.older]
        has_times = any(each.handed_in for each in self.submissions)
        if self._papers.due is not None and not has_times:
            found.append("No submission says when it was handed in, so --due counts no days.")
        if not terms.edition.late.days:
            return found
        late = [f"{student} ({plural(days, 'day')})" for student, days in terms.late.items()]
        known = self._papers.days_late(self._student).keys() | terms.late.keys()
        marked = [each.student for each in self.submissions if each.marked_late and each.student not in known]
        found += [f"Late: {listed(late, by='; ')}."] if late else []
        found += [f"Marked late, and without days in --late FILE: {listed(marked, by='; ')}."] if marked else []
        if self._papers.due is None and has_times:
            found.append("Gradescope says when each was handed in: --due 'YYYY-MM-DD HH:MM' counts late days.")
        return found

    def share_pseudonyms(self, out: Path) -> None:
        """Let the students have the same pseudonyms wherever this roster is used."""
        if self.roster is not None and self._papers.roster is not None:
            identities = self.roster.identities()
            owners = self.counted.owners
            named = {each.student: " ".join(identities[row] for row in owners[each.slug]) for each in self.submissions}
            share_pseudonyms({student: known for student, known in named.items() if known}, self._papers.roster, out)

    def filled(self, rows: Sequence[Row], assignment: str) -> Filled | None:
        """The roster with the points; None without a roster."""
        if self.roster is None:
            return None
        return filled(self.roster, rows, self.counted.owners, assignment, column=self._papers.column)


def read_class(source: Path, place: Path, papers: Papers) -> HandedIn:
    """The class in a folder, or in a `.zip`, which is unpacked below `place`. Raises UsageError."""
    roster = read_roster(papers.roster) if papers.roster else None
    if roster is not None and papers.column not in (None, *roster.head):
        raise UsageError(f"--column {papers.column!r}: the roster has {', '.join(roster.head)}")
    if roster is None and papers.column is not None:
        raise UsageError("--column is a column of the roster: give --roster FILE too")
    submissions, ignored = find_submissions(source, place)
    title = source.absolute().stem if source.suffix.lower() == ".zip" else source.absolute().name
    return HandedIn(title, counting(submissions, roster), ignored, roster, papers)


def parse_due(text: str) -> datetime:
    """A time here, unless it names its zone. Raises UsageError."""
    try:
        return datetime.fromisoformat(text).astimezone()
    except ValueError as error:
        raise UsageError(f"--due {text!r}: expected a time such as '2025-11-01 23:59'") from error


@dataclass(frozen=True)
class Filled:
    """A roster with grades."""

    file: str
    """The name of the file to import."""
    text: str
    remark: str = ""
    """What has to be done before the import."""


def filled(
    roster: Roster,
    graded: Sequence[Row],
    owners: Mapping[str, Sequence[int]],
    assignment: str,
    *,
    column: str | None = None,
) -> Filled:
    """The roster with the points of `graded`; students without final points get an empty cell.

    `owners` are rows of the roster by the slugs of submissions. The points go to the `column` of this name; without
    one, to Moodle's, or to the only empty one that Canvas has, or to a new one for the `assignment`.
    """
    owned = {number: row for row in graded for number in owners.get(row.slug, ())}
    most = max((row.max_points for row in graded), default=0.0)
    named = column or _column(roster)
    possible = _other_maximum(roster, most, named)
    if roster.system is System.MOODLE:
        lines = _moodle(roster, owned, named or "Grade")
    elif roster.system is System.GRADESCOPE and named:
        lines = _with_column(roster, owned, named)
    else:
        lines = _of_students(roster, owned, named or assignment, most)
    text = io.StringIO()
    writer = csv.writer(text, delimiter=roster.delimiter, lineterminator="\n")
    writer.writerows([_no_formula(cell) for cell in line] for line in lines)
    return Filled(f"{roster.system.value}.csv", text.getvalue(), possible)


def _column(roster: Roster) -> str | None:
    """The only column of an assignment in which no student has points yet."""
    rows = [roster.rows[number] for number, _, _ in roster.students()]
    empty = [
        name
        for number, name in enumerate(roster.head)
        if _OF_AN_ASSIGNMENT.fullmatch(name) and not any(row[number].strip() for row in rows)
    ]
    return empty[0] if roster.system is System.CANVAS and len(empty) == 1 else None


def _no_formula(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula. Numbers, as in `-1` or `+49 89`, and a lone dash stay."""
    if cell[:1] in ("=", "@") or (cell[:1] in ("+", "-") and not re.fullmatch(r"[+-][\d .,/()-]*", cell)):
        return f"'{cell}"
    return cell


def _owner(words: Iterable[str], students: Sequence[tuple[int, str, set[str]]]) -> int | None:
    """The one student whose login, number or address the first fitting word is, or None."""
    for word in words:
        fitting = [number for number, _, known in students if _plain(word) in known]
        if len(fitting) == 1:
            return fitting[0]
    return None


def _plain(text: str) -> str:
    """Letters and digits, without case and accents."""
    flat = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in flat if char.isalnum())


def _of_students(roster: Roster, owners: dict[int, Row], column: str, most: float) -> list[list[str]]:
    """The columns that name students, and one for the points: Canvas leaves the other grades as they are."""
    naming = ("Student", "ID", "SIS User ID", "SIS Login ID", "Integration ID", "Root Account", "Section")
    is_canvas = roster.system is System.CANVAS
    kept = [k for k, name in enumerate(roster.head) if name in naming or not is_canvas]
    head = [*(roster.head[k] for k in kept), column]
    lines = [head] if is_canvas else [[*head, f"{column} - Max Points"]]
    if is_canvas:
        stated = next((row for row in roster.rows if _POSSIBLE in row[0]), None)
        known = stated is not None and column in roster.head
        out_of = stated[roster.head.index(column)] if stated is not None and known else points_text(most)
        lines.append([f"    {_POSSIBLE}", *[""] * (len(kept) - 1), out_of])
    for number, _, _ in roster.students():
        cells = [*(roster.rows[number][k] for k in kept), _grade(owners.get(number))]
        lines.append(cells if is_canvas else [*cells, points_text(most)])
    return lines


def _with_column(roster: Roster, owners: dict[int, Row], column: str) -> list[list[str]]:
    filling = roster.head.index(column)
    lines = [list(roster.head)]
    for number, row in enumerate(roster.rows):
        graded = owners.get(number)
        lines.append([*row[:filling], row[filling] if graded is None else _grade(graded), *row[filling + 1 :]])
    return lines


def _with_files(group: list[Submission]) -> list[Submission]:
    """Without the text that Moodle lets students type beside their files."""
    files = [submission for submission in group if "_onlinetext_" not in submission.path.name]
    return files or group


def _newer(one: Submission, other: Submission) -> Submission:
    """The one that replaces the other: of one name, Canvas's higher number; otherwise the newer one."""
    (name, number), (other_name, other_number) = (numbered(each.path.stem) for each in (one, other))
    if name == other_name and number != other_number:
        return one if number > other_number else other
    if one.handed_in and other.handed_in:
        return one if one.handed_in > other.handed_in else other
    times = [submission.path.lstat().st_mtime for submission in (one, other)]
    return one if times[0] > times[1] else other


def _moodle(roster: Roster, owners: dict[int, Row], column: str) -> list[list[str]]:
    feedback = roster.head.index(_FEEDBACK) if _FEEDBACK in roster.head else None
    head, *lines = _with_column(roster, owners, column)
    for number, cells in enumerate(lines):
        if feedback is not None and (graded := owners.get(number)) is not None:
            cells[feedback] = _comment(graded)
    return [head, *lines]


def _other_maximum(roster: Roster, most: float, column: str | None) -> str:
    """A remark if the system takes the grades for points of another maximum: 50 of 50 for half of 100."""
    if roster.system is System.CANVAS and column is not None:
        stated = {row[roster.head.index(column)] for row in roster.rows if _POSSIBLE in row[0]}
        where = column
    else:
        known = next((k for k, name in enumerate(roster.head) if name in _MAXIMUM), None)
        stated = set() if known is None else {row[known] for row in roster.rows}
        where = "" if known is None else roster.head[known]
    others = sorted({each.strip() for each in stated} - {""})
    differing = [each for each in others if not re.fullmatch(rf"{re.escape(points_text(most))}([.,]0+)?", each)]
    if not differing or not most:
        return ""
    return f"the roster says {where} {differing[0]}, and these grades are out of {points_text(most)}"


def _grade(row: Row | None) -> str:
    return "" if row is None or row.points is None else points_text(row.points)


def _comment(row: Row) -> str:
    """What the student reads beside the points: nothing while an error on our side keeps them away."""
    if row.points is None:
        return ""
    lines = ("{opponent} {wins} of {games}, {points:g} points".format(**line) for line in row.opponents)
    against = "; ".join(lines)
    why = essence(row.problem, 300)
    return str(safe_cell(" - ".join(part for part in (against, why) if part)))
