"""An edition by its name or by its file: what `--edition` takes."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from littlego.core.errors import UsageError
from littlego.core.rules import DEFAULT_EDITION, EDITIONS
from littlego.course.editions.edition import Edition
from littlego.course.editions.reading import read_edition

FOLDER: Final = Path(__file__).parent
EDITION_FILE: Final = "edition.toml"
"""The copy of a course's own edition in a starter kit and in an autograder."""


@cache
def shipped_edition(name: str) -> Edition:
    """One of `EDITIONS`, from the file that comes with the package."""
    return read_edition(FOLDER / f"{name}.toml")


def find_edition(text: str = DEFAULT_EDITION) -> Edition:
    """The edition that a name or the path of a `.toml` file stands for.

    Raises UsageError for anything else, and FormatError for a file with errors.
    """
    if text in EDITIONS:
        return shipped_edition(text)
    if not text.endswith(".toml"):
        raise UsageError(f"edition {text!r}: expected one of {', '.join(EDITIONS)}, or a file such as mycourse.toml")
    edition = read_edition(Path(text))
    if edition.name in EDITIONS and edition != shipped_edition(edition.name):
        raise UsageError(f"{text}: name: {edition.name} is an edition that comes with littlego: choose another name")
    return edition


def edition_text(text: str) -> str:
    """The file of an edition as it is written. Raises UsageError."""
    find_edition(text)
    path = FOLDER / f"{text}.toml" if text in EDITIONS else Path(text)
    return path.read_text(encoding="utf-8")
