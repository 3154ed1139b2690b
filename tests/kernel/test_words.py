"""Packed keys and values, and random numbers, against plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from compiling import compiled
from littlego.core.rules import edition_rules
from littlego.kernel.words import (
    KEY_BITS,
    NO_MOVE,
    PASS,
    VALUE_BITS,
    best_move,
    greatest,
    least,
    pack_key,
    pack_value,
    plies_left,
    spot_of,
    unpack_key,
)
from littlego.kernel.xorshift import draw_below, draw_bit, draw_unit, draw_word, seeded_state
from littlego.solve.proof import check
from tests.helpers import random_game

pytestmark = pytest.mark.xdist_group("compiled")  # once, in one process

VALUES = [(-25, 25, NO_MOVE), (-3, 7, 0), (25, 25, 24), (0, 25, PASS)]


@compiled
def key_again(key: int) -> int:
    """Unpack and pack a key in compiled code."""
    mine, theirs, ko, left = unpack_key(key)
    return pack_key(mine, theirs, ko, left)


def test_keys_are_unpacked_as_packed_and_are_those_of_the_checker() -> None:
    keys = []
    for seed in range(10):
        for position, _ in random_game(edition_rules(), seed):
            spot = spot_of(position)
            parts = spot.mine, spot.theirs, spot.ko, spot.left
            key = pack_key(*parts)
            assert unpack_key(key) == parts
            assert plies_left(key) == position.plies_left
            assert key_again(key) == key == check.key_of(position)
            keys.append(key)
    words = np.array(keys)
    assert pack_key(*unpack_key(words)).tolist() == keys, "arrays are packed as numbers are"
    assert max(keys) < 1 << KEY_BITS


@pytest.mark.parametrize(("low", "high", "move"), VALUES)
def test_values_are_unpacked_as_packed(low: int, high: int, move: int) -> None:
    value = pack_value(low, high, move)
    assert value < 1 << VALUE_BITS
    for word in (value, value | 5 << VALUE_BITS):
        assert (least(word), greatest(word), best_move(word)) == (low, high, move)


def slow_words(seed: int) -> list[int]:
    """The first numbers of xorshift64* by its definition."""
    x = int(seeded_state(seed)[0])
    found = []
    for _ in range(200):
        x ^= x >> 12
        x ^= x << 25 & (1 << 64) - 1
        x ^= x >> 27
        found.append(x * 0x2545F4914F6CDD1D & (1 << 64) - 1)
    return found


def test_random_numbers_follow_their_definition() -> None:
    words = slow_words(7)
    state = seeded_state(7)
    assert [int(draw_word(state)) for _ in words] == words
    state = seeded_state(7)
    assert [draw_unit(state) for _ in words] == [(word >> 11) / 2**53 for word in words]
    state = seeded_state(7)
    assert [draw_below(26, state) for _ in words] == [(word >> 32) * 26 >> 32 for word in words]


def test_every_bit_of_a_mask_is_drawn_and_no_other() -> None:
    state = seeded_state(1)
    mask = 1 << 3 | 1 << 11 | 1 << 25
    drawn = [draw_bit(mask, state) for _ in range(3000)]
    assert {bit: drawn.count(bit) / 3000 for bit in (3, 11, 25)} == pytest.approx(
        {3: 1 / 3, 11: 1 / 3, 25: 1 / 3}, abs=0.05
    )
    assert set(drawn) == {3, 11, 25}
