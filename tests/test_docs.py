"""The documentation is true: its commands run, its code runs, its figures are what we draw now."""

from __future__ import annotations

import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "CONTRIBUTING.md"]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.M | re.S)


SESSIONS = [
    (page.name, [line.split("#")[0].strip() for line in block.splitlines() if line.startswith("littlego ")])
    for page in PAGES
    for block in blocks(page, "sh")
    if "littlego " in block
]


@pytest.mark.process
@pytest.mark.parametrize(("page", "commands"), SESSIONS, ids=[f"{page}-{commands[0]}" for page, commands in SESSIONS])
def test_commands_run(page: str, commands: list[str], tmp_path: Path) -> None:
    """One after the other in one directory, as a reader would type them."""
    for command in commands:
        run(page, command, tmp_path)


def run(page: str, command: str, tmp_path: Path) -> None:
    arguments = shlex.split(command)[1:]
    done = subprocess.run(
        [sys.executable, "-m", "littlego", *arguments],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, f"{page}: {command}: {done.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_runs(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for block in blocks(page, "python"):
        exec(compile(block, str(page), "exec"), {})
        assert capsys.readouterr().out


def test_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    named = {target for page in PAGES for target in re.findall(r"(?:`|^)make ([a-z]+)\b", page.read_text(), re.M)}
    assert {"play", "test"} <= named
    for target in named:
        assert re.search(rf"^{target}:", makefile, re.M), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)#]+)\)|src=\"([^\"]+)\"", page.read_text()):
        target = next(filter(None, link))
        assert (page.parent / target).exists(), target


def test_figures_are_what_we_draw() -> None:
    figures = runpy.run_path(str(ROOT / "docs" / "draw_figures.py"))["figures"]()
    for name, svg in figures.items():
        assert (ROOT / "docs" / "figures" / name).read_text() == svg, "run python docs/draw_figures.py"
