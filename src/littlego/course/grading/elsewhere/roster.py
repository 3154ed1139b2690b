"""Grades for a learning management system: its own list of students, filled in, for it to import again.

Canvas   Gradebook > Export; the file has Student, ID, ..., and gets a column for this assignment
Moodle   View all submissions > Download grading worksheet; Grade and Feedback comments are filled in
Gradescope  Roster > Download roster, or Download grades; gets a column for this assignment

A submission belongs to a student if its name is the student's login, number or e-mail address, or contains a number:
the student's, as in downloads from Canvas (`doejane_48213_99812_hw.zip`) and Moodle
(`Jane Doe_123456_assignsubmission_file_`), or the submission's, as in Gradescope's (`submission_31415`). What follows
the number is the student's own file name, and says nothing; Canvas's marks (`-1` for a resubmission, `_LATE`) are not
part of a name. People's names are not compared.
"""

from __future__ import annotations

import csv
import enum
import io
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Final

from littlego.core.errors import UsageError
from littlego.course.grading.cohort.report import essence, safe_cell
from littlego.course.grading.cohort.rows import Row
from littlego.course.grading.cohort.submissions import Submission
from littlego.course.grading.words import points as points_text
from littlego.storage.files import csv_tables


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
_DOWNLOADED: Final = re.compile(r".*?_(?:LATE_)?(\d+)(?:_\d+(?:_|$)|_assignsubmission_|$)")
"""How Canvas and Moodle begin the name of a downloaded file: with the student's name and number."""


@dataclass(frozen=True)
class Roster:
    """A list of students as their system exported it."""

    system: System
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """With those that are no students, such as Canvas's second line."""
    delimiter: str = ","

    def students(self) -> list[tuple[int, str, set[str]]]:
        """For each student: the row, the name, and the words that a submission's name may have."""
        column = {name: number for number, name in enumerate(self.head)}
        named = _NUMBERS[self.system]
        found = []
        for number, row in enumerate(self.rows):
            parts = {System.CANVAS: ("Student",), System.MOODLE: ("Full name",)}
            name = " ".join(row[column[key]].strip() for key in parts.get(self.system, ("First Name", "Last Name")))
            name = name.strip()
            if not name or _POSSIBLE in name:
                continue
            words = {_plain(re.sub(r"^Participant ", "", row[column[key]])) for key in named if key in column}
            mails = [row[column[mail]] for mail in _MAIL if mail in column]
            words |= {_plain(text) for mail in mails for text in (mail, mail.partition("@")[0])}
            found.append((number, name, words - {""}))
        return found


def read_roster(path: Path) -> Roster:
    """A list as a system exported it, or as a spreadsheet saved it again. Raises UsageError."""
    heads: list[list[str]] = []
    for delimiter, lines in csv_tables(path).items():
        head = [name.strip() for name in lines[0]] if lines else []
        if (system := _system(head)) is not None:
            whole = tuple(tuple((row + [""] * len(head))[: len(head)]) for row in lines[1:])
            return Roster(system, tuple(head), whole, delimiter)
        heads.append(head)
    wanted = " or ".join(f"{system.name.capitalize()}'s ({', '.join(names)})" for system, names in _HEADS.items())
    raise UsageError(f"{path}: line 1: expected the columns of {wanted}, in English, got {', '.join(heads[0])[:60]!r}")


def _system(head: Sequence[str]) -> System | None:
    return next((system for system, names in _HEADS.items() if all(name in head for name in names)), None)


@dataclass(frozen=True)
class Filled:
    """A roster with grades."""

    file: str
    """The name of the file to import."""
    text: str
    missing: tuple[str, ...]
    """Students without a submission."""
    unknown: tuple[str, ...]
    """Submissions that fit no student on the list."""
    remark: str = ""
    """What has to be done before the import."""


