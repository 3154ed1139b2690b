from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from littlego.arena.building import (
    BuildFailed,
    Interpreter,
    Program,
    PythonMissing,
    build_program,
    command_program,
    copy_agent,
    course_python,
    find_python,
    main_file,
    without_path,
)
from littlego.arena.program import ProgramPlayer, course_input
from littlego.arena.untrusted import decode_state, encode_state, read_state, write_state
from littlego.core.board import BLACK, WHITE, Board
from littlego.core.errors import PlayerFault, UsageError
from littlego.core.game import play, tell_players
from littlego.core.points import PASS
from littlego.core.position import Position
from littlego.core.rules import Verdict
from littlego.players.catalogue import make_player
from littlego.sandbox.client import Supervisor
from littlego.sandbox.limits import Level, Limits, probe
from tests.arena.agents import CPP, GOOD, JAVA, OCCUPIED, PASSES, python_agent
from tests.helpers import at, played

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def supervisor() -> Iterator[Supervisor]:
    with Supervisor() as started:
        yield started


def seated(program: Program, folder: Path, supervisor: Supervisor, limits: Limits | None = None) -> ProgramPlayer:
    assert program.files is not None
    shutil.copytree(program.files, folder)
    return ProgramPlayer(program, folder, supervisor, limits or Limits())


def whole_game(program: Program, folder: Path, supervisor: Supervisor) -> ProgramPlayer:
    player = seated(program, folder, supervisor)
    players = {BLACK: player, WHITE: make_player("greedy", seed=1)}
    outcome = play(players, observer=tell_players(players)).outcome
    assert outcome is not None
    assert outcome.verdict is Verdict.SCORE, outcome
    return player


@pytest.mark.parametrize("python", [None, "3.7"])
def test_python_agents_play(python: str | None, tmp_path: Path, supervisor: Supervisor) -> None:
    if python and not _has(python):
        pytest.skip(f"no Python {python} here")
    agent = python_agent(tmp_path / "agent", GOOD)
    (agent / "helper.py").write_text("VALUE = 1\n")
    program = build_program(agent, tmp_path / "build", supervisor, python=python)
    assert program.language.startswith(f"Python {python or 3}")
    assert list((tmp_path / "build" / "__pycache__").glob("helper*.pyc")), "helpers are compiled once"
    whole_game(program, tmp_path / "game", supervisor)


def _has(version: str) -> bool:
    try:
        find_python(version)
    except UsageError:
        return False
    return True


@pytest.mark.parametrize(("name", "source", "tool"), [
    ("my_player.cpp", CPP, "g++"), ("my_player11.cpp", CPP, "g++"), ("my_player.java", JAVA, "javac"),
])  # fmt: skip
def test_compiled_agents_play(name: str, source: str, tool: str, tmp_path: Path, supervisor: Supervisor) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"no {tool} here")
    agent = python_agent(tmp_path / "agent", source, name)
    program = build_program(agent, tmp_path / "build", supervisor)
    assert not list(agent.glob("exe")), "nothing is built in the user's own directory"
    whole_game(program, tmp_path / "game", supervisor)


def test_a_program_is_executable_where_its_linker_may_change_no_modes(tmp_path: Path) -> None:
    """As in a container without namespaces; the linker says nothing."""
    bare = frozenset({"namespaces"})
    if shutil.which("g++") is None or Level.LINUX not in probe(bare).levels:
        pytest.skip("no g++ here, or no level linux without namespaces")
    with Supervisor(level=Level.LINUX, without=bare) as supervisor:
        program = build_program(python_agent(tmp_path / "agent", CPP, "my_player.cpp"), tmp_path / "build", supervisor)
        whole_game(program, tmp_path / "game", supervisor)


def test_build_errors_are_shown_as_they_are(tmp_path: Path, supervisor: Supervisor) -> None:
    if shutil.which("g++") is None:
        pytest.skip("no g++ here")
    agent = python_agent(tmp_path / "agent", "int main() { return x; }", "my_player.cpp")
    with pytest.raises(BuildFailed, match=r"my_player.cpp:1:\d+: error: .x. was not declared"):
        build_program(agent, tmp_path / "build", supervisor)
    java = python_agent(tmp_path / "java", "package me;\n" + JAVA, "my_player.java")
    with pytest.raises(BuildFailed, match="a package line"):
        build_program(java, tmp_path / "java-build", supervisor)


