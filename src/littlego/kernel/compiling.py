"""Compiling with numba, and the machine code on disk: where it lies, and when it is stale.

Numba compares the file of a function with what it cached, but not the files of the functions that it
calls: a caller would go on with the old callee, and crash if that takes other arguments. So the first
function compiled in a folder drops whatever was cached there before a kernel that it may call last changed.
A kernel may call those of its own folder and those of this one.

A function that calls itself is cached as others are, on one condition: all calls of it pass the same types. A
literal number is a type of its own to numba here, and the cached code then crashes when it is loaded; write
`int(3)`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import numba
from numba.extending import register_jitable

F = TypeVar("F", bound=Callable[..., Any])

_HERE: Final = Path(__file__).parent
_COMPILED: Final = re.compile(r"^@(compiled|borrowing|inlined)\b", re.MULTILINE)
_checked: set[Path] = set()
"""Folders whose cached code has been checked by this process."""


def compiled(function: F) -> F:
    """Compile with numba: no interpreter lock, and the machine code cached on disk for the next run."""
    return _compile(function)


def borrowing(function: F) -> F:
    """Compile a function that neither makes nor returns arrays, without counting references to those it is given.

    The caller holds them meanwhile. Counting took a tenth of the solver's time, and threads that share a table
    wait for each other at its counter.
    """
    return _compile(function, _nrt=False)


def _compile(function: F, **more: Any) -> F:
    dispatcher = numba.njit(nogil=True, cache=True, error_model="numpy", **more)(function)
    folder = Path(function.__code__.co_filename).parent
    if folder not in _checked:
        _checked.add(folder)
        _forget_stale_code(dispatcher, folder)
    return cast(F, dispatcher)


def inlined(function: F) -> F:
    """Leave a function as it is for Python, and let compiled functions call it too; works on arrays as on numbers."""
    return register_jitable(function)


def is_cached(function: Any) -> bool:
    """Whether the machine code of a compiled function is on disk, from this run or an earlier one."""
    name = f"{Path(function.__code__.co_filename).stem}.{function.__name__}-"
    return any(path.name.startswith(name) for path in _index_files(function))


def _index_files(function: Any) -> list[Path]:
    """Numba's index files of the functions cached with a compiled function, its own among them."""
    place: str | None = function.stats.cache_path
    return sorted(Path(place).glob("*.nbi")) if place else []


def _forget_stale_code(function: Any, folder: Path) -> None:
    changed = max(path.stat().st_mtime for part in {folder, _HERE} for path in part.glob("*.py") if _is_kernel(path))
    for index in _index_files(function):
        try:
            if index.stat().st_mtime < changed:
                index.unlink()
        except OSError:
            continue  # another process was first, or the folder is not ours to write


def _is_kernel(path: Path) -> bool:
    """Whether a module has compiled functions: editing others must not cost a compilation."""
    return bool(_COMPILED.search(path.read_text(encoding="utf-8")))
