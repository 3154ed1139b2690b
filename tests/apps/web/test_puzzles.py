"""The puzzles that ship: each is checked by the submission's own search, which shares no code with the solver."""

from __future__ import annotations

import time
from collections import Counter

import pytest

from littlego.agent import my_player3 as agent
from littlego.core.points import Move, Pass
from littlego.core.position import Position
from littlego.players.exact import framed
from littlego.review.drills import Drill
from littlego.solve.oracle import Oracle
from make_puzzles import WANTED, failures
from page_data import difficulty, shipped_deck

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
