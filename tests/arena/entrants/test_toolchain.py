"""Which interpreter an agent gets, and when two count as the same."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from littlego.arena.building import build_program, course_python, find_python, find_tool, tool_identity
from littlego.arena.participants import CommandAgent, CourseAgent
from littlego.sandbox.client import MoveRequest, Supervisor
from littlego.sandbox.limits import Level, probe
from tests.arena.agents import CPP, PASSES, python_agent

pytestmark = pytest.mark.process


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Interpreters are asked once a process, and these tests change them."""
    for asked in (find_python, course_python, tool_identity):
        asked.cache_clear()
    yield
    for asked in (find_python, course_python, tool_identity):
        asked.cache_clear()


def environment(folder: Path) -> Path:
    """The Python of a new virtual environment."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    return folder / "bin" / "python"


def install(python: Path, name: str, text: str = "") -> None:
    (site,) = python.parent.parent.glob("lib/python*/site-packages")
    (site / name).write_text(text)


def test_an_agent_finds_the_packages_of_the_environment_that_was_named(tmp_path: Path) -> None:
    python = environment(tmp_path / "env")
    install(python, "only_here.py", "MOVE = 'PASS'\n")
    agent = python_agent(tmp_path / "agent", "import only_here\nopen('output.txt', 'w').write(only_here.MOVE)\n")
    with Supervisor() as supervisor:
        program = build_program(agent, tmp_path / "built", supervisor, python=str(python))
        assert program.files
        done = supervisor.run(MoveRequest(program.argv, program.files, b"", readable=program.readable))
    assert (done.fault, done.output) == (None, b"PASS"), done.stderr
    assert program.argv[0] == str(python)


def test_an_environment_may_be_named_from_where_it_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = environment(tmp_path / "env")
    monkeypatch.chdir(tmp_path)
    assert find_python("env/bin/python").path == python


def test_an_environment_shows_its_own_files_and_nothing_beside_them(tmp_path: Path) -> None:
    """At every level: a project that is its own environment, reached and based through links."""
    base = find_python(sys.executable)
    (tmp_path / "base").symlink_to(base.path.resolve().parent.parent)
    project = tmp_path / "project"
    subprocess.run([tmp_path / "base" / "bin" / "python3", "-m", "venv", "--without-pip", str(project)], check=True)
    (project / "grades.txt").write_text("secret")
    python = project / "bin" / "python"
    install(python, "here.py", "VALUE = 7\n")
    (site,) = project.glob("lib/python*/site-packages")
    (site / "leads_out.txt").symlink_to(project / "grades.txt")
    (tmp_path / "link").symlink_to(project)
    agent = python_agent(tmp_path / "agent", _LOOKS_AROUND.replace("PROJECT", repr(str(project))))
    for level in probe().levels:
        with Supervisor(level=level) as supervisor:
            built = tmp_path / f"built-{level}"
            program = build_program(agent, built, supervisor, python=str(tmp_path / "link" / "bin" / "python"))
            done = supervisor.run(MoveRequest(program.argv, built, b"", readable=program.readable))
        assert done.fault is None, (level, done)
        contained = b"7 hidden hidden refused" if level > Level.PORTABLE else b"7 secret secret written"
        assert done.output == contained, (level, done.stderr)
        assert (site / "planted.py").exists() == (level == Level.PORTABLE), level
        (site / "planted.py").unlink(missing_ok=True)


_LOOKS_AROUND = """
import glob, here
def attempt(word, action):
    try:
        return action()
    except OSError:
        return word
