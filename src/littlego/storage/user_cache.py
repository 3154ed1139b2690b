"""The user's cache: what can be computed again, and locks that no agent can reach."""

from __future__ import annotations

import os
from pathlib import Path


def user_cache() -> Path | None:
    """Our folder in the user's cache, made if necessary; None if that is not possible."""
    root = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111 - never raises
    folder = Path(root) / "littlego"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder
