"""The road of an agent's bytes, attacked at every step outside the sandbox: folder, build, copy, state, capsule.

What happens inside, while the agent runs, is the matter of `test_hostile.py`.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from littlego.arena import building
from littlego.arena.building import BUILT, BuildFailed, Program, build_program, copy_agent
from littlego.arena.games import read_capsule
from littlego.arena.match import MatchPlan, played
from littlego.arena.participants import BuiltIn, CourseAgent, PreparedProgram
from littlego.arena.program import ProgramPlayer
from littlego.arena.untrusted import copy_tree, decode_state, read_state
from littlego.core.board import BLACK
from littlego.core.errors import FormatError, UsageError
from littlego.core.position import Position
from littlego.core.rules import Verdict, edition_rules
from littlego.course.inspection import Inspection, Status
from littlego.course.seats import parse_entrant
from littlego.sandbox.client import MoveRequest, Supervisor
from littlego.sandbox.limits import Limits
from littlego.storage.scratch import remove_tree
from tests.arena.agents import CPP, JAVA, PASSES, python_agent

pytestmark = pytest.mark.process

SECRET = "the referee's own words"


@pytest.fixture(scope="module")
def supervisor() -> Iterator[Supervisor]:
    with Supervisor() as started:
        yield started


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret.txt"
    path.write_text(SECRET)
    path.chmod(0o600)
    return path


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where temporary directories of games are made."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    remove_tree(folder)  # what a failure leaves is more than pytest can remove


# The build runs nothing of the agent's


def test_a_helper_called_compileall_is_not_run(tmp_path: Path, secret: Path, supervisor: Supervisor) -> None:
    reads = "import sys\ntry:\n    sys.stderr.write(open('loot').read())\nexcept OSError:\n    pass\n" + PASSES
    agent = python_agent(tmp_path / "agent", reads)
    for name in ("compileall", "py_compile", "sitecustomize", "linecache"):
        (agent / f"{name}.py").write_text(
            f"import os\nos.path.lexists('loot') or os.symlink({str(secret)!r}, 'loot')\n"
        )
    home = agent / ".local" / "lib" / "python3.11" / "site-packages"
    home.mkdir(parents=True)
    (home / "usercustomize.py").write_text("open('loot', 'w').write('home')")
    (agent / "helper.py").write_text('x = "\\d"\n')  # of which the compiler warns, which imports modules
    program = build_program(agent, tmp_path / "build", supervisor)
    assert program.files is not None
    assert not os.path.lexists(program.files / "loot")
    player = seated(program, tmp_path / "game", supervisor)
    player.choose(Position.initial())
    assert player.last is not None
    assert SECRET not in player.last.result.stderr


def seated(program: Program, folder: Path, supervisor: Supervisor) -> ProgramPlayer:
    copy_built(program, folder)
    return ProgramPlayer(program, folder, supervisor, Limits())


def copy_built(program: Program, folder: Path) -> None:
    assert program.files is not None
    folder.mkdir()
    copy_tree(program.files, folder, BUILT)


PROCESSOR = """
import javax.annotation.processing.*;
import javax.lang.model.element.TypeElement;
import java.nio.file.*;
import java.util.Set;
@SupportedAnnotationTypes("*")
public class Planter extends AbstractProcessor {
    @Override public boolean process(Set<? extends TypeElement> types, RoundEnvironment round) {
        try { Files.createSymbolicLink(Paths.get("loot"), Paths.get("SECRET")); } catch (Exception error) { }
        return false;
    }
}
"""


@pytest.mark.skipif(shutil.which("javac") is None, reason="no javac here")
def test_an_annotation_processor_is_not_run(tmp_path: Path, secret: Path, supervisor: Supervisor) -> None:
    agent = python_agent(tmp_path / "agent", JAVA, "my_player.java")
    (agent / "Planter.java").write_text(PROCESSOR.replace("SECRET", str(secret)))
    subprocess.run(["javac", "-proc:none", "Planter.java"], cwd=agent, check=True, timeout=300)
    services = agent / "META-INF" / "services"
    services.mkdir(parents=True)
    (services / "javax.annotation.processing.Processor").write_text("Planter\n")
    program = build_program(agent, tmp_path / "build", supervisor)
    assert program.files is not None
    assert not os.path.lexists(program.files / "loot")
    assert seated(program, tmp_path / "game", supervisor).choose(Position.initial()) is not None


@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ here")
def test_a_compiler_reads_nothing_outside(tmp_path: Path, secret: Path, supervisor: Supervisor) -> None:
    if supervisor.level < 1:
        pytest.skip("the portable level contains nothing")
    agent = python_agent(tmp_path / "agent", f'#include "{secret}"\n{CPP}', "my_player.cpp")
    with pytest.raises(BuildFailed) as caught:
        build_program(agent, tmp_path / "build", supervisor)
    assert SECRET.split()[-1] not in str(caught.value)


# What a build leaves is taken as plain files. No compiler can be talked into these: the step is replaced.

LEAVES = {
    "a link": ("import os; os.symlink('{secret}', 'loot')", "loot: a symbolic link"),
    "a link to a directory": ("import os; os.symlink('/etc', 'loot')", "loot: a symbolic link"),
    "a link for the program": (
        "import os; os.unlink('my_player3.py'); os.symlink('{secret}', 'my_player3.py')",
        "my_player3.py: a symbolic link",
    ),
    "a hard link": ("import os; os.link('my_player3.py', 'loot')", "a file with 2 hard links"),
    "a FIFO": ("import os; os.mkfifo('loot')", "loot: a FIFO"),
    "output.txt as a link": (
        "import os; os.symlink('{secret}', 'output.txt')",
        "not accepted: output.txt is a symbolic link",
    ),
    "output.txt as a FIFO": ("import os; os.mkfifo('output.txt')", "not accepted: output.txt is a FIFO"),
    "output.txt as a tree": ("import os; os.makedirs('output.txt/' + 'd/' * 40)", "output.txt is a directory|nested"),
    "deep directories": ("import os; os.makedirs('d/' * 40)", "deep"),
    "many files": ("[open('f%d' % n, 'w').close() for n in range(1100)]", "more than 1000 files"),
    "a name with a line end": ("open('a\\\\nb', 'w')", "plain text"),
    "a name that is no text": ("open(b'\\\\xff', 'w')", "plain text"),
}

LEFT_OUT = ("a link", "a link to a directory", "a link for the program", "a hard link", "a FIFO")
"""What is not refused, but does not come out of a work directory in memory, or as a file of its own."""


@pytest.mark.parametrize("kind", LEAVES)
def test_what_a_build_leaves(
    kind: str, tmp_path: Path, secret: Path, supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, words = LEAVES[kind]
    monkeypatch.setattr(building, "_COMPILE", code.replace("{secret}", str(secret)).replace("\\\\", "\\"))
    agent = python_agent(tmp_path / "agent", PASSES)
    if kind in LEFT_OUT and "mount namespace" in supervisor.mechanisms:
        build_program(agent, tmp_path / "build", supervisor)
        left = [path for path in (tmp_path / "build").rglob("*") if not path.is_dir()]
        assert all(path.is_file() and path.stat().st_nlink == 1 for path in left)
        assert not any(SECRET.encode() in path.read_bytes() for path in left)
    else:
        with pytest.raises(BuildFailed, match=words) as caught:
            build_program(agent, tmp_path / "build", supervisor)
        assert SECRET not in str(caught.value)
    assert not list(tmp_path.glob("*.building")), "the directory of the build is gone, whatever is in it"
    assert not any(path.is_symlink() for path in (tmp_path / "build").rglob("*"))


def test_what_was_built_is_ours(tmp_path: Path, supervisor: Supervisor) -> None:
    agent = python_agent(tmp_path / "agent", PASSES)
    (agent / "helper.py").write_text("VALUE = 1\n")
    build_program(agent, tmp_path / "build", supervisor)
    assert {path.stat().st_uid for path in (tmp_path / "build").rglob("*")} == {os.geteuid()}


# The folder, as it was given


@pytest.mark.parametrize("name", ["my_player3.py", "helper.py", "data.txt"])
@pytest.mark.parametrize("kind", ["link", "FIFO"])
def test_a_folder_with_traps(kind: str, name: str, tmp_path: Path, secret: Path, supervisor: Supervisor) -> None:
    agent = python_agent(tmp_path / "agent", PASSES)
    (agent / name).unlink(missing_ok=True)
    if kind == "link":
        (agent / name).symlink_to(secret)
    else:
        os.mkfifo(agent / name)
    with pytest.raises(UsageError, match=r"no agent here|a symbolic link|a FIFO"):
        build_program(agent, tmp_path / "build", supervisor)
    with pytest.raises(UsageError):
        copy_agent(agent, tmp_path / "copy")
    if name == "my_player3.py" and kind == "FIFO":
        return
    inspection = Inspection(agent, supervisor)
    checks = list(inspection.checks())
    inspection.close()
    assert any(check.status is Status.FAILED for check in checks)
    assert SECRET not in json.dumps([check.detail for check in checks])


@pytest.mark.parametrize("spelling", ["agent", "class:agent/my_player.py"])
def test_a_class_that_is_a_link_is_not_read(
    spelling: str, tmp_path: Path, supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "outside.py").write_text("class MyPlayer:\n    def get_input(self, go, piece_type): ...\n")
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent" / "my_player.py").symlink_to(tmp_path / "outside.py")
    with pytest.raises(UsageError, match="a symbolic link"):
        parse_entrant(spelling if ":" in spelling else f"./{spelling}").prepare(tmp_path / "build", supervisor)


# The game's directory


NEST = """
    import os
    chain = "/".join("d" * 31)
    for k in range(32):
        os.makedirs("c%d/%s" % (k, chain[:-2]))
    for k in range(31, 0, -1):
        os.rename("c%d" % k, "c%d/%s/x" % (k - 1, chain[:-2]))
