"""Removing a directory that an untrusted program has filled.

`shutil.rmtree` recurses, and gives up at a directory without permissions: an agent that leaves directories nested a
thousand deep would crash the process that cleans up. On Windows it is what we use.
"""

from __future__ import annotations

import shutil
import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path

if sys.platform == "win32":

    class Unfinished(Exception):
        """Something is still open: Windows removes no open file, and programs take a moment to end."""

    class Removal:
        """The removal of one tree."""

        def __init__(self, path: Path) -> None:
            self.path = path

        def run(self) -> None:
            """Raises OSError for what cannot be removed, and Unfinished for what is still open."""
            try:
                shutil.rmtree(self.path, onerror=_allow_and_retry)
            except FileNotFoundError:
                return
            except NotADirectoryError:
                self.path.unlink()
            except PermissionError as error:
                raise Unfinished(f"{self.path}: cannot be removed: {error.strerror}: {error.filename}") from error

    def _allow_and_retry(action: Callable[[str], object], path: str, _error: object) -> None:
        Path(path).chmod(stat.S_IRWXU)  # what is read-only cannot be removed
        action(path)

else:
    from littlego.storage.taking_apart import Removal, Unfinished


def remove_tree(path: Path, *, patience: float = 5.0) -> str:
    """Remove `path` and everything below it. Returns "", or a message about what is left and why.

    Never raises OSError: directories may be nested to any depth, without permissions, or immutable. Files that still
    appear meanwhile are removed too, for `patience` seconds.
    """
    end, pause = time.monotonic() + patience, 0.001
    removal = Removal(path)
    while True:
        try:
            removal.run()
            return ""
        except Unfinished as left:
            if time.monotonic() > end:
                return str(left)
        except OSError as error:
            return f"{removal.path}: cannot be removed: {error.strerror}: {error.filename}"
        time.sleep(pause)
        pause = min(2 * pause, 0.2)
