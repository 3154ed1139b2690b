"""No directory of an agent is ever on our path: every command is run inside one that is full of traps."""

from __future__ import annotations

import ast
import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from littlego.apps.web.fair import Worker
from littlego.arena.gtp import GtpProcess
from littlego.arena.processes import own_environment, own_python, stay_out_of_the_current_directory
from littlego.course.edition import edition_text
from tests.apps.web.serving import ok, until
from tests.arena.agents import python_agent
from tests.helpers import in_a_thread

SOURCE = Path(__file__).parent.parent.parent / "src" / "littlego"
LITTLEGO = str(Path(sys.executable).with_name("littlego"))
MOVES = 'open("output.txt", "w").write("9,9")'
"""Loses at once, which makes short games, and a capsule."""

TRAPS = (
    "random", "struct", "sitecustomize", "usercustomize", "conftest", "numpy", "json", "littlego", "queue", "typing",
    "enum", "dataclasses", "pickle", "multiprocessing", "concurrent", "selectors", "tempfile", "typer", "rich",
    "distributed", "asyncio", "compileall", "py_compile", "linecache", "signal", "numba",
)  # fmt: skip


@pytest.fixture
def trapped(tmp_path: Path) -> Path:
    """An agent's directory with modules of well-known names, each of which tells who ran it."""
    agent = python_agent(tmp_path / "agent", MOVES)
    for name in TRAPS:
        (agent / f"{name}.py").write_text(
            "import os\n"
            "try:\n"
            f"    open({str(tmp_path / 'sprung')!r}, 'a').write('{name} %d\\n' % os.getpid())\n"
            "except OSError:\n"
            "    pass\n"
        )
    (agent / "trap.pth").write_text(f"import os; open({str(tmp_path / 'sprung')!r}, 'a').write('pth')\n")
    return agent


def assert_nothing_was_sprung(agent: Path) -> None:
    sprung = agent.parent / "sprung"
    assert not sprung.exists(), sprung.read_text()


