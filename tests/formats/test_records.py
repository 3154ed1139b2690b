from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from littlego.core.errors import FormatError
from littlego.core.game import GameRecord
from littlego.core.points import PASS
from littlego.core.position import Position
from littlego.formats.records import parse_record, write_record

RECORD = GameRecord("greedy", "random", Position.initial(), (12, PASS), (0.5, 0.25), seed=7)


def test_a_record_reads_as_it_always_has(golden: Callable[[str, str], None]) -> None:
    """The golden file is schema 1: if it must change, so must the number."""
    golden("record.json", write_record(RECORD))


def changed(change: Callable[[dict[str, Any]], object]) -> str:
    data = json.loads(write_record(RECORD))
    change(data)
    return json.dumps(data)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.update(schema=2), "game.json: schema: expected 1, got 2; a newer littlego may read it"),
        (lambda d: d.pop("moves"), "game.json: moves: missing"),
        (lambda d: d.update(moves=["2,2", "2,2"]), "game.json: moves[1]: 2,2: the point is occupied"),
        (lambda d: d.update(moves=["9,9"]), "game.json: moves[0]: 9,9 is not on a 5x5 board"),
        (lambda d: d.update(moves=[3]), "game.json: moves[0]: expected text such as '2,3', got 3"),
        (lambda d: d.update(seconds=[1.0]), "game.json: seconds: expected one per move or none, got 1"),
        (lambda d: d.update(seconds=["x", 1]), "game.json: seconds: expected numbers"),
        (lambda d: d.update(black=None), "game.json: black: missing"),
        (lambda d: d.update(black=True), "game.json: black: expected text, got True"),
        (lambda d: d["start"].update(passes=True), "game.json: start: passes: expected a whole number, got True"),
        (lambda d: d.update(seed="x"), "game.json: seed: expected a whole number, got 'x'"),
        (lambda d: d["rules"].update(size=99), "game.json: rules: board size 99: expected 2 to 19"),
        (lambda d: d["rules"].update(ko="super"), "game.json: rules: ko: expected one of simple, positional"),
        (lambda d: d["start"].update(to_move="red"), "game.json: start: to_move: expected 'black' or 'white'"),
        (lambda d: d["start"].update(board=["0"]), "game.json: start: board: expected 5 rows of digits"),
        (lambda d: d["start"]["board"].__setitem__(0, "0000x"), "game.json: start: board: row 0: column 5"),
        (lambda d: d.update(final=["00000"] * 5), "game.json: final: the moves lead to another board"),
        (lambda d: d.update(rules=[]), "game.json: rules: expected a table, got []"),
        (
            lambda data: data["start"].update(moves_played=-100),
            "start: moves_played: expected 0 to 24",
        ),
        (
            lambda data: data["start"].update(moves_played=25),
            "start: moves_played: expected 0 to 24",
        ),
        (lambda data: data["start"].update(passes=5), "start: passes: expected 0 to 2, got 5"),
        (
            lambda data: data["start"].update(board=["10000", *["00000"] * 4], ko="0,0"),
            "start: ko: expected an empty point, got 0,0, where a stone is",
        ),
    ],
)
def test_a_bad_field_is_named(change: Callable[[dict[str, Any]], object], message: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse_record(changed(change), source="game.json")
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", "[1]", "null", "[" * 100_000])
def test_what_is_not_a_record_is_refused(text: str) -> None:
    with pytest.raises(FormatError):
        parse_record(text)


def test_a_false_score_is_refused() -> None:
    over = replace(RECORD, moves=(PASS, PASS))
    text = write_record(replace(over, outcome=over.final().outcome()))
    assert parse_record(text).outcome is not None
    data = json.loads(text)
    data["outcome"]["score"]["black"] = 1.0
    with pytest.raises(FormatError, match=r"score: expected 0-2\.5, got 1-2\.5"):
        parse_record(json.dumps(data))
