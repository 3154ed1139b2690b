"""The submissions in a folder: who submitted what, safely unpacked, and the agent in it.

For anything wrong with a submission `open_submission` raises UsageError with a message that its author can act on, and
touches nothing outside the directory that it was given. Problems with our disk, permissions or memory raise OSError or
MemoryError, and cost nobody points.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final

from littlego.arena.building import MAIN_FILES, OURS, copy_agent, files_digest, has_main_file, main_file
from littlego.arena.participants import CourseAgent
from littlego.core.errors import UsageError
from littlego.course.classes import ClassAgent, is_class_of_2019, parse_class_agent
from littlego.course.edition import Edition
from littlego.course.grading.plan import StagedAgent
from littlego.course.grading.run import Graded
from littlego.course.seats import (
    IN_THE_FILES,
    SeveralAgents,
    agent_below,
    agent_folder,
    check_one_submission,
    folders_below,
    gathered,
    parse_entrant,
    unpacked,
)
from littlego.formats.text import printable
from littlego.players.catalogue import PLAYERS
from littlego.sandbox.limits import MIB
from littlego.storage.files import plain_name, read_csv, read_text
from littlego.storage.scratch import temporary_directory

_PACKED: Final = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar")
"""Files that count as submissions, though only the first kind can be opened."""
_METADATA: Final = "submission_metadata.yml"
"""In what Gradescope exports, beside a folder for each submission."""
_CANVAS: Final = re.compile(r"(?P<who>.+?)_(?:LATE_)?(?P<id>\d+)_\d+_(?P<own>.+)")
_MOODLE: Final = re.compile(r"(?P<who>.+?)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)_(?P<own>.*)")
"""The names that Canvas and Moodle give to what they hand out; the rest is the student's own file name."""
_NUMBERED: Final = re.compile(r".*?_(?:LATE_)?(\d+)(?:_\d+(?:_|$)|_assignsubmission_|$)")
"""A name that begins with the student's name and number, however it goes on."""
_CLASS_BYTES: Final = 4 << 30
_CLASS_FILES: Final = 100_000


@dataclass(frozen=True, slots=True)
class Submission:
    """What a student handed in, or several students together."""

    student: str
    """The name in tables: the roster's, if there is one; otherwise that of the folder or file, without what the course
    system has added."""
    slug: str
    """A unique directory name made from it."""
    path: Path
    """The directory or file; of several files the first."""
    people: tuple[tuple[str, ...], ...] = ()
    """For each student the words that a roster may know: logins, numbers, addresses."""
    files: tuple[tuple[str, Path], ...] = ()
    """Of a submission of single files: the students' own names for them, and where they are."""
    handed_in: datetime | None = None

    @property
    def marked_late(self) -> bool:
        """Canvas marks what is late, but not by how much."""
        return "LATE" in re.split(r"[_.]", self.path.name)


@dataclass(frozen=True, slots=True)
class Opened:
    """A submission's agent."""

    entrant: CourseAgent | ClassAgent | StagedAgent
    digest: str
    """Of all its files."""

    def identity(self) -> str:
        """Changes when the agent would play differently; needs no build. Raises UsageError."""
        return json.dumps([type(self.entrant).__name__, self.digest, self.entrant.made_with()])

    @property
    def agents(self) -> list[CourseAgent | ClassAgent]:
        """The only one, or one for each stage."""
        return list(self.entrant.agents.values()) if isinstance(self.entrant, StagedAgent) else [self.entrant]

    def only(self) -> CourseAgent | ClassAgent:
        """The one agent of a submission. Raises UsageError if it has one for each stage."""
        if isinstance(self.entrant, StagedAgent):
            raise UsageError(f"{self.entrant.name}: more than one agent: in {', '.join(self.entrant.agents)}")
        return self.entrant


