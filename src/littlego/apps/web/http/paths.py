"""Paths on the server's machine: stored relative to the data directory, and not shown.

A player is stored by its spelling, with `@data` for the directory: `@data/agents/ID/upload`, or `class:@data/...`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

_DATA: Final = "@data"


def kept_spelling(spelling: str, data: Path) -> str:
    """A player's spelling to be stored, so that the data directory can be moved. Other paths stay as they are."""
    kind, colon, path = spelling.rpartition(":") if spelling.startswith("class:") else ("", "", spelling)
    if not path.startswith("/"):
        return spelling
    try:
        inside = Path(path).resolve().relative_to(data.resolve())
    except ValueError:
        return spelling
    return f"{kind}{colon}{_DATA}/{inside}"


def full_spelling(kept: str, data: Path) -> str:
    """The inverse of `kept_spelling`, for the present place of the data directory."""
    kind, colon, path = kept.rpartition(":") if kept.startswith("class:") else ("", "", kept)
    if not path.startswith(f"{_DATA}/"):
        return kept
    return f"{kind}{colon}{data.resolve()}{path.removeprefix(_DATA)}"


def is_inside(kept: str) -> bool:
    """Whether a stored spelling names files in the data directory."""
    return kept.removeprefix("class:").startswith(f"{_DATA}/")


def without_paths(text: str, data: Path) -> str:
    """A message without the path of the data directory."""
    for place in sorted({str(data.resolve()), str(data.absolute())}, key=len, reverse=True):
        if len(place) > 1:
            text = text.replace(f"{place}/", "").replace(place, "the data directory")
    return text
