"""A class graded on a machine that fails: full disks, killed compilers, no descriptors left. Nobody loses by it."""

from __future__ import annotations

import itertools
import os
import resource
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from littlego.arena.building import BuildFailed, BuildInterrupted
from littlego.arena.participants import BuiltIn, Entrant, Prepared, prepare_surely
from littlego.course.grading.cohort import run as class_run
from littlego.course.grading.cohort.rows import Row, SubmissionStatus
from littlego.sandbox.client import Supervisor
from tests.arena.agents import CPP, PASSES, python_agent
from tests.arena.entrants.test_toolchain import environment
from tests.course.grading.test_class import rows_of, small, zipped
from tests.disks import fill, needs_root, small_disk

pytestmark = [pytest.mark.process, pytest.mark.siege]

needs_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ here")
SLOW_TO_BUILD = f"#include <bits/stdc++.h>\n{CPP}"


@contextmanager
def scratch_in(folder: Path) -> Iterator[None]:
    """Temporary files go there, ours and our processes'."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(folder))
        patch.setattr(tempfile, "tempdir", None)
        yield


def is_ours(row: Row) -> bool:
    """Whether a row says that we failed, and takes nothing from the student."""
    return row.status in (SubmissionStatus.FAILED, SubmissionStatus.UNFINISHED) and row.points is None


@needs_root
@pytest.mark.parametrize("room", ["8k", pytest.param("20k", marks=pytest.mark.exhaustive), "64k"])
def test_no_room_for_temporary_files_is_nobodys_loss(tmp_path: Path, room: str) -> None:
    folder, out = tmp_path / "class", tmp_path / "out"
    python_agent(folder / "python", PASSES)
    zipped(folder / "zipped.zip", {"my_player3.py": PASSES})
    if shutil.which("g++"):
        python_agent(folder / "compiled", CPP, "my_player.cpp")
    with small_disk(tmp_path / "disk", room) as disk, scratch_in(disk):
        rows = rows_of(folder, out, small())
        assert all(is_ours(row) or row.status is SubmissionStatus.GRADED for row in rows.values()), rows
        if room == "8k":
            assert all(is_ours(row) for row in rows.values()), rows
    again = rows_of(folder, out, small())
    assert {row.status for row in again.values()} == {SubmissionStatus.GRADED}, again
    assert all(row.games == 2 and not row.forfeits for row in again.values())


@needs_root
def test_no_room_for_results_is_nobodys_loss(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    python_agent(folder / "python", PASSES)
    zipped(folder / "zipped.zip", {"my_player3.py": PASSES, "weights.txt": "0" * 600_000})
    with small_disk(tmp_path / "disk", "3m") as disk:
        filler = fill(disk)
        rows = rows_of(folder, disk / "out", small())
        assert all(is_ours(row) for row in rows.values()), rows
        os.truncate(filler, filler.stat().st_size - 300_000)  # room for a report, and not for what is in the archive
        rows = rows_of(folder, disk / "out", small())
        assert is_ours(rows["zipped"]), rows
        filler.unlink()
        again = rows_of(folder, disk / "out", small())
    assert {row.status for row in again.values()} == {SubmissionStatus.GRADED}, again


def children_called(name: str) -> list[int]:
    """The processes of that name below this one."""
    parents: dict[int, int] = {}
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                comm, _, rest = (folder / "stat").read_text().partition("(")[2].rpartition(")")
            except OSError:
                continue
            parents[int(folder.name)] = int(rest.split()[1])
            if comm == name:
                found.append(int(folder.name))

    def is_below(pid: int) -> bool:
        while pid in parents:
            if pid == os.getpid():
                return True
            pid = parents[pid]
        return False

    return [pid for pid in found if is_below(pid)]


@contextmanager
def killing(name: str, times: int) -> Iterator[list[int]]:
    """Kill the first processes of a name that appear below this one; the value lists them."""
    killed: list[int] = []
    ended = threading.Event()

    def kill() -> None:
        while len(killed) < times and not ended.is_set():
            for pid in children_called(name):
                if pid not in killed:
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield killed
    finally:
        ended.set()
        thread.join()


@needs_compiler
def test_a_compiler_that_is_killed_once_is_nobodys_loss(tmp_path: Path) -> None:
    """The build is tried again; a second failure counts, since a program's text could look like a kill."""
    folder, out = tmp_path / "class", tmp_path / "out"
    python_agent(folder / "compiled", SLOW_TO_BUILD, "my_player.cpp")
    with killing("cc1plus", 1) as killed:
        rows = rows_of(folder, out, small())
    assert len(killed) == 1
    assert rows["compiled"].status is SubmissionStatus.GRADED, rows
    assert rows["compiled"].games == 2