def find_submissions(source: Path, place: Path | None = None) -> tuple[list[Submission], list[str]]:
    """The submissions of a class, by name, and what else is there, in words for people. Raises UsageError.

    `source` is a folder, or what Canvas, Moodle or Gradescope hand out as one `.zip`, which is unpacked below `place`.
    """
    folder = source if place is None or source.suffix.lower() != ".zip" else _unpacked_class(source, place)
    try:
        found = sorted(folder.iterdir(), key=lambda path: (path.name.casefold(), path.name))
    except OSError as error:
        raise UsageError(f"{source}: not a folder of submissions: {error.strerror}") from error
    if has_main_file(folder):
        raise UsageError(f"{source}: one agent, not a class: littlego grade {source}")
    if (folder / "class.json").is_file() and (folder / "students").is_dir():
        raise UsageError(f"{source}: holds the results of 'littlego grade-class': expected the submissions")
    hidden = [path for path in found if path.name.startswith(".")]
    found = [path for path in found if path not in hidden and path.name not in {*OURS, "__MACOSX"}]
    people = read_gradescope(folder / _METADATA) if (folder / _METADATA).is_file() else {}
    folders = {path.name for path in found if path.is_dir()}
    submitted: list[Submission] = []
    singles: dict[str, list[tuple[str, Path]]] = {}
    ignored = []
    for path in found:
        if path.name in people:
            submitted.append(replace(people[path.name], path=path.absolute()))
        elif path.is_dir() or path.suffix.lower() in _PACKED:
            name = path.name if path.is_dir() or path.stem in folders else path.stem
            submitted.append(Submission(shown_name(name), "", path.absolute(), (words_of(name),)))
        elif (named := _single(path.name)) is not None:
            singles.setdefault(named[0], []).append((named[1], path.absolute()))
        elif path.name != _METADATA:
            ignored.append(path.name)
    for name, files in singles.items():
        submitted.append(Submission(shown_name(name), "", files[0][1], (words_of(name),), _own_names(files)))
    if not submitted:
        raise UsageError(
            f"{source}: no submissions here: expected a directory or a .zip for each student, or single files as "
            f"Canvas names them, such as doejane_113_55601_my_player3.py"
        )
    submitted.sort(key=lambda each: (each.path.name.casefold(), each.path.name))
    overlooked = [f"{path.name} (its name begins with a dot)" for path in hidden if _looks_submitted(path)]
    return with_slugs(submitted, [each.path.name for each in submitted]), [*overlooked, *ignored]


def _unpacked_class(archive: Path, place: Path) -> Path:
    """The folder of the submissions: Gradescope's, for one, has all of them in another."""
    root = unpacked(archive, place=place, most_bytes=_CLASS_BYTES, most_files=_CLASS_FILES)
    inside = [path for path in root.iterdir() if path.name not in {*OURS, "__MACOSX"} and path.name[0] != "."]
    is_wrapped = len(inside) == 1 and inside[0].is_dir() and not has_main_file(inside[0])
    return inside[0] if is_wrapped and len(list(inside[0].iterdir())) > 1 else root


def shown_name(name: str) -> str:
    """A submission's name without what Canvas or Moodle have added."""
    found = _MOODLE.fullmatch(name) or _CANVAS.fullmatch(name)
    return found["who"] if found else name.removesuffix("_LATE") or name


def course_number(name: str) -> str:
    """The student's number in a name that Canvas or Moodle has given; otherwise empty."""
    found = _MOODLE.fullmatch(name) or _CANVAS.fullmatch(name)
    return found["id"] if found else ""


def words_of(name: str) -> tuple[str, ...]:
    """What a roster may know a submission by; the student's own file name says nothing."""
    if found := _NUMBERED.match(name):
        return name, found[1], name[: found.start(1) - 1]
    return name, numbered(name)[0]


def numbered(name: str) -> tuple[str, int]:
    """The name of a submission without Canvas's ids and number, and the number: `doejane_1_2_hw-3` is `hw`, 3."""
    own = re.sub(r"^.*_\d+_\d+_", "", name)
    found = re.fullmatch(r"(.*?)(?:_LATE)?(?:-(\d{1,2}))?(?:_LATE)?", own)
    assert found is not None, "anything may come first"
    return found[1], int(found[2] or 0)


