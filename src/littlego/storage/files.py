"""Files: text written whole or not at all, CSV as spreadsheets save it, folders that we do not trust, and locks.

A lock is a file that is unlocked however the process that holds it ends.
"""

from __future__ import annotations

import codecs
import csv
import errno
import io
import itertools
import os
import re
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Final, Self

from littlego.core.errors import FormatError, UsageError


def plain_name(name: str) -> str:
    """The name reduced to characters that are safe in file names and tournament plans."""
    return re.sub(r"[^\w.+-]", "_", name).strip(".")[:60] or "player"


def write_whole(path: Path, text: str, *, mode: int = 0o644) -> None:
    """Replace a file atomically: after a kill it has the old text or the new. Raises OSError.

    One writer at a time; the next write removes what a killed one left behind.
    """
    beside = path.with_name(f".{path.name}.new")
    beside.unlink(missing_ok=True)
    try:
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w", encoding="utf-8") as file:  # noqa: PTH123 - a mode from the start
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turns OSError into UsageError, which says that `path` cannot be written."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from error


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turns OSError into FormatError, which says that `path` cannot be read."""
    try:
        yield
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {error.strerror}") from error


_MOST_MIB: Final = 200


def read_bytes(path: Path) -> bytes:
    """The content of a file. Raises FormatError, also if it is too large for one of ours: a device may have no end."""
    with reading(path), path.open("rb") as file:
        parts = list(itertools.islice(iter(lambda: file.read(1 << 20), b""), _MOST_MIB + 1))
    if len(parts) > _MOST_MIB:
        raise FormatError(f"{path}: expected a file of at most {_MOST_MIB} MiB, but it goes on")
    return b"".join(parts)


def read_text(path: Path) -> str:
    """The text of a file in UTF-8, with the line ends of Unix. Raises FormatError."""
    try:
        return io.TextIOWrapper(io.BytesIO(read_bytes(path)), encoding="utf-8").read()
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not text in UTF-8: {error}") from error


def write_text(path: Path, text: str) -> None:
    """Write a file that a user named, in UTF-8. Raises UsageError."""
    with writing(path):
        path.write_text(text, encoding="utf-8")


def read_csv(path: Path) -> list[list[str]]:
    """The lines of a CSV file without empty ones, also as a spreadsheet saved it again. Raises FormatError."""
    return max(csv_tables(path).values(), key=lambda rows: len(rows[0]) if rows else 0)


def csv_tables(path: Path) -> dict[str, list[list[str]]]:
    """The same, by the delimiter that it is read with. Raises FormatError."""
    data = read_bytes(path)
    try:
        text = _decoded(data)
        return {
            delimiter: [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row]
            for delimiter in (",", ";", "\t")
        }
    except (UnicodeDecodeError, csv.Error) as error:
        raise FormatError(f"{path}: cannot be read: {error}") from error


def _decoded(raw: bytes) -> str:
    """UTF-8, or what Excel makes of it in Western Europe and America."""
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return raw.decode("utf-16")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("cp1252")


if sys.platform == "win32":
    # A folder cannot be opened there. A link needs rights that agents seldom have, and is refused by its kind.
    READ: Final = os.O_RDONLY | os.O_BINARY | os.O_NOINHERIT
    CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_BINARY | os.O_NOINHERIT

    class Folder:
        """An open folder. Raises OSError."""

        def __init__(self, path: Path) -> None:
            os.listdir(path)  # noqa: PTH208 - raises what reading it would raise
            self._path = path

        def names(self) -> list[str]:
            return sorted(os.listdir(self._path))  # noqa: PTH208 - by either kind of folder

        def stat(self, name: str) -> os.stat_result:
            return (self._path / name).lstat()

        def folder(self, name: str) -> Folder:
            return Folder(self._path / name)

        def file(self, name: str) -> int:
            """A descriptor to read from."""
            return os.open(self._path / name, READ)

        def close(self) -> None:
            """Nothing is held."""

else:
    READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

    class Folder:
        """An open folder. Raises OSError."""

        def __init__(self, path: Path | str, *, within: int | None = None) -> None:
            follow = 0 if within is None else os.O_NOFOLLOW
            self._descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | follow, dir_fd=within)

        def names(self) -> list[str]:
            return sorted(os.listdir(self._descriptor))  # noqa: PTH208 - a descriptor

        def stat(self, name: str) -> os.stat_result:
            return os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)

        def folder(self, name: str) -> Folder:
            return Folder(name, within=self._descriptor)

        def file(self, name: str) -> int:
            """A descriptor to read from."""
            return os.open(name, READ, dir_fd=self._descriptor)

        def close(self) -> None:
            os.close(self._descriptor)


def now() -> str:
    """Local date and time, to the minute, with the offset from UTC."""
    return datetime.now().astimezone().isoformat(sep=" ", timespec="minutes")


class Closing(ABC):
    """Closes itself at the end of a `with` statement."""

    @abstractmethod
    def close(self) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


if sys.platform == "win32":
    import msvcrt

    _BEYOND: Final = 1 << 40
    """The byte that is locked: on Windows nobody can read or write a locked byte, so it lies beyond any content."""

    def take(file: int, *, wait: bool) -> None:
        """Lock an open file until it is closed. Raises BlockingIOError if it is locked and `wait` is false."""
        while True:
            try:
                os.lseek(file, _BEYOND, os.SEEK_SET)
                msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
                return
            except OSError as error:
                if not wait:
                    raise BlockingIOError(errno.EAGAIN, "another process holds the lock") from error
            time.sleep(0.02)

else:
    import fcntl

    def take(file: int, *, wait: bool) -> None:
        """Lock an open file until it is closed. Raises BlockingIOError if it is locked and `wait` is false."""
        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def locked(path: Path, *, wait: bool = True) -> Iterator[None]:
    """Hold the lock. Raises BlockingIOError if another process holds it and `wait` is false."""
    with path.open("wb") as file:
        take(file.fileno(), wait=wait)
        yield