def littlego(agent: Path, *words: str, status: int = 0, command: tuple[str, ...] = (LITTLEGO,)) -> str:
    done = subprocess.run([*command, *words], cwd=agent, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == status, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert_nothing_was_sprung(agent)
    return done.stdout + done.stderr


@pytest.mark.siege
@pytest.mark.process
@pytest.mark.slow
def test_commands_inside_an_agents_directory(trapped: Path) -> None:
    littlego(trapped, "check", ".", status=1)
    littlego(trapped, "match", ".", "random", "--games", "2", "--jobs", "2", "--out", "../match")
    capsule = next((trapped.parent / "match").rglob("*.json"))
    littlego(trapped, "replay", str(capsule))
    littlego(trapped, "review", "../match", "--game", "1", "--seconds", "1")
    littlego(trapped, "play", ".", "random", "--games", "1", "--seed", "1")
    littlego(trapped, "tournament", "new", "../cup", ".", "random", "greedy", "--games", "2")
    littlego(trapped, "tournament", "run", "../cup", "--jobs", "2")
    few_games = re.sub(r"^games = \d+", "games = 2", edition_text("2022"), flags=re.M).replace('"2022"', '"short"', 1)
    (trapped.parent / "short.toml").write_text(few_games)
    littlego(trapped, "grade", ".", "--edition", "../short.toml", "--stage", "submit1", "--out", "../grade")
    littlego(trapped, "sandbox")


@pytest.mark.process
def test_python_dash_m_inside_an_agents_directory(trapped: Path) -> None:
    (trapped / "littlego.py").unlink()  # that one is what was asked for by name
    command = (sys.executable, "-m", "littlego")
    littlego(trapped, "match", ".", "random", "--games", "2", "--jobs", "2", "--out", "../match", command=command)


@pytest.mark.siege
@pytest.mark.process
@pytest.mark.slow
def test_the_web_inside_an_agents_directory(trapped: Path) -> None:
    """The server, the processes that think for it, and a job of its own."""
    log = trapped.parent / "log"
    with log.open("w") as errors:
        process = subprocess.Popen([LITTLEGO, "web", "--port", "0", "--data", "../arena"], cwd=trapped, stderr=errors)
    try:
        ends = time.monotonic() + 600
        while not (found := re.search(r"http://\S+?:\d+(?=/)", log.read_text())) and time.monotonic() < ends:
            assert process.poll() is None, log.read_text()
            time.sleep(0.05)
        assert found
        token = (trapped.parent / "arena" / "token").read_text().strip()
        with httpx.Client(base_url=found[0], headers={"authorization": f"Bearer {token}"}, timeout=600) as client:
            packed = Path(shutil.make_archive(str(trapped.parent / "packed"), "zip", trapped)).read_bytes()
            agent = ok(client.put("/api/agents?name=trapped&file=packed.zip", content=packed))["id"]
            ok(client.post(f"/api/agents/{agent}/move", json={"moves": ["2,2"]}))
            job = ok(client.post(f"/api/agents/{agent}/check"))["id"]
            until(lambda: ok(client.get(f"/api/jobs/{job}")), lambda state: state["state"] == "done")
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(600)
    assert_nothing_was_sprung(trapped)


@pytest.mark.siege
@pytest.mark.process
def test_a_job_of_the_web_inside_an_agents_directory(trapped: Path) -> None:
    order = {
        "kind": "check",
        "params": {"spelling": str(trapped), "edition": "2025"},
        "data": str(trapped.parent),
        "job": "1",
    }
    with subprocess.Popen(
        own_python("littlego.apps.web.job"),
        cwd=trapped,
        env=own_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(order) + "\n")
        process.stdin.flush()  # and stays open: its end would be the server's
        last = process.stdout.readlines()[-1]
        assert process.wait() == 0
    assert_nothing_was_sprung(trapped)
    assert json.loads(last)["state"] == "done"


@pytest.fixture
def settled(trapped: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """This process as a command in the agent's directory, found on its path in every way there is."""
    monkeypatch.chdir(trapped)
    monkeypatch.setattr(sys, "path", ["", str(trapped), *sys.path])
    monkeypatch.setenv("PYTHONPATH", f".:{Path(__file__).parent.parent.parent}")
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    monkeypatch.setenv("PYTHONSAFEPATH", "")
    stay_out_of_the_current_directory()
    return trapped


def test_this_process_looks_elsewhere(settled: Path) -> None:
    assert not {"", ".", str(settled)} & set(sys.path)
    assert os.environ["PYTHONPATH"] == str(Path(__file__).parent.parent.parent)


@pytest.mark.process
def test_processes_that_think(settled: Path) -> None:
    async def ask() -> int:
        worker = Worker()
        try:
            return int(await worker.ask(os.getpid))
        finally:
            worker.close()

    assert in_a_thread(asyncio.run, ask()) != os.getpid()
    assert_nothing_was_sprung(settled)


@pytest.mark.process
def test_an_engine_of_the_users_finds_its_own_modules(settled: Path, tmp_path: Path) -> None:
    engine = tmp_path / "engine"
    engine.mkdir()
    (engine / "helper.py").write_text("NAME = 'it was found'\n")
    (engine / "engine.py").write_text("import helper\ninput()\nprint('= ' + helper.NAME + '\\n', flush=True)\n")
    process = GtpProcess((sys.executable, str(engine / "engine.py")), stderr_bytes=1000)
    try:
        answer = process.ask("name", deadline=time.monotonic() + 600)
        assert answer.text == "it was found", process.stderr
    finally:
        process.close()
    assert_nothing_was_sprung(settled)


WHERE_OUR_PYTHON_IS_NAMED = {
    "arena/processes.py": "the one place",
    "arena/building.py": "what agents are run with on Windows, where there may be no other",
    "sandbox/limits.py": "starts the supervisor, with -I",
    "sandbox/selftest.py": "what hostile programs are run with, in the sandbox, and a victim of theirs, with -S",
    "course/machine.py": "prints its path, and starts nothing",
}


def test_our_python_is_started_in_one_place() -> None:
    found = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr in ("executable", "_base_executable")
        and isinstance(node.value, ast.Name) and node.value.id == "sys"
    }  # fmt: skip
    assert found == set(WHERE_OUR_PYTHON_IS_NAMED)
    assert '"-I"' in (SOURCE / "sandbox/limits.py").read_text()
    assert own_python("m")[1:] == ["-P", "-m", "m"]
