"""The sheet with the tokens of a class, one line for each student, to print and cut up."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from littlego.apps.web.cohort.students import Student
from littlego.formats.html.page import Cell, CellValue, Page
from littlego.storage.whole_files import write_whole

FILE: Final = "class-sheet.html"


def write_sheet(data: Path, students: Sequence[Student], address: str, *, show_names: bool) -> Path:
    """Write the sheet into the data directory, readable by the owner only. Raises OSError."""
    page = Page(
        "Tokens of the class",
        "One line for each student. Whoever has a token is that student: hand out one line each, and no list.",
    )
    page.text(f"Open {address} in a browser, and enter the token when it is asked for. The browser remembers you.")
    head = ["Student", "Address", "Token"]
    rows: list[list[CellValue]] = [[student.name, address, Cell(student.token, is_code=True)] for student in students]
    if not show_names:
        head.append("Called in tournaments")
        rows = [[*row, student.pseudonym] for row, student in zip(rows, students, strict=True)]
    page.table(head, rows)
    path = data / FILE
    write_whole(path, page.html(), mode=0o600)
    return path
