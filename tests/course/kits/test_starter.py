"""Writing the kits, and what every file of theirs keeps to."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from littlego.core.errors import UsageError
from littlego.course.classes import DRIVER
from littlego.course.starter import KIT, KIT_2019, kit_files, write_kit
from tests.course.starter_kits import pythons_3_7

PROGRAMS = sorted([*KIT.rglob("*.py"), *KIT_2019.rglob("*.py"), DRIVER])


@pytest.mark.parametrize("edition", ["2019", "2022", "2025"])
def test_a_kit_is_written_once(edition: str, tmp_path: Path) -> None:
    directory = tmp_path / "deep" / "agent"
    written = write_kit(directory, edition=edition)
    assert written == [directory / name for name in kit_files(edition)]
    assert sorted(path for path in directory.rglob("*") if path.is_file()) == sorted(written)
    for name, source in kit_files(edition).items():
        assert (directory / name).read_bytes() == source.read_bytes()
        assert os.access(directory / name, os.X_OK) == (name.suffix == ".sh")


def test_the_kit_has_what_the_course_has() -> None:
    assert {str(name) for name in kit_files()} >= {
        "my_player3.py", "host.py", "read.py", "write.py", "random_player.py", "build.sh", "run.sh",
        str(Path("init", "input.txt")),
        "input.txt",
    }  # fmt: skip
    assert {str(name) for name in kit_files("2019")} >= {"go.py", "go_play.py", "my_player.py", "random_player.py"}
    assert (KIT / "init" / "input.txt").read_bytes() == b"\n".join([b"1"] + [b"00000"] * 10)


def test_nothing_is_overwritten_unless_forced(tmp_path: Path) -> None:
    (tmp_path / "host.py").write_text("mine")
    (tmp_path / "my_player3.py").write_text("mine")
    with pytest.raises(UsageError, match=r"already has host.py, my_player3.py; --force overwrites them"):
        write_kit(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"host.py", "my_player3.py"}
    assert (tmp_path / "host.py").read_text() == "mine"
    write_kit(tmp_path, force=True)
    assert (tmp_path / "host.py").read_bytes() == (KIT / "host.py").read_bytes()


def test_what_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"file: cannot be written: "):
        write_kit(tmp_path / "file")
    with pytest.raises(UsageError, match="edition '1999': expected one of"):
        write_kit(tmp_path / "new", edition="1999")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_programs_are_for_python_3_7_and_need_nothing_else(path: Path) -> None:
    tree = ast.parse(path.read_text(), feature_version=(3, 7))
    beside = {other.stem for other in path.parent.glob("*.py")} if path != DRIVER else set()
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        for name in names:
            assert name in beside | sys.stdlib_module_names


def test_programs_run_under_python_3_7_where_there_is_one(tmp_path: Path) -> None:
    """Where there is none, their syntax is checked all the same, in the test before."""
    for number, python in enumerate(pythons_3_7()):
        directory = tmp_path / str(number)
        write_kit(directory)
        (directory / "input.txt").write_bytes((directory / "init" / "input.txt").read_bytes())
        for program in ("my_player3.py", "random_player.py", "host.py"):
            subprocess.run([python, program], cwd=directory, timeout=600, check=True)
        subprocess.run([python, "-m", "py_compile", *map(str, directory.glob("*.py"))], timeout=600, check=True)
        write_kit(directory / "2019", edition="2019")
        done = subprocess.run(
            [python, "go_play.py", "-p1=my", "-p2=smart"],
            cwd=directory / "2019",
            capture_output=True,
            text=True,
            timeout=600,
            check=True,
        )
        assert done.stdout.startswith("Black player (X) | Wins:")


@pytest.mark.process
def test_build_plays_the_agent_of_the_directory_that_one_is_in(tmp_path: Path) -> None:
    """It silently played the kit's own agent when a student called it from work/, as the documents say to."""
    write_kit(tmp_path / "resource" / "scripts")
    work = tmp_path / "work"
    work.mkdir()
    (work / "my_player3.py").write_text("print('2,2', file=open('output.txt', 'w'))")
    done = subprocess.run(["sh", "../resource/scripts/build.sh", "1"], cwd=work, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Black Player | Win: 0 | Lose: 1" in done.stdout
