"""The analysis call against minimax, its errors, and whatever else may come in."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from littlego.core.board import BLACK
from littlego.core.points import PASS, parse_vertex, vertex_name
from littlego.core.position import Position
from littlego.review.analysis import AnalysisEngine
from littlego.review.values import Value
from littlego.solve.oracle import Oracle
from tests.review.games import SHORT, short_game, twin_margin, twin_value

EMPTY = {"id": "q", "moves": [], "boardXSize": 3, "boardYSize": 3, "maxMoves": 7, "komi": 1.5}
WINRATE = {Value.BLACK: 1.0, Value.WHITE: 0.0, Value.TIE: 0.5}


@pytest.fixture(scope="module")
def analyst(oracle: Oracle) -> AnalysisEngine:
    return AnalysisEngine(oracle, seconds=None)


def ask(analyst: AnalysisEngine, **fields: Any) -> list[dict[str, Any]]:
    return [json.loads(json.dumps(answer)) for answer in analyst.answer_line(json.dumps({**EMPTY, **fields}))]


def as_moves(position: Position, moves: tuple[Any, ...]) -> list[list[str]]:
    colours = "BW" if position.to_move is BLACK else "WB"
    return [[colours[k % 2], vertex_name(move, position.size)] for k, move in enumerate(moves)]


def test_every_turn_has_the_values_of_minimax(analyst: AnalysisEngine) -> None:
    record = short_game(2)
    positions = list(record.positions())
    answers = ask(analyst, moves=as_moves(record.start, record.moves), analyzeTurns=list(range(len(positions))))
    assert [answer["turnNumber"] for answer in answers] == list(range(len(positions)))
    for answer, position in zip(answers, positions, strict=True):
        assert answer["id"] == "q"
        assert answer["exact"] is True
        assert answer["isDuringSearch"] is False
        root = answer["rootInfo"]
        assert root["winrate"] == WINRATE[twin_value(position)]
        assert root["scoreLead"] == twin_margin(position) - 1.5
        assert root["currentPlayer"] == ("B" if position.to_move is BLACK else "W")
        infos = answer["moveInfos"]
        assert [info["order"] for info in infos] == list(range(len(infos)))
        named = {parse_vertex(info["move"], 3): info for info in infos}
        assert set(named) == (set(position.legal_moves()) if position.outcome() is None else set())
        for move, info in named.items():
            after = position.play(move)
            assert info["winrate"] == WINRATE[twin_value(after)]
            assert info["scoreLead"] == twin_margin(after) - 1.5
            assert info["pv"][0] == info["move"]
            line = position
            for text in info["pv"]:
                line = line.play(parse_vertex(text, 3))
            assert twin_value(line) is twin_value(after)
        ranks = [twin_value(position.play(parse_vertex(i["move"], 3))).rank(position.to_move) for i in infos]
        assert ranks == sorted(ranks, reverse=True)


def test_a_position_may_be_set_up(analyst: AnalysisEngine) -> None:
    (answer,) = ask(analyst, initialStones=[["B", "B2"], ["W", "A1"]], initialPlayer="w", maxMoves=6)
    assert answer["rootInfo"]["currentPlayer"] == "W"
    assert len(answer["moveInfos"]) == 8


def test_out_of_time_is_reported_not_guessed() -> None:
    analyst = AnalysisEngine(Oracle(memory=1 << 24, use_atlas=False), seconds=0)
    (answer,) = ask(analyst, boardXSize=5, boardYSize=5, komi=2.5, maxMoves=24)
    assert answer["exact"] is False
    *others, known = answer["moveInfos"]
    assert (known["move"], known["winrate"], known["exact"]) == ("pass", 0.0, True), "White would pass as well"
    assert {(info["winrate"], info["exact"]) for info in others} == {(0.5, False)}
    assert (answer["rootInfo"]["scoreLead"], answer["rootInfo"]["exactLead"]) == (0.0, False)
    assert (known["scoreLead"], known["exactLead"]) == (-0.5, False), "White wins by half a point at least"
    (late,) = ask(AnalysisEngine(Oracle(memory=1 << 27), seconds=0), boardXSize=5, boardYSize=5, komi=2.5, maxMoves=24)
    assert late["rootInfo"] == {**late["rootInfo"], "winrate": 1.0, "exact": True}


def test_what_is_not_used_is_warned_of(analyst: AnalysisEngine) -> None:
    *warnings, answer = ask(analyst, maxVisits=100, overrideSettings={"maxTime": 60, "wideRootNoise": 1}, maxMoves=3)
    assert [warning["field"] for warning in warnings] == ["maxVisits", "overrideSettings.wideRootNoise"]
    assert all(warning["id"] == "q" and "not used" in warning["warning"] for warning in warnings)
    assert answer["exact"] is True


@pytest.mark.parametrize("rules", ["japanese", "Tromp-Taylor", {"scoring": "AREA"}])
def test_rules_that_katrain_sends_are_ours_with_a_warning(analyst: AnalysisEngine, rules: object) -> None:
    warning, answer = ask(analyst, rules=rules, maxMoves=3)
    assert (warning["field"], "Little-Go" in warning["warning"]) == ("rules", True)
    (plain,) = ask(analyst, maxMoves=3)
    for info in (*answer["moveInfos"], *plain["moveInfos"]):
        del info["visits"]  # what the first question has found, the second need not search
    assert answer["moveInfos"] == plain["moveInfos"]


def test_actions_of_katrain_are_answered(analyst: AnalysisEngine) -> None:
    (ended,) = analyst.answer({"id": "t", "action": "terminate", "terminateId": "q", "extra": 1})
    assert ended == {"id": "t", "action": "terminate", "terminateId": "q"}
    (cleared,) = analyst.answer({"id": "c", "action": "clear_cache"})
    assert cleared == {"id": "c", "action": "clear_cache"}
    (models,) = analyst.answer({"id": "m", "action": "query_models"})
    assert [model["name"] for model in models["models"]] == ["littlego"]


@pytest.mark.parametrize(
    ("fields", "field", "says"),
    [
        ({"id": 7}, "id", "expected a text"),
        ({"boardXSize": 4}, "boardYSize", "square"),
        ({"boardXSize": 1, "boardYSize": 1}, "boardXSize", "expected 2 to 19"),
        ({"boardXSize": 7, "boardYSize": 7}, "boardXSize", "too large to solve"),
        ({"rules": "chess"}, "rules", "only Little-Go is solved"),
        ({"rules": "2019"}, "rules", "depends on the whole history"),
        ({"komi": 1.3}, "komi", "multiple of 0.5"),
        ({"komi": "much"}, "komi", "expected a number"),
        ({"moves": "B C3"}, "moves", "expected a list"),
        ({"moves": [["B"]]}, "moves", "0: expected a pair"),
        ({"moves": [["B", "Z9"]]}, "moves", "expected a point"),
        ({"moves": [["X", "A1"]]}, "moves", "expected 'B' or 'W'"),
        ({"moves": [["B", "A1"], ["B", "A2"]]}, "moves", "move 1: White is to move"),
        ({"moves": [["B", "A1"], ["W", "A1"]]}, "moves", "move 1: the point is occupied"),
        ({"moves": [["B", "pass"], ["W", "pass"], ["B", "A1"]]}, "moves", "the game is over"),
        ({"analyzeTurns": [1]}, "analyzeTurns", "no turn 1: expected 0 to 0"),
        ({"analyzeTurns": "all"}, "analyzeTurns", "expected a list"),
        ({"initialStones": [["B", "pass"]]}, "initialStones", "expected a point, got a pass"),
        ({"initialStones": [["B", "A1"], ["W", "A1"]]}, "initialStones", "overlap"),
        ({"maxTime": -1}, "maxTime", "expected seconds"),
        ({"maxMoves": 99}, "boardXSize", "at most 31"),
        ({"action": "dance"}, "action", "no such action"),
    ],
)
def test_errors_name_the_field(analyst: AnalysisEngine, fields: dict[str, Any], field: str, says: str) -> None:
    (answer,) = ask(analyst, **fields)
    assert answer["field"] == field
    assert says in answer["error"]
    assert answer.get("id") == (None if field == "id" else "q")


def test_lines_that_are_no_question(analyst: AnalysisEngine) -> None:
    for line in ("{", "[1]", "3", "[" * 5000):
        (answer,) = analyst.answer_line(line)
        assert "error" in answer
    (version,) = analyst.answer({"id": "v", "action": "query_version"})
    assert version["version"].startswith("littlego ")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=5) | st.just("C3"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=6,
)


@settings(max_examples=150)
@given(st.dictionaries(st.sampled_from([*EMPTY, "rules", "initialStones", "initialPlayer", "analyzeTurns", "maxTime",
                                        "overrideSettings", "action", "else"]), JSON, max_size=5))  # fmt: skip
def test_whatever_comes_in_something_sensible_comes_out(fields: dict[str, Any]) -> None:
    analyst = AnalysisEngine(ORACLE, seconds=0)
    data = {**EMPTY, **fields}
    if isinstance(data.get("maxTime"), int | float):
        data["maxTime"] = 0
    for answer in analyst.answer(data):
        assert {"error", "warning", "turnNumber", "version"} & set(answer)
        json.dumps(answer)


ORACLE = Oracle(memory=1 << 22, use_atlas=False)


def test_a_pass_is_a_move_like_others(analyst: AnalysisEngine) -> None:
    (answer,) = ask(analyst, moves=[["B", "B2"], ["W", "pass"]])
    assert "pass" in [info["move"] for info in answer["moveInfos"]]
    ended = ask(analyst, moves=[["B", "pass"], ["W", "pass"]])
    assert ended[0]["moveInfos"] == []
    assert ended[0]["rootInfo"]["winrate"] == WINRATE[twin_value(Position.initial(SHORT).play(PASS).play(PASS))]
