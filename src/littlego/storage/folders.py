"""Reading folders of others: nothing in them, such as a link, leads elsewhere."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

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
