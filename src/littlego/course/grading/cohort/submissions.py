"""The submissions in a folder: who submitted what, safely unpacked, and the agent in it.

For anything wrong with a submission `open_submission` raises UsageError with a message that its author can act on, and
touches nothing outside the directory that it was given. Problems with our disk, permissions or memory raise OSError or
MemoryError, and cost nobody points.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from littlego.arena.building import OURS, copy_agent, files_digest, has_main_file, main_file
from littlego.arena.participants import CourseAgent
from littlego.core.errors import UsageError
from littlego.course.editions.edition import Edition
from littlego.course.grading.plan import StagedAgent
from littlego.course.grading.run import Graded
from littlego.course.packed import IN_THE_FILES, SeveralAgents, agent_folder, folders_below, unpacked
from littlego.course.python_class.agent import ClassAgent, parse_class_agent
from littlego.course.spelling import is_class_of_2019, is_misnamed_class, parse_entrant
from littlego.formats.text import printable
from littlego.players.catalogue import PLAYERS
from littlego.storage.files import plain_name, read_csv
from littlego.storage.scratch import temporary_directory

_PACKED: Final = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar")
"""Files that count as submissions, though only the first kind can be opened."""


_STUDENT_NUMBER: Final = "SID"
_LATENESS: Final = "Lateness (H:M:S)"
"""Columns of Gradescope's scores."""
_OF_MOODLE: Final = "_assignsubmission_file_"
"""Ends the names of the folders that Moodle hands out, after the student and the student's number."""


@dataclass(frozen=True, slots=True)
class Submission:
    """A directory or file that was submitted."""

    student: str
    """The name of the directory, or of the file without `.zip`; of Moodle's the part that names the student."""
    slug: str
    """A unique directory name made from it."""
    path: Path


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


def find_submissions(folder: Path) -> tuple[list[Submission], list[str]]:
    """The submissions in a folder, by name, and what else is there, in words for people. Raises UsageError."""
    try:
        found = sorted(folder.iterdir(), key=lambda path: (path.name.casefold(), path.name))
    except OSError as error:
        raise UsageError(f"{folder}: not a folder of submissions: {error.strerror}") from error
    hidden = [path for path in found if path.name.startswith(".")]
    found = [path for path in found if path not in hidden and path.name not in {*OURS, "__MACOSX"}]
    submitted = [path for path in found if path.is_dir() or path.suffix.lower() in _PACKED]
    if not submitted:
        raise UsageError(f"{folder}: no submissions here: expected a directory or a .zip for each student")
    folders = {path.name for path in submitted if path.is_dir()}
    students = [path.name if path.is_dir() or path.stem in folders else path.stem for path in submitted]
    slugs = _slugs([path.name for path in submitted], students)
    submissions = [
        Submission(student.removesuffix(_OF_MOODLE), slug, path.absolute())
        for student, slug, path in zip(students, slugs, submitted, strict=True)
    ]
    overlooked = [f"{path.name} (its name begins with a dot)" for path in hidden if _looks_submitted(path)]
    return submissions, [*overlooked, *(path.name for path in found if path not in submitted)]


def _looks_submitted(hidden: Path) -> bool:
    """Whether it is more than what systems and editors hide: an agent, or a packed file that macOS did not write."""
    if hidden.is_dir():
        return has_main_file(hidden)
    return hidden.suffix.lower() in _PACKED and not hidden.name.startswith("._")


def read_late_days(path: Path) -> dict[str, int]:
    """The days late of students, from lines of `student,days`; a heading may come first. Raises UsageError.

    Or from the scores that Gradescope exports, where the student is the number, and every day begun counts.
    """
    rows = read_csv(path)
    if rows and {_STUDENT_NUMBER, _LATENESS} <= set(rows[0]):
        return _lateness(path, rows)
    days: dict[str, int] = {}
    for number, row in enumerate(rows, start=1):
        student, late = row[0].strip(), row[-1].strip()
        if number == 1 and len(row) == 2 and re.fullmatch(r"[A-Za-z _]+", late):
            continue
        if len(row) != 2 or not re.fullmatch(r"[0-9]{1,4}", late):
            raise UsageError(f"{path}: line {number}: expected student,days, got {','.join(row)!r:.60}")
        if days.setdefault(student, int(late)) != int(late):
            raise UsageError(f"{path}: line {number}: {student!r:.60} has two different numbers of days")
    return days


def _lateness(path: Path, rows: list[list[str]]) -> dict[str, int]:
    days: dict[str, int] = {}
    for number, row in enumerate(rows[1:], start=2):
        cells = dict(zip(rows[0], map(str.strip, row), strict=False))
        late = cells.get(_LATENESS, "")
        if not late:
            continue
        if not re.fullmatch(r"[0-9]{1,5}:[0-5][0-9]:[0-5][0-9]", late):
            raise UsageError(f"{path}: line {number}: {_LATENESS}: expected hours:minutes:seconds, got {late!r:.60}")
        hours, minutes, seconds = map(int, late.split(":"))
        if begun := -(-(hours * 3600 + minutes * 60 + seconds) // (24 * 3600)):
            days[cells[_STUDENT_NUMBER]] = begun
    return days


def _slugs(names: list[str], students: list[str]) -> list[str]:
    """Directory names: readable, and unique even on case-insensitive file systems."""
    plain = ["".join(char if char.isalnum() or char in "_-" else "_" for char in name)[:40] for name in students]
    folded = [each.casefold() for each in plain]
    return [
        short if short == student and folded.count(short.casefold()) == 1 else f"{short}-{_short_hash(name)}"
        for short, student, name in zip(plain, students, names, strict=True)
    ]


def _short_hash(name: str) -> str:
    return hashlib.sha256(os.fsencode(name)).hexdigest()[:8]


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
        if not root.is_dir():
            root = unpacked(root, place=place, afresh=afresh)
        if len(stages := _stage_folders(root, edition, partial(unpacked, place=place, afresh=afresh))) > 1:
            opened = {stage: _opened(folder, python, edition) for stage, folder in stages.items()}
            return _together(root, opened)
        folder = agent_folder(root)
        if folder is None and len(packed := [path for path in root.iterdir() if path.suffix.lower() == ".zip"]) == 1:
            root = unpacked(packed[0], place=place, afresh=afresh)
            folder = agent_folder(root)
        return _opened(folder or root, python, edition)
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
    is_class = is_class_of_2019(main) or (edition == "2019" and is_misnamed_class(main))
    if not is_class:
        return CourseAgent(main.parent, python)
    return parse_class_agent(str(main), python=python, edition=edition)


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
    submission = Submission(path.absolute().stem, plain_name(path.absolute().stem), path.absolute())
    return open_submission(submission, place, python=python, edition=edition).entrant
