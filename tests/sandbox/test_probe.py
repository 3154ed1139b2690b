"""A level is offered only where a trial of all that it promises worked: in containers, and for ordinary users."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from littlego.sandbox import client
from littlego.sandbox.client import Supervisor
from littlego.sandbox.limits import Level
from littlego.sandbox.machine import spare_users

pytestmark = pytest.mark.process

PROBE = [sys.executable, "-I", "-S", str(Path(client.__file__).with_name("supervisor.py")), "probe", "-"]
MATCH = [sys.executable, "-P", "-m", "littlego", "match"]


def run(*words: str, **more: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, text=True, timeout=300, check=False, **more)  # type: ignore[call-overload, no-any-return]


def namespace_works() -> bool:
    return shutil.which("unshare") is not None and run("unshare", "-Ur", "true").returncode == 0


@pytest.mark.skipif(not namespace_works(), reason="needs unshare and user namespaces")
class TestInAUserNamespace:
    """As rootless containers look: root by name, with one user to its name."""

    def test_root_is_not_offered_and_the_reason_is_given(self) -> None:
        done = run("unshare", "-Ur", *PROBE)
        found = json.loads(done.stdout)
        assert found["root"] is True
        assert Level.ROOT not in found["levels"]
        assert found["refused"][str(int(Level.ROOT))].startswith("it needs ")

    def test_a_match_is_played_at_a_level_that_works(self, tmp_path: Path) -> None:
        agent = tmp_path / "agent"
        agent.mkdir()
        (agent / "my_player3.py").write_text("open('output.txt', 'w').write('PASS')")
        words = [*MATCH, str(agent), "random", "--games", "1", "--json"]
        done = run("unshare", "-Ur", *words, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "uid per agent" not in done.stdout + done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become someone else")
def test_an_ordinary_user_gets_the_linux_level_with_a_user_namespace() -> None:
    done = run(sys.executable, str(Path(__file__).with_name("as_user.py")), *PROBE)
    found = json.loads(done.stdout)
    assert found["root"] is False
    assert found["refused"][str(int(Level.ROOT))] == "it needs root"
    if "user" in found["namespaces"]:
        assert max(found["levels"]) == Level.LINUX


@pytest.mark.parametrize(
    ("users", "groups", "expected"),
    [
        ([(0, 4294967295)], [(0, 4294967295)], (0x60000000, 1 << 24)),  # the machine itself
        ([(0, 1)], [(0, 1)], None),  # unshare -Ur
        ([(0, 65536)], [(0, 65536)], (32768, 32766)),  # LXC, podman: users 0 to 65535
        ([(0, 1), (1, 65536)], [(0, 1), (1, 65536)], (32769, 32766)),  # rootless podman: oneself, and a range
        ([(0, 65536)], [(0, 100)], None),  # too few groups
        ([], [], None),  # a system without such maps
    ],
)
def test_users_are_those_that_exist(
    users: list[tuple[int, int]], groups: list[tuple[int, int]], expected: tuple[int, int] | None
) -> None:
    found = spare_users(users, groups)
    assert found == expected
    if found:
        for ranges in (users, groups):
            assert any(first <= found[0] and sum(found) <= first + length for first, length in ranges)


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc who is alive")
def test_the_trial_of_a_killed_supervisor_is_removed_by_the_next() -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    base = Path(tempfile.gettempdir())
    left, running = base / f"littlego-trial-{ended.pid}-left", base / f"littlego-trial-{os.getpid()}-running"
    for folder in (left, running):
        folder.mkdir()
    try:
        with Supervisor(level=Level.PORTABLE) as supervisor:
            assert supervisor.level is Level.PORTABLE
        assert not left.exists()
        assert running.exists()
    finally:
        running.rmdir()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to make what belongs to someone else")
def test_the_trial_of_another_user_is_left_alone() -> None:
    """Else anyone could make a tree there on which every command of everyone falls over."""
    ended = subprocess.Popen(["true"])
    ended.wait()
    theirs = Path(tempfile.gettempdir()) / f"littlego-trial-{ended.pid}-theirs"
    theirs.mkdir()
    os.chown(theirs, 65534, 65534)
    try:
        with Supervisor(level=Level.PORTABLE) as supervisor:
            assert supervisor.level is Level.PORTABLE
        assert theirs.exists()
    finally:
        theirs.rmdir()
