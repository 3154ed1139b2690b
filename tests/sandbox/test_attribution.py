"""What is nobody's fault in a move: a program killed from outside, a machine too busy. And what only looks like it."""

import errno
import multiprocessing
import os
import re
import signal
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from littlego.sandbox import files, keeper
from littlego.sandbox.client import Supervisor, SupervisorFailed
from littlego.sandbox.limits import Fault, Level, Limits, probe
from littlego.sandbox.plan import Plan, Report, Void
from littlego.sandbox.server import judge
from littlego.sandbox.watch import Starvation
from tests.sandbox.test_client import eventually, is_ready, processes_with, request

pytestmark = [pytest.mark.process, pytest.mark.siege]

SANDBOXED = frozenset(Level) - {Level.PORTABLE}


def at_levels(*always: Level, levels: Iterable[Level] = Level) -> list[ParameterSet]:
    """Levels to parametrise a test with: the named ones, and in `make soak` those that work as one of these does."""
    return [
        pytest.param(level, id=str(level), marks=() if level in always else (pytest.mark.exhaustive,))
        for level in sorted(levels)
    ]


def started(level: Level) -> Supervisor:
    if level not in probe().levels:
        pytest.skip(f"this machine cannot give {level}: {probe().refused[level]}")
    return Supervisor(level=level)


# Each ends its own first process with SIGKILL, some by a detour that leaves no trace of who sent it.
SUICIDES = {
    "kill": "os.kill(os.getpid(), 9)",
    "its group": "os.kill(0, 9)",
    "its group by number": "os.killpg(os.getpgrp(), 9)",
    "a child does it": "if os.fork() == 0: os.kill(os.getppid(), 9)\ntime.sleep(60)",
    "a thread's number": """
threading.Thread(target=lambda: os.kill(threading.get_native_id(), 9)).start()
time.sleep(60)
""",
    "its own CPU limit": """
resource.setrlimit(resource.RLIMIT_CPU, (1, 1))
while True: pass
""",
    "a timer": """
import ctypes, struct
libc = ctypes.CDLL(None)
event = ctypes.create_string_buffer(struct.pack("=QiiI", 0, 9, 0, 0), 64)
timer = ctypes.c_int()
create, settime = ((222, 223) if os.uname().machine == "x86_64" else (107, 110))
assert libc.syscall(create, 1, event, ctypes.byref(timer)) == 0
spec = ctypes.create_string_buffer(struct.pack("=qqqq", 0, 0, 0, 1000), 32)
assert libc.syscall(settime, timer, 0, spec, None) == 0
time.sleep(60)
""",
}


@pytest.mark.parametrize("level", at_levels(Level.LINUX, Level.ROOT, levels=SANDBOXED))
def test_an_agent_that_kills_itself_never_looks_like_a_failure_of_ours(level: Level, tmp_path: Path) -> None:
    """Nobody can tell who sent SIGKILL, so the move is played again; but it is not ours for certain."""
    with started(level) as supervisor:
        for name, source in SUICIDES.items():
            preamble = "import os, resource, threading, time\n"
            with pytest.raises(SupervisorFailed, match="its program was ended by SIGKILL") as raised:
                supervisor.run(request(tmp_path, preamble + source))
            assert not raised.value.is_ours, name


@pytest.mark.parametrize("without", [frozenset(), frozenset({"namespaces"})], ids=["", "bare"])
@pytest.mark.parametrize("level", at_levels(Level.PORTABLE, Level.LINUX, levels={Level.PORTABLE, Level.LINUX}))
def test_what_an_agent_left_that_cannot_be_removed_is_not_our_failure(
    level: Level, without: frozenset[str], tmp_path: Path
) -> None:
    """A directory in place of the input, deeper than we go, and then its end: the move is played again."""
    source = """
import os, time
time.sleep(0.05)  # after the first look at the directory
os.unlink("input.txt")
os.makedirs("input.txt" + "/a" * 40)
os.kill(os.getpid(), 9)
"""
    with Supervisor(level=level, without=without) as supervisor:
        for number in range(2):
            try:
                result = supervisor.run(request(tmp_path, source))
            except SupervisorFailed as failure:
                assert not failure.is_ours, f"try {number}: {failure}"
            else:
                assert result.fault is Fault.MEMORY