site = glob.glob(PROJECT + "/lib/python*/site-packages")[0]
read = lambda path: attempt("hidden", lambda: open(path).read())
wrote = attempt("refused", lambda: open(site + "/planted.py", "w").write("x") and "written")
text = " ".join([str(here.VALUE), read(PROJECT + "/grades.txt"), read(site + "/leads_out.txt"), wrote])
open("output.txt", "w").write(text)
"""


def test_a_shim_is_looked_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shim = tmp_path / "bin" / "python3"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", f"{shim.parent}{os.pathsep}{os.environ['PATH']}")
    assert find_python("python3").path == find_python(sys.executable).path


def test_the_newest_version_is_taken_by_its_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    versions = tmp_path / "versions"
    for name in ("3.9.18", "3.13.0", "3.13.0rc2", "3.7.1"):
        environment(versions / name)
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_python("3").path == versions / "3.13.0" / "bin" / "python"
    assert find_python("3.9").path == versions / "3.9.18" / "bin" / "python"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs a directory that is not ours")
def test_somebody_elses_pyenv_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "pyenv").mkdir(mode=0o700)
    tries = "from littlego.arena.building import find_python; find_python('9.9')"
    as_user = [sys.executable, str(Path(__file__).parents[2] / "sandbox" / "as_user.py")]
    words = [*as_user, "env", f"PYENV_ROOT={tmp_path / 'pyenv'}", sys.executable, "-P", "-c", tries]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=600)
    assert "no working Python called '9.9' was found" in done.stderr
    assert "PermissionError" not in done.stderr


def test_what_is_installed_is_part_of_an_interpreter(tmp_path: Path) -> None:
    one, other = environment(tmp_path / "one"), environment(tmp_path / "other")
    assert find_python(str(one)).identity != find_python(str(other)).identity, "another path"
    before = find_python(str(one)).identity
    install(one, "numpy-1.0.dist-info")
    find_python.cache_clear()
    assert find_python(str(one)).identity != before


def test_our_own_variables_and_packages_are_no_part_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = environment(tmp_path / "env")
    before = find_python(str(python)).identity
    (tmp_path / "site-packages").mkdir()
    (tmp_path / "site-packages" / "ours-1.0.dist-info").mkdir()
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site-packages"))
    find_python.cache_clear()
    assert find_python(str(python)).identity == before


def identity_of(agent: Path, workshop: Path, python: str | None = None) -> str:
    shutil.rmtree(workshop, ignore_errors=True)
    with Supervisor() as supervisor:
        return CourseAgent(agent, python).prepare(workshop, supervisor).identity()


def test_a_moved_agent_is_the_same_and_a_changed_one_is_not(tmp_path: Path) -> None:
    agent = python_agent(tmp_path / "agent", PASSES)
    before = identity_of(agent, tmp_path / "work")
    moved = agent.rename(tmp_path / "elsewhere")
    assert identity_of(moved, tmp_path / "work") == before
    (moved / "weights.txt").write_text("1")
    assert identity_of(moved, tmp_path / "work") != before


def test_another_interpreter_makes_another_agent(tmp_path: Path) -> None:
    agent = python_agent(tmp_path / "agent", PASSES)
    python = environment(tmp_path / "env")
    assert identity_of(agent, tmp_path / "work") != identity_of(agent, tmp_path / "work", str(python))


@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ here")
def test_two_programs_of_one_directory_are_two(tmp_path: Path) -> None:
    agent = python_agent(tmp_path / "agent", CPP, "my_player.cpp")
    python_agent(agent, CPP, "my_player11.cpp")
    identities = {identity_of(agent / name, tmp_path / "work") for name in ("my_player.cpp", "my_player11.cpp")}
    assert len(identities) == 2


def test_what_a_command_names_is_part_of_it(tmp_path: Path) -> None:
    script = tmp_path / "agent.sh"
    script.write_text("echo PASS > output.txt\n")
    command = CommandAgent(f"/bin/sh {script}")
    with Supervisor() as supervisor:
        before = command.prepare(tmp_path, supervisor).identity()
        script.write_text("echo 2,2 > output.txt\n")
        assert command.prepare(tmp_path, supervisor).identity() != before


def test_no_room_is_not_a_missing_interpreter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    with pytest.raises(OSError, match="gone"):
        find_python(sys.executable)


def test_tools_tell_their_version() -> None:
    assert tool_identity(find_tool("sh")).startswith("/")


@pytest.mark.parametrize(
    ("command", "name"), [("'/opt/my engines/strong' -x", "strong"), ("./agent --fast", "agent"), ("'./agent", "cmd")]
)
def test_a_command_is_named_after_its_program(command: str, name: str) -> None:
    assert CommandAgent(command).name == name
