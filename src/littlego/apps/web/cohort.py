"""The students of a server: each has a token and a pseudonym, which stay when the roster changes.

class-sheet.html  the tokens, one line for each student, to print and cut up
class.csv         name, key, token, identity; readable by the owner only. Without a token: has left, and may come back
pseudonyms.json   as a graded class has it
"""

from __future__ import annotations

import csv
import io
import re
import secrets
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from littlego.core.errors import UsageError
from littlego.course.grading.cohort.roster import read_roster
from littlego.course.grading.cohort.rows import pseudonyms, share_pseudonyms
from littlego.formats.html.page import Cell, CellValue, Page
from littlego.storage.files import read_csv, write_whole, writing

FILE: Final = "class.csv"
_SHEET: Final = "class-sheet.html"
_HEAD: Final = ("name", "key", "token", "identity")
_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without those that look alike on paper."""
_GROUPS: Final = 4
_GROUP: Final = 4
_LONGEST_NAME: Final = 200
_KEY: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


@dataclass(frozen=True, slots=True)
class Student:
    """Somebody who has a token of this server."""

    name: str
    key: str
    """What the things of a student are stored under; also the name of a directory."""
    token: str
    identity: str
    """The numbers and logins of the roster by which the student is recognised in the next one, or the name."""
    pseudonym: str


def read_students(data: Path) -> tuple[Student, ...]:
    """The class of a data directory; empty if it has none. Raises UsageError."""
    rows = [row for row in _read(data) if row["token"]]
    names = pseudonyms([row["key"] for row in rows], data) if rows else {}
    return tuple(Student(**row, pseudonym=names[row["key"]]) for row in rows)


def _read(data: Path) -> list[dict[str, str]]:
    """The rows of the class, with those of students who have left. Raises UsageError."""
    path = data / FILE
    if not path.exists():
        return []
    try:
        head, *rows = [row for row in read_csv(path) if any(row)]
        if tuple(head) != _HEAD:
            raise ValueError(f"line 1: expected {','.join(_HEAD)}")
        found = [dict(zip(_HEAD, map(str.strip, row), strict=True)) for row in rows]
    except ValueError as error:
        raise UsageError(f"{path}: cannot be read: {error}") from error
    for row in found:
        if not _KEY.fullmatch(row["key"]):
            raise UsageError(f"{path}: key {row['key'][:40]!r}: expected small letters, digits and -")
        if row["token"] and len(plain_token(row["token"])) < _GROUPS * _GROUP:
            raise UsageError(f"{path}: the token of {row['name']} is too short: empty the cell for a new one")
    tokens = [plain_token(row["token"]) for row in found if row["token"]]
    for column, values in (("key", [row["key"] for row in found]), ("token", tokens)):
        if twice := [value for value, count in Counter(values).items() if count > 1]:
            raise UsageError(f"{path}: two students have the {column} {twice[0]!r}")
    return found


@dataclass(frozen=True, slots=True)
class Enrolment:
    """What a roster changed."""

    students: tuple[Student, ...]
    new: tuple[str, ...]
    """Those with a new token."""
    gone: tuple[str, ...]


def enrol(roster: Path, data: Path) -> Enrolment:
    """Make the students of a roster those of a data directory, which exists. Raises UsageError.

    Whoever was in it already keeps the token; the tokens of others are no longer valid.
    """
    people = _people(roster)
    if not people:
        raise UsageError(f"{roster}: no students in it")
    identities = Counter(_folded(identity) for _, identity in people)
    if twice := [name for name, identity in people if identities[_folded(identity)] > 1]:
        raise UsageError(f"{roster}: {twice[-1]} is in it twice, with nothing to tell them apart")
    before = _read(data)
    known = _recognised(people, before)
    keys = {row["key"] for row in before}
    rows = []
    for name, identity in people:
        row = known.get(identity)
        key = row["key"] if row else _new_key(name, keys)
        keys.add(key)
        rows.append((name, key, (row and row["token"]) or _new_token(), identity))
    staying = {row["key"] for row in known.values()}
    left = [row for row in before if row["key"] not in staying]
    rows += [(row["name"], row["key"], "", row["identity"]) for row in left]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([_HEAD, *rows])
    with writing(data / FILE):
        write_whole(data / FILE, text.getvalue(), mode=0o600)
    share_pseudonyms({row[1]: row[3] for row in rows if row[2]}, roster, data)
    new = tuple(name for name, identity in people if not known.get(identity, {}).get("token"))
    return Enrolment(read_students(data), new, tuple(row["name"] for row in left if row["token"]))


def plain_token(given: str) -> str:
    """A token as it is compared: people copy it from paper."""
    return re.sub(r"[\s-]", "", given).lower()


def _people(roster: Path) -> list[tuple[str, str]]:
    """The names of a roster, each with what identifies the student: a list with a column `name` will do."""
    lines = [row for row in read_csv(roster) if any(cell.strip() for cell in row)]
    head = [cell.strip().casefold() for cell in lines[0]] if lines else []
    if "name" in head:
        column = head.index("name")
        names = [_cleaned(row[column]) for row in lines[1:] if len(row) > column]
        return [(name, name) for name in names if name]
    try:
        found = read_roster(roster).students()
    except UsageError as error:
        raise UsageError(f"{error}; a list of names with the heading 'name' will do, too") from error
    people = [(_cleaned(name), " ".join(sorted(words))) for _, name, words in found]
    return [(name, identity or name) for name, identity in people if name]


def _cleaned(name: str) -> str:
    """A name on one line, without what cannot be seen, and that no spreadsheet takes for a formula."""
    flat = unicodedata.normalize("NFC", " ".join(name.split()))
    return "".join(char for char in flat if char.isprintable()).lstrip("=+-@ ")[:_LONGEST_NAME].strip()


def _folded(text: str) -> str:
    """As it is compared: another program may write the same name in other characters."""
    return _cleaned(text).casefold()


def _recognised(people: Sequence[tuple[str, str]], before: Sequence[dict[str, str]]) -> dict[str, dict[str, str]]:
    """By identity, the rows of those who were in the class before.

    Rosters change: a number is filled in, or a list of names is followed by the course's own export. A student with
    a name of their own is known by it, unless all the numbers differ.
    """
    rows = {_folded(row["identity"]): row for row in before}
    found = {identity: rows.pop(_folded(identity)) for _, identity in people if _folded(identity) in rows}
    names = Counter(_words(name) for name, _ in people)
    for name, identity in people:
        same = [key for key, row in rows.items() if _words(row["name"]) == _words(name) != frozenset()]
        if identity in found or len(same) != 1 or names[_words(name)] > 1:
            continue
        earlier = rows[same[0]]["identity"]
        if _words(name) in (_words(earlier), _words(identity)) or _words(earlier) & _words(identity):
            found[identity] = rows.pop(same[0])
    return found


def _words(text: str) -> frozenset[str]:
    """Of a name or an identity, in any order: `Doe, Jane` is `Jane Doe`."""
    return frozenset(re.findall(r"\w+", _folded(text)))


def _new_key(name: str, taken: Iterable[str]) -> str:
    flat = unicodedata.normalize("NFKD", name.casefold()).encode("ascii", "ignore").decode()
    plain = re.sub(r"[^a-z0-9]+", "-", flat).strip("-")[:30] or "student"
    key, number = plain, 1
    while key in set(taken):
        number += 1
        key = f"{plain}-{number}"
    return key


def _new_token() -> str:
    groups = ("".join(secrets.choice(_LETTERS) for _ in range(_GROUP)) for _ in range(_GROUPS))
    return "-".join(groups)


def write_sheet(data: Path, students: Sequence[Student], address: str) -> Path:
    """Write the sheet into the data directory, readable by the owner only. Raises OSError."""
    page = Page(
        "Tokens of the class",
        "One line for each student. Whoever has a token is that student: hand out one line each, and no list.",
    )
    page.text(f"Open {address} in a browser, and enter the token when it is asked for. The browser remembers you.")
    rows: list[list[CellValue]] = [
        [student.name, address, Cell(student.token, is_code=True), student.pseudonym] for student in students
    ]
    page.table(["Student", "Address", "Token", "Called in tournaments"], rows)
    path = data / _SHEET
    write_whole(path, page.html(), mode=0o600)
    return path
