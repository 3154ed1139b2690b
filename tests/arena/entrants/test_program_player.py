"""A program that cannot write its move because our disk is full has not lost."""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path

import pytest

from littlego.arena.entrants.program_player import ProgramPlayer, judged_move
from littlego.arena.entrants.programs import command_program
from littlego.arena.referee.client import MoveResult, Supervisor, SupervisorFailed
from littlego.arena.referee.limits import Limits
from littlego.core.colour import WHITE
from littlego.core.errors import PlayerFault
from littlego.core.points import parse_move
from littlego.core.position import Position
from littlego.core.verdict import Verdict
from littlego.formats.course import CourseInput, parse_input
from tests.arena.agents import python_agent
from tests.command import in_this_process
from tests.disks import fill, small_disk

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(
        os.geteuid() != 0 and not os.environ.get("LITTLEGO_CI"), reason="a small disk can be mounted by root only"
    ),
]

# Waits until there is no room left, and then answers as any agent does.
PATIENT = "touch begun; while test -e room; do sleep 0.05; done; echo 2,2 > output.txt"
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
            while not (directory / "begun").exists():
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


def test_an_opening_is_no_pass_of_the_opponent(tmp_path: Path) -> None:
    """The board before was the board now, as after a pass: an agent that was ahead passed too, and lost its game."""
    with Supervisor() as supervisor:
        seated = player(tmp_path, "echo 2,3 > output.txt", supervisor)
        position = Position.initial()
        for name in ("2,2", "1,2", "1,3", "3,1", "4,4"):  # the last by Black, who was asked for it
            before, move = position, parse_move(name, 5)
            position = position.play(move)
            seated.observe(before, move, position)
        seated.choose(position)
    given = parse_input((tmp_path / "input.txt").read_text())
    assert given == CourseInput(WHITE, before.board, position.board), "the board before is that after White's last move"


# Believes that the opponent has passed if the board is as it left it, as the course's host tells it; else plays a move.
BELIEVING = """
lines = open("input.txt").read().split()
before, now = lines[1:6], lines[6:11]
free = [(i, j) for i in range(5) for j in range(5) if now[i][j] == "0"]
open("output.txt", "w").write("PASS" if before == now else "%d,%d" % free[0])
"""


def test_agents_play_on_from_an_opening(tmp_path: Path) -> None:
    """With either colour, through a whole match: `random` does not pass, so neither does the agent at once."""
    python_agent(tmp_path / "agent", BELIEVING)
    opening = ["2,2", "1,2", "1,3", "3,1"]
    (tmp_path / "openings.txt").write_text(" ".join(opening))
    done = in_this_process(
        *("match", "./agent", "random", "--games", "2", "--openings", "openings.txt", "--json"), cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    records = [result["record"] for result in json.loads(done.stdout)["results"]]
    assert [record["moves"][: len(opening)] for record in records] == [opening, opening]
    first_asked = [record["moves"][len(opening) + (record["white"] == "agent")] for record in records]
    assert "PASS" not in first_asked


def test_strict_limits_hold_an_output_to_the_letter() -> None:
    """And travel with a capsule, in limits that are otherwise those of results from before."""
    written = MoveResult(None, "", b"2, 2\n\xff", 0.1, 0.1, 0, "", 0)
    assert "comma without whitespace" in judged_move(written, Position.initial()).remark
    with pytest.raises(PlayerFault, match="comma without whitespace") as caught:
        judged_move(written, Position.initial(), strict=True)
    assert caught.value.verdict is Verdict.BAD_FORMAT
    assert "strict" not in Limits().as_dict()
    assert Limits(**Limits(strict=True).as_dict()) == Limits(strict=True)  # type: ignore[arg-type]
