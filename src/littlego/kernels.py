"""Compiled code on disk: where numba keeps it, and when it must be forgotten.

Beside the layers, as it knows nothing of Go: the solver and the learner both have kernels.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

_COMPILED: Final = re.compile(r"^@(numba\.njit|njit|compiled)\b", re.MULTILINE)


def kept_code(function: Any) -> list[Path]:
    """The index files of the functions kept on disk beside a compiled function, its own among them."""
    place: str | None = function.stats.cache_path
    return sorted(Path(place).glob("*.nbi")) if place else []


def is_kept(function: Any) -> bool:
    """Whether the machine code of a compiled function is on disk, from this run or an earlier one."""
    name = f"{Path(function.__code__.co_filename).stem}.{function.__name__}-"
    return any(path.name.startswith(name) for path in kept_code(function))


def forget_stale_code(function: Any) -> None:
    """Remove what was compiled from the kernels of a compiled function's directory before any of them last changed.

    Numba compares the file of a function with what it kept, and not the files of the functions that
    are called: a caller would go on with the old callee, and crash if that takes other arguments. So
    the lowest kernel of a directory calls this with its first function, before anything is run.
    """
    directory = Path(function.__code__.co_filename).parent
    sources = [path.stat().st_mtime for path in directory.glob("*.py") if _is_kernel(path)]
    for index in kept_code(function):
        try:
            if index.stat().st_mtime < max(sources):
                index.unlink()
        except OSError:
            continue  # another process was first, or the directory is not ours to write


def _is_kernel(path: Path) -> bool:
    """Whether a module has compiled functions: editing others must not cost a compilation."""
    return bool(_COMPILED.search(path.read_text(encoding="utf-8")))
