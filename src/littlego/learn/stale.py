"""Numba keeps compiled functions on disk, but does not see that a function they call has changed."""

from __future__ import annotations

from pathlib import Path


def forget_stale_code(directory: Path) -> None:
    """Remove what was compiled from modules of a directory before any of them last changed.

    Numba compares the file of a function with what it kept, and not the files of the functions that
    are called: a caller would go on with the old callee, and crash if that takes other arguments.
    """
    sources = [path.stat().st_mtime for path in directory.glob("*.py")]
    for index in (directory / "__pycache__").glob("*.nbi"):
        try:
            if index.stat().st_mtime < max(sources):
                index.unlink()
        except OSError:
            continue  # another process was first, or the directory is not ours to write
