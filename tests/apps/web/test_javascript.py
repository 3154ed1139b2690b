"""The pages' pure functions, tested where they run: `node --test`."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

NODE = shutil.which("node")
TESTS = sorted((Path(__file__).parent / "js").glob("*.test.mjs"))


@pytest.mark.process
@pytest.mark.skipif(NODE is None and not os.environ.get("LITTLEGO_CI"), reason="no node (apt-get install nodejs)")
@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.name)
def test_functions_of_the_pages(path: Path) -> None:
    assert NODE is not None, "node is missing (apt-get install nodejs)"
    done = subprocess.run([NODE, "--test", str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
