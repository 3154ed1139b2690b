"""Removing a tree by descriptors, so that nothing in it can lead elsewhere, and nesting has no limit."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

assert sys.platform != "win32", "Windows opens no directories"

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MOST_PASSES: Final = 1000
"""Passes over a directory in which new files keep appearing."""
_GET_FLAGS, _SET_FLAGS, _FIXED = 0x80086601, 0x40086602, 0x10 | 0x20
"""Linux: FS_IOC_GETFLAGS, FS_IOC_SETFLAGS; FS_IMMUTABLE_FL and FS_APPEND_FL, which prevent removal."""


class Unfinished(Exception):
    """Something appeared during the removal."""


class Removal:
    """Takes a tree apart by moving nested directories up to the root.

    So two descriptors are enough for any depth, and nothing recurses. Directories are renamed first, so that programs
    still writing cannot find them. What cannot be removed does not protect the rest.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._renamed = False
        self._moved: set[str] = set()
        self._stuck: dict[str, OSError] = {}

    def run(self) -> None:
        """Raises OSError for what cannot be removed, and Unfinished for what keeps appearing."""
        self._stuck.clear()
        with contextlib.ExitStack() as stack:
            try:
                parent = os.open(self.path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
                stack.callback(os.close, parent)
                if _without_it(parent, self.path.name):
                    return
                if not self._renamed:
                    self.path = self.path.with_name(_hidden(parent, self.path.name, f"{self.path.name}-"))
                    self._renamed = True
                root = _entered(parent, self.path.name)
            except FileNotFoundError:
                return
            stack.callback(os.close, root)
            self._empty_root(root)
            for problem in self._stuck.values():
                raise problem
            self._remove_empty(parent, self.path.name)

    def _empty_root(self, root: int) -> None:
        appeared = 0
        while names := set(os.listdir(root)) - set(self._stuck):
            appeared += names.isdisjoint(self._moved)
            if appeared > _MOST_PASSES:
                raise Unfinished(f"{self.path}: files keep appearing in it")
            for name in names:
                try:
                    if not _without_it(root, name):
                        self._take_apart(root, name)
                except FileNotFoundError:
                    continue
                except OSError as error:
                    self._stuck[name] = error

    def _take_apart(self, root: int, name: str) -> None:
        """Remove a directory in the root; directories in it move up to the root."""
        if name not in self._moved:
            _unlock(root, name)
            name = _hidden(root, name)
            self._moved.add(name)
        folder = _entered(root, name)
        try:
            for inner in list(os.listdir(folder)):  # noqa: PTH208 - a descriptor
                if not _without_it(folder, inner):
                    self._move_up(folder, inner, root)
        finally:
            os.close(folder)
        self._remove_empty(root, name)

    def _move_up(self, folder: int, name: str, root: int) -> None:
        _unlock(folder, name)  # moving a directory requires write permission on it
        above = _new_name()
        _insist(folder, name, lambda: os.rename(name, above, src_dir_fd=folder, dst_dir_fd=root))
        self._moved.add(above)

    def _remove_empty(self, folder: int, name: str) -> None:
        try:
            _insist(folder, name, lambda: os.rmdir(name, dir_fd=folder))
        except FileNotFoundError:
            return
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
            raise Unfinished(f"{self.path}: files keep appearing in it") from error


def _new_name() -> str:
    return f"going-{secrets.token_hex(8)}"


def _hidden(folder: int, name: str, prefix: str = "") -> str:
    """Give a directory an unguessable name, if possible; returns its name."""
    new = f"{prefix}{_new_name()}"
    try:
        _insist(folder, name, lambda: os.rename(name, new, src_dir_fd=folder, dst_dir_fd=folder))
    except FileNotFoundError:
        raise
    except OSError:
        return name
    return new


def _without_it(folder: int, name: str) -> bool:
    """Remove anything but a directory; False for a directory."""
    try:
        if stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            return False
        _insist(folder, name, lambda: os.unlink(name, dir_fd=folder))
    except FileNotFoundError:
        pass
    return True


def _entered(folder: int, name: str) -> int:
    _unlock(folder, name)
    inner = os.open(name, _FOLDER, dir_fd=folder)
    _set_free(inner)
    return inner


def _unlock(folder: int, name: str) -> None:
    """Give ourselves permission to open a directory."""
    if stat.S_IMODE(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode) & stat.S_IRWXU == stat.S_IRWXU:
        return
    if not hasattr(os, "O_PATH"):
        os.chmod(name, stat.S_IRWXU, dir_fd=folder, follow_symlinks=False)
        return
    place = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
    try:
        Path(f"/proc/self/fd/{place}").chmod(stat.S_IRWXU)
    except PermissionError:
        _set_free_by_name(folder, name)
        Path(f"/proc/self/fd/{place}").chmod(stat.S_IRWXU)
    finally:
        os.close(place)


def _insist(folder: int, name: str, change: Callable[[], object]) -> None:
    """Change `name` in a directory; if that is not permitted, clear immutable flags and try again."""
    try:
        change()
    except PermissionError:
        _set_free(folder)
        _set_free_by_name(folder, name)
        change()


def _set_free_by_name(folder: int, name: str) -> None:
    with contextlib.suppress(OSError):
        kind = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        if stat.S_ISREG(kind) or stat.S_ISDIR(kind):
            file = os.open(name, _FILE, dir_fd=folder)
            try:
                _set_free(file)
            finally:
                os.close(file)


def _set_free(file: int) -> None:
    """Clear the flags that prevent changes and removal, as root may, on Linux."""
    if sys.platform != "linux":
        return
    import fcntl

    with contextlib.suppress(OSError):
        (flags,) = struct.unpack("l", fcntl.ioctl(file, _GET_FLAGS, struct.pack("l", 0)))
        if flags & _FIXED:
            fcntl.ioctl(file, _SET_FLAGS, struct.pack("l", flags & ~_FIXED))
