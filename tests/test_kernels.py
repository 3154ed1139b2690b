"""Machine code on disk is forgotten when a kernel that it was made from has changed, and only then."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

LOWER = """
from numba import njit
from littlego.kernels import forget_stale_code

@njit(cache=True)
def step(x):
    return x + {number}

forget_stale_code(step)
"""
UPPER = """
from numba import njit
from lower import step

@njit(cache=True)
def twice(x):
    return step(step(x))
"""
RUN = """
from littlego.kernels import is_kept
from upper import twice
print(is_kept(twice), twice(0))
"""


def run(directory: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, "-c", RUN], cwd=directory, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def change(path: Path, text: str, seconds: int) -> None:
    """Write a file as of some seconds from now: two writes of a test may be within one tick of the clock."""
    path.write_text(text)
    later = path.stat().st_mtime + seconds
    os.utime(path, (later, later))


@pytest.mark.process
@pytest.mark.parametrize("elsewhere", [False, True])
def test_an_edited_callee_is_seen_by_its_callers(tmp_path: Path, elsewhere: bool) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    if elsewhere:
        environment["NUMBA_CACHE_DIR"] = str(tmp_path / "cache")
    change(tmp_path / "lower.py", LOWER.format(number=1), -60)
    change(tmp_path / "upper.py", UPPER, -60)
    (tmp_path / "notes.py").write_text("")
    assert run(tmp_path, environment) == "False 2"
    change(tmp_path / "notes.py", "not_a_kernel = True\n", 60)
    assert run(tmp_path, environment) == "True 2"
    change(tmp_path / "lower.py", LOWER.format(number=5), 60)
    assert run(tmp_path, environment) == "False 10"


@pytest.mark.parametrize("folder", ["solve", "learn"])
def test_every_folder_of_kernels_looks_after_its_code(folder: str) -> None:
    directory = Path(__file__).parent.parent / "src" / "littlego" / folder
    guards = [path.name for path in directory.glob("*.py") if "\nforget_stale_code(" in path.read_text()]
    assert len(guards) == 1, "the lowest kernel, which all the others import, guards once"
