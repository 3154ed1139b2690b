"""Strangers' files: reading and copying untrusted directories, and what an agent leaves in its own.

An agent's directory may contain anything that its author or the agent could make: links that lead out of it, FIFOs that
block, devices, endless directories. All copies are made here: by descriptors, without following links, of plain files
only, within bounds. `storage.scratch.remove_tree` removes such directories.

State files are the small files that an agent keeps from one move of a game to the next. They are read before every
move, so that a capsule can restore them: an agent often fails because of a file that it wrote some moves earlier.
"""

from __future__ import annotations

import base64
import contextlib
import errno
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final, TypeAlias

from littlego.core.errors import UsageError
from littlego.sandbox.files import kind_name
from littlego.sandbox.limits import KIB
from littlego.storage.files import CREATE, READ, Folder

_CHUNK: Final = 1 << 20


class NotPlain(UsageError):
    """A tree that is refused: the message names what in it is not a plain file, or too much."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How large a tree may be."""

    files: int
    """Files and directories."""
    size: int
    """Bytes of all files together."""
    depth: int = 32
    """Levels of nested directories."""


def plain_files(
    root: Path, bounds: Bounds, *, leave_out: Callable[[PurePosixPath], bool] = lambda _relative: False
) -> Iterator[tuple[PurePosixPath, int]]:
    """Every file below `root`, in order, and a descriptor to read it from, which is closed afterwards.

    Files and whole directories for which `leave_out` is true are skipped. Raises NotPlain for anything but directories
    and regular files with one name, for names that are not text, for what cannot be opened, and beyond the bounds.
    Files may grow while they are read: the caller checks that.
    """
    try:
        folder = Folder(root)
    except OSError as error:
        raise NotPlain(f"{root}: cannot be read: {error.strerror}") from error
    with contextlib.closing(folder):
        yield from _Walk(root, bounds, leave_out).below(folder, PurePosixPath())


class _Walk:
    """One walk through a tree, with its counts so far."""

    def __init__(self, root: Path, bounds: Bounds, leave_out: Callable[[PurePosixPath], bool]) -> None:
        self._root, self._bounds, self._leave_out = root, bounds, leave_out
        self._entries = self._size = 0

    def below(self, folder: Folder, where: PurePosixPath) -> Iterator[tuple[PurePosixPath, int]]:
        for name in folder.names():
            relative = where / name
            if self._leave_out(relative):
                continue
            self._check_name(relative)
            found = folder.stat(name)
            self._count(found)
            self._check_kind(relative, found)
            if not stat.S_ISDIR(found.st_mode):
                yield from self._file(folder, relative)
                continue
            if len(relative.parts) > self._bounds.depth:
                raise NotPlain(f"{self._root / relative}: directories more than {self._bounds.depth} deep")
            with self._explaining(relative):
                inner = folder.folder(name)
            with contextlib.closing(inner):
                yield from self.below(inner, relative)

    def _file(self, folder: Folder, relative: PurePosixPath) -> Iterator[tuple[PurePosixPath, int]]:
        with self._explaining(relative):
            file = folder.file(relative.name)
        try:
            self._check_kind(relative, os.fstat(file))
            yield relative, file
        finally:
            os.close(file)

    @contextlib.contextmanager
    def _explaining(self, relative: PurePosixPath) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EIO):
                raise
            raise NotPlain(f"{self._root / relative}: cannot be read: {error.strerror}") from error

    def _check_name(self, relative: PurePosixPath) -> None:
        if any(char < " " or char == "\x7f" or "\ud800" <= char <= "\udfff" for char in relative.name):
            raise NotPlain(f"{self._root}: {relative.name!r:.80}: a file name must be plain text")

    def _check_kind(self, relative: PurePosixPath, found: os.stat_result) -> None:
        path = self._root / relative
        if stat.S_ISDIR(found.st_mode):
            return
        if not stat.S_ISREG(found.st_mode):
            raise NotPlain(f"{path}: {kind_name(found.st_mode)}, which is not copied: put the file itself there")
        if found.st_nlink != 1:
            names = f"a file with {found.st_nlink} hard links"
            raise NotPlain(f"{path}: {names}, which is not copied: put a copy there")

    def _count(self, found: os.stat_result) -> None:
        self._entries += 1
        self._size += found.st_size if stat.S_ISREG(found.st_mode) else 0
        if self._entries > self._bounds.files or self._size > self._bounds.size:
            raise too_much(self._root, self._bounds)


def too_much(root: Path, bounds: Bounds) -> NotPlain:
    """The error for a tree beyond its bounds."""
    return NotPlain(f"{root}: more than {bounds.files} files or {bounds.size >> 20} MiB: not an agent's directory")