def _single(name: str) -> tuple[str, str] | None:
    """Of a single file whose it is, as the name of a submission, and the student's own name for it; else None."""
    if (found := _MOODLE.fullmatch(name)) and found["own"]:
        return name[: found.start("own")], found["own"]
    if found := _CANVAS.fullmatch(name):  # whose second number is that of the file
        return f"{found['who']}_{found['id']}_0_file", found["own"]
    if found := re.fullmatch(rf"(.+?)[_-]((?:{_MAIN_STEMS})(?:-\d+)?\.(?:py|cpp|java))", name):
        return found[1], found[2]
    return None


_MAIN_STEMS: Final = "|".join(sorted({Path(name).stem for name in MAIN_FILES}, reverse=True))


def _own_names(files: list[tuple[str, Path]]) -> tuple[tuple[str, Path], ...]:
    """The names that the student gave: Canvas calls a file that is handed in again `my_player3-1.py`.

    Of two with one name then the later one counts. Helper files have been renamed with the program, unless it names
    them as they are.
    """
    main = max((match for own, _ in files if (match := _RENAMED.fullmatch(own)) and _is_main(match)), default=None,
               key=lambda match: int(match[2]))  # fmt: skip
    text = ""
    if main is not None:
        with contextlib.suppress(OSError):
            text = next(path for own, path in files if own == main[0]).read_bytes()[:MIB].decode(errors="replace")
    found: dict[str, tuple[int, Path]] = {}
    for own, path in files:
        name, number = own, 0
        if (
            main is not None
            and own not in text
            and (match := _RENAMED.fullmatch(own))
            and int(match[2]) <= int(main[2])
        ):
            name, number = match[1] + match[3], int(match[2])
        if name not in found or found[name][0] < number:
            found[name] = number, path
    return tuple((name, path) for name, (_, path) in found.items())


_RENAMED: Final = re.compile(r"(.+)-(\d{1,2})(\.\w+)")


def _is_main(renamed: re.Match[str]) -> bool:
    return renamed[1] + renamed[3] in MAIN_FILES


def read_gradescope(path: Path) -> dict[str, Submission]:
    """What Gradescope's export says of each folder: whose it is, and when it was handed in. Raises UsageError.

    Of the YAML only the lines that say so are read.
    """
    found: dict[str, Submission] = {}
    for block in re.split(r"^(?=\S)", read_text(path), flags=re.M):
        folder, _, rest = block.partition(":\n")
        # What is nested deeper than the submitters' own lines, such as its history, is about something else.
        submitters = re.search(r"^  :?submitters:[ ]*\n((?:  [ ]*-.*\n|    .*\n)*)", rest, re.M)
        if submitters is None:
            continue
        names: list[str] = []
        words: list[tuple[str, ...]] = []
        for person in re.split(r"^ *- ", submitters[1], flags=re.M)[1:]:
            said = {
                key: value.strip("'\" ") for key, value in re.findall(r"^ *:?(name|sid|email): *(.+?) *$", person, re.M)
            }
            names.append(said.get("name") or said.get("email") or folder)
            words.append(tuple(said[key] for key in ("sid", "email") if said.get(key)))
        when = re.search(r"^  :?created_at:(?:.*\n    utc:)? *['\"]?(\d{4}-.*?)['\"]? *$", rest, re.M)
        found[folder] = Submission(
            " and ".join(names), "", path, tuple(words), handed_in=_moment(when[1]) if when else None
        )
    if not found:
        raise UsageError(f"{path}: expected submission_...: with :submitters: below, as Gradescope writes it")
    return found


def _moment(text: str) -> datetime | None:
    """`2025-11-01 23:59:00.000000000 -07:00`, `2025-11-01 23:59:00 UTC`, `... Z`; None for anything else."""
    found = re.fullmatch(r"([\d-]{10})[ T]([\d:]{8})(?:\.\d+)? *(Z|UTC|[+-]\d\d:?\d\d)?", text)
    if found is None:
        return None
    zone = "+00:00" if found[3] in (None, "Z", "UTC") else found[3]
    with contextlib.suppress(ValueError):
        return datetime.fromisoformat(f"{found[1]}T{found[2]}{zone}")
    return None


