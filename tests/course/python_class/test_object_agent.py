"""Agents that are Python objects in our own process: `choose(position)`."""

from __future__ import annotations

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


def outcome_of(tmp_path: Path, body: str, *, seconds: float = 10.0) -> Outcome:
    folder = python_agent(tmp_path / "agent", HEAD + f"        {body}\n", "my_player.py")
    (folder / "helper.py").write_text("def first(position):\n    return position.legal_moves()[0]\n")
    prepared = parse_entrant(f"object:{folder}").prepare(tmp_path / "built", Supervisor())
    chairs = {"me": Chair("me", prepared), "greedy": Chair("greedy", BuiltIn("greedy"))}
    with GamesJob(edition_rules(), Limits(cpu_seconds=seconds), None, chairs).open() as play:
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
    outcome = outcome_of(tmp_path, body, seconds=0.2)
    assert (outcome.verdict.value, outcome.reason) == ("cpu_time", "it used more than 0.2 s of CPU time")


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
