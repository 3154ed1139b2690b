"""A program that cannot write its move because our disk is full has not lost."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import re
import signal
import threading
import time
from pathlib import Path
from typing import NoReturn

import pytest

from littlego.arena import games
from littlego.arena.building import command_program
from littlego.arena.program import ProgramPlayer, judged_move
from littlego.arena.store import RESULTS, Store
from littlego.core.board import WHITE
from littlego.core.errors import PlayerFault
from littlego.core.points import parse_move
from littlego.core.position import Position
from littlego.core.rules import Verdict
from littlego.formats.course import CourseInput, parse_input
from littlego.sandbox import plan
from littlego.sandbox.client import MoveRequest, MoveResult, Supervisor, SupervisorClosed, SupervisorFailed
from littlego.sandbox.limits import Level, Limits, probe
from tests.arena.agents import python_agent
from tests.command import in_this_process
from tests.disks import fill, small_disk
from tests.sandbox.test_attribution import busy_core, started
from tests.sandbox.test_client import eventually, processes_with

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(os.geteuid() != 0, reason="a small disk can be mounted by root only"),
]

# Waits until there is no room left, and then answers as any agent does.
BEGUN = f"begun-{os.getpid()}"
PATIENT = f"touch {BEGUN}; while test -e room; do sleep 0.05; done; echo 2,2 > output.txt"
SILENT = "exit 0"


def inside(file: str) -> list[Path]:
    """The file in the directories of running programs, which nobody else may see before a move has ended."""
    return [path for path in Path("/proc").glob(f"[0-9]*/cwd/{file}") if path.exists()]


def player(directory: Path, script: str, supervisor: Supervisor) -> ProgramPlayer:
    return ProgramPlayer(command_program(f"/bin/sh -c '{script}'"), directory, supervisor, Limits(wall_seconds=120))


def test_a_full_disk_is_not_the_programs_fault(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "4m") as disk, Supervisor() as supervisor:
        directory = disk / "game"
        directory.mkdir()
        (directory / "room").touch()
        seated = player(directory, PATIENT, supervisor)
        over = threading.Event()

        def fill_meanwhile() -> None:
            while not inside(BEGUN):
                time.sleep(0.01)
            fill(disk)
            while not over.wait(0.01):  # each try gets the file again
                for room in inside("room"):
                    with contextlib.suppress(OSError):  # that process has ended meanwhile
                        room.unlink()

        filling = threading.Thread(target=fill_meanwhile)
        filling.start()
        with pytest.raises(SupervisorFailed, match=r"disk is full|No space left"):
            seated.choose(Position.initial())
        over.set()
        filling.join()


@pytest.mark.parametrize("without", [frozenset(), frozenset({"namespaces"})], ids=["best", "bare"])
def test_who_fills_our_disk_loses(without: frozenset[str], tmp_path: Path) -> None:
    """Its files may be larger than our disk; else it could have every lost game played again."""
    fills = "for name in 1 2 3; do head -c 9000000 /dev/urandom > $name || exit 1; done; echo 2,2 > output.txt"
    if not probe(without).default > Level.PORTABLE:
        pytest.skip("this machine has no such level")
    with small_disk(tmp_path / "disk", "20m") as disk, Supervisor(without=without) as supervisor:
        (directory := disk / "game").mkdir()
        with pytest.raises(PlayerFault, match="its files fill the disk") as lost:
            player(directory, fills, supervisor).choose(Position.initial())
    assert lost.value.verdict is Verdict.MEMORY


def test_a_move_that_was_killed_from_outside_is_played_again_with_the_same_files(tmp_path: Path) -> None:
    """The game goes on: nothing was gained and nothing lost."""
    script, mark = tmp_path / "script" / "play.sh", f"mark-{os.urandom(8).hex()}"
    script.parent.mkdir()
    script.write_text(f"echo x >> tries; touch {BEGUN}; sleep 600\n")
    directory = tmp_path / "game"
    directory.mkdir()

    def kill_the_first() -> None:
        assert eventually(lambda: bool(inside(BEGUN)))
        script.write_text("echo x >> tries; echo 2,2 > output.txt\n")
        for pid in processes_with(mark):
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)

    with Supervisor() as supervisor:
        seated = ProgramPlayer(command_program(f"/bin/sh {script} {mark}"), directory, supervisor, Limits())
        killing = threading.Thread(target=kill_the_first)
        killing.start()
        assert seated.choose(Position.initial()) == parse_move("2,2", 5)
        killing.join()
    assert (directory / "tries").read_text() == "x\n"
    assert seated.remarks == ["move 1: try 1 could not be played: its program was ended by SIGKILL"]
    assert len(seated.cpu_seconds) == 1


@pytest.mark.parametrize("how", ["kill -9 $$", "kill -9 0", "(kill -9 $$) & sleep 600"])
def test_who_kills_itself_loses(how: str, tmp_path: Path) -> None:
    """It looks like a kill from outside, and so is played again; that is over by then."""
    with (
        Supervisor() as supervisor,
        pytest.raises(PlayerFault, match="3 times in a row: its program was ended by") as lost,
    ):
        seated = player(tmp_path, how, supervisor)
        seated.choose(Position.initial())
    assert lost.value.verdict is Verdict.CRASH
    assert seated.last is not None
    assert seated.last.result.message == str(lost.value)
    assert len(seated.remarks) == 3


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="this kernel does not count the waits for a core")
def test_nothing_is_gained_by_a_busy_machine(tmp_path: Path) -> None:
    """A losing agent loops, while 60 processes of its other games, within their limits, keep the machine busy."""
    with busy_core(20), Supervisor() as supervisor:
        seated = player(tmp_path, "while :; do :; done", supervisor)
        seated.limits = Limits(cpu_seconds=10, wall_seconds=0.3)
        with pytest.raises(PlayerFault, match="3 times in a row: the machine is too busy"):
            seated.choose(Position.initial())
    assert [remark.partition(": the")[0] for remark in seated.remarks] == [
        f"move 1: try {number} could not be played" for number in (1, 2, 3)
    ]


BUSY_FOR_A_WHILE = """
import time
while time.process_time() < 0.3: pass
with open("tries", "a") as file: file.write("x")
open("output.txt", "w").write("PASS")
"""
counts_waits = pytest.mark.skipif(
    not Path("/proc/self/schedstat").exists(), reason="this kernel does not count the waits for a core"
)


@counts_waits
def test_a_move_that_others_held_up_is_played_again_and_counts_the_third_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the same files; how long it waited is known of the one that counts."""
    monkeypatch.setattr(plan, "HELD_UP", 0.1)
    agent = python_agent(tmp_path / "agent", BUSY_FOR_A_WHILE) / "my_player3.py"
    (directory := tmp_path / "game").mkdir()
    with busy_core(4), Supervisor() as supervisor:
        command = command_program(f"python3 {agent}")
        seated = ProgramPlayer(command, directory, supervisor, Limits())
        seated.choose(Position.initial())
        assert (directory / "tries").read_text() == "x"
        again = [remark for remark in seated.remarks if "does not count: others took" in remark]
        assert [remark.partition(" does")[0] for remark in again] == ["move 1: try 1", "move 1: try 2"]
        (waited,), (wall,) = seated.waited_seconds, seated.wall_seconds
        assert 0.1 < waited < wall
        seated.limits = Limits(cpu_seconds=0.1)
        with pytest.raises(PlayerFault) as lost:
            seated.choose(Position.initial())
    assert lost.value.verdict is Verdict.CPU_TIME, "no time that others took can have led to that"
    assert not [remark for remark in seated.remarks if remark.startswith("move 1: try") and remark not in again]


