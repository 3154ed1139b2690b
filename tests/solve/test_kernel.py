"""The compiled rules and the search against their slow twins."""

from __future__ import annotations

import numpy as np
import pytest

from littlego.core.points import PASS, symmetries
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.kernel.words import Spot, best_move, board_mask, find_groups, greatest, least, pack_value
from littlego.solve import search, table
from littlego.solve.engine import Engine
from littlego.solve.search import CHILD_KO, CHILD_MINE, CHILD_THEIRS, COUNT, MOVE, MY_GROUPS, THEIR_GROUPS
from littlego_bench.solve import ODD_LEFT, bench_solve, odd_sets
from tests.helpers import random_game
from tests.solve.twins import difference, minimax, random_position, spot, typical_position

pytestmark = pytest.mark.xdist_group("compiled")  # once, in one process

SMALL = 1 << 22


def children(position: Position) -> dict[int, Spot]:
    """What the kernel thinks the moves of a position are, and where they lead."""
    view = spot(position)
    board = board_mask(position.size)
    frames = np.zeros(search.FRAME_WORDS, dtype=np.int64)
    frames[:4] = (view.mine, view.theirs, view.ko, -25)
    work = np.zeros(search.WORK_WORDS, dtype=np.int64)
    empty = board & ~(view.mine | view.theirs)
    mine = find_groups(view.mine, empty, work, MY_GROUPS)
    theirs = find_groups(view.theirs, empty, work, THEIR_GROUPS)
    search.expand(frames, 0, view.left, -1, mine, theirs, board, 0, work)
    return {
        int(frames[MOVE + i]): Spot(
            int(frames[CHILD_MINE + i]), int(frames[CHILD_THEIRS + i]), int(frames[CHILD_KO + i]), view.left - 1
        )
        for i in range(int(frames[COUNT]))
    }


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_kernel_and_core_agree_move_for_move(size: int) -> None:
    for seed in range(12):
        for position, _ in random_game(edition_rules(size=size), seed):
            expected = {}
            for move in position.legal_moves():
                point = 25 if move is PASS else 5 * (int(move) // size) + int(move) % size
                expected[point] = spot(position.play(move))
            assert children(position) == expected


def test_symmetric_positions_have_one_key() -> None:
    for seed in range(50):
        position = typical_position(12, seed)
        keys = set()
        for symmetry in symmetries(5):
            view = spot(position.transformed(symmetry))
            keys.add(table.fold(view.mine, view.theirs, view.ko, view.left)[0])
        assert len(keys) == 1


def test_mixing_loses_nothing() -> None:
    keys = {int(key) for key in np.random.default_rng(2).integers(0, 1 << 60, 5000)}
    keys |= set(range(5000))
    assert len({table.mix(key) for key in keys}) == len(keys)
    assert all(0 <= table.mix(key) < 1 << 60 for key in keys)


def test_table_keeps_both_bounds_of_one_key() -> None:
    words = table.Table(SMALL)
    table.store(words.words, words.bits, 12345, 3, 25, 7, 2)
    table.store(words.words, words.bits, 12345, -25, 5, -1, 1)
    info = table.probe(words.words, words.bits, 12345)
    assert (least(info), greatest(info), best_move(info)) == (3, 5, 7)
    assert table.probe(words.words, words.bits, 54321) == 0


def test_the_table_keeps_a_known_best_move_when_an_equal_bound_comes_without_one() -> None:
    words = table.Table(SMALL)
    table.store(words.words, words.bits, 12345, 3, 25, 7, 2)
    table.store(words.words, words.bits, 12345, 3, 4, -1, 1)
    assert best_move(table.probe(words.words, words.bits, 12345)) == 7


def test_a_table_grows_and_loses_nothing() -> None:
    grown = table.Table(1 << 26)
    keys = np.unique(np.random.default_rng(3).integers(0, 1 << 60, 600_000))
    for part in np.array_split(keys, 100):
        grown.make_room()
        for key in part:
            table.store(grown.words, grown.bits, key, -3, 4, 7, 0)
    assert grown.words.nbytes == 1 << 24, "at most half of it is used"
    kept = sum(table.probe(grown.words, grown.bits, key) & ~(7 << 17) == pack_value(-3, 4, 7) for key in keys)
    assert kept > 0.98 * len(keys), "the rest found their buckets full before it grew"
    assert grown.share_used == pytest.approx(len(keys) / len(grown.words), rel=0.1)
    before = grown.words.copy()
    grown.make_room(1 << 20)
    assert grown.words.nbytes == 1 << 26
    assert np.count_nonzero(grown.words) == np.count_nonzero(before), "growing itself loses nothing"


def test_a_table_grows_no_further_than_it_may() -> None:
    bounded = table.Table(SMALL)
    bounded.make_room(1 << 30)
    assert bounded.words.nbytes == SMALL


def kernel_margin(engine: Engine, position: Position, *, prune: bool = True) -> int:
    """The margin by asking for every target."""
    view = spot(position)
    return max(target for target in range(-25, 26) if target == -25 or engine.reaches(view, target, prune=prune))


@pytest.mark.parametrize(("size", "left", "count"), [(2, 6, 60), (3, 5, 10), (3, 4, 60), (4, 3, 30), (5, 3, 20)])
def test_margins_are_those_of_plain_minimax(size: int, left: int, count: int) -> None:
    engine = Engine(size, memory=SMALL)
    for seed in range(count):
        position = random_position(size, left, seed)
        assert kernel_margin(engine, position) == minimax(position), (seed, position.board)


@pytest.mark.slow
@pytest.mark.parametrize(("size", "left", "count"), [(2, 8, 30), (3, 6, 8), (4, 5, 3), (5, 4, 4)])
def test_margins_are_those_of_plain_minimax_in_longer_games(size: int, left: int, count: int) -> None:
    engine = Engine(size, memory=SMALL)
    for seed in range(count):
        position = random_position(size, left, 1000 + seed)
        assert kernel_margin(engine, position) == minimax(position), (seed, position.board)


@pytest.mark.parametrize(
    "seeds",
    [range(1000), pytest.param(range(1000, 101_000), marks=pytest.mark.exhaustive)],
    ids=["a thousand", "a hundred thousand"],
)
def test_bounds_change_no_answer(seeds: range) -> None:
    with_bounds = Engine(5, memory=SMALL)
    without = Engine(5, memory=SMALL)
    for seed in seeds:
        position = typical_position(5 + seed % 2, seed)
        view = spot(position)
        # Near the even result the question is hardest.
        target = difference(position) + position.plies_left % 2 + seed % 7 - 3
        assert with_bounds.reaches(view, target) == without.reaches(view, target, prune=False), seed


@pytest.mark.slow
def test_bounds_change_no_answer_higher_up() -> None:
    for seed in range(120):
        position = random_position(5, 7 + seed % 2, seed)
        view = spot(position)
        target = difference(position) + position.plies_left % 2 + seed % 7 - 3
        with_bounds = Engine(5, memory=SMALL)
        without = Engine(5, memory=SMALL)
        assert with_bounds.reaches(view, target) == without.reaches(view, target, prune=False), seed


def test_symmetric_positions_agree() -> None:
    for seed in range(20):
        position = typical_position(8, seed)
        target = difference(position) + seed % 5 - 2
        answers = {
            Engine(5, memory=SMALL).reaches(spot(position.transformed(symmetry)), target) for symmetry in symmetries(5)
        }
        assert len(answers) == 1


def test_threads_and_table_size_change_no_answer() -> None:
    for seed in range(10):
        position = typical_position(12, seed)
        view = spot(position)
        target = difference(position) + seed % 5 - 2
        answers = {
            Engine(5, memory=memory, threads=threads).reaches(view, target)
            for memory in (SMALL, 1 << 25)
            for threads in (1, 2, 3)
        }
        assert len(answers) == 1


def test_the_odd_positions_differ_and_half_of_them_are_held_back() -> None:
    found = dict(odd_sets(22))
    assert len(found) == 10
    for left in ODD_LEFT:
        tuning, held_back = (found[f"odd openings, {half}, {left} plies left"] for half in ("tuning", "held-back"))
        assert len(tuning) == len(held_back)
        assert {position.plies_left for position in tuning + held_back} == {left}
    positions = [position.canonical()[0] for positions in found.values() for position in positions]
    assert len(set(positions)) == len(positions) == 186
    assert [what for what, _ in odd_sets(14)] == [
        f"odd openings, {half}, 14 plies left" for half in ("held-back", "tuning")
    ]


def test_the_signature_of_the_search() -> None:
    """The nodes of `bench.py solve`: another number means another search, and new figures in docs/solution.md."""
    assert bench_solve(steps=1000).signature == 324_588
