"""The work directory, none of whose content is trusted.

Everything goes through a descriptor that was opened before the agent started: renaming or replacing the directory
changes nothing. No link is followed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat

INPUT = "input.txt"
OUTPUT = "output.txt"
DEEPEST = 32

_SET_ID = stat.S_ISUID | stat.S_ISGID
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)  # Windows imports this module too
_CREATE = _READ ^ os.O_RDONLY | os.O_WRONLY | os.O_CREAT | os.O_EXCL
BROKEN = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS)  # of a disk: nothing that a program does
_PAGE, _CHUNK = 4096, 1 << 20
_TEXT = frozenset(b"\t\v\f") | frozenset(range(0x20, 0x7F))


class BadOutput(Exception):
    """The output exists but cannot be a move; the message says why."""


class TooMuch(Exception):
    """The directory contains more than it may; the message says what."""


def open_directory(path: str) -> int:
    """A descriptor of the work directory. Raises OSError."""
    return os.open(path, _READ | os.O_DIRECTORY)


def is_still(path: str, directory: int) -> bool:
    """Whether `path` still names the directory that was opened."""
    try:
        there = os.stat(path, follow_symlinks=False)
    except OSError:
        return False
    return os.path.samestat(there, os.fstat(directory))


def unlock(directory: int) -> None:
    """Restore our permissions on the directory, which the agent may have removed."""
    mode = stat.S_IMODE(os.fstat(directory).st_mode)
    if mode & stat.S_IRWXU != stat.S_IRWXU:
        os.fchmod(directory, mode | stat.S_IRWXU)


def prepare(directory: int, content: bytes) -> None:
    """Remove the input and output, whatever they are, and write a new input.

    Raises TooMuch for what cannot be removed, such as a directory that is too deep: only the agent can have made that.
    """
    unlock(directory)
    for name in (OUTPUT, INPUT):
        try:
            remove(directory, name)
        except OSError as error:
            if error.errno in BROKEN:
                raise
            raise TooMuch(f"it left a directory {name} that cannot be removed") from None
    with open(os.open(INPUT, _CREATE, 0o644, dir_fd=directory), "wb") as file:
        file.write(content)


def remove(directory: int, name: str, depth: int = 0) -> None:
    """Remove `name`, if it exists, with everything in it, without following links."""
    try:
        os.unlink(name, dir_fd=directory)
        return
    except FileNotFoundError:
        return
    except (IsADirectoryError, PermissionError):  # for a directory: the first on Linux, the second by POSIX
        if depth > DEEPEST:
            raise
    inner = os.open(name, _READ | os.O_DIRECTORY, dir_fd=directory)
    try:
        os.fchmod(inner, stat.S_IRWXU)
        for entry in os.listdir(inner):
            remove(inner, entry, depth + 1)
    finally:
        os.close(inner)
    os.rmdir(name, dir_fd=directory)


def read_output(directory: int, most: int) -> bytes | None:
    """The bytes of the output, None if it is missing or empty. Call it when the tree is dead.

    Raises BadOutput for anything but a small regular file with one name, whose first line is ASCII. Like the course's
    host it takes any bytes after that.
    """
    try:
        kind = os.stat(OUTPUT, dir_fd=directory, follow_symlinks=False).st_mode
        if not stat.S_ISREG(kind):
            raise BadOutput(f"{OUTPUT} is {kind_name(kind)}, not a file")
        file = os.open(OUTPUT, _READ | os.O_NONBLOCK, dir_fd=directory)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadOutput(f"{OUTPUT} cannot be read: {error.strerror}") from None
    with open(file, "rb") as stream:
        found = os.fstat(file)
        if found.st_nlink != 1:
            raise BadOutput(f"{OUTPUT} is a file with {found.st_nlink} names (a hard link)")
        if found.st_size > most:
            raise BadOutput(f"{OUTPUT} has {found.st_size} bytes; at most {most} are read")
        content = stream.read(most + 1)
    check_text(content)
    return content or None


def check_text(output: bytes) -> None:
    """Raises BadOutput unless the first line is ASCII."""
    if wrong := set(output.replace(b"\r", b"\n").split(b"\n", 1)[0]) - _TEXT:
        raise BadOutput(f"{OUTPUT} is not plain text: it holds the byte 0x{min(wrong):02x}")


def measure(directory: int, *, files: int, size: int) -> int:
    """Count files and bytes, and stop beyond the limits; returns the bytes. Raises TooMuch.

    This also removes set-uid bits, and restores our permissions on the directory. The agent may still be alive.
    """
    unlock(directory)
    return _Walk(files, size).through(directory, None)


def copy(source: int, target: int, *, files: int, size: int, owner: int | None = None) -> int:
    """Make `target` hold the files and directories of `source`, and nothing else; links and the like are left out.

    Returns the bytes. Files that look the same, by size and time, are not copied. Nobody else may change either
    meanwhile. Raises TooMuch beyond the limits, and OSError for a disk that is full or broken.
    """
    return _Walk(files, size, owner).through(source, target)


class _Walk:
    """One walk through a directory, with the files and bytes that may still be found."""

    def __init__(self, files: int, size: int, owner: int | None = None) -> None:
        self._files, self._size, self._owner = files, size, owner
        self._most = files, size

    def through(self, directory: int, target: int | None) -> int:
        """All of it; returns how many bytes were found."""
        self.below(directory, target)
        return self._most[1] - self._size

    def below(self, directory: int, target: int | None, depth: int = 0) -> None:
        if depth > DEEPEST:
            raise TooMuch(f"the work directory is nested more than {DEEPEST} deep")
        kept = set()
        with os.scandir(directory) as entries:
            for entry in entries:
                try:
                    found = entry.stat(follow_symlinks=False)
                    self._count(found)
                    if self._one(directory, target, entry.name, found, depth):
                        kept.add(entry.name)
                except (FileNotFoundError, NotADirectoryError):
                    continue  # removed or replaced in the meantime
                except PermissionError:
                    raise TooMuch(f"the work directory holds {entry.name!r}, which cannot be opened") from None
                except OSError as error:
                    if target is not None and error.errno in BROKEN:
                        raise
                    continue  # such as a name that is too long for the other file system
        if target is not None:
            for name in set(os.listdir(target)) - kept:
                remove(target, name)

    def _count(self, found: os.stat_result) -> None:
        self._files -= 1
        self._size -= -(-max(found.st_size, found.st_blocks * 512) // _PAGE) * _PAGE
        if self._files < 0:
            raise TooMuch(f"the work directory holds more than {self._most[0]} files")
        if self._size < 0:
            raise TooMuch(f"the work directory holds more than {self._most[1]} bytes")

    def _one(self, directory: int, target: int | None, name: str, found: os.stat_result, depth: int) -> bool:
        """Measure or copy one entry; whether it is now in `target`."""
        if stat.S_ISDIR(found.st_mode):
            inner = os.open(name, _READ | os.O_DIRECTORY, dir_fd=directory)
            made = None
            try:
                made = None if target is None else self._folder(target, name)
                self.below(inner, made, depth + 1)
            finally:
                for descriptor in (inner, made):
                    if descriptor is not None:
                        os.close(descriptor)
        elif not stat.S_ISREG(found.st_mode):
            return False
        elif target is not None:
            self._copy(directory, target, name, found)
        elif found.st_mode & _SET_ID:
            _disarm(directory, name)
        return True

    def _folder(self, target: int, name: str) -> int:
        """The open directory of this name in `target`, made if there is none."""
        try:
            return os.open(name, _READ | os.O_DIRECTORY, dir_fd=target)
        except OSError:
            remove(target, name)
            os.mkdir(name, 0o700, dir_fd=target)
            self._give(made := os.open(name, _READ | os.O_DIRECTORY, dir_fd=target))
            return made

    def _copy(self, directory: int, target: int, name: str, found: os.stat_result) -> None:
        with contextlib.suppress(OSError):
            old = os.stat(name, dir_fd=target, follow_symlinks=False)
            if stat.S_ISREG(old.st_mode) and (old.st_size, old.st_mtime_ns) == (found.st_size, found.st_mtime_ns):
                return
        remove(target, name)
        with (
            open(os.open(name, _READ | os.O_NONBLOCK, dir_fd=directory), "rb") as file,
            open(os.open(name, _CREATE, 0o600, dir_fd=target), "wb") as made,
        ):
            shutil.copyfileobj(file, made, _CHUNK)
            made.flush()
            self._give(made.fileno())
            os.fchmod(made.fileno(), stat.S_IMODE(found.st_mode) & 0o777 | 0o600)
            os.utime(made.fileno(), ns=(found.st_atime_ns, found.st_mtime_ns))

    def _give(self, made: int) -> None:
        if self._owner is not None:
            os.fchown(made, self._owner, self._owner)


def _disarm(directory: int, name: str) -> None:
    """Remove the set-uid and set-gid bits of a file: whoever ran it would get the agent's rights, or ours.

    A living agent may have replaced it by something else, which is left alone: a link has no such bits.
    """
    place = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=directory)
    try:
        mode = os.fstat(place).st_mode
        if stat.S_ISREG(mode):
            os.chmod(f"/proc/self/fd/{place}", stat.S_IMODE(mode) & ~_SET_ID)
    finally:
        os.close(place)


def kind_name(mode: int) -> str:
    """What kind of file a mode is, when it is not a regular one."""
    for test, name in (
        (stat.S_ISLNK, "a symbolic link"),
        (stat.S_ISDIR, "a directory"),
        (stat.S_ISFIFO, "a FIFO"),
        (stat.S_ISSOCK, "a socket"),
    ):
        if test(mode):
            return name
    return "a device"
