"""The tool that completes the atlas."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from atlas_levels import complete, inherit, level, merged
from littlego.core.board import BLACK
from littlego.core.points import PASS
from littlego.kernel.words import NO_MOVE, best_move, greatest, image, least, pack_value, spot_of
from littlego.solve import atlas
from littlego.solve.oracle import Oracle
from littlego.solve.search import key_of
from tests.solve.twins import typical_position


def test_a_level_has_every_position_once() -> None:
    # Seven first moves up to symmetry, the pass included.
    assert [len(level(left)) for left in (24, 23, 22)] == [1, 7, 97]


def test_what_the_atlas_knows_is_complete_at_once() -> None:
    oracle = Oracle(memory=1 << 24)
    assert complete(oracle, level(23), math.inf) == []
    assert oracle.nodes == 0


def test_what_was_found_on_the_way_is_stored_as_well(tmp_path: Path) -> None:
    """Else a table that is full forgets it, and what seemed complete is not."""
    positions = level(22)[:5]
    with Oracle(memory=1 << 24, use_atlas=False, store=tmp_path / "levels.db") as oracle:
        oracle.engine_for(5).teach(*atlas.load())
        assert complete(oracle, positions, math.inf) == []
        assert oracle.nodes <= len(positions)  # nothing was searched
    with Oracle(memory=1 << 24, use_atlas=False, store=tmp_path / "levels.db") as again:
        assert None not in [again.is_known_won(position) for position in positions]


def test_a_level_inherits_nothing_from_a_move_that_does_not_reach_the_margin() -> None:
    """Which it may stand beside if the store knows a greater one than the atlas."""
    for seed in range(6):
        parent = typical_position(12, seed)
        truth = Oracle(memory=1 << 24, use_atlas=False)
        mine = 1 if parent.to_move is BLACK else -1
        margins = {item.move: mine * (item.margin or 0) for item in truth.best_moves(parent, margins=True)}
        points = [move for move in margins if move is not PASS]
        worst = min(points, key=margins.__getitem__)
        oracle = Oracle(memory=1 << 24, use_atlas=False)
        engine = oracle.engine_for(5)
        spot = spot_of(parent)
        key, symmetry = key_of(spot.mine, spot.theirs, spot.ko, spot.left, engine.board)
        for value in (
            pack_value(max(margins.values()), 25, NO_MOVE),
            pack_value(margins[worst], 25, image(worst, symmetry)),
        ):
            engine.teach(np.array([key]), np.array([value]))
        inherit(oracle, [parent])
        for move in points:
            low, high = engine.bounds(spot_of(parent.play(move)))
            assert low <= -margins[move] <= high


def test_parts_are_merged_to_the_best_of_each() -> None:
    one = (np.array([5, 9]), np.array([pack_value(-25, 4, NO_MOVE), pack_value(1, 25, 3)]))
    two = (np.array([5, 7]), np.array([pack_value(2, 25, 12), pack_value(0, 0, 1)]))
    keys, values = merged(one, two)
    found = {int(key): (least(word), greatest(word), best_move(word)) for key, word in zip(keys, values, strict=True)}
    assert found == {5: (2, 4, 12), 9: (1, 25, 3), 7: (0, 0, 1)}
