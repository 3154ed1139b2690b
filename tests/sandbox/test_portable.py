"""The portable level of other systems, run on this one: real programs, watched with psutil."""

import errno
import os
import shutil
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from littlego.sandbox import files, portable
from littlego.sandbox.limits import MIB, Fault, Level, Limits, Probe
from tests.sandbox.test_client import eventually, processes_with

pytestmark = pytest.mark.process

PLAYS = "open('output.txt', 'w').write('2,3')"


def run(directory: Path, source: str, runner: portable.MoveRunner | None = None, **limits: Any) -> dict[str, Any]:
    (directory / "agent.py").write_text(source)
    return (runner or portable.MoveRunner()).answer(
        {
            "argv": [sys.executable, "-S", "agent.py", str(directory)],
            "directory": str(directory),
            "input": "1\n",
            "limits": Limits(**limits).as_dict(),
            "readable": [],
            "environment": portable.environment(str(directory)),
        }
    )


def test_a_move(tmp_path: Path) -> None:
    reply = run(tmp_path, f"import sys; {PLAYS}; sys.exit('note')")
    assert (reply["fault"], reply["output"], reply["stderr"], reply["status"]) == (None, "2,3", "note\n", 1)
    assert reply["message"] == "warning: it ended with status 1 after it had written output.txt"


SPINNER = [sys.executable, "-S", "-c", "while True: pass"]


@pytest.mark.parametrize(
    ("source", "limits", "fault"),
    [
        ("while True: pass", {"cpu_seconds": 0.3}, Fault.CPU_TIME),
        (f"import subprocess; subprocess.run({SPINNER!r})", {"cpu_seconds": 0.3}, Fault.CPU_TIME),
        ("import time; time.sleep(600)", {"wall_seconds": 0.5}, Fault.WALL_TIME),
        ("x = b'x' * (100 << 20)\nimport time; time.sleep(600)", {"memory_bytes": 64 * MIB}, Fault.MEMORY),
        (
            f"import subprocess\nfor _ in 'ab': subprocess.Popen({SPINNER!r})\nwhile True: pass",
            {"processes": 2},
            Fault.MEMORY,
        ),
        (f"{PLAYS}\nfor name in 'abcde': open(name, 'w').close()", {"directory_files": 4}, Fault.MEMORY),
        ("import os; os.abort()", {}, Fault.CRASH),
        ("pass", {}, Fault.NO_OUTPUT),
        ("import os; os.symlink('input.txt', 'output.txt')", {}, Fault.BAD_FORMAT),
    ],
    ids=["spin", "child spins", "sleep", "memory", "processes", "files", "abort", "nothing", "link"],
)
def test_a_fault(tmp_path: Path, source: str, limits: dict[str, Any], fault: Fault) -> None:
    assert run(tmp_path, source, **limits)["fault"] == fault.value


def test_nothing_is_left(tmp_path: Path) -> None:
    sleeper = [sys.executable, "-S", "-c", "import time; time.sleep(600)", f"{tmp_path}-child"]
    source = f"import subprocess, time\nsubprocess.Popen({sleeper!r})\ntime.sleep(0.3)\n{PLAYS}"
    assert run(tmp_path, source)["output"] == "2,3"
    assert eventually(lambda: not processes_with(str(tmp_path)))


def test_close_ends_a_move_under_way(tmp_path: Path) -> None:
    runner, replies = portable.MoveRunner(), []
    source = "open('ready', 'w').close()\nimport time; time.sleep(600)"
    thread = threading.Thread(target=lambda: replies.append(run(tmp_path, source, runner)))
    thread.start()
    assert eventually((tmp_path / "ready").exists)
    runner.close()
    thread.join()
    assert replies == [{"failed": "the referee was closed during a move", "is_ours": True}]
    assert eventually(lambda: not processes_with(str(tmp_path)))


def test_what_a_program_left_that_cannot_be_removed_is_its_own_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a directory is that it may not empty any more, or one that is far too deep."""

    def refuses(path: Path) -> None:
        raise PermissionError(errno.EPERM, "not permitted", str(path))

    (tmp_path / "input.txt").mkdir()
    monkeypatch.setattr(shutil, "rmtree", refuses)
    reply = run(tmp_path, PLAYS)
    assert (reply["fault"], reply["message"]) == ("memory", "input.txt, which it left, cannot be removed")


def test_a_broken_disk_is_not_a_programs_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither here nor where there are descriptors."""

    def breaks(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(Path, "unlink", breaks)
    reply = run(tmp_path, PLAYS)
    assert (reply["failed"], reply["is_ours"]) == ("OSError: [Errno 5] Input/output error", True)
    monkeypatch.setattr(files, "remove", breaks)
    directory = files.open_directory(str(tmp_path))
    try:
        with pytest.raises(OSError, match="Input/output error"):
            files.prepare(directory, b"1")
    finally:
        os.close(directory)


def test_programs_that_cannot_be_started(tmp_path: Path) -> None:
    request: dict[str, Any] = {
        "directory": str(tmp_path),
        "input": "",
        "limits": Limits().as_dict(),
        "environment": dict(os.environ),
    }
    missing = portable.MoveRunner().answer(request | {"argv": ["./missing"]})
    assert missing["fault"] == "crash"
    assert missing["message"].startswith("it could not be started: ./missing: ")
    assert "failed" in portable.MoveRunner().answer(request | {"argv": ["/nowhere/python"]})


def test_the_probe_elsewhere_has_the_shape_of_ours() -> None:
    found = portable.probe()
    elsewhere = Probe(tuple(map(Level, found["levels"])), found["refused"], found["mechanisms"])
    assert elsewhere.default is Level.PORTABLE
    assert set(elsewhere.refused) == set(Level) - {Level.PORTABLE}
