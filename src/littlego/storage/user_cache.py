"""The user's cache: what can be computed again, and locks that no agent can reach."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from pathlib import Path
from typing import Final

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
    if sys.platform == "win32":  # where the temporary files of a user are nobody else's
        return folder
    ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077
    return folder if ours else None
