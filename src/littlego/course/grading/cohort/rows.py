"""The rows of a class, and the files of one submission: its report, and those of earlier versions of it.

students/NAME/report.json, report.html          what counts now; the row is the head of it
students/NAME/earlier/DATE-report.json, .html   what counted before its files, or the terms, changed
students/NAME/ungraded.json                     why there was no grade when it was last tried
pseudonyms.json                                 what students are called on a public leaderboard

Pseudonyms are stable, distinct, and reveal nothing about the names: they are derived from a secret that stays with the
results, so that a name and this program are not enough to find its pseudonym. Once given, a pseudonym stays, whoever
joins the class later.
"""

from __future__ import annotations

import contextlib
import enum
import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from littlego.core.errors import UsageError
from littlego.course.grading.words import points as points_text
from littlego.storage.files import write_whole

FILE: Final = "pseudonyms.json"

_KINDS: Final = (
    "amber ashen blue brass bright calm clear copper coral dawn deep dusky fair gentle golden "
    "green grey hazel hidden ivory keen lively lunar merry misty mossy noble north opal pale patient "
    "pearl plain quick quiet rapid red river rosy royal rustic sandy silent silver slate snowy solar south "
    "still stony sunny swift tidal violet warm west white wild"
)
_THINGS: Final = (
    "acorn aspen badger beech birch bison brook cedar cliff clover comet crane crow dove eagle elm falcon fern "
    "finch fox gull hare hawk heron hill ibis iris jay kestrel lake lark lily lynx maple marten meadow "
    "moon moth oak orchid osprey otter owl pebble pine plover poplar quail raven reed robin sable seal sparrow "
    "spruce star stork swan tern thistle thrush tulip wren yew"
)


def pseudonyms(students: Iterable[str], directory: Path) -> dict[str, str]:
    """The pseudonym of every student, stored in `directory` in a file that only its owner can read.

    Raises UsageError if that file is damaged.
    """
    path = directory / FILE
    salt, given = _read_pseudonyms(path) if path.exists() else (secrets.token_hex(16), {})
    taken = set(given.values())
    missing = {student for student in students if student not in given}
    # In the order of their digests: the order of names would let the list of pseudonyms reveal something.
    for student in sorted(missing, key=lambda student: _digest(salt, student, 0)):
        attempt = 0
        while (name := _name(_digest(salt, student, attempt))) in taken:
            attempt += 1
        given[student] = name
        taken.add(name)
    if missing:
        write_whole(path, json.dumps({"salt": salt, "pseudonyms": given}, indent=1) + "\n", mode=0o600)
    return given


def share_pseudonyms(identities: Mapping[str, str], roster: Path, directory: Path) -> None:
    """Give students in `directory` the pseudonyms that lie beside a roster, where they are made if necessary.

    `identities` says what a student is called there: the same roster serves gradings, tournaments and the server.
    Nothing happens where the roster's own directory cannot be written.
    """
    with contextlib.suppress(OSError):
        shared = pseudonyms(identities.values(), roster.absolute().parent)
        path = directory / FILE
        salt, given = _read_pseudonyms(path) if path.exists() else (secrets.token_hex(16), {})
        new = given | {student: shared[identity] for student, identity in identities.items()}
        if new != given:
            directory.mkdir(parents=True, exist_ok=True)
            write_whole(path, json.dumps({"salt": salt, "pseudonyms": new}, indent=1) + "\n", mode=0o600)


