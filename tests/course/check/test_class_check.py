"""`check` for the classes of 2019."""

from __future__ import annotations

from pathlib import Path

import pytest

from littlego.arena.referee.client import Supervisor
from littlego.arena.referee.limits import Limits
from littlego.course.check.class_check import class_checks
from littlego.course.check.finding import Status
from littlego.course.kits.starter import write_kit


@pytest.mark.process
def test_a_kit_is_ready_and_what_is_wrong_is_reported(tmp_path: Path) -> None:
    write_kit(tmp_path, edition="2019")
    player = tmp_path / "my_player.py"
    with Supervisor() as supervisor:
        checks = list(class_checks(str(tmp_path), supervisor, Limits()))
        assert [check.status for check in checks if check.status is Status.FAILED] == []
        assert checks[2].status is Status.PASSED, "the kit's own go.py is nothing to remark on"
        (tmp_path / "go.py").write_text("class GO: pass\n")
        checks = list(class_checks(str(tmp_path), supervisor, Limits()))
        assert checks[2].status is Status.REMARK
        assert "its go.py is replaced" in checks[2].detail
        player.write_text("import torch\n\nclass MyPlayer:\n    def get_input(self, go, piece_type):\n        1 / 0\n")
        _, libraries, _, games, times = class_checks(str(player), supervisor, Limits())
        assert (libraries.status, libraries.detail) == (Status.FAILED, "torch")
        assert games.status is Status.FAILED
        assert times.status is not Status.FAILED
        player.write_text("class Player: pass\n")
        first, *others = class_checks(str(player), supervisor, Limits())
        assert "expected a class MyPlayer: it has Player" in first.detail
        assert {check.status for check in others} == {Status.SKIPPED}
