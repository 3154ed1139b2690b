"""What follows a losing move: legal, won at every step by a plain search, and told as it happens."""

from __future__ import annotations

import pytest

from littlego.core.board import BLACK
from littlego.core.points import points_of
from littlego.core.position import Position
from littlego.review.values import Values
from littlego.review.verdicts import GameReview, _defence, find_refutation
from littlego.solve.oracle import Oracle
from tests.review.games import short_game, twin_value


@pytest.mark.parametrize("seed", range(6))
def test_the_line_wins_at_every_step(seed: int, oracle: Oracle) -> None:
    shown = 0
    values = Values(oracle)
    positions = list(short_game(seed).positions())
    if (outcome := positions[-1].outcome()) is not None and outcome.winner is positions[-1].to_move:
        over = find_refutation(positions[-1], values)
        assert over.moves == ()
        assert over.words().startswith("The game is over. Black has ")
    for position in positions:
        winner = position.to_move
        if position.outcome() is not None or twin_value(position).winner is not winner:
            continue
        found, following = find_refutation(position, values), position
        for move in found.moves:
            assert twin_value(following).winner is winner
            before, following = following, following.play(move)
        fallen = before.board.stones(winner.opponent) & ~following.board.stones(winner.opponent)
        assert following == found.final()
        if found.fallen:
            assert points_of(fallen) == found.fallen
            assert all(position.move_name(point) in found.words() for point in found.fallen)
        else:
            outcome = following.outcome()
            assert outcome is not None
            assert outcome.winner is winner
            assert f"{winner} wins" in found.words()
        shown += 1
    assert shown


def test_a_review_has_the_line_of_its_losing_move(oracle: Oracle) -> None:
    reviews = [GameReview(short_game(seed), oracle, refute=True) for seed in range(6)]
    for review in reviews:
        review.work()
    lost = [review for review in reviews if review.losing_move is not None]
    assert lost
    for review in lost:
        losing, line = review.losing_move, review.refutation
        assert losing is not None
        assert line is not None
        assert line.after == losing.position.play(losing.move)
        assert line.winner is losing.colour.opponent


def test_a_defence_saves_stones_in_danger() -> None:
    """1,0 saves the corner; 2,2, in the centre, would be lost itself."""
    position = Position.from_diagram("X O . . .\n. . O . .\n. O . O .\n. . . . .\n. . . . .", to_move=BLACK)
    assert position.move_name(_defence(position)) == "1,0"