def copy_tree(
    source: Path,
    target: Path,
    bounds: Bounds,
    *,
    leave_out: Callable[[PurePosixPath], bool] = lambda _relative: False,
) -> None:
    """Copy the plain files below `source` to `target`, which is made if necessary and must not contain them yet.

    Times and permissions are kept, so that compiled files are still newer than their sources; owners and set-user bits
    are not. Directories without files are not made. Raises NotPlain like `plain_files`, and OSError.
    """
    target.mkdir(parents=True, exist_ok=True)
    left = bounds.size
    for relative, file in plain_files(source, bounds, leave_out=leave_out):
        path = target / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        found = os.fstat(file)
        with os.fdopen(os.open(path, CREATE, 0o600), "wb") as copy:
            while chunk := os.read(file, min(_CHUNK, left + 1)):
                left -= len(chunk)
                if left < 0:
                    raise too_much(source, bounds)
                copy.write(chunk)
        path.chmod(stat.S_IMODE(found.st_mode) & 0o777 | 0o600)
        os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))


def read_plain(path: Path, *, most: int = 16 << 20) -> bytes:
    """The content of an untrusted file. Raises NotPlain unless it is a small regular file, and OSError."""
    try:
        file = os.open(path, READ)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise NotPlain(f"{path}: a symbolic link, which is not followed: put the file itself there") from error
    with os.fdopen(file, "rb") as stream:
        if not stat.S_ISREG(mode := os.fstat(file).st_mode):
            raise NotPlain(f"{path}: {kind_name(mode)}, not a file")
        content = stream.read(most + 1)
    if len(content) > most:
        raise NotPlain(f"{path}: larger than {most >> 10} KiB")
    return content


StateFiles: TypeAlias = dict[str, bytes]

MAX_FILE_BYTES: Final = 64 * KIB
MAX_FILES: Final = 64
_NOT_STATE: Final = {"input.txt", "output.txt"}


def read_state(directory: Path, original: Path | None) -> StateFiles:
    """The small regular files directly in `directory` that differ from those in `original`.

    Nothing there is trusted: links are not followed, large files and too many files are left out.
    """
    state: StateFiles = {}
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.name in _NOT_STATE or len(state) >= MAX_FILES or not entry.is_file(follow_symlinks=False):
                continue
            about = entry.stat(follow_symlinks=False)
            is_acceptable = about.st_nlink == 1 and about.st_size <= MAX_FILE_BYTES
            if is_acceptable and not _is_original(entry.name, about, original):
                with contextlib.suppress(OSError, NotPlain):
                    state[entry.name] = read_plain(Path(entry.path), most=MAX_FILE_BYTES)
    return state


def _is_original(name: str, about: os.stat_result, original: Path | None) -> bool:
    if original is None:
        return False
    try:
        first = (original / name).stat(follow_symlinks=False)
    except OSError:
        return False
    return (first.st_size, first.st_mtime_ns) == (about.st_size, about.st_mtime_ns)


def write_state(state: StateFiles, directory: Path) -> None:
    """Restore the files in a fresh copy of the agent's directory."""
    for name, content in state.items():
        if _is_name(name):
            (directory / name).unlink(missing_ok=True)
            with (directory / name).open("xb") as file:
                file.write(content)


def restore_state(state: StateFiles, directory: Path, original: Path | None) -> None:
    """Undo what a run that does not count has done to the small files: `state` is what `read_state` gave before it.

    What it has made impossible to undo stays as it is: that run was the agent's own.
    """
    with contextlib.suppress(OSError):
        directory.chmod(0o700)
        for name in read_state(directory, original).keys() - state.keys():
            (directory / name).unlink()
            if original is not None and (original / name).is_file():
                shutil.copy2(original / name, directory / name, follow_symlinks=False)
        write_state(state, directory)


def _is_name(text: str) -> bool:
    """Whether a text is a plain file name, not a path."""
    return text not in ("", ".", "..") and text == os.path.basename(text) and "\0" not in text  # noqa: PTH119 - text


def encode_state(state: StateFiles) -> dict[str, str]:
    return {name: base64.b64encode(content).decode() for name, content in state.items()}


def decode_state(data: dict[str, str]) -> StateFiles:
    """The reverse of `encode_state`. Raises ValueError, also for names that lead out of the directory."""
    for name in data:
        if not _is_name(name):
            raise ValueError(f"state: {name!r:.80} is not a file name")
    return {name: base64.b64decode(text, validate=True) for name, text in data.items()}
