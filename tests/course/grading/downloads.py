"""A made-up class of twelve as Canvas, Moodle and Gradescope hand it out, and their lists of its students.

Imitations, made from what the systems' documentation and teachers say: no real download was at hand.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

FORFEITS: Final = "raise ValueError\n"
"""An agent whose games take a moment."""

_STUDENTS: Final = (
    ("Absent", "Zoë"), ("Bit", "Ben"), ("Crane", "Cy"), ("Day", "Dan"), ("Easton", "Eve"), ("Fox", "Flo"),
    ("Gale", "Gus"), ("Horn", "Hal"), ("Iverson", "Ivy"), ("Joplin", "Jo"), ("Kent", "Kim"), ("Lee", "Lou"),
)  # fmt: skip


def _packed(path: Path, files: Mapping[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def _homework(place: Path, *names: str) -> bytes:
    return _packed(place / "inner.zip", dict.fromkeys(names, FORFEITS)).read_bytes()


def canvas(place: Path) -> tuple[Path, Path]:
    """Assignment > Download Submissions, and Grades > Export: everyone's files side by side."""
    files: dict[str, str | bytes] = {}
    for number, (last, first) in enumerate(_STUDENTS[:9]):
        who, late = f"{last}{first}".lower(), "LATE_" if first == "Eve" else ""
        files[f"{who}_{late}{101 + number}_{55501 + number}_hw2.zip"] = _homework(place, "hw2/my_player3.py")
    del files["absentzoë_101_55501_hw2.zip"]
    files["absentzoë_101_55501_my_player3-1.py"] = f"{FORFEITS}# reads book.txt\n"
    files["absentzoë_101_55502_book-1.txt"] = "2,2\n"
    files["joplinjo_110_55510_my_player.cpp"] = "int main() { return 1; }\n"
    files["kentkim_111_55511_report.pdf"] = "%PDF"
    roster = (
        "Student,ID,SIS User ID,SIS Login ID,Section,HW1 (998876),HW2 (998877),Current Score\n"
        "    Points Possible,,,,,100,15,(read only)\n"
    )
    for number, (last, first) in enumerate(_STUDENTS):
        roster += f'"{last}, {first}",{101 + number},u{number},{last.lower()},A,90,,90\n'
    (place / "canvas.csv").write_text(roster + '"Student, Test",999,,0123456789abcdef,A,,,\n', encoding="utf-8")
    return _packed(place / "submissions.zip", files), place / "canvas.csv"


def moodle(place: Path) -> tuple[Path, Path]:
    """View all submissions > Download all submissions, in folders, and Download grading worksheet."""
    files: dict[str, str | bytes] = {}
    for number, (last, first) in enumerate(_STUDENTS[:11]):
        folder = f"{first} {last}_{123456 + number}_assignsubmission_file_"
        files[f"{folder}/my_player3.py"] = FORFEITS
    files["Zoë Absent_123456_assignsubmission_onlinetext_/onlinetext.html"] = "<p>Here it is.</p>"
    del files["Ben Bit_123457_assignsubmission_file_/my_player3.py"]
    files["Ben Bit_123457_assignsubmission_file_/all.zip"] = _homework(place, "my_player3.py")
    worksheet = (
        "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Last modified (submission),Feedback comments\n"
    )
    status = {"Eve": " - 1 day 2 hours late", "Flo": " - 45 mins 3 secs late"}
    for number, (last, first) in enumerate(_STUDENTS):
        said = "No submission" if first == "Lou" else f"Submitted for grading{status.get(first, '')}"
        worksheet += f"Participant {123456 + number},{first} {last},{first.lower()}@example.edu,{said},,15.00,-,\n"
    (place / "moodle.csv").write_text("\ufeff" + worksheet, encoding="utf-8")
    return _packed(place / "CS101-HW2-77.zip", files), place / "moodle.csv"


def gradescope(place: Path) -> tuple[Path, Path]:
    """Review Grades > Export Submissions, and Roster > Download Roster: Hal and Ivy have handed in together."""
    files: dict[str, str | bytes] = {}
    metadata = "---\n"
    for number, (last, first) in enumerate(_STUDENTS[:10]):
        if first == "Ivy":
            continue
        folder = f"submission_{9001 + number}"
        files[f"assignment_77_export/{folder}/my_player3.py"] = FORFEITS
        metadata += f"{folder}:\n  :submitters:\n"
        both = [(last, first), ("Iverson", "Ivy")] if first == "Hal" else [(last, first)]
        for one_last, one_first in both:
            sid = 901 + [name for name, _ in _STUDENTS].index(one_last)
            metadata += (
                f"  - :name: {one_first} {one_last}\n    :sid: '{sid}'\n    :email: {one_first.lower()}@example.edu\n"
            )
        day = "02 10:00:00" if first == "Eve" else "01 10:00:00"
        metadata += f"  :created_at: 2025-11-{day}.000000000 Z\n  :score: 0.0\n  :status: processed\n"
        metadata += "  :history:\n  - :id: 1\n    :submitters:\n    - :name: Nobody Else\n"
        metadata += "    :created_at: 2025-10-01 00:00:00 Z\n"
    files["assignment_77_export/submission_metadata.yml"] = metadata
    roster = "First Name,Last Name,SID,Email,Role\nTea,Cher,900,tea@example.edu,Instructor\n"
    for number, (last, first) in enumerate(_STUDENTS):
        roster += f"{first},{last},{901 + number},{first.lower()}@example.edu,Student\n"
    (place / "gradescope.csv").write_text(roster, encoding="utf-8")
    return _packed(place / "assignment_77_export.zip", files), place / "gradescope.csv"