def filled(roster: Roster, graded: Sequence[Row], assignment: str) -> Filled:
    """Students without final points get an empty cell. Raises UsageError if two submissions are one student's."""
    owners: dict[int, Row] = {}
    students = roster.students()
    for row in graded:
        number = _owner(row.student, students)
        if number in owners:
            raise UsageError(f"{owners[number].student} and {row.student} are submissions of one student: keep one")
        if number is not None:
            owners[number] = row
    missing, unknown = both_sides(roster, [row.student for row in graded])
    if roster.system is System.MOODLE:
        lines = _moodle(roster, owners)
    elif roster.system is System.CANVAS:
        lines = _canvas(roster, owners, assignment)
    else:
        lines = _gradescope(roster, owners, assignment)
    text = io.StringIO()
    writer = csv.writer(text, delimiter=roster.delimiter, lineterminator="\n")
    writer.writerows([_no_formula(cell) for cell in line] for line in lines)
    file = f"{roster.system.value}.csv"
    return Filled(file, text.getvalue(), missing, unknown, _other_maximum(roster, owners))


def both_sides(roster: Roster, submissions: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The students on the list without a submission, and the submissions that fit none of them."""
    students = roster.students()
    owners = {submission: _owner(submission, students) for submission in submissions}
    missing = tuple(name for number, name, _ in students if number not in owners.values())
    return missing, tuple(submission for submission, owner in owners.items() if owner is None)


def _no_formula(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula. Numbers, as in `-1` or `+49 89`, and a lone dash stay."""
    if cell[:1] in ("=", "@") or (cell[:1] in ("+", "-") and not re.fullmatch(r"[+-][\d .,/()-]*", cell)):
        return f"'{cell}"
    return cell


def _owner(submission: str, students: Iterable[tuple[int, str, set[str]]]) -> int | None:
    """The one student whose login, number or address a submission's name has, or None."""
    students, names = list(students), [submission]
    if found := _DOWNLOADED.match(submission):
        names += [found[1], submission[: found.start(1) - 1]]
    else:
        names.append(_numbered(submission)[0])
    for name in names:
        fitting = [number for number, _, known in students if _plain(name) in known]
        if len(fitting) == 1:
            return fitting[0]
    return None


def _plain(text: str) -> str:
    """Letters and digits, without case and accents."""
    flat = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in flat if char.isalnum())


def _canvas(roster: Roster, owners: dict[int, Row], assignment: str) -> list[list[str]]:
    """The columns that name students, and one for the assignment: Canvas leaves the other grades as they are."""
    naming = ("Student", "ID", "SIS User ID", "SIS Login ID", "Integration ID", "Root Account", "Section")
    kept = [k for k, name in enumerate(roster.head) if name in naming]
    most = max((row.max_points for row in owners.values()), default=0.0)
    lines = [[*(roster.head[k] for k in kept), assignment]]
    lines.append([f"    {_POSSIBLE}", *[""] * (len(kept) - 1), points_text(most)])
    named = {number for number, _, _ in roster.students()}
    for number, row in enumerate(roster.rows):
        if number in named:
            lines.append([*(row[k] for k in kept), _grade(owners.get(number))])
    return lines


def _gradescope(roster: Roster, owners: dict[int, Row], assignment: str) -> list[list[str]]:
    most = max((row.max_points for row in owners.values()), default=0.0)
    lines = [[*roster.head, assignment, f"{assignment} - Max Points"]]
    for number, row in enumerate(roster.rows):
        lines.append([*row, _grade(owners.get(number)), points_text(most)])
    return lines


def newest_of_each(submissions: Sequence[Submission], roster: Roster) -> tuple[list[Submission], list[str]]:
    """One submission for each student, the newest; and sentences on those that are left out.

    Canvas numbers resubmissions (`hw.zip`, `hw-1.zip`); otherwise the newer file counts. Submissions that fit
    no student are kept.
    """
    students = roster.students()
    groups: dict[object, list[Submission]] = {}
    for submission in submissions:
        owner = _owner(submission.student, students)
        groups.setdefault(submission.slug if owner is None else owner, []).append(submission)
    newest = {key: reduce(_newer, _with_files(group)) for key, group in groups.items()}
    older = [
        f"{submission.path.name} is older than {newest[key].path.name}, which counts"
        for key, group in groups.items()
        for submission in group
        if submission is not newest[key]
    ]
    chosen = set(newest.values())
    return [submission for submission in submissions if submission in chosen], older


