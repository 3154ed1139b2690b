"""`littlego check`: the good agent passes, and every broken one gets a reason."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from littlego.arena.referee.client import Supervisor
from littlego.arena.referee.limits import Limits
from littlego.core.points import PASS
from littlego.course.check.inspection import Check, Inspection, Status
from littlego.course.check.trial_positions import ko_positions, middle_positions, must_pass_positions
from littlego.course.editions.edition import Language
from littlego.course.editions.find import shipped_edition
from littlego.course.kits.starter import write_kit
from littlego.formats.toml.rules import RulesTable
from tests.arena.agents import GOOD, PASSES, python_agent

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def supervisor() -> Iterator[Supervisor]:
    with Supervisor() as started:
        yield started


def inspected(path: Path, supervisor: Supervisor, limits: Limits | None = None) -> list[Check]:
    inspection = Inspection(path, supervisor, limits or Limits())
    try:
        return list(inspection.checks())
    finally:
        inspection.close()


def found(checks: list[Check], status: Status) -> list[str]:
    return [f"{check.title}: {check.detail}" for check in checks if check.status is status]


def test_the_starter_agent_passes_with_nothing_to_remark(tmp_path: Path, supervisor: Supervisor) -> None:
    write_kit(tmp_path / "kit")
    checks = inspected(tmp_path / "kit", supervisor)
    assert found(checks, Status.FAILED) == []
    assert found(checks, Status.REMARK) == []
    assert len(checks) == 14


WRITE = 'open("output.txt", "w").write'
BROKEN = [
    ("commits suicide", GOOD.replace("(i + a, j + b)", "(i, j)"), "moves legally|passes|whole"),
    ("never passes", GOOD.replace('"PASS"', '"0,0"'), "passes when it has no other move"),
    ("an absolute path", 'DATA = "/home/me/data.txt"\n' + PASSES, "no absolute paths: my_player3.py, line 1"),
    ("newer syntax", PASSES + "\nif (n := 3) > 2: pass", "its language and library.*line 2"),
    ("no Python at all", "this is not", "it builds.*SyntaxError"),
    ("crashes as White", 'assert open("input.txt").read(1) == "1"\n' + PASSES, "first move.*AssertionError"),
    ("debug prints instead of a move", f'{WRITE}("thinking\\n2,3")', "first move.*expected 'PASS' or 'row,column'"),
    (
        "needs its counter file in the middle of a game",
        "import os\n"
        'fresh = open("input.txt").read().count("0") > 47\n'
        'assert fresh or os.path.exists("n.txt"), "no n.txt"\n'
        'open("n.txt", "w").write("1")\n' + PASSES,
        "started in the middle.*no n.txt",
    ),
    (
        "confused by the counter of another game",
        "import os\n"
        'n = int(open("n.txt").read()) if os.path.exists("n.txt") else 0\n'
        'assert n < 13, "too many moves"\n'
        'open("n.txt", "w").write(str(n + 1))\n' + GOOD.replace("\n    ", "\n"),
        "files from another game.*too many moves",
    ),
    ("too slow", "while True: pass", "it is in time.*CPU time"),
    ("waits for ever", "import time; time.sleep(60)", "it is in time.*real time"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "fault"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_broken_agents_are_told_their_fault(source: str, fault: str, tmp_path: Path, supervisor: Supervisor) -> None:
    agent = python_agent(tmp_path / "agent", source)
    checks = inspected(agent, supervisor, Limits(cpu_seconds=1.0, wall_seconds=5.0))
    failed = found(checks, Status.FAILED)
    assert any(re.search(fault, text, re.S) for text in failed), failed


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
    assert [check.status for check in checks[6:]] == [Status.SKIPPED] * 8, "nor in time: no move was made"


def test_remarks_do_not_fail(tmp_path: Path, supervisor: Supervisor) -> None:
    agent = python_agent(tmp_path / "agent", GOOD.replace('"%d,%d"', '"%d, %d"'))
    (agent / "notes.pdf").write_bytes(b"")
    (agent / "helper.py").write_text("import numpy\n")
    checks = inspected(agent, supervisor)
    assert found(checks, Status.FAILED) == []
    remarks = " ".join(found(checks, Status.REMARK))
    assert "notes.pdf" in remarks
    assert "numpy" in remarks
    assert "the course's text asks for the move alone" in remarks


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