def with_slugs(submissions: Sequence[Submission], identities: Sequence[str]) -> list[Submission]:
    """With directory names made from the names and from what identifies each.

    They are readable, and unique even on case-insensitive file systems.
    """
    names = ["".join(char if char.isalnum() or char in "_-" else "_" for char in each.student) for each in submissions]
    plain = [name[:40] for name in names]
    folded = [each.casefold() for each in plain]
    found = []
    for short, each, identity in zip(plain, submissions, identities, strict=True):
        is_unique = short == each.student and folded.count(short.casefold()) == 1
        digest = hashlib.sha256(os.fsencode(identity)).hexdigest()[:8]
        found.append(replace(each, slug=short if is_unique else f"{short}-{digest}"))
    return found


def _looks_submitted(hidden: Path) -> bool:
    """Whether it is more than what systems and editors hide: an agent, or a packed file that macOS did not write."""
    if hidden.is_dir():
        return has_main_file(hidden)
    return hidden.suffix.lower() in _PACKED and not hidden.name.startswith("._")


_HEADING: Final = re.compile(r"(?i)(student|user|login|id|name|full name|e-?mail)([ _-]?(id|name|address))?")


def read_noted(
    path: Path, form: str, limits: str, number: str, student_of: Callable[[str, str], str]
) -> dict[str, list[str]]:
    """By student, what lines of a form such as `student,days` say; a heading may come first. Raises UsageError.

    The first thing said must match the pattern `number`, which takes numbers within the `limits`. `student_of` a
    name and where it was read is the student.
    """
    found: dict[str, list[str]] = {}
    names: set[str] = set()
    for line, row in enumerate(read_csv(path), start=1):
        name, *said = map(str.strip, row)
        first = "".join(said[:1])
        columns = form.split(",")
        names_it = columns[1].rstrip("s") in first.lower()  # such as "days late"
        if line == 1 and (names_it or _HEADING.fullmatch(name)) and not re.fullmatch(number, first):
            continue
        if len(row) != len(columns) or not re.fullmatch(number, said[0]) or not all(said):
            expected = f"expected {form} with {columns[1]} from {limits}"
            quote = "; quote what has a comma" if len(row) > len(columns) else ""
            raise UsageError(f"{path}: line {line}: {expected}, got {','.join(row)!r:.60}{quote}")
        if name in names:
            raise UsageError(f"{path}: line {line}: {name!r:.60} is there twice")
        names.add(name)
        found[student_of(name, f"{path}: line {line}")] = said  # two names may share a submission
    return found


def open_submission(
    submission: Submission, place: Path, *, python: str | None, edition: Edition, afresh: bool = False
) -> Opened:
    """The agent of a submission, or its agents for each stage of the edition.

    Archives are unpacked below `place`, once, or again if `afresh`. Raises UsageError for what its author can fix,
    OSError and MemoryError for our own failures.
    """
    root = submission.path
    try:
        if root.is_symlink():
            raise UsageError(f"{root}: a symbolic link, which is not followed")
        if submission.files:
            root = gathered(dict(submission.files), place=place)
        elif not root.is_dir():
            root = unpacked(root, place=place, afresh=afresh)
        if len(stages := _stage_folders(root, edition, partial(unpacked, place=place, afresh=afresh))) > 1:
            opened = {stage: _opened(folder, python, edition) for stage, folder in stages.items()}
            return _together(root, opened)
        return _opened(agent_below(root, submission.student, place, afresh=afresh), python, edition)
    except (OSError, MemoryError, UsageError) as error:
        if (ours := _our_failure(error)) is not None:
            raise ours from error
        words = str(error).replace(str(root), submission.student).replace(str(submission.path), submission.student)
        kind = SeveralAgents if isinstance(error, SeveralAgents) else UsageError
        raise kind(printable(words)) from error


