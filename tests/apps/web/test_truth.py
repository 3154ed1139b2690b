"""Two hundred different positions asked of one server: every value is the oracle's, or that of the rules alone."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from check_values import Game, OutsideSolver, built
from littlego.core.board import Board
from littlego.core.game import GameRecord
from littlego.core.points import parse_move, symmetries
from littlego.core.position import Position
from littlego.core.rules import Rules, edition_rules
from littlego.formats.records import write_record
from tests.apps.web.serving import ok, until
from tests.apps.web.truth import is_settled, random_line, winner, winners
from tests.truth.reference import a_game

pytestmark = [pytest.mark.process, pytest.mark.slow, pytest.mark.xdist_group("truth")]

SOLVED_FROM = 12
"""From this ply on every value is worked out in a moment; before it, what is known must be true."""
LINES = [random_line(100 * ply + number, ply) for ply in range(24) for number in range(1 if ply == 0 else 9)]
SMALL = [
    Rules(size=3, komi=1.0, max_moves=6),
    Rules(size=3, komi=0.5, max_moves=8),
    Rules(size=4, komi=2.0, max_moves=9),
    Rules(size=2, komi=0.0, max_moves=5),
]
"""Other boards, komis and lengths; with whole komis there are ties."""
OUTSIDE = [
    "1,2 2,4 3,1 1,0 0,2 0,1 2,2 1,1 4,1 3,0 2,1 3,4 4,4 0,4 PASS",
    "1,0 4,4 0,0 3,4 2,2 1,4 2,4 PASS 3,3 3,2 1,3 PASS 3,1 2,3",
    "1,1 3,0 1,2 4,2 0,3 3,2 1,0 4,4 1,4 4,0 0,0 3,4 2,4",
]
"""Games with 9, 10 and 11 plies left: after a pass, in ko, and neither."""


def played(moves: list[str], rules: Rules | None = None) -> Position:
    position = Position.initial(rules)
    for move in moves:
        position = position.play(parse_move(move, position.size))
    return position


def settled(arena: TestClient, body: dict[str, Any]) -> dict[str, Any]:
    """The answer once every move has its value, and its lead if that is asked for."""
    return until(
        lambda: dict(ok(arena.post("/api/values", json=body))),
        lambda answer: not answer["missing"] and not answer["leads_missing"],
    )


@pytest.mark.parametrize("rules", [*SMALL, edition_rules("2025")], ids=str)
def test_values_along_a_game(arena: TestClient, rules: Rules) -> None:
    """Those of the bars beside boards that are watched."""
    record = a_game(5, rules)
    game = ok(arena.post("/api/games/import", json={"text": write_record(record)}))["id"]
    positions = list(record.positions())
    late = [k for k, position in enumerate(positions) if position.plies_left <= SOLVED_FROM]
    shown = until(
        lambda: ok(arena.get(f"/api/games/{game}/values"))["values"], lambda values: all(values[k] for k in late)
    )
    assert len(shown) == len(positions)
    assert [shown[k] for k in late] == [winner(positions[k]) for k in late]
    for value, position in zip(shown, positions, strict=True):
        assert value is None or not is_settled(position) or value == winner(position)


def check(answer: dict[str, Any], position: Position) -> None:
    """Every value is true, every move is there once, and the words count them."""
    legal = {position.move_name(move) for move in position.legal_moves()}
    assert set(answer["values"]) | set(answer["missing"]) == legal
    assert not set(answer["values"]) & set(answer["missing"])
    mover = position.to_move.name.lower()
    assert answer["to_move"] == mover
    for move, value in answer["values"].items():
        assert value == winner(position.play(parse_move(move, position.size))), (move, position)
    wins = list(answer["values"].values()).count(mover)
    if answer["missing"]:
        assert answer["words"].startswith(f"{len(answer['values'])} of {len(legal)} moves known")
    elif wins:
        assert answer["words"].startswith(f"{wins} of {len(legal)} move")
    if not answer["missing"] or wins:
        assert answer["value"] == winner(position)


def test_two_hundred_positions(arena: TestClient) -> None:
    assert len({played(line).key() for line in LINES}) > 200
    for line in LINES:
        position = played(line)
        body = {"moves": line}
        check(ok(arena.post("/api/values", json=body)), position)
        if len(line) >= SOLVED_FROM:
            answer = settled(arena, body)
            check(answer, position)
            assert answer["values"] == winners(position)


def test_every_first_move(arena: TestClient) -> None:
    for move in Position.initial().legal_moves():
        line = [Position.initial().move_name(move)]
        check(ok(arena.post("/api/values", json={"moves": line})), played(line))


@pytest.mark.parametrize("rules", SMALL, ids=lambda rules: f"{rules.size}x{rules.size} komi {rules.komi}")
def test_other_rules(arena: TestClient, rules: Rules) -> None:
    for ply in range(rules.max_moves):
        for number in range(3):
            line = random_line(number, ply, rules)
            position = played(line, rules)
            body = {"size": rules.size, "komi": rules.komi, "max_moves": rules.max_moves, "moves": line}
            answer = settled(arena, body)
            check(answer, position)
            assert answer["values"] == winners(position)


@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ here")
def test_values_and_leads_of_another_solver(arena: TestClient, tmp_path: Path) -> None:
    """One that shares no code with ours: with more plies left than trying everything can take."""
    with OutsideSolver(built(tmp_path), mebibytes=32) as outside:
        for line in OUTSIDE:
            game = Game(tuple(line.split()))
            expected = outside.ask(game, "margins")["moves"]
            answer = settled(arena, {"moves": line.split(), "leads": True})
            sign = 1 if game.to_move == "Black" else -1
            assert answer["values"] == {move: winner.lower() for move, (winner, _) in expected.items()}
            assert answer["leads"] == {move: sign * (margin - 2.5) for move, (_, margin) in expected.items()}


def test_all_eight_images_of_a_position(arena: TestClient) -> None:
    """They share the work, each has its own key, and each gets its own moves back."""
    line = random_line(7, 13)
    position = played(line)
    keys = set()
    for symmetry in symmetries(5):
        image = [position.move_name(symmetry.move(parse_move(move, 5))) for move in line]
        answer = settled(arena, {"moves": image})
        assert answer["values"] == winners(played(image))
        keys.add(answer["key"])
    assert len(keys) == 8


def test_the_rules_of_a_game_are_its_own(arena: TestClient) -> None:
    """A game with stones on the board at the start, komi and length of its own: asked by its id, at every ply."""
    rules = edition_rules("2025", 4).but(komi=3.5, max_moves=9)
    start = Position.initial(rules)._replace(board=Board(4, 0b1001, 0b0110_0000))
    record = GameRecord("Ann", "Ben", start)
    position = start
    for text in ("2,2", "1,0", "PASS", "3,3"):
        move = parse_move(text, 4)
        record, position = record.then(move, 0.0), position.play(move)
    game = ok(arena.post("/api/games/import", json={"text": write_record(record)}))["id"]
    for ply, before in enumerate(record.positions()):
        answer = settled(arena, {"game": game, "ply": ply})
        assert answer["values"] == winners(before)
        assert answer["key"] == before.key()
    assert ok(arena.post("/api/values", json={"game": game}))["key"] == position.key()
