"""The atlas that ships: small, and true."""

from __future__ import annotations

import contextlib
import random
from importlib import resources

import numpy as np
import pytest

from atlas_levels import inherit, level, of_other_margins, reaches_least
from build_atlas import openings, packed
from littlego.core.board import BLACK, WHITE, Colour
from littlego.core.points import PASS, parse_point
from littlego.core.position import Position
from littlego.kernel.words import (
    NO_MOVE,
    VALUE_BITS,
    Spot,
    greatest,
    least,
    pack_key,
    pack_value,
    plies_left,
    spot_of,
    unpack_key,
)
from littlego.solve import atlas, table
from littlego.solve.engine import Engine, OutOfNodes
from littlego.solve.oracle import Oracle, least_win
from make_guess import all_keys
from tests.solve.twins import typical_position


def test_is_a_small_file() -> None:
    assert 100_000 < len(resources.files("littlego.solve").joinpath(atlas.FILE).read_bytes()) < 2_000_000


def test_packing_loses_nothing() -> None:
    rng = np.random.default_rng(1)
    mine = rng.integers(0, 1 << 25, 1000)
    theirs = rng.integers(0, 1 << 25, 1000) & ~mine
    keys = np.unique(pack_key(mine, theirs, rng.integers(-1, 25, 1000), rng.integers(1, 25, 1000)))
    usual = [pack_value(3, 25, 7), pack_value(-2, 25, 25), pack_value(-25, 2, NO_MOVE), pack_value(-25, -3, NO_MOVE)]
    values = np.where(rng.random(len(keys)) < 0.5, rng.choice(usual, len(keys)), rng.integers(0, 1 << 17, len(keys)))
    order = rng.permutation(len(keys))
    back, found = atlas.Atlas(packed(keys[order], values[order])).entries()
    order = np.argsort(back)
    assert (back[order] == keys).all()
    assert (found[order] == values).all()


def test_openings_are_counted_up_to_symmetry() -> None:
    # Six points that differ, and the pass, after the empty board.
    assert len(openings(1)) == 8


def test_the_opening_is_instant() -> None:
    oracle = Oracle(memory=1 << 26)
    start = Position.initial()
    assert oracle.value(start) is BLACK
    for name, winner in {"2,2": BLACK, "1,1": WHITE, "1,2": WHITE, "0,0": WHITE, "0,1": WHITE, "0,2": WHITE}.items():
        assert oracle.value(start.play(parse_point(name, 5))) is winner
    assert oracle.nodes < 1000


def test_the_atlas_takes_little_memory_and_is_there_but_for_a_few() -> None:
    oracle = Oracle(memory=1 << 34)
    oracle.value(Position.initial())
    engine = oracle.engine_for(5)
    assert engine.table.words.nbytes <= 1 << 24
    keys, _ = atlas.load()
    missing = sum(table.probe(engine.table.words, engine.table.bits, key) == 0 for key in keys)
    assert missing < 1e-4 * len(keys)


def test_moves_beside_another_margin_than_the_one_that_wins_reach_it() -> None:
    keys, values = atlas.load()
    engine = Engine(5, memory=1 << 26)
    engine.teach(keys, values)
    places = [place for place in of_other_margins(keys, values) if plies_left(keys[place]) <= 16]
    wrong = [place for place in places[::40] if not reaches_least(engine, int(keys[place]), int(values[place]))]
    assert wrong == []


@pytest.mark.parametrize(("colour", "down_to"), [(BLACK, 20), (WHITE, 21)])
def test_the_winner_has_its_move_at_once_whatever_is_replied(colour: Colour, down_to: int) -> None:
    oracle = Oracle(memory=1 << 26)
    start = Position.initial()
    layer = [start] if colour is BLACK else [start.play(move) for move in start.legal_moves()]
    while layer[0].plies_left >= down_to:
        after = []
        for position in layer:
            before = oracle.nodes
            move = oracle.winning_move(position)
            assert oracle.nodes - before < 1000
            if move is not None:
                after.append(position.play(move))
        layer = list(
            {position.play(move).canonical()[0]: None for position in after for move in position.legal_moves()}
        )
    assert len(layer) > 500


