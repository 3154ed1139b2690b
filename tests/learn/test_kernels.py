"""Every compiled function against its slow twin, on positions of random games."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from littlego.core.colour import BLACK
from littlego.core.points import PASS, canonical_symmetry, symmetries
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.learn import features
from littlego.learn import games_kernel as games
from littlego.learn import opponents_kernel as opponents
from littlego.learn import rules_kernel as rules
from littlego.learn import values_kernel as values
from littlego.players.alphabeta import AlphaBeta, spiral
from littlego.players.simple import AggressivePlayer, GreedyPlayer, RandomPlayer, SimplePlayer
from tests.helpers import random_game


def positions(count: int) -> Iterator[Position]:
    for seed in range(count):
        for position, _ in random_game(edition_rules(), seed):
            yield position


def sides(position: Position) -> tuple[int, int, int]:
    board, mover = position.board, position.to_move
    return board.stones(mover), board.stones(mover.opponent), rules.NO_KO if position.ko is None else position.ko


def test_rules() -> None:
    for seed in range(60):
        for position, move in random_game(edition_rules(), seed):
            own, other, ko = sides(position)
            assert rules.legal_points(own, other, ko) == position.legal_points()
            assert rules.count(own) == own.bit_count()
            black, white = position.board.black, position.board.white
            assert rules.black_wins(black, white) == (position.score().winner is BLACK)
            if move is not PASS:
                after = position.play(move)
                own, other, ko = rules.play(own, other, move)
                opponents_view = sides(after)
                assert (other, own, ko) == opponents_view


@pytest.mark.parametrize(
    ("name", "twin"), [("random", RandomPlayer), ("greedy", GreedyPlayer), ("aggressive", AggressivePlayer)]
)
def test_simple_opponents(name: str, twin: type[SimplePlayer]) -> None:
    state = rules.seeded_state(1)
    player = twin(1)
    for position in positions(20):
        own, other, ko = sides(position)
        points = tuple(point for point in range(25) if position.legal_points() >> point & 1)
        number = opponents.NAMES.index(name)
        move = opponents.choose(number, own, other, ko, position.passes, position.moves_played, state)
        if not points:
            assert move == rules.PASS
        else:
            assert move in player.choices(position, points)


def test_aggressive_weighs_points_near_the_centre() -> None:
    position = Position.initial().play(12)
    own, other, ko = sides(position)
    state = rules.seeded_state(1)
    drawn = [opponents.choose(2, own, other, ko, 0, 1, state) for _ in range(4000)]
    for point, weight in ((7, 4), (11, 3), (13, 2), (17, 1)):
        assert drawn.count(point) / 4000 == pytest.approx(weight / 10, abs=0.03)


def test_alphabeta() -> None:
    assert tuple(opponents.SPIRAL) == spiral(5)
    player = AlphaBeta()
    for position in positions(25):
        move = opponents.alphabeta(*sides(position), position.passes, position.moves_played)
        assert (PASS if move == rules.PASS else move) == player.choose(position)


def afterstates(count: int) -> Iterator[tuple[int, int, int, int]]:
    """Own stones, other stones, colour and moves played, after each move of random games."""
    for position in positions(count):
        if 0 < position.moves_played < 24:
            own, other, _ = sides(position)
            yield other, own, int(position.to_move is BLACK), position.moves_played


def test_features() -> None:
    codes, indices = values.work_space()
    for own, other, colour, played in afterstates(10):
        values.fill_indices(own, other, colour, played, codes, indices)
        assert list(indices) == features.indices(own, other, colour, played)
        assert max(indices) < features.WEIGHTS
        assert codes[0].tolist() == features.cell_codes(own, other)


@pytest.mark.parametrize("representation", values.REPRESENTATIONS)
def test_values_are_the_same_for_all_symmetries_and_are_learned(representation: str) -> None:
    learned = values.new_values(representation, table_bits=16)
    space = values.work_space()
    rng = random.Random(1)
    for own, other, colour, played in afterstates(5):
        values.learn_value(learned, own, other, colour, played, rng.random(), 0.5, *space)
    for own, other, colour, played in afterstates(2):
        before = values.value_of(learned, own, other, colour, played, *space)
        for symmetry in symmetries(5):
            image = symmetry.mask(own), symmetry.mask(other)
            assert values.value_of(learned, *image, colour, played, *space) == pytest.approx(before, abs=1e-6)
        values.learn_value(learned, own, other, colour, played, 1.0, 0.5, *space)
        assert values.value_of(learned, own, other, colour, played, *space) > before or before > 0.99


def test_keys_of_the_table() -> None:
    images = values.new_values("table", table_bits=4).images
    for own, other, _, played in afterstates(5):
        symmetry = canonical_symmetry(5, own, other)
        key = (symmetry.mask(own) << 25 | symmetry.mask(other)) << 5 | played
        assert values.canonical_key(own, other, played, images) == key


def test_a_full_table_takes_no_more() -> None:
    table = values.new_values("table", table_bits=4)
    space = values.work_space()
    for own, other, colour, played in afterstates(3):
        values.learn_value(table, own, other, colour, played, 1.0, 0.5, *space)
    assert table.used[0] == np.count_nonzero(table.keys) == 15


def test_the_end_of_a_game_is_known_exactly() -> None:
    blank = values.new_values("patterns")
    space = values.work_space()
    black_ahead, white_ahead = (0b1111, 0b10000000000), (0b1, 0b111110000000000)
    assert games.value_after(blank, *black_ahead, 0, 24, 0, *space) == 1.0
    assert games.value_after(blank, *white_ahead, 0, 24, 0, *space) == 0.0
    assert games.value_after(blank, *black_ahead, 0, 9, 2, *space) == 1.0
    assert games.value_after(blank, *white_ahead, 0, 9, 1, *space) == 0.0, "the opponent ends it by passing too"
    assert games.value_after(blank, *black_ahead, 0, 9, 1, *space) == 0.5


def test_a_fully_known_target_is_learned() -> None:
    """With alpha 1 and a table, the last move of every game has the game's own result as its value."""
    table = values.new_values("table", table_bits=16)
    state = rules.seeded_state(1)
    tally = games.train_games(table, 50, 0, np.array([-1, 0]), 1.0, 1.0, 1.0, 0.3, state)
    assert tally[:, 0].sum() == 50
    taken = table.entries[table.keys != 0]
    assert set(np.unique(taken)) <= {0.0, 0.5, 1.0}
    assert len(taken) > 500
