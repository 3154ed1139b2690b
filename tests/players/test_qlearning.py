"""The course's Q-learning player: ours plays its logged moves, and errs as often as it did."""

from __future__ import annotations

import pytest

from littlego.core.points import PASS, points_of
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.players.catalogue import make_player
from littlego.players.qlearning import QLearningPlayer, learned_answers
from littlego.solve.oracle import Oracle
from tests.helpers import at
from tests.players.logged import logged_moves


def choices(position: Position) -> list[int]:
    return list(QLearningPlayer().choices(position, points_of(position.legal_points())))


def test_it_could_make_the_logged_moves() -> None:
    logged = logged_moves("qlearning")
    possible = sum(move in choices(position) for position, move in logged)
    assert (possible, len(logged)) == (477, 480)


def test_every_learned_answer_was_played_whenever_its_position_came_up() -> None:
    played: dict[object, set[object]] = {}
    for position, move in logged_moves("qlearning"):
        played.setdefault((position.board, position.to_move), set()).add(move)
    for (board, colour), answer in learned_answers().items():
        assert played[board, colour] == {answer}


def test_it_throws_won_positions_away_as_often_as_the_logged_player() -> None:
    oracle = Oracle(memory=1 << 24)
    won = thrown = 0
    expected = 0.0
    for position, move in set(logged_moves("qlearning")):
        mover = position.to_move
        if position.plies_left > 16 or oracle.value(position) is not mover:
            continue
        won += 1
        thrown += oracle.value(position.play(move)) is not mover
        ours = choices(position)
        expected += sum(oracle.value(position.play(point)) is not mover for point in ours) / len(ours)
    assert (won, thrown) == (57, 28)
    assert expected == pytest.approx(thrown, abs=3)


def test_it_takes_the_largest_capture() -> None:
    position = at("O X . . .\n. . . . .\n. . . . .\nX X . . .\nO O . . .", moves_played=9)
    assert choices(position) == [22]


@pytest.mark.parametrize("size", [2, 4, 7])
def test_on_other_sizes_it_has_no_openings(size: int) -> None:
    position = Position.initial(edition_rules(size=size))
    assert make_player("qlearning").choose(position) != PASS
    assert set(choices(position)) <= set(range(size * size))
