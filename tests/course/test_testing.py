"""`littlego.testing`: what an agent must play, and how a failure reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from littlego.core.position import Position
from littlego.testing import Agent
from tests.arena.agents import python_agent

pytestmark = pytest.mark.process

KO = """
    . X O . .
    X k X O .
    . X O . .
    . . . . .
    . . . . .
"""
"""White may not retake at 1,1 at once, as Black has just captured there from 1,2."""

PLAYS = """
    lines = open("input.txt").read().split()
    before, now = lines[1:6], lines[6:]
    if now[1][1] == "0" and before[1][1] == lines[0]:
        raise SystemExit("no ko for me")
    open("output.txt", "w").write("4,4")
"""


def test_an_agent_is_asked_for_moves(tmp_path: Path) -> None:
    agent = Agent(python_agent(tmp_path / "mine", 'open("output.txt", "w").write("1,1")'))
    assert agent.move(". . .\n. . .\n. . .") == "1,1"
    agent.must_play(Position.initial(), "2,2", "1,1")
    with pytest.raises(AssertionError, match=r"it played 1,1, which it must not\nBlack \(X\) to move"):
        agent.must_not_play(Position.initial(), "1,1")
    with pytest.raises(AssertionError, match="illegal_ko: 1,1: the move would retake the ko at once"):
        agent.must_not_play(KO, "1,1", to_move="white")


def test_the_agent_sees_what_led_to_the_position(tmp_path: Path) -> None:
    folder = python_agent(tmp_path / "mine", PLAYS)
    agent = Agent(folder)
    with pytest.raises(AssertionError, match=r"crash: .*\n(.*\n)*no ko for me"):
        agent.move(KO, to_move="white")
    board = "01200\n10120\n01200\n00000\n00000"
    agent.must_play(f"2\n{board}\n{board}", "4,4")
    with pytest.raises(AssertionError, match="no ko for me"):
        agent.move(f"2\n{board.replace('10120', '12020')}\n{board}")
