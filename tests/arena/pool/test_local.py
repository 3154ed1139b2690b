"""Workers that fail, in every way there is: the reason is told as it was, and nothing is left behind."""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from littlego.arena.pool import Failure, LocalPool, TaskFailed
from littlego.storage.scratch import remove_tree
from tests.sandbox.test_client import eventually

pytestmark = pytest.mark.process


@pytest.fixture(autouse=True)
def workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where workers have their directories; empty again after every test. Workers can load this module."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent.parent.parent.parent), prepend=os.pathsep)
    yield place
    assert list(place.iterdir()) == [], "a worker's directory outlived it"


def test_no_worker_is_started_without_a_task(workshop: Path) -> None:
    with LocalPool(8) as pool:
        assert [result for _, result in pool.run(SomeJob("nothing"), [2])] == [4]
        assert len(list(workshop.glob("worker-*"))) == 1
        assert list(pool.run(SomeJob("nothing"), [])) == []
        assert len(list(workshop.glob("worker-*"))) == 1


@dataclass(frozen=True)
class SomeJob:
    """Does what the name says for task 1, and squares all others."""

    misdeed: str

    @contextlib.contextmanager
    def open(self) -> Iterator[Callable[[int], Any]]:
        if self.misdeed == "not ready":
            raise RuntimeError("no chairs")
        yield self.do

    def do(self, task: int) -> Any:
        folder = Path(tempfile.mkdtemp(prefix="littlego-game-"))
        (folder / "file").write_text("left by a worker")
        if task == 1:
            return MISDEEDS[self.misdeed]()
        return task * task


class BadToRead:
    """Can be pickled, and ends whoever unpickles it."""

    def __reduce__(self) -> tuple[Callable[[int], object], tuple[int]]:
        return os._exit, (7,)


@dataclass(frozen=True)
class BadJob:
    bad: BadToRead


def _raise(error: BaseException) -> None:
    raise error


MISDEEDS: dict[str, Callable[[], Any]] = {
    "division": lambda: 1 // 0,
    "memory": lambda: _raise(MemoryError("too much")),
    "os error": lambda: _raise(OSError(28, "No space left on device")),
    "not pickled": lambda: lambda: None,
    "exit": lambda: os._exit(3),
    "killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "segfault": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "nothing": lambda: 1,
}


def outcome(job: Any, tasks: list[int], *, workers: int = 2) -> tuple[list[Any], list[Failure], str]:
    results: list[Any] = []
    failures: list[Failure] = []
    try:
        with LocalPool(workers, tries=2) as pool:
            for task, result in pool.run(job, tasks, on_failure=failures.append):
                assert result == task * task
                results.append(result)
    except TaskFailed as error:
        return sorted(results), failures, str(error)
    return sorted(results), failures, ""


@pytest.mark.parametrize(
    ("misdeed", "reason"),
    [
        ("division", "ZeroDivisionError: integer division or modulo by zero"),
        ("memory", "MemoryError: too much"),
        ("os error", "OSError: [Errno 28] No space left on device"),
        ("exit", "a worker process ended with status 3"),
        ("killed", "a worker process was ended by SIGKILL"),
        ("segfault", "a worker process was ended by SIGSEGV"),
    ],
)
def test_the_reason_is_reported_as_it_was(misdeed: str, reason: str) -> None:
    results, failures, message = outcome(SomeJob(misdeed), [0, 1, 2, 3])
    assert results == [0, 4, 9], "the others are done all the same"
    assert failures == [Failure(1, reason)] * 2
    assert message == f"a game could not be played in 2 tries: {reason}"


def test_a_result_that_cannot_be_sent_is_reported() -> None:
    results, failures, _ = outcome(SomeJob("not pickled"), [0, 1])
    assert results == [0]
    assert "pickle" in failures[0].reason


def test_a_job_that_cannot_be_opened_says_why() -> None:
    _, failures, message = outcome(SomeJob("not ready"), [5])
    assert [failure.reason for failure in failures] == ["RuntimeError: no chairs"] * 2
    assert message.endswith("RuntimeError: no chairs")


def test_death_while_a_job_is_read() -> None:
    _, failures, message = outcome(BadJob(BadToRead()), [5])
    assert [failure.reason for failure in failures] == ["a worker process ended with status 7"] * 2
    assert message


