"""Without an extra its commands say which line installs it; the others work."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from littlego.apps.cli.agents import _EXTRAS

ROOT = Path(__file__).parents[3]


@pytest.mark.process
@pytest.mark.parametrize(
    ("library", "extra", "command"),
    [
        ("fastapi", "web", "web --port 0"),
        ("uvicorn", "web", "web --port 0"),
        ("distributed", "cluster", "match random random --games 2 --cluster tcp://127.0.0.1:1"),
    ],
)
def test_the_line_that_installs_it(library: str, extra: str, command: str, tmp_path: Path) -> None:
    """In a process of its own, where nothing has been imported yet."""
    start = f"import sys; sys.modules[{library!r}] = None; from littlego.apps.cli.main import run; run()"
    done = subprocess.run(
        [sys.executable, "-P", "-c", start, *command.split()],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert f"pip install 'littlego[{extra}]'" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "model").exists(), "said before the work, not after it"


def test_every_extra_of_the_package_is_known() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    for extra, needs in extras.items():
        if extra != "all":
            for need in needs:
                assert _EXTRAS[re.split(r"[^\w-]", need)[0]] == extra
    (everything,) = extras["all"]
    assert set(everything.removeprefix("littlego[").rstrip("]").split(",")) == set(extras) - {"all"}
    base = {re.split(r"[^\w-]", need)[0] for need in project["dependencies"]}
    assert not base & set(_EXTRAS), "everyone has these"
