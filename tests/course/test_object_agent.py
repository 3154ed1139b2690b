"""Agents that are Python objects in our own process: `choose(position)`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from littlego.arena.games import Capsule, Chair, Fixture, GamesJob
from littlego.arena.participants import BuiltIn
from littlego.core.errors import UsageError
from littlego.core.game import GameRecord
from littlego.core.position import Position
from littlego.core.rules import Outcome, Verdict, edition_rules
from littlego.course.replay import replay_capsule
from littlego.course.seats import parse_entrant
from littlego.sandbox.client import Supervisor
from littlego.sandbox.limits import Limits
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
        "import numpy; move = helper.first(position); return numpy.int64(move) if isinstance(move, int) else move",
    ],
    ids=["a point", "row and column", "text", "an integer of NumPy"],
)
def test_it_plays_a_game(tmp_path: Path, body: str) -> None:
    assert outcome_of(tmp_path, body).verdict.value == "score"


@pytest.mark.parametrize(
    ("body", "verdict", "says"),
    [
        ("return {}[self.moves]", "crash", "my_player.py, line 10: KeyError: 1"),
        ("raise SystemExit(1)", "crash", "my_player.py, line 10: SystemExit: 1"),
        ("position.play(12).play(12)", "crash", "my_player.py, line 10: IllegalMove: 2,2: the point is occupied"),
        ("return 'nowhere'", "bad_format", "nowhere"),
        ("return 25", "illegal_off_board", "25: the point is not on the board"),
        ("return 12", "illegal_occupied", "2,2: the point is occupied"),
    ],
    ids=["crash", "exit", "an illegal move in its head", "format", "off the board", "occupied"],
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
    capsule = Capsule(agent, "", "", record, 1, "", {}, Limits(), "portable", Verdict.CRASH, "", "", 1, 0.0, 0.0)
    with pytest.raises(UsageError, match="which nothing confines: give it with --agent if you trust it"):
        replay_capsule(capsule, Supervisor())
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("kind", ["class", "object"])
@pytest.mark.parametrize("given", ["we:ird", "we:ird/my_player.py", "we:ird/my_player.py:MyPlayer", "we:ird:MyPlayer"])
def test_a_path_may_have_a_colon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, given: str) -> None:
    """Every stored spelling is an absolute path, which on Windows has one."""
    monkeypatch.chdir(tmp_path)
    python_agent(Path("we:ird"), HEAD, "my_player.py")
    spelling = parse_entrant(f"{kind}:{given}").spelling
    assert spelling == f"{kind}:{tmp_path / 'we:ird' / 'my_player.py'}:MyPlayer"
    assert parse_entrant(spelling).spelling == spelling
