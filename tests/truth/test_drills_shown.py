"""Drills at the terminal: the answers that are taken and the moves that are named, against plain minimax."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from littlego.apps.cli.main import run
from littlego.review.drills import Deck, make_deck
from littlego.review.regret import regret_of
from littlego.solve.oracle import Oracle
from tests.truth.reference import good_moves, rank, small_games, value, values_of_moves

GAMES = small_games()


@pytest.fixture(scope="module")
def deck() -> Deck:
    oracle = Oracle(memory=1 << 24)
    drills = Deck(())
    for player in ("ann", "bob"):
        made, _ = make_deck(GAMES, regret_of(GAMES, player, oracle), oracle)
        drills = drills.merged(made)
    return drills


def test_accepted_are_the_winning_moves_all_and_only(deck: Deck) -> None:
    assert len(deck) > 10
    for drill in deck.drills:
        position = drill.position
        assert rank(position, value(position)) == 2
        assert tuple(position.move_name(move) for move in drill.accepted) == good_moves(position)
        if drill.played is not None:
            assert position.move_name(drill.played) not in good_moves(position)


def test_every_thrown_win_is_a_drill(deck: Deck) -> None:
    thrown = set()
    for record in GAMES:
        for position, move in zip(record.positions(), record.moves, strict=False):
            mine = rank(position, value(position))
            if mine == 2 and rank(position, values_of_moves(position)[position.move_name(move)]) < 2:
                thrown.add(position.canonical()[0])
    assert {drill.position.canonical()[0] for drill in deck.drills} == thrown


def practised(path: Path, answers: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    typed = iter(answers)
    monkeypatch.setattr("builtins.input", lambda _prompt: next(typed))
    monkeypatch.setattr(sys, "argv", ["littlego", "drill", "play", str(path), "--rounds", str(len(answers))])
    with pytest.raises(SystemExit):
        run()


def test_the_words_for_answers(
    deck: Deck, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every move of six drills, each alone in a deck: right or wrong, and what else is named."""
    ties = 0
    for number, drill in enumerate(deck.drills[:6]):
        position = drill.position
        values, good = values_of_moves(position), set(good_moves(position))
        for name, after in values.items():
            path = tmp_path / f"{number}-{name}.json"
            Deck((drill,)).write(path)
            capsys.readouterr()
            practised(path, [name], monkeypatch)
            said = capsys.readouterr().out
            if name in good:
                line = re.search(r"^Right: it keeps the win\.(?: Also: (.*))?$", said, re.M)
                assert line is not None, said
                assert set((line[1] or "").split()) == good - {name}
                assert "Solved 1 of 1." in said
            else:
                ties += after == "tie"
                line = re.search(r"^No: that gives the win away\. Winning: (.*)$", said, re.M)
                assert line is not None, said
                assert set(line[1].split()) == good
                assert "Solved 0 of 1." in said
    assert ties, "a move that ties does not lose"


def test_what_was_missed_comes_back_until_it_is_solved(
    deck: Deck, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    drill = deck.drills[0]
    path = tmp_path / "one.json"
    Deck((drill,)).write(path)
    right = drill.position.move_name(drill.accepted[0])
    practised(path, ["?", "?", right, "never asked"], monkeypatch)
    said = capsys.readouterr().out
    assert said.count("Find a move that keeps the win.") == 3
    assert "Solved 1 of 3." in said
