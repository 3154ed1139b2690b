"""`littlego grade` as a user meets it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
import venv
from dataclasses import replace
from pathlib import Path

import pytest

from littlego.course.edition import format_edition
from littlego.course.starter import KIT
from tests.apps.cli.test_commands import ENVIRONMENT, littlego
from tests.arena.agents import GOOD, passing_command, python_agent
from tests.arena.test_match import games_kept
from tests.command import in_this_process
from tests.course.grading.test_class import small

pytestmark = pytest.mark.process


def test_a_grading_as_text_page_json_and_for_gradescope(tmp_path: Path) -> None:
    files = ("--html", str(tmp_path / "grade.html"), "--gradescope", str(tmp_path / "results.json"))
    command = ("grade", "greedy", "--edition", "2024", "--out", str(tmp_path / "out"))
    text = littlego(*command, *files)
    assert text.returncode == 0, text.stderr
    data = json.loads(littlego(*command, "--json").stdout)
    assert text.stdout.startswith(f"greedy-agent: {data['points']:g} of 90 points, edition 2024, stage 1\n")
    assert f"Results are in {tmp_path / 'out'}." in text.stdout
    rows = data["repeats"][0]["batches"][0]["opponents"]
    assert [row["opponent"] for row in rows] == ["random", "greedy", "aggressive", "alphabeta"]
    assert all(row["games"] == 20 and row["by_colour"]["black"]["games"] == 10 for row in rows)
    assert all(row["rubric_line"] in text.stdout for row in rows)
    assert sum(len(row["lost"]) for row in rows) == sum(row["losses"] for row in rows)
    assert json.loads((tmp_path / "results.json").read_text())["score"] == data["points"]
    assert "Grade of greedy-agent" in (tmp_path / "grade.html").read_text()


def test_a_broken_agent_gets_its_report_and_exit_1(tmp_path: Path) -> None:
    agent = python_agent(tmp_path / "agent", "def choose(:\n")
    done = littlego("grade", str(agent), "--gradescope", str(tmp_path / "results.json"))
    assert done.returncode == 1
    assert "agent: 0 of 90 points" in done.stdout
    assert "SyntaxError" in done.stdout
    assert "SyntaxError" in json.loads((tmp_path / "results.json").read_text())["output"]


WANTS = "import {module}\nopen('output.txt', 'w').write('PASS')\n"
NOT_THE_AGENTS_FAULT = (
    "the Python that ran it lacks numpy, which the course was seen to have. That is this machine's fault, not the "
    "agent's: --python names a Python that has it."
)


def test_a_python_without_numpy_is_named_and_not_blamed_on_the_agent(tmp_path: Path) -> None:
    venv.create(tmp_path / "bare")
    bare = ("--python", str(tmp_path / "bare" / "bin" / "python"))
    agent = str(python_agent(tmp_path / "agent", WANTS.format(module="numpy")))
    options = ("--edition", "2024", "--stage", "submit2", "--gradescope", str(tmp_path / "results.json"))
    graded = littlego("grade", agent, *options, "--out", str(tmp_path / "out"), *bare)
    assert (graded.returncode, graded.stdout) == (2, "")
    assert "it imports numpy, which the course has but Python" in graded.stderr
    assert not (tmp_path / "results.json").exists(), "a score would count"
    played = littlego("match", agent, "random", "--games", "1", "--out", str(tmp_path / "match"), *bare)
    assert played.stdout.startswith(f"agent forfeited games: {NOT_THE_AGENTS_FAULT}\n")
    checked = in_this_process("check", agent, *bare, cwd=tmp_path)
    assert checked.stdout.splitlines()[-1].endswith(f" failed: {NOT_THE_AGENTS_FAULT}")
    assert "--pdb" not in checked.stdout + checked.stderr, "there is nothing to debug"


def test_whose_fault_other_missing_modules_are(tmp_path: Path) -> None:
    venv.create(tmp_path / "bare")
    bare = ("--python", str(tmp_path / "bare" / "bin" / "python"))
    own = python_agent(tmp_path / "own", WANTS.format(module="my_helper"))
    graded = littlego("grade", str(own), "--stage", "submit2", "--out", str(tmp_path / "out"), *bare)
    assert graded.stdout.startswith("own: 0 of 10 points")
    assert "Fix this first: the Python that ran it lacks my_helper. If the course has it, --python" in graded.stdout
    # An agent that only prints the message is believed as little as any other.
    liar = "import sys\nsys.stderr.write(\"ModuleNotFoundError: No module named 'numpy'\\n\")\nsys.exit(1)\n"
    lies = python_agent(tmp_path / "liar", liar)
    graded = littlego("grade", str(lies), "--stage", "submit2", "--out", str(tmp_path / "lies"), *bare)
    assert graded.stdout.startswith("liar: 0 of 10 points")


def test_a_remark_that_is_repeated_is_one_line_with_a_count(tmp_path: Path) -> None:
    agent = python_agent(tmp_path / "sloppy", "open('output.txt', 'w').write('PASS\\nthinking')")
    played = littlego("match", str(agent), "random", "--games", "2", "--out", str(tmp_path / "match"))
    (line,) = (line for line in played.stdout.splitlines() if "Remark" in line)
    assert re.match(r"  Remark \(\d\d times\): Game 1: Black move 1: the course's text asks for PASS alone", line)


def test_random_player_alone_plays_as_on_the_courses_machine(tmp_path: Path) -> None:
    """ "You can do the same by copying random_player.py into your work directory, renaming it as my_player3.py"."""
    solo = tmp_path / "solo"
    solo.mkdir()
    shutil.copy(KIT / "random_player.py", solo / "my_player3.py")
    checked = in_this_process("check", str(solo), cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout
    supplied = "the course's host.py, read.py, write.py, which it has not brought: ours were put beside it"
    assert supplied in " ".join(checked.stdout.split())
    played = littlego("match", str(solo), "random", "--games", "2", "--out", str(tmp_path / "match"), "--json")
    games = json.loads(played.stdout)["results"]
    assert {game["record"]["outcome"]["verdict"] for game in games} == {"score"}
    assert sorted(path.name for path in solo.iterdir()) == ["my_player3.py"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("grade nobody", "no player is called 'nobody'"),
        ("grade greedy --stage 3", "stage '3': expected one of 1, 2, submit1"),
        ("grade greedy --edition 2019 --stage 2", "stage '2': expected one of 1, all"),
        ("grade class:my_player.py", "class:my_player.py: classes are graded as in 2019: add --edition 2019"),
        ("grade greedy --edition 1999", "edition '1999': expected one of"),
        ("grade greedy --html /nowhere/at/all.html", "/nowhere/at/all.html: cannot be written"),
        ("grade-class . --roster none.csv", "none.csv: cannot be read: No such file"),
        ("grade-class . --late none.csv", "none.csv: cannot be read: No such file"),
    ],
)
def test_wrong_use(arguments: str, says: str) -> None:
    done = littlego(*arguments.split())
    assert done.returncode == 2
    assert says in done.stderr


def test_the_next_step_after_checking_a_class_grades_it_by_the_edition_that_has_classes(tmp_path: Path) -> None:
    kit = tmp_path / "my class"
    assert littlego("new", str(kit), "--edition", "2019").returncode == 0
    checked = littlego("check", str(kit))
    (step,) = [line for line in checked.stderr.splitlines() if line.startswith("Next")]
    assert shlex.split(step.split(": ", 1)[1]) == ["littlego", "grade", f"class:{kit}", "--edition", "2019"]
    as_program = littlego("grade", str(kit))
    assert as_program.returncode == 2
    assert f"not a program: write {shlex.quote(f'class:{kit}')}" in as_program.stderr


def test_a_folder_of_submissions_leads_to_the_command_for_a_class(tmp_path: Path) -> None:
    for number in range(7):
        python_agent(tmp_path / f"student-{number}", "pass\n")
    done = littlego("grade", str(tmp_path))
    assert done.returncode == 2
    assert "student-4 and 2 more; to grade them all: littlego grade-class" in done.stderr
    done = littlego("check", str(tmp_path))
    assert done.returncode == 2
    assert f"all of them: littlego grade-class {tmp_path} --dry-run" in done.stderr


def test_what_cannot_be_graded_is_called_as_it_was_given(tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    assert f"{tmp_path}/none: no agent here" in littlego("grade", str(tmp_path / "none")).stderr
    for name in "ab":
        python_agent(tmp_path / "deep" / "homework" / name, "pass\n")
    assert f"{tmp_path}/deep: more than one agent: in homework/a" in littlego("grade", str(tmp_path / "deep")).stderr


def test_gradescope_is_told_what_cannot_be_graded(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = littlego("grade", str(tmp_path / "empty"), "--gradescope", str(tmp_path / "results.json"))
    assert done.returncode == 2
    results = json.loads((tmp_path / "results.json").read_text())
    assert results["score"] == 0
    assert "no agent here" in results["output"]


@pytest.mark.slow
def test_ctrl_c_keeps_what_was_played_and_tells_how_to_go_on(tmp_path: Path) -> None:
    agent = passing_command(tmp_path, "0.02")
    command = [sys.executable, "-m", "littlego", "grade", agent, "--edition", "2024", "--out", str(tmp_path / "kept")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
    while games_kept(tmp_path) < 2 and process.poll() is None:
        time.sleep(0.05)  # there is no event: the grading has its store to itself
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 130
    assert "so far, edition 2024" in out
    assert "To continue:" in err
    assert "Traceback" not in err


def test_a_move_that_was_killed_from_outside_is_told_once(tmp_path: Path) -> None:
    """The agent waits at its first move, so that it can be found by a file that no other agent has."""
    source = 'import time\nif "1" not in open("input.txt").read()[1:]: time.sleep(1)\n' + textwrap.dedent(GOOD)
    mark = f"mark-{os.getpid()}.txt"
    (python_agent(tmp_path / "mine", source) / mark).touch()
    done = threading.Event()

    def kill_one() -> None:
        while not done.wait(0.02):
            for place in Path("/proc").glob(f"[0-9]*/cwd/{mark}"):
                with contextlib.suppress(OSError):
                    words = Path(f"/proc/{place.parts[2]}/cmdline").read_bytes().split(b"\0")
                    if words[1:2] == [b"my_player3.py"]:  # not its build, nor what becomes the agent
                        os.kill(int(place.parts[2]), signal.SIGKILL)
                        return

    (tmp_path / "small.toml").write_text(format_edition(replace(small().edition, name="small")))
    killer = threading.Thread(target=kill_one)
    killer.start()
    try:
        shown = in_this_process("grade", "mine", "--edition", "small.toml", cwd=tmp_path).stdout
    finally:
        was_killed = not killer.is_alive()
        done.set()
        killer.join()
    assert was_killed
    told = "1 move had to be played again, such as Black move 1: try 1 could not be played: its program was ended by"
    assert f"{told} SIGKILL" in shown.splitlines(), shown
    assert "A stricter host" not in shown


def test_commands_say_that_stored_games_are_used(tmp_path: Path) -> None:
    """A store may be forged, or from another day: whoever reads a result must know what was not played now."""
    match = ("match", "greedy", "random", "--out", "match", "--games")
    assert "holds" not in in_this_process(*match, "2", cwd=tmp_path).stderr
    assert "Continues with 2 games of 4 that match holds." in in_this_process(*match, "4", cwd=tmp_path).stderr
    grade = ("grade", "random", "--out", "grade", "--stage", "submit")
    assert "holds" not in in_this_process(*grade, cwd=tmp_path).stderr
    assert "Continues with 80 games of 80 that grade holds." in in_this_process(*grade, cwd=tmp_path).stderr