PLUGIN = """
    import com.sun.source.util.*;
    import java.nio.file.*;
    public class Evil implements Plugin {
        public String getName() { return "Evil"; }
        public boolean autoStart() { return true; }
        public void init(JavacTask task, String... words) {
            try { Files.write(Paths.get("book.txt"), "made by javac".getBytes()); } catch (Exception error) { }
        }
    }
"""


def test_a_build_runs_no_plugin_of_the_agents(tmp_path: Path, supervisor: Supervisor) -> None:
    if (javac := shutil.which("javac")) is None:
        pytest.skip("no javac here")
    agent = python_agent(tmp_path / "agent", JAVA, "my_player.java")
    source = python_agent(tmp_path / "plugin", PLUGIN, "Evil.java") / "Evil.java"
    subprocess.run([javac, "-d", str(agent), str(source)], check=True, timeout=300)
    services = agent / "META-INF" / "services"
    services.mkdir(parents=True)
    (services / "com.sun.source.util.Plugin").write_text("Evil\n")
    build_program(agent, tmp_path / "build", supervisor)
    assert not (tmp_path / "build" / "book.txt").exists()


def test_a_package_line_is_looked_for_at_the_beginning_of_a_file_alone(tmp_path: Path, supervisor: Supervisor) -> None:
    """A megabyte of empty lines would take our own process, which no limit stops, as long as its author likes."""
    if shutil.which("javac") is None:
        pytest.skip("no javac here")
    agent = python_agent(tmp_path / "agent", "\n" * 1_000_000 + "package me;\n" + JAVA, "my_player.java")
    build_program(agent, tmp_path / "build", supervisor)


def test_state_is_kept_from_move_to_move_and_not_from_game_to_game(tmp_path: Path, supervisor: Supervisor) -> None:
    source = 'open("count.txt", "a").write("x")\n' + PASSES
    program = build_program(python_agent(tmp_path / "agent", source), tmp_path / "build", supervisor)
    player = seated(program, tmp_path / "one", supervisor)
    for expected in (b"x", b"xx"):
        player.choose(Position.initial())
        assert read_state(player.directory, program.files) == {"count.txt": expected}
    assert player.last is not None
    assert player.last.state == {"count.txt": b"x"}, "as it was before the last move"
    assert read_state(seated(program, tmp_path / "two", supervisor).directory, program.files) == {}


@pytest.mark.parametrize(
    ("source", "verdict", "reason"),
    [
        (OCCUPIED, Verdict.ILLEGAL_OCCUPIED, "2,2: the point is occupied"),
        ('open("output.txt", "w").write("9,9")', Verdict.ILLEGAL_OFF_BOARD, "9,9: the point is not on the board"),
        ('open("output.txt", "w").write("pass")', Verdict.BAD_FORMAT, "PASS is written in capitals"),
        ("pass", Verdict.NO_OUTPUT, "output.txt"),
        ("1 / 0", Verdict.CRASH, ""),
    ],
)
def test_faults_have_their_verdicts(
    source: str, verdict: Verdict, reason: str, tmp_path: Path, supervisor: Supervisor
) -> None:
    program = build_program(python_agent(tmp_path / "agent", source), tmp_path / "build", supervisor)
    player = seated(program, tmp_path / "game", supervisor)
    with pytest.raises(PlayerFault) as caught:
        player.choose(Position.initial().play(12))
    assert caught.value.verdict is verdict
    assert reason in str(caught.value)


def test_a_good_output_counts_although_the_program_then_crashed(tmp_path: Path, supervisor: Supervisor) -> None:
    program = build_program(
        python_agent(tmp_path / "agent", PASSES + "\nraise SystemExit(3)"), tmp_path / "build", supervisor
    )
    player = seated(program, tmp_path / "game", supervisor)
    assert Position.initial().move_name(player.choose(Position.initial())) == "PASS"
    assert player.remarks


