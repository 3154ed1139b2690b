"""Parts of the package that not everyone installs, and the line that installs each."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

from littlego.core.errors import UsageError

_EXTRAS: Final = {
    "fastapi": "web",
    "starlette": "web",
    "pydantic": "web",
    "uvicorn": "web",
    "distributed": "cluster",
    "dask": "cluster",
    "pettingzoo": "env",
    "gymnasium": "env",
}


def why_missing(module: str | None) -> str | None:
    """What to do about a module that cannot be imported; None if it belongs to no extra."""
    library = (module or "").partition(".")[0]
    if library not in _EXTRAS:
        return None
    return f"this needs {library}, which is not installed: pip install 'littlego[{_EXTRAS[library]}]'"


def missing_libraries() -> dict[str, list[str]]:
    """Each extra, and which of its libraries are not installed."""
    missing: dict[str, list[str]] = {extra: [] for extra in _EXTRAS.values()}
    for library, extra in _EXTRAS.items():
        if find_spec(library) is None:
            missing[extra].append(library)
    return missing


def check_installed(library: str) -> None:
    """Raises UsageError, so that long work does not end for lack of a library."""
    if find_spec(library) is None:
        raise UsageError(why_missing(library) or library)
