"""Which losing move is hardest to answer: against counting everything, and with too few nodes to count."""

from __future__ import annotations

import pytest

from littlego.core.board import BLACK
from littlego.core.points import PASS, Move
from littlego.core.position import Position
from littlego.core.rules import Rules, edition_rules
from littlego.solve.oracle import Oracle
from littlego.solve.resistance import LostPosition
from tests.helpers import random_game
from tests.solve.twins import black_margin


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle(memory=1 << 24, use_atlas=False)


def lost_positions(rules: Rules, left: int, oracle: Oracle, wanted: int) -> list[Position]:
    """Positions of random games that are lost for the side to move, which has a choice."""
    found = []
    for seed in range(200):
        for position, _ in random_game(rules, seed):
            if position.plies_left == left and position.outcome() is None and len(position.legal_moves()) > 2:
                if oracle.value(position) is position.to_move.opponent:
                    found.append(position)
                break
        if len(found) == wanted:
            return found
    raise AssertionError("too few lost positions")


def obvious(position: Position) -> list[Move]:
    """The moves with the fewest winning replies and, of these, the smallest margin, by plain minimax."""
    opponent = position.to_move.opponent
    sign = 1 if opponent is BLACK else -1

    def lead(after: Position) -> float:
        return sign * (black_margin(after) - position.rules.komi)

    ranks: dict[Move, tuple[int, float]] = {}
    for move in position.legal_moves():
        if move is not PASS:
            after = position.play(move)
            winning = sum(lead(after.play(reply)) > 0 for reply in after.legal_moves())
            ranks[move] = winning, lead(after)
    return [move for move, rank in ranks.items() if rank == min(ranks.values())]


@pytest.mark.parametrize(("size", "left"), [(3, 3), (3, 4), (4, 3)])
def test_chooses_among_those_that_counting_everything_leaves(oracle: Oracle, size: int, left: int) -> None:
    for position in lost_positions(edition_rules(size=size), left, oracle, 8):
        hardest = [item.move for item in LostPosition(oracle, position).hardest()]
        assert hardest
        assert set(hardest) <= set(obvious(position))


def test_counts_in_the_middle_of_the_game(oracle: Oracle) -> None:
    for position in lost_positions(edition_rules(), 11, oracle, 3):
        for item in LostPosition(oracle, position).hardest():
            assert not item.undecided
            assert item.winning == len(oracle.winning_moves(item.after))


def test_few_nodes_give_an_answer_too(oracle: Oracle) -> None:
    for position in lost_positions(edition_rules(), 16, oracle, 2):
        before = oracle.nodes
        hardest = LostPosition(oracle, position, most_nodes=5000).hardest()
        assert oracle.nodes - before < 10_000
        assert all(position.is_legal(item.move) and item.move is not PASS for item in hardest)


def test_a_pass_is_taken_only_when_there_is_nothing_else(oracle: Oracle) -> None:
    rules = Rules(size=2, komi=5.5, max_moves=4)
    start = Position.initial(rules)
    assert all(item.move is not PASS for item in LostPosition(oracle, start).hardest())
