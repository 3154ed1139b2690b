"""The supervisor as the referee uses it: results, its own failures, and its end."""

import contextlib
import dataclasses
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from littlego.sandbox import cgroups
from littlego.sandbox.client import MoveRequest, Supervisor, SupervisorFailed
from littlego.sandbox.limits import Fault, Level, LevelRefused, Limits, parse_level, probe

pytestmark = pytest.mark.process

PYTHON = Path(sys.executable).resolve()
PREFIX = PYTHON.parent.parent
DEADLINE = 300.0
"""Seconds: far more than is needed, so that a busy machine fails no test."""


def request(directory: Path, source: str, **changes: object) -> MoveRequest:
    (directory / "agent.py").write_text(source)
    made = MoveRequest(
        argv=(str(PYTHON), "-S", "agent.py"), directory=directory, input=b"1\n", readable=(PREFIX,), limits=Limits()
    )
    return dataclasses.replace(made, **changes)  # type: ignore[arg-type]  # the names are checked by replace itself


def eventually(condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False


@pytest.fixture(params=[pytest.param(level, id=str(level)) for level in Level])
def supervisor(request: pytest.FixtureRequest) -> Iterator[Supervisor]:
    level: Level = request.param
    if level not in probe().levels:
        pytest.skip(f"this machine cannot give {level}")
    with Supervisor(level=level) as started:
        yield started


SLEEPER = """
import os, pathlib, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
    os._exit(0)
pathlib.Path("ready").touch()
time.sleep(600)
"""


def processes_with(mark: str) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def is_ready(mark: str, file: str = "ready") -> bool:
    """Whether a program with this mark has made a file in its directory, which nobody else may see yet."""
    return any(Path(f"/proc/{pid}/cwd/{file}").exists() for pid in processes_with(mark))


class TestResults:
    def test_a_move(self, supervisor: Supervisor, tmp_path: Path) -> None:
        result = supervisor.run(
            request(tmp_path, "import sys; open('output.txt', 'w').write(open('input.txt').read()); sys.exit('note')")
        )
        assert result.fault is None
        assert result.output == b"1\n"
        assert result.stderr == "note\n"
        assert result.status == 1
        assert result.message == "warning: it ended with status 1 after it had written output.txt"
        assert 0 < result.cpu_seconds < DEADLINE
        assert 0 < result.wall_seconds < DEADLINE
        assert result.peak_memory > 1 << 20
        assert supervisor.mechanisms == probe().mechanisms[supervisor.level]

    def test_cpu_time_is_what_the_program_itself_counts(self, supervisor: Supervisor, tmp_path: Path) -> None:
        source = """
import time
while time.process_time() < 0.3: pass
open("output.txt", "w").write(repr(time.process_time()))
"""
        result = supervisor.run(request(tmp_path, source))
        assert result.output is not None
        assert float(result.output) * 0.95 - 0.02 <= result.cpu_seconds <= float(result.output) * 1.2 + 0.05

    def test_a_program_that_is_not_there_is_a_crash(self, supervisor: Supervisor, tmp_path: Path) -> None:
        result = supervisor.run(request(tmp_path, "", argv=("./missing",)))
        assert result.fault is Fault.CRASH
        assert result.message == "it could not be started: ./missing: No such file or directory"

    def test_a_program_of_ours_that_is_not_there_is_void(self, supervisor: Supervisor, tmp_path: Path) -> None:
        with pytest.raises(SupervisorFailed, match="/nowhere/python: No such file"):
            supervisor.run(request(tmp_path, "", argv=("/nowhere/python", "agent.py")))

    def test_a_new_directory_of_the_same_name(self, supervisor: Supervisor, tmp_path: Path) -> None:
        for name in "abc":
            work = tmp_path / "work"
            work.mkdir()
            assert supervisor.run(request(work, "open('output.txt', 'w').write('PASS')")).output == b"PASS", name
            work.rename(tmp_path / name)

    def test_the_signal_is_named(self, supervisor: Supervisor, tmp_path: Path) -> None:
        result = supervisor.run(request(tmp_path, "import os; os.abort()"))
        assert (result.fault, result.status) == (Fault.CRASH, -signal.SIGABRT)
        assert result.message == "it was ended by SIGABRT and left no output.txt"

    def test_the_environment_has_four_variables(self, supervisor: Supervisor, tmp_path: Path) -> None:
        source = "import os; open('output.txt', 'w').write(' '.join(sorted(os.environ)) + ' ' + os.environ['HOME'])"
        result = supervisor.run(request(tmp_path, source))
        assert result.output == f"HOME LANG PATH TMPDIR {tmp_path}".encode()

    def test_standard_output_goes_nowhere(self, supervisor: Supervisor, tmp_path: Path) -> None:
        result = supervisor.run(request(tmp_path, "print('2,3')"))
        assert (result.fault, result.stderr) == (Fault.NO_OUTPUT, "")

    def test_a_directory_with_an_odd_name(self, supervisor: Supervisor, tmp_path: Path) -> None:
        odd = tmp_path / "a b\n'é\udcff"
        odd.mkdir()
        assert supervisor.run(request(odd, "open('output.txt', 'w').write('PASS')")).output == b"PASS"


LOOKS = """
import json, os
numbers = sorted(int(name) for name in os.listdir("/proc") if name.isdigit())
seen = [os.getpid(), os.getppid(), numbers, os.uname().nodename, os.path.exists("/proc/1/stat")]
seen += [line.split(":")[2] for line in open("/proc/self/cgroup").read().split("\\n") if line and "name=" not in line]

open("output.txt", "w").write(json.dumps(seen))
"""
MULTIPLIES = "import os\nfor _ in range(41):\n    if os.fork() == 0: os._exit(0)\n    os.wait()\n"


@pytest.mark.parametrize("supervisor", [Level.LINUX, Level.ROOT], ids=str, indirect=True)
def test_a_move_sees_itself_alone_and_always_the_same(supervisor: Supervisor, tmp_path: Path) -> None:
    """No number tells how many moves were played before, or by whom."""
    if not any("pid namespace" in name for name in supervisor.mechanisms):
        pytest.skip("no namespaces here")
    first = supervisor.run(request(tmp_path, LOOKS))
    assert supervisor.run(request(tmp_path, MULTIPLIES)).fault is Fault.NO_OUTPUT
    second = supervisor.run(request(tmp_path, LOOKS))
    assert first.output is not None, first
    assert first.output == second.output
    pid, parent, numbers, host, sees_ours, *cgroups_seen = json.loads(first.output)
    assert (pid, parent, numbers, sees_ours) == (2, 0, [2], False)
    assert host == "littlego"
    assert set(cgroups_seen) == {"/"}


class TestOurOwnFailures:
    def test_a_missing_directory_is_void(self, supervisor: Supervisor, tmp_path: Path) -> None:
        good = request(tmp_path, "open('output.txt', 'w').write('PASS')")
        with pytest.raises(SupervisorFailed, match="missing"):
            supervisor.run(dataclasses.replace(good, directory=tmp_path / "missing"))
        assert supervisor.run(good).output == b"PASS"

    def test_a_killed_supervisor_is_void_and_leaves_nothing_and_is_replaced(
        self, supervisor: Supervisor, tmp_path: Path
    ) -> None:
        mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"
        slow = request(tmp_path, SLEEPER, argv=(str(PYTHON), "-S", "agent.py", mark))
        failures: list[BaseException] = []

        def play() -> None:
            try:
                supervisor.run(slow)
            except SupervisorFailed as failure:
                failures.append(failure)

        assert supervisor.level in Level
        thread = threading.Thread(target=play)
        thread.start()
        assert eventually(lambda: is_ready(mark))
        killed = supervisor.pid
        assert killed is not None
        os.kill(killed, signal.SIGKILL)
        thread.join(DEADLINE)
        assert [str(failure) for failure in failures] == ["the supervisor failed: it ended during a move"]
        assert eventually(lambda: not processes_with(mark))
        assert supervisor.run(request(tmp_path, "open('output.txt', 'w').write('PASS')")).output == b"PASS"
        assert not [path for each in cgroups.hierarchies() for path in Path(each.path).glob(f"littlego-{killed}-*")]

    @pytest.mark.siege
    def test_a_killed_host_takes_supervisor_and_agent_with_it(self, supervisor: Supervisor, tmp_path: Path) -> None:
        mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"
        (tmp_path / "agent.py").write_text(SLEEPER)
        host = f"""
from pathlib import Path
from littlego.sandbox.client import MoveRequest, Supervisor
from littlego.sandbox.limits import Level
directory, prefix = Path({str(tmp_path)!r}), Path({str(PREFIX)!r})
supervisor = Supervisor(level=Level({int(supervisor.level)}))
assert supervisor.level >= 0
Path(directory, "pid").write_text(str(supervisor.pid))
supervisor.run(MoveRequest(({str(PYTHON)!r}, "-S", "agent.py", {mark!r}), directory, b"", readable=(prefix,)))
"""
        process = subprocess.Popen([sys.executable, "-c", host])
        assert eventually(lambda: is_ready(mark))
        pid = int((tmp_path / "pid").read_text())
        process.kill()
        process.wait()
        assert eventually(lambda: not processes_with(mark))
        assert eventually(lambda: not Path(f"/proc/{pid}/cmdline").exists())

    def test_a_supervisor_that_is_stopped_does_not_hang_the_referee(self, tmp_path: Path) -> None:
        mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"
        stopping = request(
            tmp_path,
            "import os, signal\nos.kill(os.getppid(), signal.SIGSTOP)" + SLEEPER,
            argv=(str(PYTHON), "-S", "agent.py", mark),
            limits=Limits(wall_seconds=0.5),
        )
        with Supervisor(level=Level.PORTABLE, patience=0.5) as supervisor:
            with pytest.raises(SupervisorFailed, match=r"no answer for 5\.5 s"):
                supervisor.run(stopping)
            assert eventually(lambda: not processes_with(mark))
            assert supervisor.run(request(tmp_path, "open('output.txt', 'w').write('PASS')")).output == b"PASS"

    def test_a_supervisor_that_is_stopped_whole_leaves_nobody_behind(self, tmp_path: Path) -> None:
        mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"
        source = "import os, signal\nos.kill(os.getppid(), signal.SIGSTOP)" + SLEEPER
        argv = (str(PYTHON), "-S", "agent.py", mark)
        with Supervisor(level=Level.PORTABLE, patience=0.5) as supervisor:
            assert supervisor.mechanisms
            assert supervisor.pid
            os.kill(supervisor.pid, signal.SIGSTOP)
            with pytest.raises(SupervisorFailed, match="no answer"):
                supervisor.run(request(tmp_path, source, argv=argv, limits=Limits(wall_seconds=0.5)))
            assert eventually(lambda: not processes_with(mark))

    def test_close_ends_a_move_under_way(self, supervisor: Supervisor, tmp_path: Path) -> None:
        mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"
        slow = request(tmp_path, SLEEPER, argv=(str(PYTHON), "-S", "agent.py", mark))
        failures: list[BaseException] = []

        def play() -> None:
            try:
                supervisor.run(slow)
            except SupervisorFailed as failure:
                failures.append(failure)

        thread = threading.Thread(target=play)
        thread.start()
        assert eventually(lambda: is_ready(mark))
        supervisor.close()
        thread.join(DEADLINE)
        assert len(failures) == 1
        assert eventually(lambda: not processes_with(mark))


class TestLevels:
    def test_without_a_word_it_is_the_default(self) -> None:
        with Supervisor() as supervisor:
            assert supervisor.level is probe().default
            assert supervisor.mechanisms == probe().mechanisms[probe().default]

    def test_a_level_that_cannot_be_had_is_wrong_use(self) -> None:
        words = "level linux is not possible on this machine: it needs Landlock"
        with (
            Supervisor(level=Level.LINUX, without=frozenset({"landlock"})) as supervisor,
            pytest.raises(LevelRefused, match=words),
        ):
            _ = supervisor.level

    def test_the_portable_level_is_always_there(self) -> None:
        everything = frozenset({"landlock", "seccomp", "namespaces", "cgroup"})
        found = probe(everything)
        assert found.levels == (Level.PORTABLE,)
        assert "cpu time from wait4" in found.mechanisms[Level.PORTABLE]

    @pytest.mark.parametrize(
        ("without", "lost"),
        [("seccomp", {Level.LINUX, Level.ROOT}), ("cgroup", {Level.ROOT})],
    )
    def test_a_level_needs_its_mechanisms(self, without: str, lost: set[Level]) -> None:
        found = probe(frozenset({without}))
        assert set(found.levels) == set(probe().levels) - lost
        assert set(found.refused) == set(Level) - set(found.levels)
        assert all(why.startswith("it needs ") for level, why in found.refused.items() if level in lost)

    def test_words_and_descriptions(self) -> None:
        assert [str(level) for level in Level] == ["portable", "linux", "root"]
        assert [parse_level(str(level)) for level in Level] == list(Level)
        with pytest.raises(LevelRefused, match="expected one of portable, linux, root"):
            parse_level("L1")
        assert all(level.description for level in Level)


CHAINS = r"""
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int main(int count, char **) {
    time_t end = time(nullptr) + 60;
    for (int chain = 0; chain < 12; chain++)
        if (fork() == 0) {
            while (time(nullptr) < end)
                if (fork()) _exit(0);
            _exit(0);
        }
    if (count > 1) sleep(60);
    fputs("2,2", fopen("output.txt", "w"));
}
"""
"""Chains of processes, each of which forks and ends."""


@pytest.mark.exhaustive
@pytest.mark.parametrize("stays", [True, False])
@pytest.mark.parametrize("level", [Level.PORTABLE, Level.LINUX])
def test_who_forks_and_ends_does_not_outrun_the_referee(level: Level, stays: bool, tmp_path: Path) -> None:
    """Without namespaces each process has to be found, and is gone before its turn comes.

    Not in CI: for some seconds the whole machine has no number left for another process.
    """
    without = frozenset({"namespaces", "cgroup"})
    if level not in probe(without).levels or shutil.which("g++") is None:
        pytest.skip(f"this machine has no {level} without namespaces, or no g++")
    subprocess.run(["g++", "-x", "c++", "-", "-o", tmp_path / "chains"], input=CHAINS.encode(), check=True)
    limits = Limits(cpu_seconds=2, wall_seconds=2)
    began = time.monotonic()
    with Supervisor(level=level, without=without) as supervisor:
        argv = ("./chains", *(["stay"] if stays else []))
        result = supervisor.run(MoveRequest(argv=argv, directory=tmp_path, input=b"1\n", limits=limits))
    assert time.monotonic() - began < 40
    assert bool(result.fault) or not stays


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks /proc who is there")
def test_with_one_process_its_whole_group_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that forks and ends is gone before its turn comes, and the next is not found yet."""
    from littlego.sandbox.watch import Tree

    tree = Tree(alone=False)
    words = ["sh", "-c", "sleep 600 & echo; exec sleep 600"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, start_new_session=True) as found:
        assert found.stdout is not None
        assert found.stdout.readline() == b"\n"  # both are there
        monkeypatch.setattr(tree, "_all", lambda: [found.pid])
        try:
            tree.kill()
            found.communicate(timeout=60)  # until nobody has the pipe any more
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(found.pid, signal.SIGKILL)


def test_a_directory_that_was_taken_away_from_outside_is_not_the_agents_fault(tmp_path: Path) -> None:
    """As a cleaner of temporary files does: the game is void and played again."""
    if probe().default is Level.PORTABLE:
        pytest.skip("without Landlock the agent may have done it")
    work, aside = tmp_path / "work", tmp_path / "aside"
    work.mkdir()
    waits = "import os, time\nopen('started', 'w')\nwhile not os.path.exists('go'): time.sleep(0.01)\n"
    mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"
    source = waits + "open('output.txt', 'w').write('2,2')"
    asked = request(work, source, argv=(str(PYTHON), "-S", "agent.py", mark))

    def take_away() -> None:
        if eventually(lambda: is_ready(mark, "started")):
            work.rename(aside)
            Path(f"/proc/{processes_with(mark)[0]}/cwd/go").touch()

    with Supervisor() as supervisor:
        thief = threading.Thread(target=take_away)
        thief.start()
        with pytest.raises(SupervisorFailed, match="taken away from outside"):
            supervisor.run(asked)
        thief.join()
