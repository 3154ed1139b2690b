"""How participants are spelled, everywhere, and how they are found: in a folder further down, or in an archive.

greedy               a built-in player
learner:DIR          the built-in learner with the model that `littlego train` wrote there
path/to/agent        a directory, or its my_player3.py, my_player.cpp, ...; also further down, or in a .zip
class:FILE:NAME      a Python class of 2019, with `get_input(go, piece_type)`
cmd:'./agent -x'     a command that reads input.txt and writes output.txt
gtp:'gnugo --mode gtp'  an engine that speaks GTP, started for every game

For anything wrong with an archive UsageError is raised, with a message that its author can act on, and nothing outside
the given directory is touched. Problems with our disk, permissions or memory raise OSError or MemoryError.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import hashlib
import os
import re
import shlex
import stat
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from littlego.arena.building import MAIN_FILES, MAX_AGENT_BYTES, MAX_AGENT_FILES, OURS, has_main_file, main_file
from littlego.arena.participants import BuiltIn, CommandAgent, CourseAgent, Entrant
from littlego.arena.untrusted import read_plain
from littlego.core.errors import UnknownPlayer, UsageError
from littlego.core.rules import DEFAULT_EDITION, Rules
from littlego.formats.text import listed
from littlego.players.catalogue import MODEL, entry
from littlego.sandbox.limits import MIB
from littlego.storage.scratch import remove_tree

if TYPE_CHECKING:
    from littlego.arena.tournament.plan import TournamentPlan
    from littlego.arena.tournament.roster import Parse


def parse_entrant(text: str, *, python: str | None = None, edition: str = DEFAULT_EDITION) -> Entrant:
    """The entrant that a spelling names. Raises UsageError, which suggests what could be meant.

    `python` is the interpreter for agents written in Python; `edition` is the match's.
    """
    kind, colon, rest = text.partition(":")
    if colon and kind == "class":
        from littlego.course.classes import parse_class_agent

        if is_wrapped(Path(rest)) and Path(rest).is_file():
            rest = str(_unwrapped(Path(rest)))
        return parse_class_agent(rest, python=python, edition=edition)
    if colon and kind == "cmd":
        return CommandAgent(rest)
    if colon and kind == "gtp":
        from littlego.arena.gtp import GtpAgent, engine_command

        engine_command(rest)  # finds the program, so that a wrong name is reported before anything is played
        return GtpAgent(rest)
    if colon and kind == MODEL:
        found = entry(text)
        found.make(0)  # reads the model, so that a wrong path is reported before anything is played
        return BuiltIn(found.name)
    path = Path(text)
    try:
        is_file, is_folder = path.is_file(), path.is_dir()
    except OSError as error:
        raise UsageError(f"{text[:80]}: cannot be read: {error.strerror}") from error
    if "/" in text or os.sep in text or text in (".", "..") or is_file:
        return _course_agent(path, python)
    try:
        found = entry(text)
    except UnknownPlayer as error:
        if is_folder:
            return _course_agent(path, python)
        raise UnknownPlayer(f"{error}, or the path of an agent's directory") from error
    if is_folder:
        raise UsageError(f"{text} is both a built-in player and a directory here: write ./{text} for the directory")
    return BuiltIn(found.name)


def parse_for_plan(plan: TournamentPlan) -> Parse:
    """The parser of spellings by a tournament's rules and interpreter."""
    return lambda text: parse_entrant(text, python=plan.python, edition=classes_like(plan.rules))


def classes_like(rules: Rules) -> str:
    """The edition whose classes play by these rules: of a course without passing they are like those of 2019."""
    return DEFAULT_EDITION if rules.passing else "2019"


def _course_agent(path: Path, python: str | None) -> CourseAgent:
    from littlego.course.classes import is_class_of_2019

    found = _unwrapped(path) if is_wrapped(path) else path
    main = main_file(found)
    if is_class_of_2019(main):
        raise UsageError(f"{main}: a 2019 class, not a program: write {shlex.quote(f'class:{path}')}")
    return CourseAgent(found, python, None if found == path else path)


def _unwrapped(path: Path) -> Path:
    """The agent's directory; an archive is unpacked for as long as this process lives. Raises UsageError."""
    place = Path(tempfile.mkdtemp(prefix="littlego-unpacked-"))
    atexit.register(remove_tree, place)
    return found_agent(path, place)


_MAX_DEPTH: Final = 8
_MAX_NAME: Final = 200
_BUILDING: Final = "unpacking-"
_STALE_SECONDS: Final = 24 * 3600
IN_THE_FILES: Final = (
    errno.EEXIST, errno.EILSEQ, errno.EINVAL, errno.EISDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.ENOTDIR
)  # fmt: skip
"""Errors that an archive's names or contents cause on any machine."""
_LOOKED_AT: Final = 5000
"""How many directories are searched for an agent."""


class SeveralAgents(UsageError):
    """A folder or an archive with more than one agent, where one is expected."""


