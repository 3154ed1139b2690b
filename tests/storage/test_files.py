from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from littlego.storage.files import write_whole


@pytest.mark.process
@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs a device without an end")
@pytest.mark.parametrize("command", ["review", "solve", "replay", "drill play", "verify"])
def test_a_file_without_an_end_is_not_read_to_it(command: str) -> None:
    program = [sys.executable, "-m", "littlego", *command.split(), "/dev/zero"]
    limited = ["bash", "-c", 'ulimit -v 8000000; ulimit -t 20; exec "$@"', "bash", *program]
    done = subprocess.run(limited, capture_output=True, text=True, check=False)
    wanted = "/dev/zero: not a littlego certificate" if command == "verify" else "/dev/zero: expected a file of at most"
    assert (done.returncode, wanted in done.stderr) == (2, True), done.stderr


def test_a_write_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    (taken / "by a folder").mkdir(parents=True)
    with pytest.raises(OSError):
        write_whole(taken, "text")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
