"""The opponents that the agent is measured with see what is within their reach, and move legally."""

from __future__ import annotations

import pytest

from imperfect import EVALUATIONS, Sampler, Searcher, imperfect_opponents
from littlego.core.position import Position
from littlego.learn.labels import shipped_labels
from measure_agent import agent_wins

LAST_TWO = [label for label in shipped_labels() if label.position.moves_played == 22 and label.wins]


@pytest.mark.parametrize("kind", range(len(EVALUATIONS)))
def test_a_search_to_the_end_throws_nothing_away(kind: int) -> None:
    assert all(Searcher(2, kind, 1).choose(label.position) in label.winning for label in LAST_TWO)


def test_many_playouts_find_the_last_moves() -> None:
    found = [Sampler(3000, 1).choose(label.position) in label.winning for label in LAST_TWO]
    assert sum(found) > 0.9 * len(found)


def test_a_blunder_is_enough_for_the_agent() -> None:
    class FirstLegal:
        def choose(self, position: Position) -> int:
            return next(move for move in position.legal_moves() if isinstance(move, int))

    won, moves = agent_wins(FirstLegal(), FirstLegal())
    assert won
    assert moves == "0,0", "a corner loses at once"
    assert len(imperfect_opponents()) == 21
