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
from littlego.sandbox.limits import Level, probe
from tests.sandbox.test_client import request

pytestmark = pytest.mark.process

PROBE = [sys.executable, "-I", "-S", str(Path(client.__file__).with_name("supervisor.py")), "probe", "-"]
MATCH = [sys.executable, "-P", "-m", "littlego", "match"]


def run(*words: str, **more: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, text=True, timeout=300, check=False, **more)  # type: ignore[call-overload, no-any-return]


def namespace_works() -> bool:
    return shutil.which("unshare") is not None and run("unshare", "-Ur", "true").returncode == 0


DIES_AT_FIRST = """
import json, os, signal, sys
from pathlib import Path
from littlego.sandbox import machine, server
owner, name = {"namespaces": (machine, "_try_namespaces"), "trial": (server.Server, "trial")}[sys.argv[1]]
tried, died = getattr(owner, name), Path(sys.argv[2])

def dies_at_first(*arguments):
    if not died.exists():
        died.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return tried(*arguments)

setattr(owner, name, dies_at_first)
print(json.dumps(server.probe(machine.Machine())))
"""


@pytest.mark.parametrize("place", ["namespaces", "trial"])
def test_a_trial_that_is_killed_lowers_no_level(place: str, tmp_path: Path) -> None:
    """By the kernel for lack of memory, say. Without a word, games would be played with fewer walls."""
    done = run(sys.executable, "-c", DIES_AT_FIRST, place, str(tmp_path / "died"))
    assert json.loads(done.stdout) == json.loads(run(*PROBE).stdout), done.stderr
    assert (tmp_path / "died").exists()


TRIED_AGAIN = """
import signal
from littlego.sandbox import machine, server
from littlego.sandbox.limits import Level

def trial(_server):
    return f"SIGTERM: {signal.getsignal(signal.SIGTERM).name}"

server.Server.trial = trial
print(server.serve(machine.Machine(), Level.PORTABLE, None))
"""


def test_a_server_that_is_tried_again_starts_as_the_first() -> None:
    """An agent inherits which signals it ignores: one that ends its own children by SIGTERM would wait for ever."""
    done = run(sys.executable, "-c", TRIED_AGAIN)
    assert done.stdout == "SIGTERM: SIG_DFL\n", done.stderr


@pytest.mark.parametrize(
    "without", [set(), {"namespaces"}, {"namespaces", "cgroup"}], ids=lambda each: ",".join(sorted(each))
)
def test_a_level_is_refused_only_for_what_the_machine_lacks(without: set[str]) -> None:
    """And not because its trial failed: all tests of that level would be skipped without a word."""
    assert [why for why in probe(frozenset(without)).refused.values() if not why.startswith("it needs ")] == []


@pytest.mark.skipif(not namespace_works(), reason="needs unshare and user namespaces")
class TestInAUserNamespace:
    """As rootless containers look: root by name, with one user to its name."""

    def test_root_is_not_offered_and_the_reason_is_given(self) -> None:
        done = run("unshare", "-Ur", *PROBE)
        found = json.loads(done.stdout)
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
    assert found["refused"][str(int(Level.ROOT))] == "it needs root"
    if namespace_works():
        assert "user namespace" in found["mechanisms"][str(int(Level.LINUX))]


def test_the_trial_leaves_nothing_where_temporary_files_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command removes its own temporary directory whatever was killed, and so that of a killed trial."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "work").mkdir()
    source = "import os; open('output.txt', 'w').write('PASS')"
    with Supervisor(level=Level.PORTABLE) as supervisor:
        assert supervisor.run(request(tmp_path / "work", source)).output == b"PASS"
        environment = Path(f"/proc/{supervisor.pid}/environ").read_bytes().split(b"\0")
    assert f"TMPDIR={tmp_path}".encode() in environment
    assert [path.name for path in tmp_path.iterdir()] == ["work"]
