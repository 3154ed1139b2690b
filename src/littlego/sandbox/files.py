"""The work directory, none of whose content is trusted.

Everything goes through a descriptor that was opened before the agent started: renaming or replacing the directory
changes nothing. No link is followed.
"""

from __future__ import annotations

import os
import stat

INPUT = "input.txt"
OUTPUT = "output.txt"
DEEPEST = 32

_SET_ID = stat.S_ISUID | stat.S_ISGID
_TEXT = frozenset(b"\t\v\f") | frozenset(range(0x20, 0x7F))


class BadOutput(Exception):
    """The output exists but cannot be a move; the message says why."""


class TooMuch(Exception):
    """The directory contains more than it may; the message says what."""


def open_directory(path: str) -> int:
    """A descriptor of the work directory. Raises OSError."""
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)


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


def prepare(directory: int, content: bytes, *, owner: int | None = None) -> None:
    """Remove the input and output, whatever they are, and write a new input."""
    unlock(directory)
    remove(directory, OUTPUT)
    remove(directory, INPUT)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    file = os.open(INPUT, flags, 0o644, dir_fd=directory)
    try:
        if owner is not None:
            os.fchown(file, owner, owner)
        while content:
            content = content[os.write(file, content) :]
    finally:
        os.close(file)


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
    inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=directory)
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
        file = os.open(OUTPUT, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadOutput(f"{OUTPUT} cannot be read: {error.strerror}") from None
    try:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode):
            raise BadOutput(f"{OUTPUT} is {kind_name(found.st_mode)}, not a file")
        if found.st_nlink != 1:
            raise BadOutput(f"{OUTPUT} is a file with {found.st_nlink} names (a hard link)")
        if found.st_size > most:
            raise BadOutput(f"{OUTPUT} has {found.st_size} bytes; at most {most} are read")
        content = _read_all(file, most)
    finally:
        os.close(file)
    check_text(content)
    return content or None


def check_text(output: bytes) -> None:
    """Raises BadOutput unless the first line is ASCII."""
    if wrong := set(output.replace(b"\r", b"\n").split(b"\n", 1)[0]) - _TEXT:
        raise BadOutput(f"{OUTPUT} is not plain text: it holds the byte 0x{min(wrong):02x}")


def measure(directory: int, *, files: int, size: int) -> None:
    """Count files and bytes, and stop beyond the limits. Raises TooMuch.

    This also removes set-uid bits, and restores our permissions on the directory.
    """
    unlock(directory)
    _measure(directory, 0, _Allowance(files, size))


class _Allowance:
    """The files and bytes that may still be found."""

    def __init__(self, files: int, size: int) -> None:
        self.files, self.size = files, size
        self._files, self._size = files, size

    def spend(self, size: int) -> None:
        self.files -= 1
        self.size -= size
        if self.files < 0:
            raise TooMuch(f"the work directory holds more than {self._files} files")
        if self.size < 0:
            raise TooMuch(f"the work directory holds more than {self._size} bytes")


def _measure(directory: int, depth: int, allowance: _Allowance) -> None:
    if depth > DEEPEST:
        raise TooMuch(f"the work directory is nested more than {DEEPEST} deep")
    with os.scandir(directory) as entries:
        for entry in entries:
            try:
                found = entry.stat(follow_symlinks=False)
                allowance.spend(max(found.st_size, found.st_blocks * 512))
                if stat.S_ISREG(found.st_mode) and found.st_mode & _SET_ID:
                    _disarm(directory, entry.name)
                if not stat.S_ISDIR(found.st_mode):
                    continue
                inner = _enter(directory, entry.name)
            except (FileNotFoundError, NotADirectoryError):
                continue  # removed or replaced in the meantime
            except PermissionError:
                raise TooMuch(f"the work directory holds {entry.name!r}, which cannot be looked into") from None
            try:
                _measure(inner, depth + 1, allowance)
            finally:
                os.close(inner)


def _disarm(directory: int, name: str) -> None:
    """Remove the set-uid and set-gid bits of a file: whoever ran it would get the agent's rights, or ours.

    A living agent may have replaced it by something else, which is left alone: a link has no such bits.
    """
    if not hasattr(os, "O_PATH"):
        os.chmod(name, 0o600, dir_fd=directory, follow_symlinks=False)
        return
    place = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=directory)
    try:
        mode = os.fstat(place).st_mode
        if stat.S_ISREG(mode):
            os.chmod(f"/proc/self/fd/{place}", stat.S_IMODE(mode) & ~_SET_ID)
    finally:
        os.close(place)


def give(directory: int, owner: int) -> None:
    """Make `owner` the owner of the directory and everything in it; of links, not of their targets."""
    os.fchown(directory, owner, owner)
    with os.scandir(directory) as entries:
        for entry in entries:
            os.chown(entry.name, owner, owner, dir_fd=directory, follow_symlinks=False)
            if entry.is_dir(follow_symlinks=False):
                inner = _enter(directory, entry.name)
                try:
                    give(inner, owner)
                finally:
                    os.close(inner)


def _enter(directory: int, name: str) -> int:
    return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=directory)


def _read_all(file: int, most: int) -> bytes:
    content = b""
    while len(content) <= most and (chunk := os.read(file, most + 1 - len(content))):
        content += chunk
    return content


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