@pytest.mark.parametrize("level", at_levels(Level.PORTABLE, Level.LINUX, Level.ROOT))
@pytest.mark.parametrize("before", ["", "import subprocess; child = subprocess.Popen(['sleep', '9']); child.kill()\n"])
def test_a_program_killed_from_outside_is_void(level: Level, before: str, tmp_path: Path) -> None:
    """Also one that has sent SIGKILL itself, to a child of its own."""
    mark = f"mark-{os.getpid()}-{os.urandom(6).hex()}"
    waits = request(
        tmp_path,
        before + "open('ready', 'w').close()\nimport time; time.sleep(600)",
        argv=(str(Path(sys.executable).resolve()), "-S", "agent.py", mark),
    )
    failures: list[str] = []

    def play(supervisor: Supervisor) -> None:
        try:
            failures.append(str(supervisor.run(waits)))
        except SupervisorFailed as failure:
            failures.append(str(failure))

    with started(level) as supervisor:
        thread = threading.Thread(target=play, args=(supervisor,))
        thread.start()
        assert eventually(lambda: is_ready(mark))
        for pid in processes_with(mark):
            os.kill(pid, signal.SIGKILL)
        thread.join()
        assert failures == ["its program was ended by SIGKILL"]
        assert supervisor.run(request(tmp_path, "open('output.txt', 'w').write('PASS')")).output == b"PASS"


def _keep_one_that_dies_early(plan: Plan, results: Connection) -> None:
    """The keeper's process, whose child is killed while it runs our own code: no kill from here would meet it there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keeper, "_limit", lambda _plan: os.kill(os.getpid(), signal.SIGKILL))
        results.send(keeper.keep(plan))


@pytest.mark.skipif(sys.platform != "linux", reason="seccomp is Linux's")
@pytest.mark.parametrize("seccomp", [True, False])
def test_one_killed_before_it_began_is_nobodys_fault(seccomp: bool, tmp_path: Path) -> None:
    """Between the fork and the exec there is no agent yet: what dies there is ours."""
    directory = files.open_directory(str(tmp_path))
    plan = Plan(
        argv=[sys.executable],
        environment={},
        directory=str(tmp_path),
        readable=[],
        limits=Limits().as_dict(),
        directory_fd=directory,
        seccomp=seccomp,
    )
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=_keep_one_that_dies_early, args=(plan, theirs))
    try:
        process.start()
        assert ours.poll(60)
        assert ours.recv().failed == "its program was killed from outside before it began"
    finally:
        process.kill()  # else a keeper that hangs would hang the tests
        process.join()
        os.close(directory)


def _spin() -> None:
    os.setsid()  # the scheduler shares out a core among sessions first
    while True:
        pass


@contextmanager
def busy_core(spinners: int) -> Iterator[None]:
    """This thread, and what it starts, on one core with others that never rest."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=_spin, daemon=True) for _ in range(spinners)]
    try:
        for process in processes:
            process.start()
        yield
    finally:
        for process in processes:
            process.kill()
            process.join()
        os.sched_setaffinity(0, before)


WORKS = """
import time
while time.process_time() < 0.6: pass
open("output.txt", "w").write("2,3")
"""
BUSY = "the machine is too busy"


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="this kernel does not count the waits for a core")
class TestStarvation:
    @pytest.mark.parametrize("level", at_levels(Level.PORTABLE, Level.ROOT))
    def test_a_starved_program_does_not_lose(self, level: Level, tmp_path: Path) -> None:
        """It needs 0.6 seconds of a core, has 0.9 of real time, and gets a quarter of the core."""
        asked = request(tmp_path, WORKS, limits=Limits(cpu_seconds=10, wall_seconds=0.9))
        with busy_core(3), started(level) as supervisor:
            try:
                result = supervisor.run(asked)
            except SupervisorFailed as failure:
                assert str(failure).startswith(BUSY)  # so busy that even ten times the time was not enough
                assert not failure.is_ours
            else:
                assert (result.fault, result.output) == (None, b"2,3")
                assert result.wall_seconds > 0.9
                told = re.fullmatch(r"warning: of (\S+) s it waited (\S+) s for a core, .*", result.message)
                assert told, result.message
                assert 0 < float(told[1]) - float(told[2]) < 1.2  # what was left of its time, and a look late

    def test_one_that_cannot_get_on_is_void(self, tmp_path: Path) -> None:
        asked = request(tmp_path, "while True: pass", limits=Limits(cpu_seconds=10, wall_seconds=0.5))
        with busy_core(20), started(probe().default) as supervisor, pytest.raises(SupervisorFailed, match=BUSY):
            supervisor.run(asked)

    def test_one_that_only_sleeps_loses_however_busy_the_machine(self, tmp_path: Path) -> None:
        asked = request(tmp_path, "import time; time.sleep(600)", limits=Limits(wall_seconds=1))
        with busy_core(3), started(probe().default) as supervisor:
            assert supervisor.run(asked).fault is Fault.WALL_TIME


