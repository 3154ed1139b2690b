"""A program that cannot write its move because our disk is full has not lost."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from littlego.arena.entrants.program_player import ProgramPlayer, judged_move
from littlego.arena.entrants.programs import command_program
from littlego.arena.referee.client import MoveResult, Supervisor, SupervisorFailed
from littlego.arena.referee.limits import Limits
from littlego.core.errors import PlayerFault
from littlego.core.position import Position
from littlego.core.verdict import Verdict
from tests.disks import fill, small_disk

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(
        os.geteuid() != 0 and not os.environ.get("LITTLEGO_CI"), reason="a small disk can be mounted by root only"
    ),
]

# Waits until there is no room left, and then answers as any agent does.
PATIENT = "while test -e room; do sleep 0.05; done; echo 2,2 > output.txt"
SILENT = "exit 0"


def player(directory: Path, script: str, supervisor: Supervisor) -> ProgramPlayer:
    return ProgramPlayer(command_program(f"/bin/sh -c '{script}'"), directory, supervisor, Limits(wall_seconds=120))


def test_a_full_disk_is_not_the_programs_fault(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "4m") as disk, Supervisor() as supervisor:
        directory = disk / "game"
        directory.mkdir()
        (directory / "room").touch()
        seated = player(directory, PATIENT, supervisor)

        def fill_meanwhile() -> None:
            while not (directory / "input.txt").exists():
                time.sleep(0.01)
            fill(disk)
            (directory / "room").unlink()

        filling = threading.Thread(target=fill_meanwhile)
        filling.start()
        with pytest.raises(SupervisorFailed, match="disk is full"):
            seated.choose(Position.initial())
        filling.join()


def test_a_program_that_writes_nothing_where_there_is_room_forfeits(tmp_path: Path) -> None:
    with Supervisor() as supervisor, pytest.raises(PlayerFault):
        player(tmp_path, SILENT, supervisor).choose(Position.initial())


def test_strict_limits_hold_an_output_to_the_letter() -> None:
    """And travel with a capsule, in limits that are otherwise those of results from before."""
    written = MoveResult(None, "", b"2, 2\n\xff", 0.1, 0.1, 0, "", 0, "wait4")
    assert "comma without whitespace" in judged_move(written, Position.initial()).remark
    with pytest.raises(PlayerFault, match="comma without whitespace") as caught:
        judged_move(written, Position.initial(), strict=True)
    assert caught.value.verdict is Verdict.BAD_FORMAT
    assert "strict" not in Limits().as_dict()
    assert Limits(**Limits(strict=True).as_dict()) == Limits(strict=True)  # type: ignore[arg-type]
