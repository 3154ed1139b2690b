"""On Windows and macOS: every command starts, and commands of every kind run; what Windows gets has the right shape."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from littlego.apps.cli import main
from littlego.sandbox import portable
from littlego.sandbox.files import BadOutput, TooMuch

ROOT = Path(__file__).parent.parent.parent
RUNS = [
    "play greedy random --seed 1",
    "play manual random --seed 1 < 2,2\\nresign\\n",
    "play greedy random --seed 1 --sgf game.sgf",
    "review game.sgf --seconds 0.1",
    "solve --size 3",
    "train --games 100 --out model",
    "tictactoe --games 100",
    "drill make game.sgf --player random --out deck.json",
    "new kit",
    "doctor",
    "sandbox",
    "gtp greedy < name\\nquit\\n",
]


def commands(group: object, name: str = "") -> list[str]:
    inner = getattr(group, "commands", {})
    return [f"{name} --help".strip(), *(line for word in inner for line in commands(inner[word], f"{name} {word}"))]


WITH_AGENTS = ["check kit", "match kit greedy --games 1", "grade greedy --stage submit1 --repeats 1"]
"""With programs, whose processes see the real system."""


@pytest.mark.process
@pytest.mark.parametrize("system", ["windows", "macos"])
def test_every_command_starts_there(tmp_path: Path, system: str) -> None:
    starting = commands(typer.main.get_command(main.assembled()))
    lines = [*starting, *RUNS] if system == "windows" else [*RUNS, *WITH_AGENTS]
    (tmp_path / "lines.txt").write_text("\n".join(lines), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", f"tests.platforms.{system}", "lines.txt"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    printed = done.stdout.splitlines()
    assert len(starting) > 20
    assert [line for line in printed if not line.startswith("0 ")] == [], done.stderr
    assert len([line for line in printed if line.startswith("0 ")]) == len(lines), done.stderr
    assert any("Black resigned" in line for line in printed)


def test_the_work_directory_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "output.txt").mkdir()
    portable.prepare(tmp_path, b"1\n")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("input.txt", b"1\n")]
    assert portable.read_output(tmp_path, 10) is None
    output = tmp_path / "output.txt"
    output.write_bytes(b"2,3\n")
    assert portable.read_output(tmp_path, 10) == b"2,3\n"
    for content in (b"x" * 11, b"\xff,3"):
        output.write_bytes(content)
        with pytest.raises(BadOutput):
            portable.read_output(tmp_path, 10)
    output.unlink()
    output.symlink_to("input.txt")
    with pytest.raises(BadOutput, match="symbolic link"):
        portable.read_output(tmp_path, 10)
    portable.measure(tmp_path, files=2, size=100)
    with pytest.raises(TooMuch, match="more than 1 files"):
        portable.measure(tmp_path, files=1, size=100)
