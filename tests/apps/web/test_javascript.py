"""The pages' JavaScript: its pure functions tested where they run, its calls checked against the API, its format."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from littlego.apps.web.settings import STATIC
from littlego.formats.html.page import THEME
from tests.apps.web.api_types import typescript
from tests.apps.web.serving import description

ROOT = Path(__file__).parents[3]
TOOLS = ROOT / "node_modules" / ".bin"
TSCONFIG = Path(__file__).parent / "js" / "tsconfig.json"
NODE = shutil.which("node")
TESTS = sorted((Path(__file__).parent / "js").glob("*.test.mjs"))


@pytest.mark.process
@pytest.mark.skipif(NODE is None, reason="no node (apt-get install nodejs)")
@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.name)
def test_functions_of_the_pages(path: Path) -> None:
    assert NODE is not None, "node is missing (apt-get install nodejs)"
    done = subprocess.run([NODE, "--test", str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_pages_are_light() -> None:
    """All of them together, as they are sent."""
    files = [path for path in STATIC.rglob("*") if path.is_file()]
    assert len(files) > 20
    assert sum(len(gzip.compress(path.read_bytes(), 9)) for path in [*files, THEME]) < 200_000


needs_tools = pytest.mark.skipif(
    not TOOLS.exists(),
    reason="no node_modules (make node_modules, which needs npm)",
)


@pytest.mark.process
@needs_tools
def test_pages_call_the_api_as_it_is(tmp_path: Path) -> None:
    types = tmp_path / "api.d.ts"
    types.write_text(typescript(description()), encoding="utf-8")
    project = {"extends": str(TSCONFIG), "include": [f"{STATIC}/js/**/*.js", str(types)]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(project))
    run("tsc", "--project", str(tmp_path))


@pytest.mark.process
@needs_tools
def test_pages_are_formatted() -> None:
    files = ("src/littlego/apps/web/static", "src/littlego/formats/html/*.{js,css}", "tests/apps/web/js/*.mjs")
    run("prettier", "--check", *files)


def run(tool: str, *arguments: str) -> None:
    assert TOOLS.exists(), "node_modules is missing: run `make node_modules`"
    done = subprocess.run([TOOLS / tool, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
