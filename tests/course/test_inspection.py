"""`littlego check`: the good agent passes, and every broken one gets a reason."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from littlego.arena.building import read_sources
from littlego.core.points import PASS
from littlego.core.rules import Why
from littlego.course.edition import Language, shipped_edition
from littlego.course.inspection import (
    Check,
    Inspection,
    Status,
    foreign_imports,
    ko_positions,
    middle_positions,
    must_pass_positions,
    newest_python,
    suicide_positions,
)
from littlego.course.starter import write_kit
from littlego.formats.toml import RulesTable
from littlego.sandbox.client import Supervisor
from littlego.sandbox.limits import Limits
from tests.arena.agents import GOOD, PASSES, python_agent
from tests.command import in_this_process

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def supervisor() -> Iterator[Supervisor]:
    with Supervisor() as started:
        yield started


def inspected(path: Path, supervisor: Supervisor, limits: Limits | None = None, most: int | None = None) -> list[Check]:
    """All checks, or the first ones: the last play whole games."""
    inspection = Inspection(path, supervisor, limits or Limits())
    try:
        return list(islice(inspection.checks(), most))
    finally:
        inspection.close()


def found(checks: list[Check], status: Status) -> list[str]:
    return [f"{check.title}: {check.detail}" for check in checks if check.status is status]


def test_the_starter_agent_passes_with_nothing_to_remark(tmp_path: Path, supervisor: Supervisor) -> None:
    write_kit(tmp_path / "kit")
    checks = inspected(tmp_path / "kit", supervisor)
    assert found(checks, Status.FAILED) == []
    assert found(checks, Status.REMARK) == []
    assert len(checks) == 15


WRITE = 'open("output.txt", "w").write'
BROKEN = [
    ("commits suicide", GOOD.replace("(i + a, j + b)", "(i, j)"), "no last liberty of its own.*suicide"),
    ("never passes", GOOD.replace('"PASS"', '"0,0"'), "passes when it has no other move"),
    ("a library that learns", f"try:\n    import gym\nexcept ImportError:\n    pass\n{PASSES}", "imports gym .5.1: "),
    ("an absolute path", 'DATA = "/home/me/data.txt"\n' + PASSES, "no absolute paths: my_player3.py, line 1"),
    ("newer syntax", PASSES + "\nif (n := 3) > 2: pass", "its language and library.*line 2"),
    ("no Python at all", "this is not", "it builds.*SyntaxError"),
    ("crashes as White", 'assert open("input.txt").read(1) == "1"\n' + PASSES, "first move.*AssertionError"),
    ("debug prints instead of a move", f'{WRITE}("thinking\\n2,3")', "first move.*expected 'PASS' or 'row,column'"),
    (
        "confused by the counter of another game",
        "import os\n"
        'n = int(open("n.txt").read()) if os.path.exists("n.txt") else 0\n'
        'assert n < 13, "too many moves"\n'
        'open("n.txt", "w").write(str(n + 1))\n' + GOOD.replace("\n    ", "\n"),
        "files from another game.*too many moves",
    ),
    ("too slow", "def f():\n    while True: pass\nf()", "first move.*it was at my_player3.py, line 2, in f, called"),
    ("waits for ever", "import time; time.sleep(60)", "it is in time.*real time"),
    ("sleeps at every move", "import time; time.sleep(2.2)\n" + PASSES, "in time.*it idles for 2.* s on every move"),
    ("forgets to return a move", PASSES, "whole games.*it passed at every move"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "fault"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_broken_agents_are_told_their_fault(source: str, fault: str, tmp_path: Path, supervisor: Supervisor) -> None:
    agent = python_agent(tmp_path / "agent", source)
    inspection = Inspection(agent, supervisor, Limits(cpu_seconds=1.0, wall_seconds=5.0))
    failed = []
    try:
        for check in inspection.checks():
            failed += found([check], Status.FAILED)
            if failed and re.search(fault, failed[-1], re.S):
                return
    finally:
        inspection.close()
    pytest.fail(f"{failed}")


def test_a_wrong_file_name_gets_a_hint(tmp_path: Path, supervisor: Supervisor) -> None:
    agent = python_agent(tmp_path / "agent", PASSES, "MyPlayer3.py")
    checks = inspected(agent, supervisor)
    assert "MyPlayer3.py is here: rename it" in checks[0].detail
    assert all(check.status is Status.SKIPPED for check in checks[1:]), (
        "nothing is reported about what was not looked at"
    )


def test_what_was_not_seen_is_not_called_good(tmp_path: Path, supervisor: Supervisor) -> None:
    agent = python_agent(tmp_path / "agent", "import no_such_module")
    checks = inspected(agent, supervisor)
    assert checks[5].status is Status.FAILED
    assert "line 1" in checks[5].detail
    assert [check.status for check in checks[6:]] == [Status.SKIPPED] * 9, "nor in time: no move was made"


def test_the_letter_of_the_documents_is_kept(tmp_path: Path, supervisor: Supervisor) -> None:
    helped = "try:\n    import helper\nexcept (ImportError, SyntaxError):\n    pass\n" + GOOD
    agent = python_agent(tmp_path / "agent", helped.replace('"%d,%d"', '"%d, %d"'))
    (agent / "model.npz").write_bytes(b"")
    (agent / "helper.py").write_text("x = 3\n\nmatch x:\n    case 3:\n        pass\n")
    checks = inspected(agent, supervisor)
    remark = found(checks, Status.REMARK)[0]
    assert "leave out model.npz, which the course does not accept" in remark, "it costs no game"
    assert '(6: "Only submit the source code files' in remark
    failed = found(checks, Status.FAILED)
    assert "helper.py, line 3: " in failed[0], "and so is not the first thing to fix"
    assert '(6: "the highest version of Python' in failed[0]
    (agent / "helper.py").unlink()
    (agent / "model.npz").unlink()
    (failure,) = found(inspected(agent, supervisor), Status.FAILED)
    assert "its output is exactly" in failure
    assert '(5.3: "separated by a comma without whitespace")' in failure


def test_what_the_course_would_take_is_only_remarked(tmp_path: Path, supervisor: Supervisor) -> None:
    keeps_a_counter = (
        "import os\n"
        'fresh = open("input.txt").read().count("0") > 47\n'
        'assert fresh or os.path.exists("n.txt"), "no n.txt"\n'
        'open("n.txt", "w").write("1")\n' + GOOD.replace("\n    ", "\n")
    )
    agent = python_agent(tmp_path / "agent", keeps_a_counter)
    (agent / "my_player3.py").write_text(
        'import helper\nimport subprocess\nsubprocess.Popen(["sleep", "9"])\n' + keeps_a_counter
    )
    for name in (".DS_Store", "exe", "move.h"):
        (agent / name).write_bytes(b"")
    (agent / "train.py").write_text("import torch\nDATA = '/home/me/games'\nmatch torch:\n    case 1:\n        pass\n")
    (agent / "helper.py").write_text("try:\n    import no_such_module\nexcept ImportError:\n    pass\n")
    checks = inspected(agent, supervisor)
    assert found(checks, Status.FAILED) == []
    remarks = found(checks, Status.REMARK)
    assert not any("torch" in remark for remark in remarks), "what the agent never imports is nobody's business"
    for title, words in (
        ("only source files", "move.h: found by the build.*leave out .DS_Store, exe"),
        ("its language", "helper.py imports no_such_module, which the course may not have"),
        ("it builds", "it imports no_such_module, which this Python does not have"),
        ("it moves legally when", r"without its own files \(n.txt\), as the course never starts it.*no n.txt"),
        ("it takes no last liberty", "without its own files"),
        ("it moves legally in a ko", "without its own files"),
        ("its output is exactly", "it left 1 process running, which the referee ended"),
    ):
        assert any(re.match(f"{title}.*: .*{words}", text) for text in remarks), (title, remarks)


def test_only_moves_that_were_made_are_in_time(tmp_path: Path, supervisor: Supervisor) -> None:
    twice = 'import os\nassert not os.path.exists("n.txt")\nopen("n.txt", "w")\n' + PASSES
    checks = inspected(python_agent(tmp_path / "agent", twice), supervisor)
    made = 3 + 12 + 6 + 6 + 2 + 1 + 1  # trial positions, and the first moves of two games
    assert checks[-1].detail.endswith(f"in the {made} moves that it made")


def test_syntax_that_the_course_s_python_lacks_is_seen_without_it(tmp_path: Path) -> None:
    source = tmp_path / "my_player3.py"
    source.write_text("a = 1\nprint(a := 2)\n")
    status, detail, _ = newest_python(read_sources(source))
    assert (status, detail.startswith("my_player3.py, line 2: ")) == (Status.FAILED, True), detail
    assert newest_python(read_sources(source), "3.8")[0] is Status.PASSED


@pytest.mark.parametrize(
    "text", ["x = 1" + " + 1" * 3000, "if x: pass\n" + "elif x: pass\n" * 990], ids=["sum", "elif"]
)
def test_a_long_program_is_read_as_far_as_it_can_be(tmp_path: Path, text: str) -> None:
    source = tmp_path / "my_player3.py"
    source.write_text(text)
    assert newest_python(read_sources(source))[0] is Status.PASSED
    assert foreign_imports(read_sources(source)) is None


def test_trial_positions_are_what_they_say() -> None:
    for positions in (middle_positions(), ko_positions(), must_pass_positions()):
        assert len({position.to_move for position in positions}) == 2
        assert len(set(positions)) == len(positions)
    assert all(position.ko is not None for position in ko_positions())
    assert all(position.legal_moves() == (PASS,) for position in must_pass_positions())
    assert middle_positions() == middle_positions()
    assert {position.moves_played for position in middle_positions()} <= {7, 10, 15, 18, 21, 22}


def test_another_course_has_other_positions_and_languages(supervisor: Supervisor, tmp_path: Path) -> None:
    usual = shipped_edition("2025")
    course = replace(usual, name="seven", board=RulesTable(size=7), languages=(Language.CPP,))
    for positions in (middle_positions(course.rules()), ko_positions(course.rules())):
        assert {position.size for position in positions} == {7}
    inspection = Inspection(python_agent(tmp_path / "agent", PASSES), supervisor, edition=course)
    assert "it passes when it has no other move" not in inspection.titles()
    first = next(inspection.checks())
    assert (first.status, first.detail) == (Status.FAILED, "my_player3.py: edition seven takes agents in c++ only")


@pytest.mark.process
@pytest.mark.parametrize(
    ("source", "option"),
    [
        ("raise KeyError('x')\n", "--pdb"),
        ("import sys; sys.exit(3)\n", "--into DIR"),
        ("open('output.txt', 'w').write('9,9')\n", "--into DIR"),
    ],
)
def test_the_debugger_is_offered_for_what_raises(tmp_path: Path, source: str, option: str) -> None:
    python_agent(tmp_path / "mine", source)
    found = in_this_process("check", "mine", cwd=tmp_path)
    assert found.returncode == 1
    replay = "littlego replay littlego-checks/mine/check-6.json"
    assert found.stderr.rstrip().endswith(f"{replay} {option}")
    again = in_this_process(*replay.split()[1:], cwd=tmp_path)
    assert again.stderr.rstrip().endswith(f"{replay} {option}")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_a_program_that_is_no_plain_text_is_called_that(tmp_path: Path, supervisor: Supervisor, encoding: str) -> None:
    agent = python_agent(tmp_path / "agent", "")
    (agent / "my_player3.py").write_text(GOOD, encoding=encoding)
    failed = found(inspected(agent, supervisor, most=5), Status.FAILED)
    assert failed[0].endswith("my_player3.py: is not plain text: save it as UTF-8, not as UTF-16")
    assert "Traceback" not in failed[1], "that would be our own"


@pytest.mark.parametrize("line", [1, 2, 3])
def test_a_comment_in_another_encoding_fails_where_the_language_is_read(
    tmp_path: Path, supervisor: Supervisor, line: int
) -> None:
    program = python_agent(tmp_path / "agent", GOOD) / "my_player3.py"
    good = program.read_bytes()
    program.write_bytes(b"# plain\n" * (line - 1) + b"# caf\xe9\n" + good)
    language = inspected(program.parent, supervisor, most=4)[3]
    assert language.status is Status.FAILED
    assert language.detail == f"my_player3.py, line {line}: is not UTF-8, and no coding line says what it is"

    program.write_bytes(b"# coding: latin-1\n# caf\xe9\n" + good)
    assert inspected(program.parent, supervisor, most=4)[3].status is Status.PASSED


def test_a_folder_with_an_agents_name_need_not_be_renamed(tmp_path: Path, supervisor: Supervisor) -> None:
    (tmp_path / "agent" / "my_player3.py").mkdir(parents=True)
    assert "rename" not in inspected(tmp_path / "agent", supervisor)[0].detail


def test_an_absolute_path_is_quoted_whole(tmp_path: Path, supervisor: Supervisor) -> None:
    agent = python_agent(tmp_path / "agent", "book = '/home/me/book.txt'\n" + PASSES)
    checked = inspected(agent, supervisor, most=3)[2]
    assert checked.detail == "my_player3.py, line 1: /home/... does not exist on other machines"


@pytest.mark.parametrize(("name", "remarked"), [("my_player.cpp", True), ("my_player11.cpp", False)])
def test_cpp_is_read_as_the_course_s_compiler_does(
    tmp_path: Path, supervisor: Supervisor, name: str, remarked: bool
) -> None:
    """The kit warns of it, and `check` said "Ready to submit"."""
    source = '#include <fstream>\nint main() {\n    auto out = std::ofstream("output.txt");\n    out << "PASS";\n}\n'
    agent = python_agent(tmp_path / "agent", source, name)
    build = inspected(agent, supervisor, most=5)[-1]
    assert (build.status is Status.REMARK) == remarked, build
    if remarked:
        assert build.detail.startswith("my_player.cpp, line 3: ") and "my_player11.cpp" in build.detail


def test_suicide_and_ko_are_seen_apart() -> None:
    for position in suicide_positions():
        assert any(position.why_illegal(point) is Why.SUICIDE for point in range(25))
    for position in ko_positions():
        assert position.ko is not None
        assert not any(position.why_illegal(point) is Why.SUICIDE for point in range(25))
