"""Agents that are Python objects in our own process: `choose(position)`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from littlego.arena.capsule import Capsule
from littlego.arena.entrants.kinds import BuiltIn
from littlego.arena.games import Chair, Fixture, GamesJob
from littlego.arena.referee.client import Supervisor
from littlego.arena.referee.limits import Limits
from littlego.core.errors import UsageError
from littlego.core.game import GameRecord
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.core.verdict import Outcome, Verdict
from littlego.course.replay import replay_capsule
from littlego.course.spelling import parse_entrant
from tests.arena.agents import python_agent

HEAD = """
import helper

class MyPlayer:
    def __init__(self):
        self.moves = 0

    def choose(self, position):
        self.moves += 1
"""


def outcome_of(tmp_path: Path, body: str, *, limits: Limits = Limits()) -> Outcome:  # noqa: B008 - frozen
    folder = python_agent(tmp_path / "agent", HEAD + f"        {body}\n", "my_player.py")
    (folder / "helper.py").write_text(
        "import time\nSTART = time.thread_time()\ndef first(position):\n    return position.legal_moves()[0]\n"
    )
    prepared = parse_entrant(f"object:{folder}").prepare(tmp_path / "built", Supervisor())
    chairs = {"me": Chair("me", prepared), "greedy": Chair("greedy", BuiltIn("greedy"))}
    with GamesJob(edition_rules(), limits, None, chairs).open() as play:
        outcome = play(Fixture(1, "me", "greedy", 1)).record.outcome
    assert outcome is not None
    return outcome


@pytest.mark.parametrize(
    "body",
    [
        "return helper.first(position)",
        "move = position.move_name(helper.first(position)); return move if move == 'PASS' else eval(move)",
        "return position.move_name(helper.first(position))",
    ],
    ids=["a point", "row and column", "text"],
)
def test_it_plays_a_game(tmp_path: Path, body: str) -> None:
    assert outcome_of(tmp_path, body).verdict.value == "score"


@pytest.mark.parametrize(
    ("body", "verdict", "says"),
    [
        ("return {}[self.moves]", "crash", "my_player.py, line 10: KeyError: 1"),
        ("raise SystemExit(1)", "crash", "my_player.py, line 10: SystemExit: 1"),
        ("return 'nowhere'", "bad_format", "nowhere"),
        ("return 25", "illegal_off_board", "25: the point is not on the board"),
        ("return 12", "illegal_occupied", "2,2: the point is occupied"),
    ],
    ids=["crash", "exit", "format", "off the board", "occupied"],
)
def test_its_faults_are_forfeits(tmp_path: Path, body: str, verdict: str, says: str) -> None:
    outcome = outcome_of(tmp_path, body)
    assert outcome.verdict.value == verdict
    assert says in outcome.reason


def test_it_is_cut_off_when_its_time_is_up(tmp_path: Path) -> None:
    body = """
        while True:
            try:
                helper.first(position)
            except Exception:
                pass"""
    outcome = outcome_of(tmp_path, body, limits=Limits(cpu_seconds=0.2))
    assert (outcome.verdict.value, outcome.reason) == ("cpu_time", "it used more than 0.2 s of CPU time")


def test_a_clock_for_the_game_holds(tmp_path: Path) -> None:
    # 0.15 s for each move.
    body = "while helper.time.thread_time() < helper.START + 0.15 * self.moves: pass"
    body += "\n        return helper.first(position)"
    outcome = outcome_of(tmp_path, body, limits=Limits(cpu_seconds=0.4, game_seconds=0.4))
    assert outcome.verdict.value == "cpu_time"


def test_each_has_its_own_helpers(tmp_path: Path) -> None:
    chairs = {}
    for name, move in (("a", "0,0"), ("b", "1,1")):
        folder = python_agent(tmp_path / name, HEAD + "        import late\n        return late.MOVE\n", "my_player.py")
        (folder / "helper.py").write_text("")
        (folder / "late.py").write_text(f"MOVE = {move!r}\n")
        chairs[name] = Chair(name, parse_entrant(f"object:{folder}").prepare(tmp_path / f"built-{name}", Supervisor()))
    with GamesJob(edition_rules(), Limits(), None, chairs).open() as play:
        record = play(Fixture(1, "a", "b", 1)).record
    assert [record.start.move_name(move) for move in record.moves] == ["0,0", "1,1"]
    assert not {"helper", "late"} & sys.modules.keys()


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("class Other: pass", "MyPlayer cannot be made: AttributeError"),
        ("class MyPlayer: pass", "no method choose"),
        ("exit()", "MyPlayer cannot be made: my_player.py, line 1: SystemExit"),
    ],
)
def test_what_is_not_such_a_class(tmp_path: Path, source: str, says: str) -> None:
    entrant = parse_entrant(f"object:{python_agent(tmp_path / 'agent', source, 'my_player.py')}")
    with pytest.raises(UsageError, match=says):
        entrant.prepare(tmp_path / "built", Supervisor())


def test_a_capsule_of_somebody_else_does_not_run_it(tmp_path: Path) -> None:
    source = f"open({str(tmp_path / 'ran')!r}, 'w')\n{HEAD}        pass\n"
    agent = f"object:{python_agent(tmp_path / 'agent', source, 'my_player.py')}"
    record = GameRecord("agent", "random", Position.initial())
    capsule = Capsule(agent, "", "", record, 1, "", {}, Limits(), "L0", Verdict.CRASH, "", "", 1, 0.0, 0.0)
    with pytest.raises(UsageError, match="which nothing confines: give it with --agent if you trust it"):
        replay_capsule(capsule, Supervisor())
    assert not (tmp_path / "ran").exists()
