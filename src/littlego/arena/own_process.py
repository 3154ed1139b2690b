"""Our own Python processes: which modules they find, and where their temporary files go.

People work in an agent's directory, which may contain the agent's `random.py`. Python searches the current directory
first when it runs a module (`-m`) or a string (`-c`); none of our processes may, or the agent's code would run with
the rights of whoever ran the command. So every process of ours is started with what this module provides.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Final

_SAFE_PATH: Final = "PYTHONSAFEPATH"
_OURS: Final = "littlego"
"""Marks the variable as set by us."""


def own_python(module: str, *arguments: str) -> list[str]:
    """The command that runs a module with our Python."""
    return [sys.executable, "-P", "-m", module, *arguments]


def own_program(path: Path, *arguments: str) -> list[str]:
    """The command that runs a file of ours with the standard library alone."""
    return [sys.executable, "-I", "-S", str(path), *arguments]


def own_environment(*, temporary: Path | None = None) -> dict[str, str]:
    """The environment for such a process; its temporary files go to `temporary`, or to our own temporary directory."""
    return {
        **os.environ,
        _SAFE_PATH: os.environ.get(_SAFE_PATH) or _OURS,
        "TMPDIR": str(temporary or tempfile.gettempdir()),
    }


def stay_out_of_the_current_directory() -> None:
    """From now on import nothing from there, in this process or in any Python that it starts.

    A command calls this first. `multiprocessing` starts its processes with `-c`, and they heed only the variable.
    """
    here = _current_directory()
    package = str(Path(__file__).resolve().parent.parent.parent)
    if here != package:
        sys.path[:] = [path for path in sys.path if path and os.path.realpath(path) != here]
        if others := os.environ.get("PYTHONPATH"):
            kept = [path for path in others.split(os.pathsep) if path and os.path.realpath(path) != here]
            os.environ["PYTHONPATH"] = os.pathsep.join(kept)
    os.environ[_SAFE_PATH] = os.environ.get(_SAFE_PATH) or _OURS


def environment_of_others() -> dict[str, str]:
    """The environment for a user's command, which may be a Python program with modules beside it."""
    return {name: value for name, value in os.environ.items() if (name, value) != (_SAFE_PATH, _OURS)}


def _current_directory() -> str:
    try:
        return str(Path.cwd().resolve())
    except OSError:  # it has been removed
        return ""