def _limit_that_leaves(spare: int) -> int:
    """The limit below which so many descriptors are free: earlier tests may have left open ones anywhere."""
    taken = {int(each.name) for each in Path("/proc/self/fd").iterdir()}
    free = (number for number in itertools.count() if number not in taken)
    return next(itertools.islice(free, spare, None))


def test_no_descriptors_left_is_nobodys_loss(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    python_agent(folder / "python", PASSES)
    zipped(folder / "zipped.zip", {"my_player3.py": PASSES})
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    seen = set()
    for spare in (1, 8):
        out = tmp_path / f"out{spare}"
        resource.setrlimit(resource.RLIMIT_NOFILE, (_limit_that_leaves(spare), hard))
        try:
            rows = rows_of(folder, out, small())
        except Exception as error:
            rows = {}
            seen.add(type(error).__name__)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert all(is_ours(row) or row.status is SubmissionStatus.GRADED for row in rows.values()), rows
        seen |= {row.status.value for row in rows.values()}
        again = rows_of(folder, out, small())
        assert {row.status for row in again.values()} == {SubmissionStatus.GRADED}, again
    assert seen & {"failed", "unfinished"}, "the limit was never felt"


def test_another_interpreter_plays_anew_and_the_first_is_kept(tmp_path: Path) -> None:
    folder, out = tmp_path / "class", tmp_path / "out"
    python_agent(folder / "python", PASSES)
    first = rows_of(folder, out, small())
    other = replace(small(), python=str(environment(tmp_path / "env")))
    assert rows_of(folder, out, other)["python"].status is SubmissionStatus.GRADED
    assert len(list((out / "students" / "python").glob("games-*"))) == 2
    back = rows_of(folder, out, small())["python"]
    assert replace(back, earlier=()) == first["python"]
    assert len(back.earlier) == 1, "that of the other interpreter"
    assert len(list((out / "students" / "python").glob("games-*"))) == 2


def test_a_class_that_was_moved_is_not_graded_again(tmp_path: Path) -> None:
    folder, out = tmp_path / "class", tmp_path / "out"
    python_agent(folder / "python", PASSES)
    python_agent(folder / "broken", "int main( {", "my_player.cpp") if shutil.which("g++") else None
    before = rows_of(folder, out, small())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(class_run, "open_grading", None)
        assert rows_of(folder.rename(tmp_path / "moved"), out, small()) == before


@needs_compiler
def test_what_cannot_be_built_has_a_row(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    python_agent(folder / "broken", "int main( {", "my_player.cpp")
    (folder / "empty").mkdir()
    rows = rows_of(folder, tmp_path / "out", small())
    assert {name: (row.status, row.points) for name, row in rows.items()} == {
        "broken": (SubmissionStatus.NOT_BUILT, 0.0),
        "empty": (SubmissionStatus.NO_AGENT, 0.0),
    }


@dataclass
class Moody:
    """An agent whose builds end as the test wants."""

    ends: list[Exception | None]
    tries: int = 0
    spelling: str = "moody"
    name: str = "moody"

    def prepare(self, workshop: Path, supervisor: Supervisor) -> Prepared:  # noqa: ARG002 - an Entrant
        self.tries += 1
        workshop.mkdir()  # every build begins with nothing there
        (workshop / "half built").touch()
        if (error := self.ends.pop(0)) is not None:
            raise error
        return BuiltIn("random")

    def copy_files(self, folder: Path) -> None:
        raise NotImplementedError

    def at(self, folder: Path) -> Entrant:
        raise NotImplementedError


THEIRS, OURS = BuildFailed("no"), BuildInterrupted("killed")
KILLED = BuildFailed("g++: fatal error: Killed signal terminated program cc1plus")


@pytest.mark.parametrize(("ends", "raises"), [
    ([None], None),
    ([THEIRS, None], None),
    ([OURS, None], None),
    ([THEIRS, OURS, None], None),
    ([THEIRS, THEIRS], BuildFailed),
    ([THEIRS, OURS, THEIRS], BuildFailed),
    ([OURS, OURS], BuildInterrupted),
    ([KILLED] * 4 + [THEIRS, None], None),
    ([KILLED] * 5, BuildFailed),
])  # fmt: skip
def test_whose_fault_a_build_is(ends: list[Exception | None], raises: type[Exception] | None, tmp_path: Path) -> None:
    agent = Moody([*ends])
    with Supervisor() as supervisor:
        if raises is None:
            assert prepare_surely(agent, tmp_path / "built", supervisor) == BuiltIn("random")
        else:
            with pytest.raises(raises):
                prepare_surely(agent, tmp_path / "built", supervisor)
    assert agent.tries == len(ends)
