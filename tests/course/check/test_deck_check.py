"""A deck put to agents: one that keeps the win, one that does not, one that fails."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from littlego.core.errors import UsageError
from littlego.course.check.deck_check import answers
from littlego.review.drills import Deck, make_deck
from littlego.review.regret import regret_of
from littlego.sandbox.client import Supervisor
from littlego.sandbox.limits import Limits
from littlego.solve.oracle import Oracle
from tests.review.games import logged_game

pytestmark = pytest.mark.process

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
