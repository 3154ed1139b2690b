"""Locks between processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from littlego.storage.files import locked

HOLDER = """
import sys
from pathlib import Path
from littlego.storage.files import locked
with locked(Path(sys.argv[1])):
    print("have it", flush=True)
    sys.stdin.read()
"""


@pytest.mark.process
def test_a_lock_is_one_processs_and_falls_free_when_it_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "some.lock"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "have it\n"
        with pytest.raises(BlockingIOError), locked(path, wait=False):
            pass
        holder.kill()
        holder.wait()
        with locked(path, wait=False), pytest.raises(BlockingIOError), locked(path, wait=False):
            pass
        with locked(path, wait=False):
            pass
