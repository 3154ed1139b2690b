"""Decks: accepted moves against minimax, symmetry, files, and the score that remembers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from littlego.core.errors import FormatError
from littlego.core.game import GameRecord
from littlego.core.points import symmetries
from littlego.formats.course import parse_input
from littlego.review.drills import Deck, make_deck, read_deck
from littlego.review.regret import regret_of
from littlego.solve.oracle import Oracle
from tests.review.games import SHORT, logged_game, short_game, twin_good, twin_value


def deck_of(records: list[GameRecord], player: str, oracle: Oracle) -> Deck:
    deck, left_out = make_deck(records, regret_of(records, player, oracle), oracle)
    assert not left_out
    return deck


@pytest.fixture(scope="module")
def deck(oracle: Oracle) -> Deck:
    return deck_of([short_game(seed) for seed in range(12)], "ann", oracle)


def test_accepted_are_all_moves_that_keep_the_win(deck: Deck) -> None:
    assert len(deck) >= 5
    for drill in deck.drills:
        position = drill.position
        assert twin_value(position).winner is position.to_move
        assert drill.accepted == twin_good(position)
        assert drill.played is not None
        assert not drill.is_right(drill.played)
        assert drill.is_right(drill.accepted[0])


def test_images_of_a_position_are_one_drill(oracle: Oracle) -> None:
    record = short_game(3)
    turned = [
        replace(record, moves=tuple(symmetry.move(move) for move in record.moves))
        for symmetry in symmetries(SHORT.size)
    ]
    once = deck_of([record], "ann", oracle)
    assert len(deck_of(turned, "ann", oracle)) == len(once) > 0
    assert {drill.id for drill in deck_of(turned[5:], "ann", oracle).drills} == {drill.id for drill in once.drills}
    assert len(once.merged(deck_of(turned, "ann", oracle))) == len(once)


def test_a_deck_survives_its_file(deck: Deck, tmp_path: Path) -> None:
    path = tmp_path / "deck.json"
    deck.write(path)
    assert read_deck(path) == deck


def test_the_input_says_what_the_position_is(oracle: Oracle) -> None:
    records = [logged_game(number) for number in (60, 80, 140)]
    regret = regret_of(records, "random", oracle, search_left=9)
    deck, _ = make_deck(records, regret, oracle, most_left=9)
    assert deck.drills
    for drill in deck.drills:
        read = parse_input(drill.input).position(drill.position.rules, moves_played=drill.position.moves_played)
        assert read._replace(passes=drill.position.passes) == drill.position


def test_what_would_take_too_long_is_left_out_and_counted(oracle: Oracle) -> None:
    records = [short_game(seed) for seed in range(12)]
    regret = regret_of(records, "ann", oracle)
    deck, left_out = make_deck(records, regret, Oracle(memory=1 << 24), most_left=0)
    assert left_out
    assert all(drill.position.plies_left <= 2 for drill in deck.drills)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"kind": "other"}, "not a deck"),
        ({"schema": 9}, "schema: expected 1, got 9"),
        ({"drills": {}}, "drills: expected a list"),
        ({"drills": [1]}, r"drills\[0\]: expected an object"),
        ({"drills": [{"accepted": ["0,0"], "record": {}}]}, "schema: missing"),
    ],
)
def test_a_file_that_is_not_a_deck_is_refused(deck: Deck, tmp_path: Path, change: dict[str, object], says: str) -> None:
    path = tmp_path / "deck.json"
    path.write_text(json.dumps({**deck.to_dict(), **change}))
    with pytest.raises(FormatError, match=says):
        read_deck(path)
    path.write_text("(;GM[1])")
    with pytest.raises(FormatError, match=r"not JSON: .*; expected a deck that 'littlego drill make' wrote"):
        read_deck(path)


@pytest.mark.parametrize(
    ("accepted", "says"),
    [(["9,9"], "not on a 3x3 board"), ([], "at least one move"), ([3], "expected text such as '2,3'")],
)
def test_accepted_moves_are_checked(deck: Deck, tmp_path: Path, accepted: list[object], says: str) -> None:
    data = deck.to_dict()
    data["drills"][0]["accepted"] = accepted
    path = tmp_path / "deck.json"
    path.write_text(json.dumps(data))
    with pytest.raises(FormatError, match=says):
        read_deck(path)