def test_the_agents_own_last_board_is_the_previous_one() -> None:
    start = Position.initial()
    assert course_input(start, None).previous == Board(5)
    after_black = start.play(12)
    assert course_input(after_black, None).previous == Board(5), "White's first move: all cells are 0"
    own = after_black.play(6).board
    assert course_input(after_black.play(6).play(7), own).previous == own
    ko = played(at(". . . . .\n. . O X .\n. O X . X\n. . O X .\n. . . . .", WHITE), "2,3 4,4 PASS")
    assert course_input(ko, None).previous == ko.board, "in the middle of a game, as if the opponent had passed"
    ko = played(at(". . . . .\n. . O X .\n. O X . X\n. . O X .\n. . . . .", WHITE, moves_played=7), "2,3")
    assert course_input(ko, None).position().ko == ko.ko, "the ko can be worked out from the two boards"


def test_main_files_are_found_in_the_courses_order(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no agent here: expected one of"):
        main_file(tmp_path)
    (tmp_path / "my_player3.py").touch()
    assert main_file(tmp_path).name == "my_player3.py"
    (tmp_path / "my_player.py").touch()
    assert main_file(tmp_path).name == "my_player.py"
    assert main_file(tmp_path / "my_player3.py").name == "my_player3.py"
    (tmp_path / "named").mkdir()
    (tmp_path / "named" / "My_Player3.py").touch()
    with pytest.raises(UsageError, match="is here: rename it"):
        main_file(tmp_path / "named")
    (tmp_path / "agent.py").touch()
    with pytest.raises(UsageError, match="an agent's file is called"):
        main_file(tmp_path / "agent.py")
    with pytest.raises(UsageError, match="no such file"):
        main_file(tmp_path / "nowhere")


def test_copying_leaves_out_what_is_not_the_agents(tmp_path: Path) -> None:
    agent = python_agent(tmp_path / "agent", PASSES)
    (agent / "input.txt").write_text("old")
    (agent / "littlego-matches").mkdir()
    (agent / "littlego-matches" / "results.sqlite").write_text("of earlier matches")
    (agent / "data").mkdir()
    (agent / "data" / "input.txt").write_text("its own")
    copy_agent(agent, tmp_path / "copy")
    assert sorted(str(p.relative_to(tmp_path / "copy")) for p in (tmp_path / "copy").rglob("*") if p.is_file()) == [
        "data/input.txt",
        "my_player3.py",
    ]
    (agent / "link").symlink_to("/etc/passwd")
    with pytest.raises(UsageError, match="a symbolic link, which is not copied"):
        copy_agent(agent, tmp_path / "another")


def test_commands() -> None:
    assert command_program("sh -c true").argv[1:] == ("-c", "true")
    for wrong, message in (("", "needs a command"), ("no-such-program", "not installed"), ("./nowhere", "no such")):
        with pytest.raises(UsageError, match=message):
            command_program(wrong)
    with pytest.raises(UsageError):
        command_program("'open quote")


def test_words_of_a_command_are_paths_only_with_a_slash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "agent.sh"
    script.write_text("#!/bin/sh\necho PASS > output.txt\n")
    (tmp_path / "strong").touch()
    with pytest.raises(UsageError, match=r"agent\.sh: not executable: run chmod \+x"):
        command_program("./agent.sh --level strong")
    script.chmod(0o755)
    assert command_program("./agent.sh --level strong").argv == (str(script), "--level", "strong")
    assert command_program("./agent.sh ./strong").argv == (str(script), str(tmp_path / "strong"))
    with pytest.raises(UsageError, match="a directory, not a program"):
        command_program(f"{tmp_path} x")
    (tmp_path / "agent.py").touch()
    with pytest.raises(UsageError, match=r"write \./agent\.py"):
        command_program("python3 agent.py")
    assert command_program("python3 ./agent.py").argv[1:] == (str(tmp_path / "agent.py"),)


def test_state_files_are_read_with_care(tmp_path: Path) -> None:
    (tmp_path / "small.txt").write_bytes(b"\x00\xff")
    (tmp_path / "large.txt").write_bytes(b"x" * 100_000)
    (tmp_path / "link.txt").symlink_to("/etc/passwd")
    (tmp_path / "folder").mkdir()
    state = read_state(tmp_path, None)
    assert state == {"small.txt": b"\x00\xff"}
    assert decode_state(encode_state(state)) == state
    (tmp_path / "again").mkdir()
    write_state({**state, "../escape": b"x"}, tmp_path / "again")
    assert sorted(p.name for p in (tmp_path / "again").iterdir()) == ["small.txt"]
    assert not (tmp_path / "escape").exists()


def test_the_interpreter_on_the_path_is_found() -> None:
    """In an environment that is the environment's own; `test_toolchain.py` looks past shims."""
    found = find_python()
    assert found.path.is_absolute()
    assert (found.version, found.digest) == (find_python(sys.executable).version, find_python(sys.executable).digest)
    with pytest.raises(UsageError, match="no working Python"):
        find_python("9.99")


@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ here")
def test_every_cpp_file_is_part_of_the_program_and_none_is_an_option(tmp_path: Path, supervisor: Supervisor) -> None:
    agent = python_agent(tmp_path / "agent", '#include "move.h"\nint main() { write(); }\n', "my_player.cpp")
    (agent / "move.h").write_text("void write();\n")
    (agent / "move.cpp").write_text('#include <fstream>\nvoid write() { std::ofstream("output.txt") << "PASS"; }\n')
    (agent / "my_player11.cpp").write_text("another agent's")
    (agent / "-fplugin=move.cpp").write_text("")
    (agent / ".hidden.cpp").write_text("not what *.cpp means")
    program = build_program(agent, tmp_path / "build", supervisor)
    assert seated(program, tmp_path / "game", supervisor).choose(Position.initial()) is PASS


def test_each_file_name_has_its_python(tmp_path: Path, supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch) -> None:
    old = Interpreter(Path("/old/python"), "2.7.18", ())
    new = find_python(sys.executable)
    here = {"2.7": old, "python3": new, "python": new}

    def find(wanted: str) -> Interpreter:
        if wanted not in here:
            raise PythonMissing(wanted)
        return here[wanted]

    monkeypatch.setattr("littlego.arena.building.find_python", find)
    course_python.cache_clear()
    try:
        assert course_python("my_player.py") == (old, "")
        assert course_python("my_player3.py") == (new, "the course has 3.7, which was not found here")
        assert course_python("my_player3.py", "python") == (new, "the course has 3.7")
        assert course_python("my_player3.py", "3.13?") == (new, "the course has 3.13, which was not found here")
        here["3.13"] = Interpreter(Path("/new/python"), "3.13.0", ())
        course_python.cache_clear()
        assert course_python("my_player3.py", "3.13?") == (here["3.13"], "")
        del here["2.7"]
        course_python.cache_clear()
        assert course_python("my_player.py") == (new, "the course has 2.7, which was not found here")
        with pytest.raises(PythonMissing):
            course_python("my_player.py", "2.7")
        agent = python_agent(tmp_path / "agent", "import numpi, json, helper, pytest\n" + PASSES)
        (agent / "helper.py").write_text("")
        program = build_program(agent, tmp_path / "build", supervisor)
    finally:
        course_python.cache_clear()
    remarks = "the course has 3.7, which was not found here; it imports numpi, which this Python does not have"
    assert remarks in program.runtime
    assert program.runtime.startswith(f"{new}; {new.path}; pytest {pytest.__version__}; ")
    assert without_path(program.runtime).startswith(f"{new}; pytest {pytest.__version__}; the course has")


@pytest.mark.skipif(shutil.which("python2.7") is None, reason="no Python 2 here")
def test_python_2_runs_my_player(tmp_path: Path, supervisor: Supervisor) -> None:
    source = "import sys\nprint >>sys.stderr, 'old'\nopen('output.txt', 'w').write('PASS' if 7 / 2 == 3 else '')\n"
    program = build_program(python_agent(tmp_path / "old", source, "my_player.py"), tmp_path / "built", supervisor)
    assert program.language.startswith("Python 2.7")
    assert seated(program, tmp_path / "game", supervisor).choose(Position.initial()) is PASS
    new = python_agent(tmp_path / "new", "print(f'{1}')\n", "my_player.py")
    with pytest.raises(BuildFailed, match=r"compiled with Python 2.7.*: call it my_player3.py if it is Python 3"):
        build_program(new, tmp_path / "none", supervisor)
