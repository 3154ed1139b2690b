"""An agent's moves in given positions: `littlego.testing`, and decks of drills."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from littlego.core.errors import UsageError
from littlego.core.position import Position
from littlego.course.testing import answers
from littlego.review.drills import Deck, make_deck
from littlego.review.regret import regret_of
from littlego.sandbox.client import Supervisor
from littlego.sandbox.limits import Limits
from littlego.solve.oracle import Oracle
from littlego.testing import Agent
from tests.arena.agents import python_agent
from tests.review.games import logged_game

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


AGENT = """
import json
known = json.load(open("known.json"))
open("output.txt", "w").write(known[open("input.txt").read()])
"""


@pytest.fixture(scope="module")
def deck() -> Deck:
    oracle = Oracle(memory=1 << 24)
    records = [logged_game(number) for number in (60, 80)]
    deck, _ = make_deck(records, regret_of(records, "random", oracle, search_left=9), oracle, most_left=9)
    assert len(deck) >= 2
    return deck


def agent(folder: Path, known: dict[str, str]) -> Path:
    folder.mkdir()
    (folder / "my_player3.py").write_text(AGENT)
    (folder / "known.json").write_text(json.dumps(known))
    return folder


def test_any_move_that_keeps_the_win_is_right(deck: Deck, tmp_path: Path) -> None:
    name = deck.drills[0].position.move_name
    right = agent(tmp_path / "right", {drill.input: name(drill.accepted[-1]) for drill in deck.drills})
    wrong = agent(tmp_path / "wrong", {drill.input: name(drill.played or 0) for drill in deck.drills})
    silent = agent(tmp_path / "silent", {})
    with Supervisor() as supervisor:
        given = {
            folder.name: list(answers(deck, folder, supervisor, limits=Limits())) for folder in (right, wrong, silent)
        }
    assert all(answer.right for answer in given["right"])
    assert not any(answer.right or answer.fault for answer in given["wrong"])
    assert all(answer.fault.startswith("crash") and answer.move is None for answer in given["silent"])
    assert json.loads(json.dumps(given["wrong"][0].to_dict()))["accepted"]


def test_an_empty_deck_checks_nothing(tmp_path: Path) -> None:
    with Supervisor() as supervisor, pytest.raises(UsageError, match="no drills"):
        list(answers(Deck(()), tmp_path, supervisor, limits=Limits()))
