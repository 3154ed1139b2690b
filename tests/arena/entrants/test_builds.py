"""Who is at fault when an agent is not built: its author, or we."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from littlego.arena.building import BuildFailed, BuildInterrupted, build_program
from littlego.arena.participants import CourseAgent, prepare_surely
from littlego.sandbox.client import MoveRequest, Supervisor, SupervisorFailed
from littlego.sandbox.limits import MIB, Level, Limits
from tests.arena.agents import CPP, python_agent
from tests.sandbox.test_attribution import SANDBOXED, at_levels, busy_core, started

pytestmark = [
    pytest.mark.process,
    pytest.mark.siege,
    pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ here"),
]

SLOW = """
constexpr long work(long sum) {
    for (long i = 0; i < 1000; ++i)
        for (long j = 0; j < 1000; ++j) sum += j;
    return sum;
}
static_assert(work(0) > 0, "");
"""
"""What a compiler has to think about for a while."""


@pytest.fixture
def supervisor() -> Iterator[Supervisor]:
    with Supervisor() as started:
        yield started


def descendants(pid: int) -> list[int]:
    found = [pid]
    for one in found:
        for task in Path(f"/proc/{one}/task").glob("*/children"):
            try:
                found += map(int, task.read_text().split())
            except OSError:
                continue
    return found[1:]


def kill_when_it_runs(name: str, supervisor: Supervisor, done: threading.Event) -> None:
    while not done.wait(0.005):
        for pid in descendants(supervisor.pid or 0):
            try:
                program = Path(f"/proc/{pid}/cmdline").read_text().split("\0")[0]
                if name in program:
                    os.kill(pid, signal.SIGKILL)
                    return
            except OSError:
                continue


@pytest.mark.parametrize("level", at_levels(Level.LINUX, Level.ROOT, levels=SANDBOXED))
@pytest.mark.parametrize("name", ["cc1plus", "g++"])
def test_a_killed_compiler_is_not_the_agents_fault(name: str, level: Level, tmp_path: Path) -> None:
    """The driver says no more than that one of its programs failed; but one failure does not count."""
    agent = CourseAgent(python_agent(tmp_path / "agent", SLOW + CPP, "my_player.cpp"))
    done = threading.Event()
    with started(level) as supervisor:
        assert supervisor.level is level, "it has been started"
        killer = threading.Thread(target=kill_when_it_runs, args=(name, supervisor, done))
        killer.start()
        try:
            assert prepare_surely(agent, tmp_path / "build", supervisor)
        finally:
            was_killed = not killer.is_alive()
            done.set()
            killer.join()
    assert was_killed


KILLED = r"\ng++: fatal error: Killed signal terminated program cc1plus\ncompilation terminated.\n"
FORGED = [
    f'#line 1 "{KILLED}"\n#error\n',
    '#line 1 "g++"\n_Pragma("GCC error \\"\\ng++: fatal error: Killed signal terminated program\\"")\n',
    'asm(".error \\"' + KILLED.replace("\\", "\\\\") + '\\"");\n' + CPP,
    f'#line 1 "{KILLED}"\n#warning\nint nothing;\n',
    '#line 1 "\\ng++: internal compiler error: Killed (program cc1plus)\\n"\n#error\n',
]
"""Sources that make a build fail with the words of a compiler that was killed."""


@pytest.mark.parametrize("level", at_levels(Level.PORTABLE, Level.ROOT))
def test_who_only_speaks_of_a_kill_has_failed(level: Level, tmp_path: Path) -> None:
    """Else nobody ever learns that such an agent does not build."""
    with started(level) as supervisor:
        for number, source in enumerate(FORGED):
            agent = python_agent(tmp_path / f"agent{number}", source, "my_player.cpp")
            with pytest.raises(BuildFailed, match="Killed"):
                build_program(agent, tmp_path / f"build{number}", supervisor)


@pytest.mark.parametrize("level", list(Level), ids=str)
def test_a_compiler_that_cannot_be_executed_holds_up_nobody(level: Level, tmp_path: Path) -> None:
    with started(level) as supervisor, pytest.raises(SupervisorFailed, match="No such file"):
        supervisor.run(MoveRequest(("/usr/bin/no-such-compiler",), tmp_path, b""))


@pytest.mark.parametrize("level", at_levels(Level.PORTABLE, Level.ROOT))
def test_a_build_that_waits_has_failed(level: Level, tmp_path: Path) -> None:
    """For a line of its own errors, say, which at some levels it may read. It is not the machine that was busy."""
    limits = Limits(cpu_seconds=120, wall_seconds=2)
    agent = python_agent(tmp_path / "agent", '#include "/proc/self/fd/2"\n' + CPP, "my_player.cpp")
    with started(level) as supervisor, pytest.raises(BuildFailed, match=r"timed out after|Permission denied"):
        build_program(agent, tmp_path / "build", supervisor, limits=limits)


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="this kernel does not count the waits for a core")
def test_a_machine_without_time_for_us_is_not_the_agents_fault(tmp_path: Path) -> None:
    limits = Limits(cpu_seconds=120, wall_seconds=1.2)
    agent = python_agent(tmp_path / "agent", SLOW + CPP, "my_player.cpp")
    with busy_core(40), Supervisor() as supervisor, pytest.raises(BuildInterrupted, match="the machine is too busy"):
        build_program(agent, tmp_path / "build", supervisor, limits=limits)


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (Limits(cpu_seconds=0.2, wall_seconds=180), "took more than 0.2 s of CPU time"),
        (Limits(cpu_seconds=120, wall_seconds=180, memory_bytes=20 * MIB), "it used more than 20 MiB of memory"),
    ],
)
def test_a_build_over_its_limits_says_which(limits: Limits, words: str, tmp_path: Path, supervisor: Supervisor) -> None:
    agent = python_agent(tmp_path / "agent", SLOW + CPP, "my_player.cpp")
    with pytest.raises(BuildFailed, match=words):
        build_program(agent, tmp_path / "build", supervisor, limits=limits)


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a file system")
def test_a_full_disk_is_not_the_agents_fault(tmp_path: Path, supervisor: Supervisor) -> None:
    small = tmp_path / "small"
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24k", "none", small], check=False).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        agent = python_agent(tmp_path / "agent", CPP, "my_player.cpp")
        with pytest.raises(BuildInterrupted, match=r"no room on the disk|No space left"):
            build_program(agent, small / "build", supervisor)
        (tmp_path / "agent" / "helper.txt").write_bytes(b"x" * MIB)
        with pytest.raises(BuildInterrupted, match="No space left"):
            build_program(agent, small / "another", supervisor)
    finally:
        subprocess.run(["umount", "-l", small], check=True)


@pytest.mark.parametrize(
    ("name", "source"),
    [("my_player.cpp", "#error No space left on device\n"), ("my_player.py", "No space left on device\n")],
)
def test_who_only_speaks_of_a_full_disk_has_failed(
    name: str, source: str, tmp_path: Path, supervisor: Supervisor
) -> None:
    """Else such an agent is never known not to be one: its class is not graded to the end."""
    agent = python_agent(tmp_path / "agent", source, name)
    with pytest.raises(BuildFailed, match="No space left on device"):
        build_program(agent, tmp_path / "build", supervisor)