def _opened(folder: Path, python: str | None, edition: Edition) -> Opened:
    """Raises UsageError for an agent that the edition does not take."""
    main = main_file(folder)
    edition.check_language(main)
    with temporary_directory("littlego-look-") as look:
        copy_agent(main.parent, look)
        digest = files_digest(look)
    return Opened(_entrant(main, python or edition.default_python, edition.like), digest)


def _together(root: Path, opened: dict[str, Opened]) -> Opened:
    digests = json.dumps({stage: each.digest for stage, each in opened.items()})
    agents = {stage: each.only() for stage, each in opened.items()}
    return Opened(StagedAgent(root, agents), hashlib.sha256(digests.encode()).hexdigest())


def stages_below(root: Path, place: Path, edition: Edition) -> dict[str, Path]:
    """The folders of the agents for each stage of a directory; empty if it has no more than one.

    Archives are unpacked below `place`. Raises UsageError.
    """
    if not root.is_dir():
        return {}
    found = _stage_folders(root, edition, partial(unpacked, place=place))
    return found if len(found) > 1 else {}


def _stage_folders(root: Path, edition: Edition, unpacked: Callable[[Path], Path]) -> dict[str, Path]:
    """The folders of the agents for each stage, which may be in archives called like the stages."""
    if has_main_file(root):
        return {}
    stages = {_squeezed(batch.folder): batch.folder for batch in edition.scheme.batches if batch.folder}
    found: dict[str, Path] = {}
    where: dict[str, Path] = {}
    # The outermost folders first; archives, which are unpacked only if they must be, last.
    folders = sorted(folders_below(root), key=lambda path: (len(path.parts), path))
    for path in [*folders, *sorted(root.glob("*.zip"))]:
        stage = stages.get(_squeezed(path.name if path.is_dir() else path.stem))
        if stage is None or (stage in where and len(path.parts) > len(where[stage].parts)):
            continue
        if path.is_dir() and agent_folder(path) is None:
            continue
        if stage in where:
            raise UsageError(f"{root}: {where[stage].relative_to(root)} and {path.relative_to(root)} are both {stage}")
        where[stage] = path
        if (folder := agent_folder(path if path.is_dir() else unpacked(path))) is not None:
            found[stage] = folder
    return {stage: found[stage] for stage in stages.values() if stage in found}


def _squeezed(name: str) -> str:
    """`Stage 1`, `stage_1` and `stage1` are the same."""
    return re.sub(r"[^a-z0-9]", "", name.casefold())


def _our_failure(error: BaseException | None) -> OSError | MemoryError | None:
    """Our own failure behind an error, if any: a full disk, no descriptors left, a permission, ..."""
    while error is not None:
        if isinstance(error, MemoryError):
            return error
        # Without a number it is not the system's: bz2 reports damaged data that way.
        if isinstance(error, OSError) and error.errno is not None and error.errno not in IN_THE_FILES:
            return error
        error = error.__cause__
    return None


def _entrant(main: Path, python: str | None, edition: str) -> CourseAgent | ClassAgent:
    if is_class_of_2019(main) or (edition == "2019" and main.name == "my_player.py"):
        return parse_class_agent(str(main), python=python, edition=edition)
    return CourseAgent(main.parent, python)


def open_named(text: str, place: Path, *, python: str | None, edition: Edition) -> Graded:
    """Whoever `littlego grade` was asked to grade: any participant, a directory with an agent further down, a `.zip`.

    Archives are unpacked below `place`. Raises UsageError.
    """
    path = Path(text)
    is_submission = path.suffix == ".zip" or (path.is_dir() and not has_main_file(path))
    if not is_submission or text in PLAYERS:
        entrant = parse_entrant(text, python=python or edition.default_python, edition=edition.like)
        if isinstance(entrant, CourseAgent):
            edition.check_language(main_file(entrant.path))
        return entrant
    check_one_submission(path)
    submission = Submission(text, plain_name(path.absolute().stem), path.absolute())
    found = open_submission(submission, place, python=python, edition=edition).entrant
    return replace(found, given=path) if isinstance(found, CourseAgent) and path.is_file() else found
