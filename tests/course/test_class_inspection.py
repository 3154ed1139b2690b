"""`check` for the classes of 2019."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from littlego.core.errors import UsageError
from littlego.course.edition import find_edition
from littlego.course.inspection import TITLES, ClassInspection, Inspection, Status, inspect
from littlego.course.starter import write_kit
from littlego.formats.toml import RulesTable
from littlego.sandbox.client import Supervisor
from littlego.sandbox.limits import Limits
from tests.arena.agents import PASSES, python_agent


@pytest.mark.process
def test_a_kit_is_ready_and_what_is_wrong_is_reported(tmp_path: Path) -> None:
    write_kit(tmp_path, edition="2019")
    player = tmp_path / "my_player.py"
    with Supervisor() as supervisor:
        checks = list(ClassInspection(str(tmp_path), supervisor, Limits()).checks())
        assert [check.status for check in checks if check.status is Status.FAILED] == []
        assert checks[2].status is Status.PASSED, "the kit's own go.py is nothing to remark on"
        (tmp_path / "go.py").write_text("class GO: pass\n")
        checks = list(ClassInspection(str(tmp_path), supervisor, Limits()).checks())
        assert checks[2].status is Status.REMARK
        assert "its go.py is replaced" in checks[2].detail
        player.write_text("import torch\n\nclass MyPlayer:\n    def get_input(self, go, piece_type):\n        1 / 0\n")
        _, libraries, _, games, times = ClassInspection(str(player), supervisor, Limits()).checks()
        assert (libraries.status, libraries.detail) == (Status.FAILED, "torch")
        assert games.status is Status.FAILED
        assert times.status is not Status.FAILED
        player.write_text("class Player: pass\n")
        first, *others = ClassInspection(str(player), supervisor, Limits()).checks()
        assert "expected a class MyPlayer: it has Player" in first.detail
        assert {check.status for check in others} == {Status.SKIPPED}


@pytest.mark.process
def test_whatever_the_command_takes_is_inspected_for_everybody(tmp_path: Path) -> None:
    """The page refused a class, and looked at every agent by the newest edition."""
    edition = find_edition("2019")
    write_kit(tmp_path, edition="2019")
    with zipfile.ZipFile(tmp_path / "ann.zip", "w") as archive:
        archive.write(tmp_path / "my_player.py", "hw/src/my_player.py")
    where: list[str] = []
    with Supervisor() as supervisor:
        for spelling in (tmp_path, f"class:{tmp_path}", tmp_path / "my_player.py", tmp_path / "ann.zip"):
            with inspect(str(spelling), supervisor, edition=edition, on_found=where.append) as inspection:
                assert inspection.titles() == list(TITLES)
                first = next(iter(inspection.checks()))
                assert first.status is Status.PASSED, first.detail
        assert where == [f"{Path('hw/src')} in ann.zip"]
        python_agent(tmp_path / "program", PASSES)
        small = replace(edition, board=RulesTable(size=3))
        with inspect(str(tmp_path / "program"), supervisor, edition=small) as inspection:
            assert isinstance(inspection, Inspection) and inspection.edition is small
        with pytest.raises(UsageError, match="no such file"), inspect("nobody", supervisor, edition=edition):
            pass