def _read_pseudonyms(path: Path) -> tuple[str, dict[str, str]]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return str(data["salt"]), {str(student): str(name) for student, name in data["pseudonyms"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{path}: cannot be read, and new pseudonyms would differ: repair or remove it") from error


def _digest(salt: str, student: str, attempt: int) -> bytes:
    return hmac.digest(salt.encode(), f"{attempt} {student}".encode("utf-8", "surrogateescape"), hashlib.sha256)


def _name(digest: bytes) -> str:
    kinds, things = _KINDS.split(), _THINGS.split()
    kind, thing = kinds[digest[0] % len(kinds)], things[digest[1] % len(things)]
    return f"{kind.capitalize()} {thing} {int.from_bytes(digest[2:6]) % 900 + 100}"


REPORT: Final = "report.json"
PAGE: Final = "report.html"
_EARLIER: Final = "earlier"
_UNGRADED: Final = "ungraded.json"


class SubmissionStatus(enum.StrEnum):
    """The status of a submission. The values appear in tables and files."""

    GRADED = "graded"
    NO_AGENT = "no agent"
    """Nothing in it can be run, even in a second attempt: no points."""
    NOT_BUILT = "not built"
    """The compiler rejected the same files every time: no points."""
    UNFINISHED = "unfinished"
    """Games are missing: grading was stopped, or they failed because of an error on our side."""
    FAILED = "failed"
    """It could not be graded because of an error on our side: the points are unknown."""

    @property
    def is_final(self) -> bool:
        """Whether grading it again would give the same."""
        return self in (SubmissionStatus.GRADED, SubmissionStatus.NO_AGENT, SubmissionStatus.NOT_BUILT)


@dataclass(frozen=True)
class Row:
    """One submission in the tables of its class: what its report says of it, apart from the games.

    The values are those of JSON, so that a row is read from the report's file, and written, as it is.
    """

    student: str
    slug: str
    status: SubmissionStatus
    problem: str = ""
    """Why there are no points (yet), why a stage cannot be played, or why at least half of the games were forfeited."""
    points: float | None = None
    """None until they are known: half a grading gives no points."""
    max_points: float = 0.0
    opponents: list[dict[str, Any]] = field(default_factory=list)
    """In the repeat that counts, with the batch of each."""
    wins: int = 0
    games: int = 0
    """In the repeat that counts."""
    forfeits: int = 0
    """Games it lost by its own fault."""
    cpu_seconds: float = 0.0
    overrun: bool = False
    """Whether a batch exceeded its time and so scored nothing."""
    digest: str = ""
    """Of the graded files."""
    isolation: str = ""
    """How its programs were isolated."""
    runtime: str = ""
    """Its interpreter and packages, or its language."""
    slowest_seconds: float = 0.0
    """CPU time of its slowest move."""
    causes: list[dict[str, Any]] = field(default_factory=list)
    """Why it forfeited games, the costliest first."""
    example: str = ""
    """Of games that are the problem: one, and the end of its stderr."""
    date: str = ""
    """When its last game was played, or it was found unusable."""
    earlier: tuple[Row, ...] = ()
    """What it got before its files, or the terms, changed, oldest first."""
    earned: float | None = None
    """Points before anything is taken off for being late; None until they are known."""
    late_days: int = 0
    by_hand: float = 0.0
    """Points that the teacher added."""
    note: str = ""
    """Why."""
    remarks: list[str] = field(default_factory=list)
    """On its files, as `littlego check` has them."""
    submission: str = ""
    """The file or directory that was handed in."""
    page: str = ""
    """Of the report, from the class's directory; empty if there is none."""
    key: str = ""
    """Of everything that decided the report."""
    terms: str = ""
    """Of what was chosen for it, apart from its files."""

    @property
    def details(self) -> str:
        """Its problem with the example."""
        return "\n".join(filter(None, (self.problem, self.example)))


def write_report(place: Path, row: Row, report: dict[str, Any], page: str) -> None:
    """Write the report that counts now. Raises OSError."""
    write_whole(place / PAGE, page)
    _write(place / REPORT, report | asdict(row))


def stored_report(place: Path) -> Row | None:
    """The final report that counts in a submission's directory, if there is one that can be read."""
    row = _read_final(place)
    return row and replace(row, earlier=earlier_reports(place, but=row.key))


def keep_outcome(place: Path, terms: str, row: Row) -> None:
    """Remember a row without a grade until there is one: runs that leave it out show it as it was. Raises OSError."""
    if row.status.is_final:
        (place / _UNGRADED).unlink(missing_ok=True)
    else:
        _write(place / _UNGRADED, asdict(replace(row, terms=terms)))


def row_so_far(place: Path, terms: str, *, student: str, asked: bool) -> Row:
    """Of a submission that a run has not come to: as it was by the same `terms`, or with what it got before.

    `asked`: it is going to be graded again.
    """
    ungraded = None if asked else _read(place, _UNGRADED)
    if ungraded is not None and ungraded.terms == terms:
        return replace(ungraded, student=student, earlier=every_report(place))
    stored = None if asked else stored_report(place)
    if stored is not None and stored.terms == terms:
        return replace(stored, student=student)
    return Row(student, place.name, SubmissionStatus.UNFINISHED, earlier=every_report(place))


def failed_row(place: Path, student: str, problem: str) -> Row:
    """Of a submission that an error on our side kept from its grade, with what it got before."""
    if stored := stored_report(place):
        before = f"{points_text(stored.points or 0.0)} points of {stored.date}"
        problem += f" (its {before} were graded with {stored.runtime.split(';')[0]})"
    return Row(student, place.name, SubmissionStatus.FAILED, problem, earlier=every_report(place))


def every_report(place: Path) -> tuple[Row, ...]:
    """What was set aside, by date, and the report that stands."""
    stands = _read_final(place)
    return (*earlier_reports(place), *([stands] if stands else []))


def tidy_students(out: Path, slugs: Mapping[str, str]) -> list[str]:
    """The directories of submissions that are gone, whose reports might be handed out by mistake.

    `slugs` are those of today, with those that the same submissions had before there was a roster: such directories get
    the new name, and nothing is played again.
    """
    students = out / "students"
    for slug, before in slugs.items():
        if before != slug and (students / before).is_dir() and not (students / slug).exists():
            with contextlib.suppress(OSError):
                (students / before).rename(students / slug)
    return sorted(path.name for path in students.glob("*") if path.is_dir() and path.name not in slugs)


def set_aside(place: Path, key: str) -> tuple[Row, ...]:
    """Keep a final report that `key` will replace under its date; returns all that were kept, except of the same `key`.

    Raises OSError.
    """
    stands = _read_final(place)
    if stands is not None and stands.key != key:
        folder = place / _EARLIER
        folder.mkdir(exist_ok=True)
        stem = "".join(char if char.isalnum() else "-" for char in stands.date[:16]) or "undated"
        number, name = 2, stem
        while (folder / f"{name}-{REPORT}").exists():
            name, number = f"{stem}-{number}", number + 1
        for file in (PAGE, REPORT):
            if (place / file).exists():
                (place / file).rename(folder / f"{name}-{file}")
    return earlier_reports(place, but=key)


def earlier_reports(place: Path, *, but: str = "") -> tuple[Row, ...]:
    """What was set aside, by date, except reports of one key."""
    paths = sorted((place / _EARLIER).glob(f"*-{REPORT}"))
    found = (_read_final(place, f"{_EARLIER}/{path.name.removesuffix(REPORT)}") for path in paths)
    return tuple(row for row in found if row is not None and row.key != but)


def _write(path: Path, fields: dict[str, Any]) -> None:
    write_whole(path, json.dumps(fields, indent=1) + "\n")


def _read(place: Path, file: str, page: str = "") -> Row | None:
    """Without what the submission got before."""
    try:
        data = json.loads((place / file).read_text(encoding="utf-8"))
        said = {name: data[name] for name in Row.__dataclass_fields__}
        status = SubmissionStatus(said["status"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return Row(**said | {"slug": place.name, "status": status, "earlier": (), "page": page or said["page"]})


def _read_final(place: Path, date: str = "") -> Row | None:
    """The report that stands, or, with what its files' names begin with, one that was set aside."""
    row = _read(place, f"{date}{REPORT}", f"students/{place.name}/{date}{PAGE}")
    return row if row and row.status.is_final else None