def test_looked_up_without_the_kernel_it_says_the_same() -> None:
    """In any orientation, of positions that the atlas has and of others."""
    engine = Engine(5, memory=1 << 26)
    engine.teach(*atlas.load())
    known = moves = 0
    for seed in range(300):
        position = typical_position(12 + seed % 12, seed)
        low, high = engine.bounds(spot_of(position))
        found = atlas.look_up(position)
        assert (found.low, found.high) == (low, high)
        known += (low, high) != (-25, 25)
        kept = engine.kept_move(spot_of(position))
        assert found.move == (PASS if kept == 25 else kept)
        moves += kept is not None
    assert known > 100
    assert moves > 20


def test_the_opening_needs_no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody should wait for the search to be loaded to see the opening."""

    def forbidden(*_: object, **__: object) -> Engine:
        raise AssertionError("an engine was made")

    monkeypatch.setattr(Oracle, "engine_for", forbidden)
    oracle = Oracle()
    start = Position.initial()
    assert [item.winner for item in oracle.best_moves(start)] == [BLACK] + 25 * [WHITE]
    assert oracle.winning_move(start) == parse_point("2,2", 5)
    for position in level(23) + level(22) + level(21)[::50]:
        winners = {item.winner for item in oracle.best_moves(position)}
        assert (oracle.value(position) is position.to_move) == (position.to_move in winners)
        assert (oracle.winning_move(position) is not None) == (position.to_move in winners)


@pytest.mark.parametrize(
    ("left", "step"), [(23, 1), (22, 1), (21, 1), (20, 12), pytest.param(20, 1, marks=pytest.mark.exhaustive)]
)
def test_every_level_follows_from_the_next(left: int, step: int) -> None:
    """A position is won if a move leads to one that is lost for the opponent; the moves are those of `core`.

    The levels were worked out one by one, by searches that differed: an error in one of them shows here.
    """
    oracle = Oracle(memory=1 << 26)
    positions = level(left)
    assert len(positions) == {23: 7, 22: 97, 21: 1043, 20: 11627}[left]
    for position in positions[::step]:
        after = [oracle.is_known_won(position.play(move)) for move in position.legal_moves()]
        assert None not in after, position
        assert oracle.is_known_won(position) is (False in after), position
    assert oracle.nodes == 0


def test_a_sample_of_the_last_whole_level_agrees_with_a_search_without_the_atlas() -> None:
    """Nothing below it is complete, so nothing else would show an error in it."""
    shipped, fresh = Oracle(memory=1 << 26), Oracle(memory=1 << 26, use_atlas=False)
    rng = random.Random(19)
    easy = 0
    for parent in rng.sample(level(20), 20):
        position = parent.play(rng.choice(parent.legal_moves()))
        with contextlib.suppress(OutOfNodes):
            won = fresh.reaches(position, least_win(position.rules, position.to_move), most_nodes=1 << 18)
            assert shipped.is_known_won(position) is won, position
            easy += 1
    assert easy > 5


def test_what_a_position_implies_about_those_that_follow_is_true() -> None:
    positions = [typical_position(10, seed) for seed in range(12)]
    asked, fresh = Oracle(memory=1 << 22, use_atlas=False), Oracle(memory=1 << 22, use_atlas=False)
    for position in positions:
        asked.margin(position)
    heir = Oracle(memory=1 << 22, use_atlas=False)
    engine = heir.engine_for(5)
    keys, values = all_keys(asked.engine_for(5).table)
    alone = np.isin(keys, [engine.key(spot_of(position)) for position in positions])
    engine.teach(keys[alone], values[alone] & (1 << VALUE_BITS) - 1)
    inherit(heir, positions)
    exact = 0
    for position in positions:
        for move in position.legal_moves()[:-1]:
            after = position.play_legal(move)
            low, high = engine.bounds(spot_of(after))
            margin = fresh.margin(after) * (1 if after.to_move is BLACK else -1)
            assert -25 < low <= margin <= high
            exact += low == high
    assert exact >= len(positions) / 2


@pytest.mark.slow
def test_a_sample_agrees_with_a_fresh_search() -> None:
    keys, values = atlas.load()
    left = plies_left(keys)
    rng = np.random.default_rng(7)
    sample = [*rng.choice(np.flatnonzero(left <= 11), 60), *rng.choice(np.flatnonzero(left == 17), 2)]
    engine = Engine(5, memory=1 << 26)
    for number in sample:
        key, value = int(keys[number]), int(values[number])
        spot = Spot(*unpack_key(key))
        low, high = least(value), greatest(value)
        if low > -25:
            assert engine.reaches(spot, low)
        if high < 25:
            assert not engine.reaches(spot, high + 1)