def test_numbers_of_tasks_are_not_for_people() -> None:
    _, _, message = outcome(SomeJob("not ready"), [2199026401280, 2199026401281])
    assert "2199026401" not in message
    assert "and 1 more" in message


def test_stopping_early_leaves_nothing(workshop: Path) -> None:
    with LocalPool(2) as pool:
        games = pool.run(SomeJob("nothing"), range(1000))
        assert next(games) is not None
        assert list(workshop.iterdir()), "they had directories"
        games.close()
    assert list(workshop.iterdir()) == []


def test_a_failing_start_leaves_nothing(monkeypatch: pytest.MonkeyPatch, workshop: Path) -> None:
    monkeypatch.setattr("littlego.arena.processes.sys.executable", str(workshop / "no-python"))
    with LocalPool(1) as pool, pytest.raises(FileNotFoundError):
        list(pool.run(SomeJob("nothing"), [1]))
    assert remove_tree(workshop / "no-python") == ""


@dataclass(frozen=True)
class Named:
    """Tells which job, and which process, did a task."""

    name: str

    @contextlib.contextmanager
    def open(self) -> Iterator[Callable[[object], tuple[str, int]]]:
        yield lambda _task: (self.name, os.getpid())


def test_one_pool_serves_jobs_one_after_the_other_with_the_same_processes() -> None:
    with LocalPool(2) as pool:
        seen = [list(pool.run(Named(name), [("any", "hashable"), name, 3])) for name in "abc"]
    assert [{result[0] for _, result in run} for run in seen] == [{"a"}, {"b"}, {"c"}]
    assert [{task for task, _ in run} for run in seen] == [{("any", "hashable"), name, 3} for name in "abc"]
    assert len({result[1] for run in seen for _, result in run}) <= 2


def test_one_pool_serves_many_threads_with_no_more_processes_than_it_has() -> None:
    with LocalPool(2) as pool, ThreadPoolExecutor(6) as threads:
        runs = list(threads.map(lambda name: list(pool.run(Named(name), range(40))), "abcdef"))
    assert [{result[0] for _, result in run} for run in runs] == [{name} for name in "abcdef"]
    assert [sorted(task for task, _ in run) for run in runs] == [list(range(40))] * 6
    assert len({result[1] for run in runs for _, result in run}) == 2


@dataclass(frozen=True)
class Gated:
    """Each task notes that it has begun, and ends when its gate is open."""

    folder: str

    @contextlib.contextmanager
    def open(self) -> Iterator[Callable[[str], str]]:
        yield self.do

    def do(self, task: str) -> str:
        with Path(self.folder, "begun").open("a") as file:
            file.write(f"{task} ")
        while not Path(self.folder, task).exists():
            time.sleep(0.01)
        return task


def test_a_run_that_has_a_worker_takes_no_other_while_someone_waits(tmp_path: Path) -> None:
    """As with two agents of a class: the games of one are beside each other only while the other needs no worker."""

    def begun() -> list[str]:
        return (tmp_path / "begun").read_text().split()

    (tmp_path / "begun").touch()
    for gate in ("a2", "a3", "b0", "b1"):
        (tmp_path / gate).touch()
    with LocalPool(2) as pool, ThreadPoolExecutor(2) as threads:
        runs = [threads.submit(lambda: list(pool.run(Gated(str(tmp_path)), ["a0", "a1", "a2", "a3"])))]
        assert eventually(lambda: sorted(begun()) == ["a0", "a1"])
        runs.append(threads.submit(lambda: list(pool.run(Gated(str(tmp_path)), ["b0", "b1"]))))
        assert eventually(lambda: bool(pool._places._line))
        (tmp_path / "a0").touch()
        assert eventually(lambda: len(begun()) > 2)
        (tmp_path / "a1").touch()
        assert [len(run.result(timeout=600)) for run in runs] == [4, 2]
    assert begun()[2] == "b0"


def test_a_run_that_is_broken_off_leaves_the_pool_to_others() -> None:
    with LocalPool(1) as pool:
        broken = pool.run(Named("a"), range(5))
        next(broken)
        with ThreadPoolExecutor(1) as threads:
            waiting = threads.submit(lambda: list(pool.run(Named("b"), range(3))))
            broken.close()
            assert len(waiting.result(timeout=600)) == 3
