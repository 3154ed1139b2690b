"""Two programs that are alike, line beside line: renamed and reformatted lines stand opposite each other."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Final
from urllib.parse import quote

from littlego.core.errors import LittleGoError
from littlego.course.grading.cohort.run import ClassTerms
from littlego.course.grading.cohort.similarity import Similar, shape
from littlego.course.grading.cohort.submissions import Submission, open_submission
from littlego.course.grading.cohort.traces import sources_of
from littlego.formats.html.page import Cell, CellValue, Page, Tone
from littlego.storage.scratch import temporary_directory
from littlego.storage.whole_files import write_whole

FOLDER: Final = "similar"
_MOST_PAIRS: Final = 30
_MOST_LINES: Final = 3000
_SPACE: Final = "\u00a0"


def write_pairs(
    pairs: Sequence[Similar], submissions: Sequence[Submission], terms: ClassTerms, out: Path
) -> dict[tuple[str, str], str]:
    """Write a page for each pair, the most alike first; returns links to them by the two students. Raises OSError.

    A pair whose files can no longer be read has no page.
    """
    by_student = {submission.student: submission for submission in submissions}
    links = {}
    for pair in pairs[:_MOST_PAIRS]:
        first, second = by_student[pair.first], by_student[pair.second]
        try:
            page = pair_page(pair, _lines(first, terms), _lines(second, terms))
        except (LittleGoError, OSError):
            continue
        name = f"{first.slug}--{second.slug}.html"
        (out / FOLDER).mkdir(exist_ok=True)
        write_whole(out / FOLDER / name, page.html())
        links[pair.first, pair.second] = f"{FOLDER}/{quote(name)}"
    return links


def _lines(submission: Submission, terms: ClassTerms) -> list[str]:
    """The lines of an agent's sources, one file after the other. Raises UsageError, OSError."""
    with temporary_directory("littlego-look-") as look:
        opened = open_submission(submission, look, python=terms.python, edition=terms.edition)
        texts = sources_of(opened)
    return [line.rstrip() for text in texts for line in text.splitlines()][:_MOST_LINES]


def pair_page(pair: Similar, first: Sequence[str], second: Sequence[str]) -> Page:
    page = Page(
        f"{pair.first} and {pair.second}",
        f"{100 * pair.programs:.0f}% of the smaller program's structure is in the other one.",
        footer="Contains names, for the teacher only. Being alike proves nothing.",
    )
    page.text("Lines with the same structure stand opposite each other; those that differ in names only are marked.")
    return page.table(["", pair.first, "", pair.second], aligned(first, second))


def aligned(first: Sequence[str], second: Sequence[str]) -> list[list[CellValue]]:
    """Rows of line number, line, line number, line."""
    shapes = [[" ".join(shape(line)) for line in lines] for lines in (first, second)]
    rows: list[list[CellValue]] = []
    for kind, a, b, c, d in SequenceMatcher(None, shapes[0], shapes[1], autojunk=False).get_opcodes():
        if kind == "equal":
            for left, right in zip(range(a, b), range(c, d), strict=True):
                tone: Tone = "plain" if first[left] == second[right] else "doubt"
                rows.append([left + 1, _cell(first[left], tone), right + 1, _cell(second[right], tone)])
            continue
        for k in range(max(b - a, d - c)):
            left_cells: list[CellValue] = [a + k + 1, _cell(first[a + k])] if a + k < b else ["", ""]
            right_cells: list[CellValue] = [c + k + 1, _cell(second[c + k])] if c + k < d else ["", ""]
            rows.append([*left_cells, *right_cells])
    return rows


def _cell(line: str, tone: Tone = "plain") -> Cell:
    """With its indentation, which a table would lose."""
    bare = line.lstrip()
    return Cell(_SPACE * (len(line.expandtabs(4)) - len(bare.expandtabs(4))) + bare, tone=tone)