def found_agent(path: Path, place: Path) -> Path:
    """The directory or main file of the agent at `path`: there, in a folder further down, or in a `.zip`.

    Archives are unpacked below `place`. Raises UsageError if there is none, or more than one.
    """
    if not is_wrapped(path):
        return path
    check_one_submission(path)
    return agent_below(path if path.is_dir() else unpacked(path, place=place), str(path), place)


def agent_below(root: Path, name: str, place: Path, *, afresh: bool = False) -> Path:
    """The one directory with an agent's file at or below `root`, or in the only archive there.

    Raises UsageError, which calls `root` by the `name` that people know.
    """
    try:
        folder = agent_folder(root)
        if folder is None and len(packed := [each for each in root.iterdir() if each.suffix.lower() == ".zip"]) == 1:
            root = unpacked(packed[0], place=place, afresh=afresh)
            folder = agent_folder(root)
        return folder or main_file(root)  # which says what is expected, and what is there
    except UsageError as error:
        kind = SeveralAgents if isinstance(error, SeveralAgents) else UsageError
        raise kind(str(error).replace(str(root), name)) from error


def is_wrapped(path: Path) -> bool:
    """Whether an agent at `path` can only be in an archive or a folder further down."""
    if path.is_file():
        return path.suffix.lower() == ".zip"
    return path.is_dir() and not has_main_file(path)


def check_one_submission(path: Path) -> None:
    """Raises SeveralAgents for a folder or a `.zip` that holds the submissions of a class, packed ones among them."""
    if path.is_dir():
        top = [each.name for each in path.iterdir()]
        folders = [path / name for name in top if (path / name).is_dir()]
        with_agents = [each.name for each in folders if any(map(has_main_file, (each, *folders_below(each))))]
    elif path.is_file():
        files = _files_in(path)
        top = [file.name for file in files if len(file.parts) == 1]
        with_agents = list({file.parts[0] for file in files if len(file.parts) > 1 and file.name in MAIN_FILES})
    else:
        return
    packed = [name for name in top if name.lower().endswith(".zip") or _SINGLE_FILE.fullmatch(name)]
    # An agent has a folder for each stage; what is in a small archive is looked at when it has been unpacked.
    is_export = path.is_file() and len(with_agents) > _MOST_STAGES and not any(map(MAIN_FILES.__contains__, top))
    found = [name for name in sorted(with_agents) + sorted(packed) if name[0] != "." and name not in OURS]
    if is_export or len(packed) > 1 or (packed and with_agents):
        stages = [name for name in found if name.casefold().startswith("stage")]
        if len(stages) < len(found):
            raise SeveralAgents(f"{path}: more than one submission: {listed(found)}")


_MOST_STAGES: Final = 10
_MAIN_STEMS: Final = "|".join(sorted({Path(name).stem for name in MAIN_FILES}))
_SINGLE_FILE: Final = re.compile(rf".+_\d+_(?:\d+|assignsubmission_file)_(?:{_MAIN_STEMS})(?:-\d+)?\.(?:py|cpp|java)")
"""An agent's file as Canvas and Moodle name those of a class."""


def _files_in(archive: Path) -> list[PurePosixPath]:
    """The files of a `.zip`; without the folder around all of them, if there is one. Raises UsageError."""
    with _readable_zip(archive) as packed:
        files = [PurePosixPath(each.filename) for each in packed.infolist() if not each.is_dir()]
    files = [file for file in files if file.parts and file.parts[0] != "__MACOSX"]
    if len({file.parts[0] for file in files}) == 1 and all(len(file.parts) > 1 for file in files):
        files = [file.relative_to(file.parts[0]) for file in files]
    return files


def agent_folder(root: Path) -> Path | None:
    """The one directory, at or below `root`, with an agent's file, or None. Raises UsageError if there are several."""
    if has_main_file(root):
        return root
    found = sorted(filter(has_main_file, folders_below(root)))
    if len(found) > 1:
        names = listed([str(folder.relative_to(root)) for folder in found])
        raise SeveralAgents(f"{root}: more than one agent: in {names}")
    return found[0] if found else None


def folders_below(root: Path) -> Iterator[Path]:
    waiting, seen = [(root, 0)], 0
    while waiting:
        folder, depth = waiting.pop()
        for found in os.scandir(folder):
            if not found.is_dir(follow_symlinks=False) or found.name in {*OURS, "__MACOSX"}:
                continue
            seen += 1
            if seen > _LOOKED_AT:
                raise UsageError(f"{root}: more than {_LOOKED_AT} directories: not a submission")
            yield Path(found.path)
            if depth < _MAX_DEPTH:
                waiting.append((Path(found.path), depth + 1))