@counts_waits
def test_a_match_tells_of_moves_that_others_held_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "HELD_UP", 0.1)
    agent = python_agent(tmp_path / "agent", BUSY_FOR_A_WHILE)
    with busy_core(4):
        words = ["match", str(agent), "random", "--games", "1", "--size", "2", "--out", str(tmp_path / "out")]
        done = in_this_process(*words)
    told = r"agent: The machine was busy: others took up to \S+ s from \d moves?, and"
    assert re.search(told, done.stdout), done.stderr
    with Store[int](tmp_path / "out" / RESULTS) as store:
        (game,) = store.games()
    waited = game.result.waited_seconds["black"]
    assert len(waited) == len(game.result.cpu_seconds["black"])
    assert max(waited) > 0.1


def test_what_is_ours_for_certain_costs_nobody_a_game(tmp_path: Path) -> None:
    with Supervisor() as supervisor:
        seated = player(tmp_path / "missing", SILENT, supervisor)
        (tmp_path / "missing").mkdir()
        seated.program = dataclasses.replace(seated.program, argv=("/nowhere/python",))
        with pytest.raises(SupervisorFailed, match="No such file") as raised:
            seated.choose(Position.initial())
    assert raised.value.is_ours
    assert len(seated.remarks) == 3


@pytest.mark.parametrize("then", ["kill -9 $$", "exit 1", "echo 2,2 > output.txt"])
def test_a_directory_that_a_program_takes_away_is_not_our_failure(then: str, tmp_path: Path) -> None:
    """At the portable level it can; nobody finds the directory then, in the next try, afterwards, or a move later."""
    game = tmp_path / "game"
    game.mkdir()
    with started(Level.PORTABLE) as supervisor:
        seated = player(game, f'mv "$PWD" "$PWD.away"; {then}', supervisor)
        with pytest.raises(PlayerFault) as raised:
            for _ in range(2):
                seated.choose(Position.initial())
    assert raised.value.verdict is Verdict.CRASH


@pytest.mark.parametrize("ours", [(True, True, True), (False, True, True), (True, False, True), (True, True, False)])
def test_a_game_is_void_only_if_every_try_failed_through_us(
    ours: tuple[bool, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a program has done in one try may make the next one look like our failure."""
    failures = iter(ours)

    def fails(_supervisor: Supervisor, _request: MoveRequest) -> NoReturn:
        raise SupervisorFailed("it failed", is_ours=next(failures))

    monkeypatch.setattr(Supervisor, "run", fails)
    with Supervisor() as supervisor, pytest.raises(SupervisorFailed if all(ours) else PlayerFault):
        player(tmp_path, SILENT, supervisor).choose(Position.initial())


def test_a_closed_supervisor_plays_nothing_again(tmp_path: Path) -> None:
    with Supervisor() as supervisor:
        seated = player(tmp_path, f"touch {BEGUN}; sleep 600", supervisor)

        def close() -> None:
            assert eventually(lambda: bool(inside(BEGUN)))
            supervisor.close()

        closing = threading.Thread(target=close)
        closing.start()
        with pytest.raises(SupervisorClosed):
            seated.choose(Position.initial())
        closing.join()


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
    written = MoveResult(None, "", b"2, 2\n\xff", 0.1, 0.1, 0.0, 0, "", 0)
    assert "comma without whitespace" in judged_move(written, Position.initial()).remark
    with pytest.raises(PlayerFault, match="comma without whitespace") as caught:
        judged_move(written, Position.initial(), strict=True)
    assert caught.value.verdict is Verdict.BAD_FORMAT
    assert "strict" not in Limits().as_dict()
    assert Limits(**Limits(strict=True).as_dict()) == Limits(strict=True)  # type: ignore[arg-type]
