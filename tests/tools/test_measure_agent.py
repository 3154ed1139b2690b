"""What is said of the submission is counted by a source that shares no code with it: the oracle and the rules."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import measure_agent
from littlego.core.position import Position
from littlego.core.rules import Rules, edition_rules
from littlego.course.starter import export_agent
from littlego.players.exact import shared_oracle
from tests.helpers import random_game


@pytest.mark.process
@pytest.mark.slow
def test_a_start_in_mid_game_is_judged_by_the_oracle(tmp_path: Path) -> None:
    export_agent(tmp_path, force=True)
    position = next(
        position
        for seed in range(100)
        for position, _ in random_game(edition_rules(), seed)
        if position.plies_left == 8
        and position.board.black.bit_count() == position.board.white.bit_count() == 8  # no capture: it can count
        and shared_oracle().value(position) is position.to_move
        and len(shared_oracle().winning_moves(position)) < len(position.legal_moves())
    )
    found = measure_agent.answered(position, tmp_path, sys.executable)
    assert found["seconds"] > 0
    assert (found["won"], found["kept"], found["counted_right"]) == (True, True, True)


def test_strange_openings_are_legal_and_differ() -> None:
    openings = measure_agent.strange_openings()
    assert len(set(openings)) == measure_agent.STRANGE_OPENINGS
    for opening in openings:
        position = Position.initial()
        for move in opening:
            position = position.play(move)
        assert position.moves_played == measure_agent.STRANGE_MOVES


def test_with_white_against_one_opponent(capsys: pytest.CaptureFixture[str]) -> None:
    measure_agent.main(["white", "--games", "2", "--only", "random"])
    found = json.loads(capsys.readouterr().out)
    assert [row["opponent"] for row in found["rows"]] == ["random"]
    assert found["rows"][0]["won"] == found["rows"][0]["distinct"] <= 2


@pytest.mark.process
@pytest.mark.exhaustive
def test_the_champion_can_be_beaten_and_seldom_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A submission that is exact gets full points in stage 2; weaker players do not win by the same faults."""
    monkeypatch.setattr(measure_agent, "STAGE_2_EDITIONS", ("2025",))
    monkeypatch.setattr(measure_agent, "STAGE_2_SEEDS", (4,))
    monkeypatch.setattr(measure_agent, "RIVALS", ("learner", "alpha-beta 4, groups"))
    measure_agent.main(["champion", "--games", "3", "--out", str(tmp_path)])
    found = json.loads(capsys.readouterr().out)
    thrown, won = (sum(row[key] for row in found["errors"]) for key in ("thrown", "won"))
    assert 0.01 <= thrown / won <= 0.04
    assert [(row["opponent"], row["colour"]) for row in found["rows"]] == [
        (name, colour) for name in ("learner", "alpha-beta 4, groups") for colour in ("black", "white")
    ]
    assert sum(row["lost"] for row in found["rows"]) <= sum(row["games"] for row in found["rows"]) // 10
    [stage_2] = found["stage_2"]
    assert stage_2["champion"]["games"] == 20
    assert stage_2["champion"]["wins"] >= 18
    assert stage_2["points"] == 10


def short_on_7x7(edition: str, size: int) -> Rules:
    """On 7x7 it thinks for a second and more a move."""
    rules = edition_rules(edition, size)
    return replace(rules, max_moves=6) if size == 7 else rules


@pytest.mark.process
@pytest.mark.slow
def test_the_class_and_the_program_against_one_opponent(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure_agent, "COURSE_TIMES", 1)
    monkeypatch.setattr(measure_agent, "edition_rules", short_on_7x7)
    options = ["--games", "1", "--only", "random", "--python", sys.executable, "--out", str(tmp_path)]
    measure_agent.main(["referee", *options])
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [(row["colour"], row["wins"], row["games"]) for row in rows] == [("black", 1, 1), ("white", 1, 1)]
    measure_agent.main(["class", *options])
    found = json.loads(capsys.readouterr().out)
    assert [table["size"] for table in found["tables"]] == [5, 7]
    assert all(row["games"] == 1 for table in found["tables"] for row in table["rows"])
    assert all(row["wins"] == 1 for row in found["tables"][0]["rows"])
    assert [(row["opponent"], row["wins"], row["games"]) for row in found["course"]] == [("random", 2, 2)]
