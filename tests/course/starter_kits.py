"""The kits as tests use them: their modules loaded one kit at a time, and copies to run programs in."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from littlego.core.position import Position

ENVIRONMENT = {
    **os.environ,
    # The interpreter that runs the tests is the kits' python3.
    "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
}


@contextmanager
def importing(kit: Path) -> Iterator[Callable[[str], Any]]:
    """A function that imports modules of a kit by name; they are forgotten at the end.

    Both kits have a `random_player`, which is why they may not stay loaded side by side.
    """
    names = {path.stem for path in kit.glob("*.py")}
    sys.path.insert(0, str(kit))
    try:
        yield importlib.import_module
    finally:
        sys.path.remove(str(kit))
        for name in names:
            sys.modules.pop(name, None)


def run(
    directory: Path, *command: str, typed: str = "", python: str = sys.executable
) -> subprocess.CompletedProcess[str]:
    """Run a kit's program in its directory; a command that ends in .py is run by `python`."""
    if command[0].endswith(".py"):
        command = (python, *command)
    return subprocess.run(
        command,
        cwd=directory,
        input=typed,
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=600,
        check=False,
    )


def cells(position: Position) -> list[list[int]]:
    """A position's board as the kits have it."""
    board, size = position.board, position.size
    digits = [(board.black >> point & 1) + 2 * (board.white >> point & 1) for point in range(size * size)]
    return [digits[row * size : (row + 1) * size] for row in range(size)]


def pythons_3_7() -> list[str]:
    """A Python 3.7 of this machine, if there is one."""
    return pythons("3.7")


def pythons(version: str) -> list[str]:
    """An interpreter of a version, if this machine has one: on the PATH, or beside a version manager's shims."""
    found = [Path(path)] if (path := shutil.which(f"python{version}")) else []
    for folder in map(Path, os.environ["PATH"].split(os.pathsep)):
        if folder.name == "shims":
            found += sorted(folder.parent.glob(f"versions/{version}.*/bin/python{version}"))
    works = [path for path in map(str, found) if _version(path) == version]
    return works[:1]


def _version(python: str) -> str:
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    return subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=600, check=False).stdout.strip()
