from __future__ import annotations

from collections import Counter

import pytest

from littlego.core.board import BLACK, WHITE, Colour
from littlego.core.points import parse_move, point_name, points_of
from littlego.core.position import Position
from littlego.players.catalogue import make_player
from littlego.players.course import (
    AggressivePlayer,
    GreedyPlayer,
    RandomPlayer,
    SimplePlayer,
    SmartPlayer,
    nearest_to_centre,
    weighted_to_the_front,
)
from tests.helpers import at, series


def choices(player: SimplePlayer, position: Position) -> dict[str, int]:
    weights = player.choices(position, points_of(position.legal_points()))
    return {point_name(point, position.size): weight for point, weight in weights.items()}


def test_random_draws_every_legal_point_alike() -> None:
    position = Position.initial().play(12)
    player = RandomPlayer(seed=1)
    drawn = Counter(player.choose(position) for _ in range(24 * 200))
    assert len(drawn) == 24
    assert max(drawn.values()) < 280, "five standard deviations from 200"
    assert min(drawn.values()) > 120


def test_greedy_takes_the_most() -> None:
    position = at("O X . . .\n. . . . .\nX . . . .\nO O X . .\nX X . . .", BLACK)
    assert choices(GreedyPlayer(), position) == {"2,1": 1}, "two stones rather than the one in the corner"
    position = at("O . X . .\nX . . . .\n. X . . .\nX O O . .\n. X X . .", BLACK)
    assert set(choices(GreedyPlayer(), position)) == {"0,1"}


def test_greedy_without_a_capture_is_random() -> None:
    assert choices(GreedyPlayer(), Position.initial()) == choices(RandomPlayer(), Position.initial())


@pytest.mark.parametrize(
    ("name", "diagram", "to_move", "expected"),
    [
        ("opens in the centre", ". . . . .\n" * 5, BLACK, {"2,2": 1}),
        (
            "prefers the earlier of equals round the centre",
            ". . . . .\n. . . . .\n. . X . .\n. . . . .\n. . . . .",
            WHITE,
            {"1,2": 4, "2,1": 3, "2,3": 2, "3,2": 1},
        ),
        (
            "takes what it can now",
            ". . . . .\n. X . . .\nX O . . .\n. X . . .\n. . . . .",
            BLACK,
            {"2,2": 1},
        ),
        (
            "prepares a capture with two moves, nearest the centre",
            ". . . . .\n. . X . .\n. . O X .\n. . . . .\n. . . . .",
            BLACK,
            {"2,1": 1},
        ),
    ],
)
def test_aggressive(name: str, diagram: str, to_move: Colour, expected: dict[str, int]) -> None:
    assert choices(AggressivePlayer(), at(diagram, to_move)) == expected, name


def test_smart_saves_a_group_that_is_worth_more_than_it_can_take() -> None:
    danger = at("O X X . .\nO X . . .\nO O X . .\n. . . . .\n. . . . .", BLACK)
    assert choices(SmartPlayer(), danger) == choices(AggressivePlayer(), danger), "nothing in danger"
    danger = at(". O . . .\nO X . . .\n. O . . .\n. . . . .\n. . . . .", BLACK)
    assert choices(SmartPlayer(), danger) == {"1,2": 1}, "the stone in danger runs out"
    both = at(". O . . .\nO X . . .\n. O . X .\n. . X O .\n. . . X .", BLACK)
    assert choices(AggressivePlayer(), both) == {"3,4": 1}
    assert choices(SmartPlayer(), both) == {"3,4": 1}, "of equals it takes rather than saves"


def test_smart_saves_by_capturing_the_attacker() -> None:
    position = at("X O . . .\nX O X . .\n. X . . .\n. . . . .\n. . . . .", BLACK)
    assert position.board.liberties(position.board.group(0)).bit_count() == 1
    assert "0,2" in choices(SmartPlayer(), position)


def test_nearest_and_weights_on_an_even_board() -> None:
    assert nearest_to_centre(tuple(range(16)), 4) == (5, 6, 9, 10)
    assert weighted_to_the_front((5, 6, 9)) == {5: 3, 6: 2, 9: 1}


@pytest.mark.slow
def test_each_player_beats_the_one_before_it() -> None:
    """Wins of 200 games, colours exchanged; far from even, so that chance does not decide the test."""
    from littlego.arena.match import standings

    for better, worse in (("greedy", "random"), ("aggressive", "random"), ("smart", "greedy")):
        records = series(better, worse, games=200, swap=True)
        wins = sum(row["wins"] for row in standings(records) if row["player"] == better)
        assert wins > 120, (better, worse, wins)


def test_names_make_these_players() -> None:
    assert make_player("smart", seed=2).choose(Position.initial()) == parse_move("2,2", 5)
