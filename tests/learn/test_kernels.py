"""Every compiled function against its slow twin, on positions of random games."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from littlego.core.colour import BLACK
from littlego.core.points import PASS, canonical_symmetry, symmetries
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.kernel.packing import NO_KO
from littlego.kernel.packing import PASS as PASS_MOVE
from littlego.kernel.xorshift import seeded_state
from littlego.learn import features
from littlego.learn import games_kernel as games
from littlego.learn import opponents_kernel as opponents
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
    return board.stones(mover), board.stones(mover.opponent), NO_KO if position.ko is None else position.ko


def test_who_wins() -> None:
    for position in positions(20):
        board = position.board
        assert games.black_wins(board.black, board.white) == (position.score().winner is BLACK)


@pytest.mark.parametrize(
    ("name", "twin"), [("random", RandomPlayer), ("greedy", GreedyPlayer), ("aggressive", AggressivePlayer)]
)
def test_simple_opponents(name: str, twin: type[SimplePlayer]) -> None:
    state = seeded_state(1)
    player = twin(1)
    for position in positions(20):
        own, other, ko = sides(position)
        points = tuple(point for point in range(25) if position.legal_points() >> point & 1)
        number = opponents.NAMES.index(name)
        move = opponents.choose(number, own, other, ko, position.passes, state)
        if not points:
            assert move == PASS_MOVE
        else:
            assert move in player.choices(position, points)


def test_aggressive_weighs_points_near_the_centre() -> None:
    position = Position.initial().play(12)
    own, other, ko = sides(position)
    state = seeded_state(1)
    drawn = [opponents.choose(2, own, other, ko, 0, state) for _ in range(4000)]
    for point, weight in ((7, 4), (11, 3), (13, 2), (17, 1)):
        assert drawn.count(point) / 4000 == pytest.approx(weight / 10, abs=0.03)


def test_alphabeta() -> None:
    assert tuple(opponents.SPIRAL) == spiral(5)
    player = AlphaBeta()
    for position in positions(25):
        move = opponents.alphabeta(*sides(position), position.passes)
        assert (PASS if move == PASS_MOVE else move) == player.choose(position)


def afterstates(count: int) -> Iterator[tuple[int, int, int, int]]:
    """Own stones, other stones, colour and moves played, after each move of random games."""
    for position in positions(count):
        if 0 < position.moves_played < 24:
            own, other, _ = sides(position)
            yield other, own, int(position.to_move is BLACK), position.moves_played


def test_features() -> None:
    blank = values.new_values("patterns")
    for own, other, colour, played in afterstates(10):
        values.fill_indices(own, other, colour, played, blank.codes, blank.indices)
        assert list(blank.indices) == features.indices(own, other, colour, played)
        assert max(blank.indices) < features.WEIGHTS
        assert blank.codes[0].tolist() == features.cell_codes(own, other)


@pytest.mark.parametrize("representation", values.REPRESENTATIONS)
def test_values_are_the_same_for_all_symmetries_and_are_learned(representation: str) -> None:
    learned = values.new_values(representation, table_bits=16)
    rng = random.Random(1)
    for own, other, colour, played in afterstates(5):
        values.learn_value(learned, own, other, colour, played, rng.random(), 0.5)
    for own, other, colour, played in afterstates(2):
        before = values.value_of(learned, own, other, colour, played)
        for symmetry in symmetries(5):
            image = symmetry.mask(own), symmetry.mask(other)
            assert values.value_of(learned, *image, colour, played) == pytest.approx(before, abs=1e-6)
        values.learn_value(learned, own, other, colour, played, 1.0, 0.5)
        after = values.value_of(learned, own, other, colour, played)
        assert before < after < 1
        if representation == "table":
            assert after == pytest.approx((before + 1) / 2), "half of the way"


def test_keys_of_the_table() -> None:
    images = values.new_values("table", table_bits=4).images
    for own, other, _, played in afterstates(5):
        symmetry = canonical_symmetry(5, own, other)
        key = (symmetry.mask(own) << 25 | symmetry.mask(other)) << 5 | played
        assert values.canonical_key(own, other, played, images) == key


def test_a_full_table_takes_no_more() -> None:
    table = values.new_values("table", table_bits=4)
    for own, other, colour, played in afterstates(3):
        values.learn_value(table, own, other, colour, played, 1.0, 0.5)
    assert table.used[0] == np.count_nonzero(table.keys) == 15


def test_the_end_of_a_game_is_known_exactly() -> None:
    blank = values.new_values("patterns")
    black_ahead, white_ahead = (0b1111, 0b10000000000), (0b1, 0b111110000000000)
    assert games.value_after(blank, *black_ahead, 0, 24, 0) == 1.0
    assert games.value_after(blank, *white_ahead, 0, 24, 0) == 0.0
    assert games.value_after(blank, *black_ahead, 0, 9, 2) == 1.0
    assert games.value_after(blank, *white_ahead, 0, 9, 1) == 0.0, "the opponent ends it by passing too"
    assert games.value_after(blank, *black_ahead, 0, 9, 1) == 0.5


def test_a_fully_known_target_is_learned() -> None:
    """With alpha 1 and a table, the last move of every game has the game's own result as its value."""
    table = values.new_values("table", table_bits=16)
    state = seeded_state(1)
    tally = games.train_games(table, 50, 0, np.array([-1, 0]), games.Rates(1.0, 1.0, 1.0, 0.3), state)
    assert tally[:, 0].sum() == 50
    taken = table.entries[table.keys != 0]
    assert set(np.unique(taken)) <= {0.0, 0.5, 1.0}
    assert len(taken) > 500


ONE_MOVE = """
from littlego.learn import opponents_kernel
print(opponents_kernel.alphabeta(1, 1 << 12, -1, 0), sum(opponents_kernel.alphabeta.stats.cache_hits.values()))
"""


@pytest.mark.process
def test_a_search_that_calls_itself_is_loaded_from_the_cache(tmp_path: Path) -> None:
    """Numba crashes on cached code in which a function calls itself with other types."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    for cached in (0, 1):
        done = subprocess.run([sys.executable, "-c", ONE_MOVE], env=environment, capture_output=True, text=True)
        assert (done.returncode, done.stdout.split()) == (0, ["17", str(cached)]), done.stderr