def unpacked(
    archive: Path,
    *,
    place: Path,
    afresh: bool = False,
    most_bytes: int = MAX_AGENT_BYTES,
    most_files: int = MAX_AGENT_FILES,
) -> Path:
    """The directory with an archive's files, made atomically. Raises UsageError."""
    if archive.suffix.lower() != ".zip":
        raise UsageError(f"{archive.name}: only directories and .zip files can be graded")
    if archive.is_symlink() or not archive.is_file():
        raise UsageError(f"{archive.name}: not a file")
    if archive.stat().st_size > most_bytes:
        raise UsageError(f"{archive.name}: larger than {most_bytes // MIB} MiB")
    with archive.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    target = place / f"unpacked-{digest[:12]}"
    if target.is_dir() and not afresh:
        return target
    return _made(target, lambda building: _unzip(archive, building, most_bytes, most_files), afresh=afresh)


def gathered(files: Mapping[str, Path], *, place: Path) -> Path:
    """A directory with copies of single files under these names, made atomically. Raises UsageError."""
    if len(files) > MAX_AGENT_FILES:
        raise UsageError(f"more than {MAX_AGENT_FILES} files")
    contents = {name: read_plain(path, most=MAX_AGENT_BYTES) for name, path in sorted(files.items())}
    digest = hashlib.sha256()
    for name, data in contents.items():
        digest.update(hashlib.sha256(os.fsencode(name)).digest() + hashlib.sha256(data).digest())
    target = place / f"gathered-{digest.hexdigest()[:12]}"

    def write(folder: Path) -> None:
        for name, data in contents.items():
            (folder / name).write_bytes(data)

    return target if target.is_dir() else _made(target, write, afresh=False)


def _made(target: Path, fill: Callable[[Path], None], *, afresh: bool) -> Path:
    """The directory `target`, filled elsewhere first."""
    place = target.parent
    place.mkdir(parents=True, exist_ok=True)
    _sweep(place)
    building = Path(tempfile.mkdtemp(prefix=_BUILDING, dir=place))
    try:
        fill(building)
        building.chmod(0o755)
        if afresh:
            remove_tree(target)
        try:
            building.rename(target)
        except OSError:
            if not target.is_dir():  # otherwise another command has unpacked the same archive meanwhile
                raise
    finally:
        remove_tree(building)
    return target


def _sweep(place: Path) -> None:
    """Remove what killed commands have left; younger directories may be another command's, which is at work."""
    for stale in place.glob(f"{_BUILDING}*"):
        with contextlib.suppress(FileNotFoundError):
            if time.time() - stale.lstat().st_mtime > _STALE_SECONDS:
                remove_tree(stale)


def _unzip(archive: Path, target: Path, most_bytes: int, most_files: int) -> None:
    """Unpack within limits, counting what is written: an archive's own sizes may lie."""
    left = most_bytes
    with _readable_zip(archive) as packed:
        files = [file for file in packed.infolist() if not file.is_dir()]
        files = [file for file in files if "__MACOSX" not in PurePosixPath(file.filename).parts]
        if len(files) > most_files:
            raise UsageError(f"{archive.name}: more than {most_files} files")
        for file in files:
            path = target / _safe_name(file, archive.name)
            for folder in reversed(path.relative_to(target).parents[:-1]):
                (target / folder).mkdir(exist_ok=True)  # not `parents`: a target that was removed stays so
            with packed.open(file) as source, path.open("xb") as unpacked:
                while chunk := source.read(min(MIB, left + 1)):
                    left -= len(chunk)
                    if left < 0:
                        raise UsageError(f"{archive.name}: more than {most_bytes // MIB} MiB when unpacked")
                    unpacked.write(chunk)


@contextlib.contextmanager
def _readable_zip(archive: Path) -> Iterator[zipfile.ZipFile]:
    """An open archive. Any exception for a damaged or malicious one becomes UsageError; our own failures do not."""
    try:
        with zipfile.ZipFile(archive) as packed:
            yield packed
    except (UsageError, MemoryError):
        raise
    except FileExistsError as error:
        raise UsageError(f"{archive.name}: two of its files have the same name") from error
    except OSError as error:
        if error.errno is not None and error.errno not in IN_THE_FILES:  # bz2 reports damaged data without a number
            raise
        raise UsageError(f"{archive.name}: cannot be unpacked: {error}") from error
    except Exception as error:  # zlib.error, BadZipFile, EOFError, struct.error, RuntimeError (a password), ...
        raise UsageError(f"{archive.name}: cannot be unpacked: {type(error).__name__}: {error}") from error


def _safe_name(file: zipfile.ZipInfo, archive: str) -> PurePosixPath:
    """The file's path below the directory it is unpacked to. Raises UsageError."""
    name = PurePosixPath(file.filename)
    kind = stat.S_IFMT(file.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        raise UsageError(f"{archive}: {file.filename!r:.80} is a link or a device: not allowed")
    leads_out = name.is_absolute() or ".." in name.parts or re.search(r"[\\\x00-\x1f]|^[A-Za-z]:", file.filename)
    if leads_out or not name.parts:
        raise UsageError(f"{archive}: {file.filename!r:.80} points outside the archive")
    if len(name.parts) > _MAX_DEPTH or len(file.filename) > _MAX_NAME:
        raise UsageError(f"{archive}: {file.filename!r:.80} is nested too deep or has too long a name")
    return name
