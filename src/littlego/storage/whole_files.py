"""Atomic writes: a file is complete or missing, whatever is killed and however full the disk is."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any


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


def write_capsule(path: Path, capsule: dict[str, Any]) -> None:
    """Write the capsule of a forfeit for `littlego replay`, unless it is unchanged. Raises OSError."""
    text = json.dumps(capsule, indent=1)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(exist_ok=True)
        write_whole(path, text)
