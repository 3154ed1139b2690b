"""The guess that orders moves: the same for every image, as its slow twin has it, and never part of an answer."""

from __future__ import annotations

import numpy as np
import pytest

from littlego.core.points import symmetries
from littlego.kernel.words import Words, pack_key
from littlego.learn.features import SMALL_BLOCKS, Features
from littlego.solve import guess, table
from littlego.solve.engine import Engine
from make_guess import all_keys, over_stabilisers, packed
from tests.learn.twins import indices, see
from tests.solve.twins import spot, typical_position

pytestmark = pytest.mark.xdist_group("compiled")  # once, in one process

RANDOM = np.random.default_rng(1).integers(-100, 100, guess.SETS * guess.SET_SIZE)
SUMMED = np.concatenate([over_stabilisers(part) for part in RANDOM.reshape(guess.SETS, -1)]).astype(np.int16)


def guessed(weights: guess.Weights, own: int, other: int, left: int) -> int:
    work: Words = np.zeros(guess.SCRATCH_WORDS, dtype=np.int64)
    return guess.guess(weights, own, other, left, work, 0)


def test_the_guess_is_the_sum_of_the_weights_that_the_learner_has_for_the_same_shapes() -> None:
    for left in range(guess.LEAST_LEFT - 1, 24):
        for seed in range(8):
            view = spot(typical_position(left, seed))
            played = guess.GAME - left
            features, colour = Features(5, SMALL_BLOCKS, guess.GAME), 1 - played % 2
            seen = see(features, 2.5, view.theirs, view.mine, colour, played)
            expected = RANDOM[indices(features, seen, colour, played)].sum()
            assert guessed(SUMMED, view.theirs, view.mine, left) == guess.UNIT * expected


def test_the_shipped_guess_is_the_same_for_the_eight_images_of_a_position() -> None:
    weights = guess.load()
    assert np.count_nonzero(weights) > 50_000
    assert (guess.unpacked(packed(weights)) == weights).all()
    for seed in range(20):
        position = typical_position(14, seed)
        views = [spot(position.transformed(symmetry)) for symmetry in symmetries(5)]
        assert len({guessed(weights, view.theirs, view.mine, 14) for view in views}) == 1


def test_a_wrong_guess_changes_no_answer() -> None:
    for seed in range(12):
        view = spot(typical_position(13, seed))
        shipped, wrong = Engine(5, memory=1 << 22), Engine(5, memory=1 << 22)
        wrong.shared.weights[:] = SUMMED
        for target in (-2, 1):
            assert shipped.reaches(view, target) == wrong.reaches(view, target)
        assert shipped.nodes != wrong.nodes or shipped.nodes < 100


def test_guesses_are_for_games_of_full_length_on_the_whole_board() -> None:
    full = Engine(5, memory=1 << 22).board
    assert guess.first_left(1 << 12, 1, 22, full) == guess.LEAST_LEFT
    assert guess.first_left(1 << 12, 1, 18, full) > 18
    assert guess.first_left(1, 2, 22, full & 0x739CE) > 22


def test_every_key_of_a_table_can_be_read_back() -> None:
    words = table.Table(1 << 22)
    keys = np.array([pack_key(left, 1 << left, left - 12, left) for left in range(11, 24)], dtype=np.int64)
    table.store_all(words.words, words.bits, keys, np.full(len(keys), 1234))
    found, values = all_keys(words)
    assert sorted(found.tolist()) == sorted(keys.tolist())
    assert {int(value) & (1 << 17) - 1 for value in values} == {1234}
