"""The puzzles that ship: each is checked by the submission's own search, which shares no code with the solver."""

from __future__ import annotations

import datetime
import time
from collections import Counter

import pytest
from fastapi.testclient import TestClient

from littlego.agent import my_player3 as agent
from littlego.apps.web.services.decks import difficulty, puzzle_of, shipped_deck
from littlego.core.points import Move, Pass
from littlego.core.position import Position
from littlego.core.rules import Rules
from littlego.players.strongest import framed
from littlego.review.drills import Drill
from littlego.solve.oracle import Oracle
from make_puzzles import WANTED, failures
from tests.apps.web.serving import begin, ok, refused, until
from tests.truth.reference import good_moves

DRILLS = shipped_deck().drills
CHEAP, FEASIBLE = 10, 13
"""With at most so many plies left the agent's search takes well under a second, or some minutes for all."""


def mover_wins(position: Position) -> bool:
    """Whether the side to move wins, by the agent's search."""
    mine, theirs = (position.board.stones(side) for side in (position.to_move, position.to_move.opponent))
    target = agent.TARGETS[position.to_move.value]
    if position.passes and mine.bit_count() - theirs.bit_count() >= target:
        return True
    search = agent.Search(agent.Clock(10**9, time.process_time() + 10**6))
    ko = 0 if position.ko is None else framed(1 << position.ko)
    return bool(search.wins(framed(mine), framed(theirs), ko, position.plies_left, target))


def winning_moves(position: Position) -> tuple[Move, ...]:
    return tuple(move for move in position.legal_moves() if not mover_wins(position.play(move)))


def left(drill: Drill) -> int:
    return drill.position.plies_left


def test_the_deck_is_made_by_its_rule() -> None:
    assert len(DRILLS) == len({drill.id for drill in DRILLS}) == 50
    assert Counter(drill.position.moves_played for drill in DRILLS) == WANTED
    for drill in DRILLS:
        (answer,) = drill.accepted
        position = drill.position
        theirs = position.board.stones(position.to_move.opponent)
        assert not isinstance(answer, Pass)
        assert position.play(answer).board.stones(position.to_move.opponent) == theirs, "it captures nothing"
    levels = Counter(difficulty(drill.id) for drill in DRILLS)
    assert set(levels) == {"easy", "medium", "hard"}
    assert min(levels.values()) >= 10
    hardest = DRILLS[-1]
    assert failures(hardest.position, hardest.accepted[0], ("alphabeta",)) == 8, "in every image"


@pytest.mark.parametrize("plies", range(2, CHEAP + 1))
def test_one_move_wins_and_no_other(plies: int) -> None:
    drills = [drill for drill in DRILLS if left(drill) == plies]
    assert drills
    for drill in drills:
        assert winning_moves(drill.position) == drill.accepted


@pytest.mark.exhaustive
@pytest.mark.parametrize("drill", [one for one in DRILLS if CHEAP < left(one) <= FEASIBLE], ids=left)
def test_one_move_wins_and_no_other_earlier(drill: Drill) -> None:
    assert winning_moves(drill.position) == drill.accepted


@pytest.mark.exhaustive
@pytest.mark.parametrize("drill", [one for one in DRILLS if FEASIBLE < left(one) < 24], ids=left)
def test_one_move_wins_and_no_other_in_the_opening(drill: Drill) -> None:
    """Too early for a search in plain Python: the solver, without what ships, has the only word."""
    assert Oracle(memory=1 << 29, use_atlas=False).winning_moves(drill.position) == drill.accepted


def test_every_puzzle_has_its_day() -> None:
    first = datetime.date(2026, 2, 20)
    days = [first + datetime.timedelta(days=k) for k in range(100)]
    ids = [puzzle_of(day).id for day in days]
    assert ids[:50] == ids[50:]
    assert set(ids[:50]) == {drill.id for drill in DRILLS}


def test_the_puzzle_of_the_day_and_its_answers(arena: TestClient) -> None:
    found = ok(arena.get("/api/decks/today"))
    drill = puzzle_of(datetime.date.fromisoformat(found["date"]))
    assert (found["id"], found["deck"], found["drills"]) == (drill.id, "fifty", 50)
    assert found["difficulty"] == difficulty(drill.id)
    right = drill.position.move_name(drill.accepted[0])
    wrong = next(move for move in found["legal"] if move != right)
    for move, is_right in ((wrong, False), (right, True)):
        answer = ok(arena.post("/api/decks/fifty/answers", json={"drill": drill.id, "move": move}))
        assert (answer["right"], answer["accepted"]) == (is_right, [right])
    assert "cannot be deleted" in refused(arena.delete("/api/decks/fifty"))


def test_a_mistake_is_kept_as_a_drill(arena: TestClient) -> None:
    """Black has two moves and White one, so the first must be no pass."""
    rules = Rules(size=3, komi=0.5, max_moves=3)
    game = begin(arena, black="human", white="human", size=3, komi=0.5, max_moves=3)["id"]
    ok(arena.post(f"/api/games/{game}/moves", json={"move": "PASS"}))
    until(lambda: ok(arena.post("/api/values", json={"game": game, "ply": 0})), lambda found: not found["missing"])
    for _ in range(2):  # the second time it is there already
        assert ok(arena.post("/api/decks/kept", json={"game": game, "ply": 0})) == {"id": "kept"}
    found = ok(arena.get("/api/decks/kept/next"))
    assert found["drills"] == 1
    other = begin(arena, black="human", white="human", size=3, komi=0.5, max_moves=5)["id"]
    until(lambda: ok(arena.post("/api/values", json={"game": other})), lambda found: not found["missing"])
    ok(arena.post("/api/decks/kept", json={"game": other, "ply": 0}))
    assert {deck["id"]: deck["drills"] for deck in ok(arena.get("/api/decks"))}["kept"] == 2, (
        "the first one is still there"
    )
    answer = ok(arena.post("/api/decks/kept/answers", json={"drill": found["id"], "move": "PASS"}))
    assert (answer["right"], answer["played"]) == (False, "PASS")
    assert tuple(answer["accepted"]) == good_moves(Position.initial(rules))
    lost = begin(arena, black="human", white="human", size=3, komi=8.5, max_moves=3)["id"]
    until(lambda: ok(arena.post("/api/values", json={"game": lost})), lambda found: not found["missing"])
    assert "no move wins" in refused(arena.post("/api/decks/kept", json={"game": lost, "ply": 0}))
