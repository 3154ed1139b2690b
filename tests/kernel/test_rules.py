"""The frame that boards of every size lie in, and its symmetries."""

from __future__ import annotations

import numpy as np
import pytest

from littlego.core.points import points_of, symmetries
from littlego.core.rules import edition_rules
from littlego.kernel.words import (
    FRAME,
    board_mask,
    framed,
    framed_point,
    inverse,
    spot_of,
    turn,
    unframed,
    unframed_point,
)
from tests.helpers import random_game
from tests.solve.twins import spot

pytestmark = pytest.mark.xdist_group("compiled")  # once, in one process


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_the_frame_is_left_as_it_was_entered(size: int) -> None:
    points = range(size * size)
    assert [unframed_point(framed_point(point, size), size) for point in points] == list(points)
    assert board_mask(size) == sum(1 << 5 * row + column for row in range(size) for column in range(size))
    for position, _ in random_game(edition_rules(size=size), 1):
        assert spot_of(position) == spot(position), "the slow way, point by point"
        mask = position.board.black
        assert points_of(framed(mask, size)) == tuple(5 * (p // size) + p % size for p in points_of(mask))
        assert unframed(framed(mask, size), size) == mask


def test_symmetries_are_those_of_core() -> None:
    masks = [int(mask) for mask in np.random.default_rng(1).integers(0, FRAME + 1, 20)]
    images = {tuple(turn(mask, s) for mask in masks) for s in range(8)}
    assert images == {tuple(symmetry.mask(mask) for mask in masks) for symmetry in symmetries(5)}
    assert all(turn(turn(mask, s), inverse(s)) == mask for mask in masks for s in range(8))
