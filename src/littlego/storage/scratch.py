"""Temporary directories that are removed whatever happens to the processes that made them, caches and free space.

A command has one directory among the system's temporary files, which holds all temporary files of the command and its
processes. It is locked while the command lives, so that the next command can recognise and remove a dead one's."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from littlego.storage.files import take


def total_memory() -> int:
    """The bytes of memory that this machine has."""
    if sys.platform == "linux":
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    import psutil

    return int(psutil.virtual_memory().total)


def free_memory() -> int:
    """The bytes of memory that are available now; half of all where the system does not tell."""
    if sys.platform != "linux":
        import psutil

        return int(psutil.virtual_memory().available)
    with contextlib.suppress(OSError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return total_memory() // 2


def has_room(directory: Path, size: int) -> bool:
    """Whether a file of `size` bytes could be written to `directory` now. Raises OSError."""
    return shutil.disk_usage(directory).free >= size


_SHARED: Final = Path(os.environ.get("TMPDIR") or ("/tmp" if os.name == "posix" else tempfile.gettempdir()))
"""Read before a command gives itself a directory of its own, which would not outlive it."""


def user_cache() -> Path | None:
    """Our folder in the user's cache, made if necessary; None if that is not possible.

    A user whose home cannot be written to, in a lab or a container, has a folder among the temporary files instead.
    """
    if sys.platform == "win32":
        root = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~/AppData/Local")  # noqa: PTH111 - never raises
        return _made(Path(root) / "littlego") or _made(_SHARED / "littlego-cache")  # a user's own, as all there
    usual = "~/Library/Caches" if sys.platform == "darwin" else "~/.cache"
    root = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser(usual)  # noqa: PTH111 - never raises
    return _made(Path(root) / "littlego") or _made_private(_SHARED / f"littlego-cache-{os.getuid()}")


def _made(folder: Path) -> Path | None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK | os.X_OK) else None


def _made_private(folder: Path) -> Path | None:
    """A folder that nobody else can have put anything into: machine code is loaded from it."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return None
    ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077
    return folder if ours else None


_FORCE: Final = (("chmod", "-R", "u+rwx"), ("chattr", "-R", "-f", "-i", "-a"), ("rm", "-r", "-f"))
"""What removes a tree that is nested too deep for `shutil`, without permissions, or marked immutable (by root)."""


def remove_tree(path: Path, *, patience: float = 5.0) -> str:
    """Remove `path` and everything below it. Returns "", or a message about what is left and why.

    Never raises OSError. Files that still appear meanwhile are removed too, for `patience` seconds. The programs that
    filled it should have ended: one that swaps a folder for a link now may have us change a mode elsewhere.
    """
    end, pause = time.monotonic() + patience, 0.001
    while True:
        try:
            shutil.rmtree(path)
            return ""
        except NotADirectoryError:
            why = _unlinked(path)
        except FileNotFoundError as error:
            why = error.strerror or ""
        except (OSError, RecursionError) as error:
            why = _unlinked(path) if path.is_symlink() else _forced(path) or str(error)
        if not os.path.lexists(path):
            return ""
        if time.monotonic() > end:
            return f"{path}: cannot be removed: {why}"
        time.sleep(pause)
        pause = min(2 * pause, 0.2)


def _unlinked(path: Path) -> str:
    with contextlib.suppress(FileNotFoundError):
        try:
            path.unlink()
        except OSError as error:
            return error.strerror or str(error)
    return ""


def _forced(path: Path) -> str:
    """The last reason that the system's own commands give for what they could not remove."""
    if sys.platform == "win32":
        with contextlib.suppress(OSError):
            subprocess.run(["attrib", "-r", str(path / "*"), "/s", "/d"], check=False, capture_output=True)
        return ""
    why = ""
    for command in _FORCE:
        with contextlib.suppress(OSError):  # no such command
            done = subprocess.run(
                [*command, "--", path], check=False, capture_output=True, env={**os.environ, "LC_ALL": "C"}
            )
            why = done.stderr.decode(errors="replace").strip().rpartition(": ")[2]
    return why


PREFIX: Final = "littlego-scratch-"


@contextlib.contextmanager
def command_scratch(tell: Callable[[str], None] = lambda _text: None) -> Iterator[None]:
    """Make `tempfile` use a directory of this command's own, which is removed afterwards.

    Directories of killed commands are removed first. `tell` receives a message about what cannot be removed. If no
    directory can be made, nothing changes, and whatever needs one will fail with its own message.
    """
    try:
        base = Path(tempfile.gettempdir())
        sweep(base, tell)
        home, lock = _claim(base)
    except OSError:
        yield
        return
    before, tempfile.tempdir = tempfile.tempdir, str(home)
    try:
        yield
    finally:
        tempfile.tempdir = before
        if sys.platform == "win32":  # where an open file cannot be removed
            os.close(lock)
        if left := remove_tree(home):
            tell(left)
        if sys.platform != "win32":
            os.close(lock)


@contextlib.contextmanager
def temporary_directory(prefix: str) -> Iterator[Path]:
    """An empty directory, removed afterwards whatever is in it.

    The command retries at its end, with a message, whatever cannot be removed now.
    """
    directory = Path(tempfile.mkdtemp(prefix=prefix))
    try:
        yield directory
    finally:
        remove_tree(directory)


def sweep(base: Path, tell: Callable[[str], None] = lambda _text: None) -> None:
    """Remove the directories in `base` of this user's dead commands."""
    for path in base.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            if (lock := _lock(path)) is None:
                continue
            if sys.platform == "win32":
                os.close(lock)
            if left := remove_tree(path):
                tell(left)
            if sys.platform != "win32":
                os.close(lock)


def _claim(base: Path) -> tuple[Path, int]:
    """A new directory, locked. Raises OSError."""
    while True:
        path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=base))
        # Another command may take it for a dead one's before it is locked.
        with contextlib.suppress(BlockingIOError, FileNotFoundError):
            if (lock := _lock(path, is_new=True)) is not None:
                return path, lock


if sys.platform == "win32":
    _MOMENT: Final = 60.0
    """Seconds in which a command locks the directory that it has made."""

    def _lock(path: Path, *, is_new: bool = False) -> int | None:
        """Lock a file in a directory, since Windows locks no directories; None if it is too new to be a dead one's.

        Raises OSError, also while its command lives.
        """
        file = path / "lock"
        if not is_new and not file.exists() and time.time() - path.stat().st_mtime < _MOMENT:
            return None
        lock = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOINHERIT)
        try:
            take(lock, wait=False)
        except BaseException:
            os.close(lock)
            raise
        return lock

else:

    def _lock(path: Path, *, is_new: bool = False) -> int | None:
        """Lock a directory; None if it is another user's, or no longer at that path.

        Raises OSError, also while its command lives.
        """
        lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            found = os.fstat(lock)
            if is_new or found.st_uid == os.geteuid():  # some file systems show one owner for everybody's
                take(lock, wait=False)
                if not is_new or os.path.samestat(found, path.stat(follow_symlinks=False)):
                    return lock
        except BaseException:
            os.close(lock)
            raise
        os.close(lock)
        return None