def late_days(
    named: Mapping[str, int], submissions: Sequence[Submission], counting: Sequence[Submission], roster: Roster | None
) -> dict[str, int]:
    """Days late by submission, from days by submission or by student of the roster, whose newest is late.

    Raises UsageError.
    """
    return {named_submission(name, submissions, counting, roster, "--late"): days for name, days in named.items()}


def named_submission(
    name: str, submissions: Sequence[Submission], counting: Sequence[Submission], roster: Roster | None, option: str
) -> str:
    """The submission of this name, or the one that counts of the student of this name. Raises UsageError."""
    known = {submission.student for submission in submissions}
    by_path = {submission.path.name: submission.student for submission in submissions}
    if name in known or name in by_path:
        return by_path.get(name, name)
    students = roster.students() if roster else []
    listed = [number for number, full, _ in students if full.casefold() == name.casefold()]
    owner = listed[0] if len(listed) == 1 else _owner(name, students)
    found = [each.student for each in counting if owner is not None and _owner(each.student, students) == owner]
    if not found:
        raise UsageError(f"{option}: no submission is called {name!r}: there are {', '.join(sorted(known))}")
    return found[0]


def _with_files(group: list[Submission]) -> list[Submission]:
    """Without the text that Moodle lets students type beside their files."""
    files = [submission for submission in group if not submission.student.endswith("_onlinetext_")]
    return files or group


def _newer(one: Submission, other: Submission) -> Submission:
    """The one that replaces the other: of one name, Canvas's higher number; otherwise the newer file."""
    (name, number), (other_name, other_number) = map(_numbered, (one.student, other.student))
    if name == other_name and number != other_number:
        return one if number > other_number else other
    times = [submission.path.lstat().st_mtime for submission in (one, other)]
    return one if times[0] > times[1] else other


def _numbered(student: str) -> tuple[str, int]:
    """The name of a submission without Canvas's ids and number, and the number: `doejane_1_2_hw-3` is `hw`, 3."""
    name = re.sub(r"^.*_\d+_\d+_", "", student)
    found = re.fullmatch(r"(.*?)(?:_LATE)?(?:-(\d{1,2}))?(?:_LATE)?", name)
    assert found is not None, "anything may come first"
    return found[1], int(found[2] or 0)


def _moodle(roster: Roster, owners: dict[int, Row]) -> list[list[str]]:
    grade = roster.head.index("Grade")
    feedback = roster.head.index(_FEEDBACK) if _FEEDBACK in roster.head else None
    lines = [list(roster.head)]
    for number, row in enumerate(roster.rows):
        cells = list(row)
        if (graded := owners.get(number)) is not None:
            cells[grade] = _grade(graded)
            if feedback is not None:
                cells[feedback] = _comment(graded)
        lines.append(cells)
    return lines


def _other_maximum(roster: Roster, owners: Mapping[int, Row]) -> str:
    """Moodle takes 50 of 50 points for half of a grade out of 100."""
    column = next((k for k, name in enumerate(roster.head) if name in _MAXIMUM), None)
    if column is None or not owners:
        return ""
    most = points_text(max(row.max_points for row in owners.values()))
    others = {row[column].strip() for row in roster.rows} - {""}
    differing = sorted(other for other in others if not re.fullmatch(rf"{re.escape(most)}([.,]0+)?", other))
    if not differing:
        return ""
    return f"the list says {roster.head[column]} {differing[0]}, and these grades are out of {most}"


def _grade(row: Row | None) -> str:
    return "" if row is None or row.points is None else points_text(row.points)


def _comment(row: Row) -> str:
    lines = (f"{line.opponent} {line.wins} of {line.games}, {line.points:g} points" for line in row.opponents)
    against = "; ".join(lines)
    why = essence(row.problem, 300)
    return str(safe_cell(" - ".join(part for part in (against, why) if part)))
