"""`littlego bench`: the benchmarks of `tools/littlego_bench`, which come with the source and not with the wheel."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Final

import typer

from littlego.core.errors import UsageError

_PACKAGE: Final = "littlego_bench"
_SOURCE: Final = Path(__file__).resolve().parents[3]
"""The folder that contains the package: `src` in a source tree."""


def add_benchmarks(app: typer.Typer, panel: str, *, source: Path = _SOURCE) -> None:
    """Add the group `bench`; where there is no source tree, a command of that name which says how to get it."""
    root = source.parent
    if source.name == "src" and (root / "pyproject.toml").is_file() and _load(root / "tools" / _PACKAGE):
        from littlego_bench.commands import app as benchmarks

        app.add_typer(benchmarks, name="bench", rich_help_panel=panel)
    else:
        anything = {"allow_extra_args": True, "ignore_unknown_options": True}
        app.command(name="bench", rich_help_panel=panel, context_settings=anything)(_missing)


def _load(folder: Path) -> bool:
    """Make the package known by its name alone; `sys.path` stays as it is. False if there is none."""
    if _PACKAGE in sys.modules:
        return True
    start = folder / "__init__.py"
    spec = importlib.util.spec_from_file_location(_PACKAGE, start, submodule_search_locations=[str(folder)])
    if not start.is_file() or spec is None or spec.loader is None:
        return False
    sys.modules[_PACKAGE] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[_PACKAGE])
    return True


def _missing() -> None:
    """Measure speed, as ratios within one run. Needs the source."""
    raise UsageError(
        "the benchmarks come with the source of Little-Go, not with the installed package:"
        " get the source and run 'pip install -e .' in its directory"
    )
