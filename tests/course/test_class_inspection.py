"""`check` for the classes of 2019."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from littlego.arena.building import ToolMissing
from littlego.core.errors import UsageError
from littlego.course import inspection
from littlego.course.edition import find_edition
from littlego.course.inspection import Check, Status, inspect
from littlego.course.starter import write_kit
from littlego.formats.toml import RulesTable
from littlego.sandbox.client import Supervisor
from tests.arena.agents import PASSES, python_agent


def checked(spelling: str | Path, supervisor: Supervisor) -> dict[str, Check]:
    with inspect(str(spelling), supervisor, edition=find_edition()) as begun:
        return {check.title: check for check in begun.checks()}


@pytest.mark.process
def test_a_kit_is_ready_and_what_is_wrong_is_reported(tmp_path: Path) -> None:
    write_kit(tmp_path, edition="2019")
    player, own_go = tmp_path / "my_player.py", "it needs no go.py of its own"
    with Supervisor() as supervisor:
        checks = checked(tmp_path, supervisor)
        assert {check.status for check in checks.values()} == {Status.PASSED}
        (tmp_path / "go.py").write_text("class GO: pass\n")
        assert checked(tmp_path, supervisor)[own_go].detail == "its go.py is replaced by ours"
        player.write_text("import torch\n\nclass MyPlayer:\n    def get_input(self, go, piece_type):\n        1 / 0\n")
        checks = checked(f"class:{player}", supervisor)
        assert {title: check.status for title, check in checks.items() if check.status is not Status.PASSED} == {
            "no library of machine learning": Status.FAILED,
            own_go: Status.REMARK,
            "it plays whole games, as Black and as White": Status.FAILED,
            "it wins a game": Status.SKIPPED,
            "it is in time": Status.SKIPPED,
        }
        player.write_text("class MyPlayer:\n    def get_input(self, go, piece_type):\n        return None\n")
        games = checked(player, supervisor)["it plays whole games, as Black and as White"]
        assert "[my_player.py, line 2: TypeError: get_input returned None" in games.detail
        assert games.capsule is not None and games.capsule.agent == f"class:{player}"
        player.write_text("class Player: pass\n")
        first, *others = checked(f"class:{player}", supervisor).values()
        assert "expected a class MyPlayer: it has Player" in first.detail
        assert {check.status for check in others} == {Status.SKIPPED}


@pytest.mark.process
def test_a_class_that_would_take_long_is_remarked_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspection, "_SUGGESTED_SECONDS", 0.0)
    write_kit(tmp_path, edition="2019")
    with Supervisor() as supervisor:
        time = checked(tmp_path, supervisor)["it is in time"]
    assert time.status is Status.REMARK and "more than the 20 minutes that the course suggests" in time.detail


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
            with inspect(str(spelling), supervisor, edition=edition, on_found=where.append) as begun:
                assert begun.class_text
                first = next(iter(begun.checks()))
                assert first.status is Status.PASSED, first.detail
        assert where == [f"{Path('hw/src')} in ann.zip"]
        python_agent(tmp_path / "program", PASSES)
        small = replace(edition, board=RulesTable(size=3))
        with inspect(str(tmp_path / "program"), supervisor, edition=small) as begun:
            assert not begun.class_text and begun.edition is small
        with pytest.raises(UsageError, match="no such file"), inspect("nobody", supervisor, edition=edition):
            pass


def test_a_python_that_is_not_here_is_no_fault_of_the_class(tmp_path: Path) -> None:
    write_kit(tmp_path, edition="2019")
    with (
        Supervisor() as supervisor,
        inspect(str(tmp_path), supervisor, edition=find_edition(), python="nosuch") as begun,
        pytest.raises(ToolMissing, match="no working Python called 'nosuch'"),
    ):
        list(begun.checks())
