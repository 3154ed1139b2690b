"""A clock for all moves of a game: what is left after each, and a program that runs out of it."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from littlego.arena.games import Chair, Fixture, GamesJob
from littlego.arena.participants import BuiltIn
from littlego.core.rules import edition_rules
from littlego.course.seats import parse_entrant
from littlego.sandbox.client import Supervisor
from littlego.sandbox.limits import Limits
from tests.arena.agents import GOOD, python_agent


def test_what_is_left_on_the_clock() -> None:
    limits = Limits(cpu_seconds=4, game_seconds=10, increment_seconds=1)
    assert limits.for_next_move([]).cpu_seconds == 4, "no move may take more than its own limit"
    assert limits.for_next_move([4, 4]).cpu_seconds == 4
    assert limits.for_next_move([4, 4, 3]).cpu_seconds == 2
    assert 0 < limits.for_next_move([4, 4, 4, 4]).cpu_seconds < 0.01
    assert Limits().for_next_move([100]) == Limits(), "there is no clock unless one is set"
    assert "game_seconds" not in Limits().as_dict()


@pytest.mark.process
def test_a_program_runs_out_of_time(tmp_path: Path) -> None:
    burning = "import time\nwhile time.process_time() < 0.4: pass\n"
    agent = parse_entrant(str(python_agent(tmp_path / "agent", burning + textwrap.dedent(GOOD))))
    with Supervisor() as supervisor:
        prepared = agent.prepare(tmp_path / "built", supervisor)
    chairs = {"me": Chair("me", prepared), "greedy": Chair("greedy", BuiltIn("greedy"))}
    limits = Limits(cpu_seconds=5, game_seconds=1.0, increment_seconds=0.01)
    with GamesJob(edition_rules(), limits, None, chairs).open() as play:
        result = play(Fixture(1, "me", "greedy", 1))
    outcome = result.record.outcome
    assert outcome is not None
    assert outcome.verdict.value == "cpu_time"
    assert outcome.reason.endswith("a program has 1 s for a game and 0.01 s more for every move")
    assert len(result.cpu_seconds["black"]) in (2, 3), "each move was within its own limit"
    assert result.capsule is not None
    assert result.capsule["limits"]["cpu_seconds"] < 1, "replayed with what was left"
