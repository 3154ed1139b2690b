"""The pages' JavaScript: its pure functions tested where they run, its calls checked against the API, its format."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from littlego.apps.web.settings import STATIC
from littlego.formats.html.page import THEME
from tests.apps.web import api_types

ROOT = Path(__file__).parents[3]
TOOLS = ROOT / "node_modules" / ".bin"
TYPES = ["tsc", "--project", "tests/apps/web/js"]
FORMAT = [
    "prettier",
    "--check",
    "src/littlego/apps/web/static",
    "src/littlego/formats/html/*.{js,css}",
    "tests/apps/web/js/*.mjs",
]
NODE = shutil.which("node")
TESTS = sorted((Path(__file__).parent / "js").glob("*.test.mjs"))


@pytest.mark.process
@pytest.mark.skipif(NODE is None and not os.environ.get("LITTLEGO_CI"), reason="no node (apt-get install nodejs)")
@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.name)
def test_functions_of_the_pages(path: Path) -> None:
    assert NODE is not None, "node is missing (apt-get install nodejs)"
    done = subprocess.run([NODE, "--test", str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_pages_are_light() -> None:
    """All of them together, as they are sent."""
    files = [path for path in STATIC.rglob("*") if path.is_file()]
    assert len(files) > 20
    assert sum(len(gzip.compress(path.read_bytes(), 9)) for path in [*files, THEME]) < 150_000


def test_types_are_those_of_the_api() -> None:
    assert api_types.TYPES.read_text(encoding="utf-8") == api_types.current(), (
        "the API has changed: run `python -m tests.apps.web.api_types`"
    )


@pytest.mark.process
@pytest.mark.skipif(
    not TOOLS.exists() and not os.environ.get("LITTLEGO_CI"),
    reason="no node_modules (make node_modules, which needs npm)",
)
@pytest.mark.parametrize("command", [TYPES, FORMAT], ids=lambda command: command[0])
def test_pages_call_the_api_as_it_is_and_are_formatted(command: list[str]) -> None:
    assert TOOLS.exists(), "node_modules is missing: run `make node_modules`"
    done = subprocess.run([TOOLS / command[0], *command[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