"""


def test_a_nest_made_by_renames_costs_the_game_and_nothing_else(
    tmp_path: Path, place: Path, supervisor: Supervisor
) -> None:
    agent = python_agent(tmp_path / "agent", NEST + '\n    open("output.txt", "w").write("PASS")')
    prepared = CourseAgent(agent).prepare(tmp_path / "build", supervisor)
    plan = MatchPlan("nest", "random", edition_rules(), 1, 1, Limits(directory_files=2000), supervisor.level)
    (record,) = played(plan, ("nest", "random"), (prepared, BuiltIn("random")))
    assert record.outcome is not None
    assert record.outcome.verdict is Verdict.MEMORY, record.outcome
    assert record.outcome.winner is BLACK.opponent
    assert list(place.iterdir()) == []


def test_a_seat_is_a_copy_that_no_game_changes(tmp_path: Path, place: Path, supervisor: Supervisor) -> None:
    spoils = "open('my_player3.py', 'a').write('#')\nopen('data.txt', 'a').write('x')\n" + PASSES
    agent = python_agent(tmp_path / "agent", spoils)
    (agent / "data.txt").write_text("given")
    prepared = CourseAgent(agent).prepare(tmp_path / "build", supervisor)
    assert isinstance(prepared, PreparedProgram)
    plan = MatchPlan("a", "b", edition_rules(), 2, 1, level=supervisor.level)
    assert len(list(played(plan, ("a", "b"), (prepared, prepared)))) == 2
    assert (tmp_path / "build" / "data.txt").read_text() == "given"
    assert list(place.iterdir()) == []


# State files and capsules


def test_state_that_is_not_a_plain_file_is_not_read(tmp_path: Path, secret: Path) -> None:
    game = tmp_path / "game"
    game.mkdir()
    (game / "own.txt").write_text("own")
    (game / "link.txt").symlink_to(secret)
    (game / "hard.txt").hardlink_to(secret)
    os.mkfifo(game / "fifo.txt")
    (game / "folder.txt").mkdir()
    assert read_state(game, None) == {"own.txt": b"own"}


@pytest.mark.parametrize("name", ["..", ".", "", "../up", "/etc/x", "a\0b"])
def test_names_in_a_capsule_lead_nowhere(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is not a file name"):
        decode_state({name: ""})
    capsule = tmp_path / "capsule.json"
    start = {"schema": 1, "kind": "littlego capsule", "agent": "a", "digest": "", "language": "", "move_number": 1}
    record = json.loads(_a_record())
    capsule.write_text(json.dumps({**start, "record": record, "input": "", "state": {name: ""}}))
    with pytest.raises(FormatError, match="not a complete capsule"):
        read_capsule(capsule)


def _a_record() -> str:
    from littlego.core.game import play
    from littlego.formats.records import write_record
    from littlego.players.catalogue import make_player

    record = play({colour: make_player("random", seed=1) for colour in (BLACK, BLACK.opponent)})
    return write_record(record)


# The answer belongs to the question


WAITS = "import time\nopen('began', 'w')\nwhile True: time.sleep(0.01)\n"


@pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="asks /proc whether the move has begun")
def test_an_interrupted_move_does_not_answer_for_the_next_one(tmp_path: Path) -> None:
    """In a process of its own: an interrupt that comes too early or too late ends that one, not the tests."""
    words = f"from {__name__} import interrupt_a_move; interrupt_a_move()"
    child = subprocess.run(
        [sys.executable, "-c", words, str(tmp_path)],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (child.returncode, child.stdout) == (0, "b'1,1'\n"), child.stderr


def interrupt_a_move() -> None:
    """Interrupt a move, and print what the next one answers; the argument is the directory."""
    folder = Path(sys.argv[1])
    first = python_agent(folder / "first", _says("0,0") + "\n" + WAITS)
    second = python_agent(folder / "second", _says("1,1"))
    mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"
    with Supervisor() as asked:
        requests = []
        for agent in (first, second):
            program = build_program(agent, folder / f"{agent.name}-built", asked)
            copy_built(program, folder / f"{agent.name}-game")
            argv = (*program.argv, mark)
            requests.append(MoveRequest(argv, folder / f"{agent.name}-game", b"", readable=program.readable))
        is_over = threading.Event()
        interrupt = threading.Thread(target=_interrupt_when_begun, args=(mark, is_over))
        interrupt.start()
        try:
            with pytest.raises(KeyboardInterrupt):
                asked.run(requests[0])
        finally:
            is_over.set()
            interrupt.join()
        print(asked.run(requests[1]).output)


def _says(move: str) -> str:
    return f'open("output.txt", "w").write("{move}")'


def _interrupt_when_begun(mark: str, is_over: threading.Event) -> None:
    """Interrupt the main thread when a program with this mark has made its file, in a directory nobody else may see."""
    while not is_over.wait(0.01):
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                has_begun = mark.encode() in (entry / "cmdline").read_bytes() and (entry / "cwd" / "began").exists()
            except OSError:
                continue
            if has_begun:
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
                return
