"""Finding interpreters and compilers, once, past the shims that make every start slow."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from littlego.core.errors import UsageError

_ASK = "import sys; print(sys.executable); print(sys.version.split()[0]); print(sys.prefix); print(sys.base_prefix)"


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python that agents are run with."""

    path: Path
    version: str
    readable: tuple[Path, ...]
    """Its library, which an agent must be able to read."""

    def __str__(self) -> str:
        return f"Python {self.version}"


@functools.cache
def find_python(wanted: str = "python3") -> Interpreter:
    """The interpreter of a command, a path or a version such as `3.7`. Raises UsageError.

    `python3` on a PATH may be a shell script that looks for the real one on every start: the real
    one is asked for its own path here, and used from then on.
    """
    names = [f"python{wanted}"] if wanted[:1].isdigit() else [wanted]
    for candidate in [*filter(None, map(shutil.which, names)), *_pyenv_candidates(wanted)]:
        if found := _asked(candidate):
            return found
    raise UsageError(f"no working Python called {wanted!r} was found: give a path, or a version such as 3.7")


def _asked(command: str) -> Interpreter | None:
    with tempfile.TemporaryDirectory() as empty:  # an unknown directory may hold a module called sys or site
        try:
            done = subprocess.run(
                [command, "-c", _ASK], cwd=empty, capture_output=True, text=True, timeout=30, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
    if done.returncode:
        return None
    executable, version, *prefixes = done.stdout.split("\n")[:4]
    path = Path(executable).resolve()
    return Interpreter(path, version, tuple(sorted({Path(prefix).resolve() for prefix in prefixes} | {path.parent})))


def _pyenv_candidates(wanted: str) -> list[str]:
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    version = wanted.removeprefix("python")
    if not version[:1].isdigit():
        return []
    matching = [
        folder for folder in root.glob(f"{version}*") if folder.name == version or folder.name[len(version)] == "."
    ]
    return [str(folder / "bin" / "python") for folder in sorted(matching, reverse=True)]


@functools.cache
def find_tool(name: str) -> Path:
    """The real path of a compiler or of `java`. Raises UsageError if it is not installed."""
    found = shutil.which(name)
    if found is None:
        raise UsageError(f"{name} is needed to build or run this agent and is not installed")
    return Path(found).resolve()
