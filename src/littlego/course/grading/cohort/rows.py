"""The rows of a class, and the files of one submission: its report, and those of earlier versions of it.

students/NAME/report.json, report.html          what counts now
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
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, TypedDict

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


class SubmissionStatus(enum.Enum):
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


class OpponentLine(TypedDict):
    """Points and games against one opponent, in the repeat that counts."""

    batch: str
    opponent: str
    points: float
    max_points: float
    wins: int
    games: int
    forfeits: int


class Forfeits(TypedDict):
    """A reason for forfeits."""

    games: int
    sentence: str
    anchor: str
    """Of the first such game, on the submission's page."""
    replay: str
    """The command that reproduces it."""


class Earlier(TypedDict):
    """What a submission got before its files, or the terms, changed."""

    date: str
    points: float
    max_points: float
    digest: str
    """Of the files that were graded then."""
    page: str
    """From the class's directory."""


@dataclass(frozen=True)
class Row:
    """One submission, as shown in tables."""

    student: str
    slug: str
    status: SubmissionStatus
    problem: str = ""
    """Why there are no points (yet), or why at least half of the games were forfeited."""
    points: float | None = None
    """None until they are known: half a grading gives no points."""
    max_points: float = 0.0
    opponents: tuple[OpponentLine, ...] = ()
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
    causes: tuple[Forfeits, ...] = ()
    """Why it forfeited games, the costliest first."""
    date: str = ""
    """When its last game was played, or it was found unusable."""
    earlier: tuple[Earlier, ...] = ()
    """What it got before, oldest first."""
    earned: float | None = None
    """Points before anything is taken off for being late; None until they are known."""
    late_days: int = 0
    by_hand: float = 0.0
    """Points that the teacher added."""
    note: str = ""
    """Why."""
    remarks: tuple[str, ...] = ()
    """On its files, as `littlego check` has them."""
    submission: str = ""
    """The file or directory that was handed in."""

    @property
    def summary(self) -> str:
        """Its problem without an example."""
        return self.problem.partition("\n")[0] if self.causes else self.problem

    @property
    def wins(self) -> int:
        return sum(line["wins"] for line in self.opponents)

    @property
    def games(self) -> int:
        return sum(line["games"] for line in self.opponents)

    @property
    def forfeits(self) -> int:
        """Games it lost by its own fault."""
        return sum(line["forfeits"] for line in self.opponents)

    def to_dict(self) -> dict[str, Any]:
        totals = {"wins": self.wins, "games": self.games, "forfeits": self.forfeits}
        return {**asdict(self), "status": self.status.value, **totals, "report": f"students/{self.slug}/{REPORT}"}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Row:
        """The inverse of `to_dict`. Raises KeyError, TypeError or ValueError."""
        fields = {name: data[name] for name in cls.__dataclass_fields__}
        fields |= {name: tuple(value) for name, value in fields.items() if isinstance(value, list)}
        return cls(**{**fields, "status": SubmissionStatus(data["status"])})


@dataclass(frozen=True)
class Stored:
    """A report as it was written."""

    key: str
    """Of everything that decided it."""
    terms: str
    """Of what was chosen for it, apart from its files."""
    row: Row
    page: str
    """The path of its page, from the class's directory."""

    @property
    def as_earlier(self) -> Earlier:
        row = self.row
        return Earlier(
            date=row.date, points=row.points or 0.0, max_points=row.max_points, digest=row.digest, page=self.page
        )


def write_report(place: Path, key: str, terms: str, row: Row, report: dict[str, Any] | None, page: str) -> None:
    """Write the report that counts now. Raises OSError."""
    write_whole(place / PAGE, page)
    _write(place / REPORT, key, terms, row, report)


def stored_report(place: Path) -> Stored | None:
    """The final report that counts in a submission's directory, if there is one that can be read."""
    return _read_final(place / REPORT, f"students/{place.name}/{PAGE}")


def keep_outcome(place: Path, terms: str, row: Row) -> None:
    """Remember a row without a grade until there is one: runs that leave it out show it as it was. Raises OSError."""
    if row.status.is_final:
        (place / _UNGRADED).unlink(missing_ok=True)
    else:
        _write(place / _UNGRADED, "", terms, row, None)


def row_so_far(place: Path, terms: str, *, student: str, asked: bool) -> Row:
    """Of a submission that a run has not come to: as it was by the same `terms`, or with what it got before.

    `asked`: it is going to be graded again.
    """
    for stored in () if asked else (_read(place / _UNGRADED), stored_report(place)):
        if stored is not None and stored.terms == terms:
            return replace(stored.row, student=student, slug=place.name)
    return Row(student, place.name, SubmissionStatus.UNFINISHED, earlier=every_report(place))


def failed_row(place: Path, student: str, problem: str) -> Row:
    """Of a submission that an error on our side kept from its grade, with what it got before."""
    if stored := stored_report(place):
        before = f"{points_text(stored.row.points or 0.0)} points of {stored.row.date}"
        problem += f" (its {before} were graded with {stored.row.runtime.split(';')[0]})"
    return Row(student, place.name, SubmissionStatus.FAILED, problem, earlier=every_report(place))


def every_report(place: Path) -> tuple[Earlier, ...]:
    """What was set aside, by date, and the report that stands."""
    stored = stored_report(place)
    return (*earlier_reports(place), *([stored.as_earlier] if stored else []))


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


def set_aside(place: Path, key: str) -> tuple[Earlier, ...]:
    """Keep a final report that `key` will replace under its date; returns all that were kept, except of the same `key`.

    Raises OSError.
    """
    stored = stored_report(place)
    if stored is not None and stored.key != key:
        folder = place / _EARLIER
        folder.mkdir(exist_ok=True)
        stem = "".join(char if char.isalnum() else "-" for char in stored.row.date[:16]) or "undated"
        number, name = 2, stem
        while (folder / f"{name}-{REPORT}").exists():
            name, number = f"{stem}-{number}", number + 1
        for file in (PAGE, REPORT):
            if (place / file).exists():
                (place / file).rename(folder / f"{name}-{file}")
    return earlier_reports(place, but=key)


def earlier_reports(place: Path, *, but: str = "") -> tuple[Earlier, ...]:
    """What was set aside, by date, except reports of one key."""
    paths = sorted((place / _EARLIER).glob(f"*-{REPORT}"))
    pages = (f"students/{place.name}/{_EARLIER}/{path.name.removesuffix(REPORT)}{PAGE}" for path in paths)
    found = map(_read_final, paths, pages)
    return tuple(stored.as_earlier for stored in found if stored is not None and stored.key != but)


def _write(path: Path, key: str, terms: str, row: Row, report: dict[str, Any] | None) -> None:
    data = {"key": key, "terms": terms, "row": row.to_dict(), "report": report}
    write_whole(path, json.dumps(data, indent=1) + "\n")


def _read(path: Path, page: str = "") -> Stored | None:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return Stored(data["key"], data["terms"], Row.from_dict(data["row"]), page)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _read_final(path: Path, page: str) -> Stored | None:
    found = _read(path, page)
    return found if found and found.row.status.is_final else None
