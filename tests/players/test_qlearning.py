"""The course's Q-learning player: ours plays its logged moves, and errs as often as it did."""

from __future__ import annotations

import pytest

from littlego.core.points import PASS
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.players.catalogue import make_player
from littlego.players.course import learned_answers
from littlego.solve.oracle import Oracle
from tests.helpers import at
from tests.players.fidelity import choices, possible_moves, thrown_on_average, won_positions
from tests.players.logged import logged_moves


def test_it_could_make_the_logged_moves() -> None:
    assert possible_moves("qlearning") == (477, 480)


def test_every_learned_answer_was_played_whenever_its_position_came_up() -> None:
    played: dict[object, set[object]] = {}
    for position, move in logged_moves("qlearning"):
        played.setdefault((position.board, position.to_move), set()).add(move)
    for (board, colour), answer in learned_answers().items():
        assert played[board, colour] == {answer}


def test_it_throws_won_positions_away_as_often_as_the_logged_player() -> None:
    with Oracle(memory=1 << 24) as oracle:
        positions = won_positions("qlearning", oracle)
        thrown = sum(was_thrown for _, was_thrown in positions)
        assert (len(positions), thrown) == (57, 28)
        expected = thrown_on_average(positions, "qlearning", oracle)
    assert expected == pytest.approx(thrown, abs=3)


def test_it_takes_the_largest_capture() -> None:
    position = at("O X . . .\n. . . . .\n. . . . .\nX X . . .\nO O . . .", moves_played=9)
    assert choices("qlearning", position) == [22]


@pytest.mark.parametrize("size", [2, 4, 7])
def test_on_other_sizes_it_has_no_openings(size: int) -> None:
    position = Position.initial(edition_rules(size=size))
    assert make_player("qlearning").choose(position) != PASS
    assert set(choices("qlearning", position)) <= set(range(size * size))
