"""Lists of students as Canvas and Moodle export them, filled in for them to import."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from littlego.core.errors import UsageError
from littlego.course.edition import shipped_edition
from littlego.course.grading.cohort.report import safe_cell
from littlego.course.grading.cohort.roster import (
    Counting,
    Filled,
    Papers,
    Roster,
    counting,
    filled,
    read_class,
    read_roster,
)
from littlego.course.grading.cohort.rows import Row, SubmissionStatus
from littlego.course.grading.cohort.run import ClassTerms
from littlego.course.grading.cohort.submissions import find_submissions
from tests.arena.agents import GOOD, python_agent

CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,Homework 1 (77),Current Score
    Points Possible,,,,,10,(read only)
"Doe, Jane",48213,u1,jdoe,A,9,90
"Müller, Zoë",48214,u2,zm,A,8,80
"Absent, Al",48215,u3,al,B,,
"Login, Lou",48216,u4,lou7,B,7,70
"""
MOODLE = """\
\ufeffIdentifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,Feedback comments
Participant 123456,Jane Doe,jane@example.edu,Submitted,,100.00,Yes,
Participant 123457,Zoë Müller,zoe@example.edu,Submitted,,100.00,Yes,
Participant 123458,Al Absent,al@example.edu,No submission,,100.00,Yes,
"""


def row(points: float | None, status: SubmissionStatus = SubmissionStatus.GRADED) -> Row:
    lines = [{"opponent": "random", "points": points or 0, "wins": 3, "games": 4}]
    return Row("", "", status, "", points, 90, lines)


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ('"Day, Dan,2,\n"Doe, Di",3,x\n', r"line 3: 'Day, Dan,2,.*' goes on in the next line: is a quote not closed\?"),
        ('"Day, Dan",1,x\n', "line 3: '1' is in line 2 too: expected each student once"),
        ("Student,ID,Notes\n", "line 3: the heading of line 1 once more: expected each student once"),
    ],
)
def test_a_roster_that_loses_students_is_refused(tmp_path: Path, rows: str, says: str) -> None:
    text = f'Student,ID,Notes\n"Love, Ada",1,"first\nsecond"\n{rows}'
    (tmp_path / "r.csv").write_text(text.replace("first\nsecond", ""))
    with pytest.raises(UsageError, match=says):
        read_roster(tmp_path / "r.csv")
    (tmp_path / "r.csv").write_text(text)
    with pytest.raises(UsageError, match="line 4"):
        read_roster(tmp_path / "r.csv")


def class_of(folder: Path, names: Iterable[str], roster: Roster | None = None) -> Counting:
    """A folder with submissions of these names, which count as the roster says."""
    for name in names:
        (folder / name).mkdir(parents=True)
    return counting(find_submissions(folder)[0], roster)


def graded(folder: Path, roster: Roster, points: Mapping[str, Row]) -> tuple[Filled, Counting]:
    """The roster filled in for submissions of these names, each with the points of its row."""
    counted = class_of(folder, points, roster)
    rows = [
        replace(points[submission.path.name], student=submission.student, slug=submission.slug)
        for submission in counted.submissions
    ]
    return filled(roster, rows, counted.owners, "Little-Go"), counted


def files(counted: Counting) -> list[str]:
    return [submission.path.name for submission in counted.submissions]


def table(text: str) -> list[list[str]]:
    return list(csv.reader(text.splitlines()))


def test_canvas(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text(CANVAS)
    names = ["doejane_LATE_48213_99812_hw2", "mullerzoe_48214_99813_hw2", "lou7", "stranger_1_2_hw"]
    rows = dict(zip(names, [row(53.75), row(None, SubmissionStatus.UNFINISHED), row(0), row(90)], strict=True))
    done, counted = graded(tmp_path / "class", read_roster(tmp_path / "c.csv"), rows)
    assert [each.student for each in counted.submissions] == ["Doe, Jane", "Login, Lou", "Müller, Zoë", "stranger"]
    assert done.file == "canvas.csv"
    assert table(done.text) == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Little-Go"],
        ["    Points Possible", "", "", "", "", "90"],
        ["Doe, Jane", "48213", "u1", "jdoe", "A", "53.75"],
        ["Müller, Zoë", "48214", "u2", "zm", "A", ""],
        ["Absent, Al", "48215", "u3", "al", "B", ""],
        ["Login, Lou", "48216", "u4", "lou7", "B", "0"],
    ]
    assert counted.missing == ("Absent, Al",)
    assert counted.unknown == ("stranger_1_2_hw",)