class TestTheBound:
    """The arithmetic of `Starvation`, with scripted counts: (ran, waited) of each thread, and CPU time of the tree."""

    def lost(self, *looks: tuple[float, dict[int, tuple[float, float]]]) -> float:
        now = looks[0]
        starvation = Starvation(lambda: now[0], lambda _pid: now[1], main=0)
        for look in looks:
            now = look
            starvation.look([1])
        return starvation.seconds

    def test_alone_and_waiting(self) -> None:
        assert self.lost((0, {1: (0, 0)}), (5, {1: (5, 20)})) == 20

    def test_the_first_thread_counts_from_its_beginning(self) -> None:
        assert self.lost((1, {0: (1, 5)})) == 5

    def test_waiting_for_its_own_kind(self) -> None:
        begin = (0.0, {1: (0.0, 0.0), 2: (0.0, 0.0)})
        assert self.lost(begin, (10, {1: (5, 5), 2: (5, 5)})) == 0

    def test_waiting_for_both(self) -> None:
        begin = (0.0, {1: (0.0, 0.0), 2: (0.0, 0.0)})
        assert self.lost(begin, (4, {1: (2, 10), 2: (2, 9)})) == 8

    def test_what_came_before_a_thread_does_not_count_for_or_against_it(self) -> None:
        assert self.lost((9, {1: (9, 0)}), (9, {2: (0, 0)}), (10, {2: (1, 7)})) == 7

    def test_a_thread_that_was_seen_late_counts_from_its_beginning(self) -> None:
        """On a busy machine the keeper is late as well. The tree may have run since the look before the last."""
        alone = {0: (1.0, 0.0)}
        assert self.lost((1, alone), (1, alone), (1.2, {**alone, 2: (0.1, 3.0)})) == pytest.approx(2.9)

    def test_a_keeper_that_wakes_late_stood_still(self) -> None:
        cpu = 0.0
        starvation = Starvation(lambda: cpu, lambda _pid: {}, main=0)
        starvation.woke(0.9)
        assert starvation.seconds == 0
        starvation.woke(8)
        assert starvation.seconds == 8
        cpu = 3.0
        starvation.woke(4)
        assert starvation.seconds == 9


def test_a_good_output_counts_even_if_the_program_was_killed_afterwards(tmp_path: Path) -> None:
    directory = files.open_directory(str(tmp_path))
    try:
        limits = Limits().as_dict()
        plan = Plan(
            argv=[], environment={}, directory=str(tmp_path), readable=[], limits=limits, directory_fd=directory
        )
        with pytest.raises(Void, match="ended by SIGKILL"):
            judge(plan, Report(status=-9))
        (tmp_path / "output.txt").write_text("2,3")
        assert judge(plan, Report(status=-9))["output"] == "2,3"
    finally:
        os.close(directory)


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EDQUOT])
def test_files_that_exceed_what_is_left_to_us_are_the_programs_fault(
    error: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it could have every game that it loses played again, where a quota leaves us less than its limit."""

    def full(*_: object, **__: object) -> int:
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(files, "copy", full)
    work, kept = tmp_path / "work", tmp_path / "kept"
    with ExitStack() as closing:
        opened = []
        for folder in (work, kept):
            folder.mkdir()
            opened.append(files.open_directory(str(folder)))
            closing.callback(os.close, opened[-1])
        (work / "output.txt").write_text("2,3")
        limits = Limits().as_dict()
        plan = Plan(argv=[], environment={}, directory=str(work), readable=[], limits=limits)
        plan.directory_fd, plan.kept_fd = opened
        with pytest.raises(Void, match="could not be kept") as ours:
            judge(plan, Report(status=0))
        assert ours.value.is_ours
        (work / "large").write_bytes(bytes(2 << 20))
        assert judge(plan, Report(status=0))["message"] == "its files fill the disk of this machine"
        for number in range(int(limits["directory_files"])):
            (work / f"{number}").touch()
        assert "the work directory holds more than" in judge(plan, Report(status=0))["message"]