def test_moodle(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text(MOODLE, encoding="utf-8")
    formula = Row("", "", SubmissionStatus.NO_AGENT, "=HYPERLINK(1): no agent here\x1b", 12.5, 90)
    rows = {"Jane Doe_123456": row(80), "zoe@example.edu": formula}
    done, counted = graded(tmp_path / "class", read_roster(tmp_path / "m.csv"), rows)
    assert done.file == "moodle.csv"
    _, jane, zoe, al = table(done.text)
    assert zoe[7] == r"'=HYPERLINK(1): no agent here\x1b", "no formula for a spreadsheet"
    assert (jane[4], zoe[4], al[4]) == ("80", "12.5", "")
    assert jane[7] == "random 3 of 4, 80 points"
    assert counted.missing == ("Al Absent",)


def test_a_student_reads_all_of_what_keeps_one_stage_from_being_played(tmp_path: Path) -> None:
    """It was cut to its first line if games of the other stage were forfeited."""
    (tmp_path / "m.csv").write_text(MOODLE, encoding="utf-8")
    broken = "Stage 2: g++ failed (1):\nmy_player.cpp:1:12: error: expected primary-expression"
    jane = replace(row(10), problem=broken, causes=[{"sentence": "it crashed", "games": [1]}])
    done, _ = graded(tmp_path / "class", read_roster(tmp_path / "m.csv"), {"Jane Doe_123456": jane})
    assert table(done.text)[1][7].endswith("g++ failed (1): my_player.cpp:1:12: error: expected primary-expression")


def test_late_work_without_days_is_named_unless_the_teacher_has_said_none(tmp_path: Path) -> None:
    for name in ("doejane_LATE_48213_1_hw", "mullerzoe_LATE_48214_2_hw", "lou7_LATE_48216_3_hw"):
        python_agent(tmp_path / "class" / name, GOOD)
    (tmp_path / "c.csv").write_text(CANVAS, encoding="utf-8")
    (tmp_path / "late.csv").write_text("48213,0\n48214,2\n")
    class_ = read_class(tmp_path / "class", tmp_path / "place", Papers(tmp_path / "c.csv", tmp_path / "late.csv"))
    assert class_.remarks(class_.terms(ClassTerms(shipped_edition("2024")))) == [
        "Late: Müller, Zoë (2 days).",
        "Marked late, and without days in --late FILE: Login, Lou.",
    ]


def test_a_student_reads_nothing_of_an_error_on_our_side(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text(MOODLE, encoding="utf-8")
    ours = Row("", "", SubmissionStatus.FAILED, "it imports numpy, which /home/teacher/bin/python3 does not have")
    done, _ = graded(tmp_path / "class", read_roster(tmp_path / "m.csv"), {"zoe@example.edu": ours})
    assert table(done.text)[2][4:8:3] == ["", ""], "neither points nor a comment"


def test_what_is_not_a_roster(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("name,points\nJane,3\n")
    with pytest.raises(UsageError, match=r"line 1: expected the columns of Canvas's \(Student, ID\) or Moodle's"):
        read_roster(tmp_path / "x.csv")


GRADESCOPE = """\
First Name,Last Name,SID,Email,Sections
Jane,Doe,901,jane@example.edu,A
Al,Absent,902,al@example.edu,B
"""


def test_gradescope(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text(GRADESCOPE)
    rows = {"submission_901": row(53.75)}
    done, counted = graded(tmp_path / "class", read_roster(tmp_path / "g.csv"), rows)
    assert done.file == "gradescope.csv"
    assert table(done.text) == [
        ["First Name", "Last Name", "SID", "Email", "Sections", "Little-Go", "Little-Go - Max Points"],
        ["Jane", "Doe", "901", "jane@example.edu", "A", "53.75", "90"],
        ["Al", "Absent", "902", "al@example.edu", "B", "", "90"],
    ]
    assert counted.missing == ("Al Absent",)


def test_the_newest_submission_of_a_student_counts(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text(CANVAS)
    folder = tmp_path / "class"
    folder.mkdir()
    for name in ("doejane_48213_1_hw-1.zip", "doejane_48213_1_hw.zip", "lou7.zip", "stranger.zip"):
        (folder / name).write_bytes(b"")
    counted = counting(find_submissions(folder)[0], read_roster(tmp_path / "c.csv"))
    assert files(counted) == ["doejane_48213_1_hw-1.zip", "lou7.zip", "stranger.zip"]
    assert counted.older == ("doejane_48213_1_hw.zip is older than doejane_48213_1_hw-1.zip, which counts",)


def test_a_number_counts_only_between_files_of_one_name(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text(CANVAS)
    folder = tmp_path / "class"
    folder.mkdir()
    for age, name in enumerate(("doejane_48213_800_final.zip", "doejane_48213_700_agent-3.zip")):
        (folder / name).write_bytes(b"")
        os.utime(folder / name, (1e9 - age, 1e9 - age))
    for roster in (read_roster(tmp_path / "c.csv"), None):
        assert files(counting(find_submissions(folder)[0], roster)) == ["doejane_48213_800_final.zip"]


def test_what_moodle_lets_students_type_replaces_no_files(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text(MOODLE)
    folder = tmp_path / "class"
    for kind in ("file", "onlinetext"):
        (folder / f"Jane Doe_123456_assignsubmission_{kind}_").mkdir(parents=True)
    os.utime(folder / "Jane Doe_123456_assignsubmission_file_", (1, 1))
    counted = counting(find_submissions(folder)[0], read_roster(tmp_path / "m.csv"))
    assert [submission.student for submission in counted.submissions] == ["Jane Doe"]
    assert files(counted) == ["Jane Doe_123456_assignsubmission_file_"], "without what Moodle adds"
    for name in ("Jane Doe", "jane@example.edu", "123456", "Jane Doe_123456_assignsubmission_file_"):
        assert counted.named(name, "--only").student == "Jane Doe"


def test_a_resubmission_is_not_a_stranger(tmp_path: Path) -> None:
    """A first attempt without points would have counted, and the late one that works would have been nobody's."""
    (tmp_path / "c.csv").write_text('Student,ID,SIS Login ID\n"Lee, H",106,lee_h\n')
    folder = tmp_path / "class"
    folder.mkdir()
    for name in ("lee_h.zip", "lee_h-1_LATE.zip"):
        (folder / name).write_bytes(b"")
    counted = counting(find_submissions(folder)[0], read_roster(tmp_path / "c.csv"))
    assert [(each.student, each.path.name) for each in counted.submissions] == [("Lee, H", "lee_h-1_LATE.zip")]
    assert counted.older == ("lee_h.zip is older than lee_h-1_LATE.zip, which counts",)


@pytest.mark.parametrize(
    ("name", "owner"),
    [
        ("doejane_48213_99812_48214", 0),
        ("doejane_48213_99812_lou7", 0),
        ("doejane_LATE_48213_48214_hw", 0),
        ("nobody_77_78_lou7", None),
        ("nobody_77_78_Doe, Jane", None),
        ("lou7-2", 3),
        ("lou7_LATE-2", 3),
        ("jdoe-1", 0),
        ("Jane Doe", None),
        ("jdoe hw2", None),
        ("lee_42", 4),
        ("lee_42-1", 4),
        ("lee_42_LATE", 4),
        ("lee_42@x.edu", 4),
        ("lee_48213", 0),
        ("(lou7)", 3),
    ],
)
def test_a_student_s_own_file_name_claims_nobody_s_place(tmp_path: Path, name: str, owner: int | None) -> None:
    (tmp_path / "c.csv").write_text(CANVAS.replace("Section", "Email") + '"Lee, H",48217,u5,,lee_42@x.edu,,\n')
    done, _ = graded(tmp_path / "class", read_roster(tmp_path / "c.csv"), {name: row(12)})
    grades = [line[-1] for line in table(done.text)[2:]]
    assert grades == ["12" if number == owner else "" for number in range(5)]


SAVED_AGAIN = [
    pytest.param(lambda text: text.replace(",", ";").encode("cp1252"), id="Excel, German"),
    pytest.param(lambda text: text.replace(",", "\t").encode("utf-16"), id="Excel, Unicode text"),
    pytest.param(lambda text: text.replace("\n", "\r\n").encode("utf-8-sig"), id="Excel, CSV UTF-8"),
]


@pytest.mark.parametrize("saved", SAVED_AGAIN)
def test_lists_that_a_spreadsheet_has_saved(tmp_path: Path, saved: Callable[[str], bytes]) -> None:
    (tmp_path / "m.csv").write_bytes(saved(MOODLE.removeprefix("\ufeff")))
    roster = read_roster(tmp_path / "m.csv")
    done, _ = graded(tmp_path / "class", roster, {"Zoë Müller_123457": row(12)})
    lines = list(csv.reader(done.text.splitlines(), delimiter=roster.delimiter))
    assert [line[1] for line in lines] == ["Full name", "Jane Doe", "Zoë Müller", "Al Absent"]
    assert [line[4] for line in lines] == ["Grade", "", "12", ""]
    assert roster.delimiter in done.text, "in the form that it came in"


def test_a_formula_on_the_list_stays_text(tmp_path: Path) -> None:
    evil = CANVAS.replace('"Absent, Al",48215', '"=HYPERLINK(""http://x"")",-5').replace("u4", "+SUM(1)")
    (tmp_path / "c.csv").write_text(evil)
    lines = table(filled(read_roster(tmp_path / "c.csv"), [], {}, "x").text)
    assert lines[4][:2] == ['\'=HYPERLINK("http://x")', "-5"]
    assert lines[5][2] == "'+SUM(1)"


@pytest.mark.parametrize("sign", "=+-@\uff1d\uff0b\uff0d\uff20")
def test_nothing_that_a_spreadsheet_could_run_begins_a_cell(sign: str) -> None:
    assert safe_cell(f"{sign}SUM(1)") == f"'{sign}SUM(1)"


def test_a_maximum_that_differs_is_said(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text(MOODLE)
    done = filled(read_roster(tmp_path / "m.csv"), [row(80)], {}, "x")
    assert done.remark == "the roster says Maximum Grade 100.00, and these grades are out of 90"
    (tmp_path / "m.csv").write_text(MOODLE.replace("100.00", "90.00"))
    assert not filled(read_roster(tmp_path / "m.csv"), [row(80)], {}, "x").remark
