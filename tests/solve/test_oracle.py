"""The oracle against plain minimax, its store, and what it refuses."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from pathlib import Path

import numpy as np
import pytest

from littlego.core.board import BLACK, WHITE
from littlego.core.errors import UsageError
from littlego.core.points import PASS, Move, symmetries
from littlego.core.position import Position
from littlego.core.rules import Rules, edition_rules
from littlego.kernel.words import MARGIN, NO_KO, NO_MOVE, pack_key, pack_value, spot_of
from littlego.solve.engine import OutOfNodes, SearchProgress, Stopped
from littlego.solve.oracle import Oracle, least_win
from littlego.solve.store import BoundStore, Proven
from tests.disks import fill, needs_root, small_disk
from tests.helpers import at
from tests.solve.twins import black_margin, random_position, typical_position

SMALL = 1 << 24


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle(memory=SMALL, use_atlas=False)


@pytest.mark.parametrize(("size", "left"), [(2, 5), (3, 4), (4, 3)])
def test_margins_and_winners_are_those_of_minimax(oracle: Oracle, size: int, left: int) -> None:
    for seed in range(25):
        position = random_position(size, left, seed, passes=0.3)
        margin = black_margin(position)
        komi = position.rules.komi
        assert oracle.margin(position) == margin
        expected = BLACK if margin > komi else WHITE if margin < komi else None
        assert oracle.value(position) is expected


def test_a_pass_before_lets_the_leader_end_the_game(oracle: Oracle) -> None:
    for seed in range(25):
        position = random_position(3, 5, seed).play(PASS)
        assert oracle.margin(position) == black_margin(position)


def test_every_legal_move_has_its_value(oracle: Oracle) -> None:
    for seed in range(6):
        position = random_position(3, 4, seed)
        values = oracle.best_moves(position, margins=True)
        assert {value.move for value in values} == set(position.legal_moves())
        for value in values:
            assert value.margin == black_margin(position.play(value.move))
        best = black_margin(position)
        assert values[0].margin == best


def test_the_whole_game_on_small_boards(oracle: Oracle) -> None:
    margins = {size: oracle.margin(Position.initial(edition_rules(size=size))) for size in (2, 3)}
    assert margins == {2: 1, 3: 1}
    assert oracle.value(Position.initial(edition_rules(size=2))) is None
    assert oracle.value(Position.initial(edition_rules(size=3))) is WHITE


@pytest.mark.slow
def test_the_whole_game_on_four_by_four_is_a_tie(oracle: Oracle) -> None:
    position = Position.initial(edition_rules(size=4))
    assert oracle.margin(position) == 2
    assert oracle.value(position) is None


def test_a_finished_game_is_worth_its_score(oracle: Oracle) -> None:
    position = at("X X .\n. . .\n. . O", BLACK, rules=Rules(size=3, komi=0.5, max_moves=4), moves_played=4)
    assert oracle.margin(position) == 1
    assert oracle.value(position) is BLACK


@pytest.mark.parametrize(
    ("position", "why"),
    [
        (Position.initial(edition_rules(size=6)), "too large"),
        (Position.initial(edition_rules("2019")), "depends on the whole history"),
        (Position.initial(Rules(size=5, komi=2.5, max_moves=40)), "at most 31"),
    ],
)
def test_what_cannot_be_solved_is_refused_with_the_reason(oracle: Oracle, position: Position, why: str) -> None:
    for question in (oracle.value, oracle.margin, oracle.best_moves):
        with pytest.raises(UsageError, match=why):
            question(position)


def test_answers_outlive_the_oracle(tmp_path: Path) -> None:
    position = typical_position(13, 3)
    file = tmp_path / "store.db"
    first = Oracle(memory=SMALL, store=file, use_atlas=False, expensive=200)
    answer = first.value(position)
    assert first.nodes > 1000
    # No close: a killed program does not close either.
    second = Oracle(memory=SMALL, store=file, use_atlas=False)
    assert second.value(position) is answer
    assert second.nodes == 1
    assert len(BoundStore(file).known(5)[0]) > 1


def test_a_search_can_be_stopped_and_continued(tmp_path: Path) -> None:
    position = Position.initial()
    seen = threading.Event()

    def watch(progress: SearchProgress) -> None:
        if progress.nodes:
            seen.set()

    oracle = Oracle(memory=SMALL, store=tmp_path / "store.db", use_atlas=False, watch=watch, expensive=1000)

    def stop() -> None:
        seen.wait(600)
        oracle.stop()

    stopper = threading.Thread(target=stop)
    stopper.start()
    with pytest.raises(Stopped):
        oracle.value(position)
    stopper.join()
    assert oracle.nodes > 0, "what a stopped search took counts"
    # What was proven before the stop is kept; an easier question still has its answer.
    assert oracle.value(typical_position(8, 1)) in (BLACK, WHITE)


def test_a_stop_between_two_searches_of_a_question_is_heard() -> None:
    """A question is many searches: one that is stopped while none of them runs must not go on to the next."""
    oracle = Oracle(memory=SMALL, use_atlas=False)
    position = typical_position(9, 2)
    asked = []

    class StopsItself(Position):
        """A position that stops the oracle while the second move's value is about to be asked."""

        def play_legal(self, move: Move) -> Position:
            asked.append(move)
            if len(asked) == 2:
                oracle.stop()
            return super().play_legal(move)

    with pytest.raises(Stopped):
        oracle.best_moves(StopsItself(*position))
    assert len(asked) == 2
    assert len(oracle.best_moves(position)) > 2, "the next question starts afresh"


def test_a_stop_holds_until_the_end_of_what_is_asked_together() -> None:
    oracle = Oracle(memory=SMALL, use_atlas=False)
    hard, other = typical_position(11, 1), typical_position(11, 2)
    with oracle.question():
        known = oracle.value(hard)
        oracle.stop()
        assert oracle.value(hard) is known, "what the table knows needs no search"
        with pytest.raises(Stopped):
            oracle.value(other)
        with pytest.raises(Stopped):
            oracle.value(other)
    assert oracle.value(other) in (BLACK, WHITE)


def test_a_search_may_be_bounded_in_nodes(oracle: Oracle) -> None:
    position = typical_position(13, 5)
    before = oracle.nodes
    with pytest.raises(OutOfNodes):
        oracle.reaches(position, 1, most_nodes=50)
    assert oracle.nodes - before == 50
    assert oracle.reaches(position, 1) is oracle.reaches(position, 1, most_nodes=50), "the table has the answer now"


def test_the_winning_move_wins_in_every_image_of_a_position() -> None:
    oracle = Oracle(memory=SMALL, use_atlas=False)
    won = 0
    for seed in range(12):
        position = typical_position(11, seed)
        images = [position.transformed(symmetry) for symmetry in symmetries(5)]
        for image in images:
            move = oracle.winning_move(image)
            if oracle.value(image) is not image.to_move:
                assert move is None
                continue
            assert move is not None
            assert oracle.value(image.play(move)) is image.to_move
            won += 1
    assert won > 8


@pytest.mark.parametrize("last", ["a move", "a pass"])
def test_the_move_of_a_position_that_is_known_to_be_won_takes_no_more_than_its_proof(last: str) -> None:
    """Much of the atlas has the winner alone. Asked one by one, the moves that lose would take longer."""
    searched = sought = won = 0
    for seed in range(40):
        position = typical_position(13, seed) if last == "a move" else typical_position(15, seed).play(PASS)
        fresh = Oracle(memory=SMALL, use_atlas=False)
        if fresh.value(position) is not position.to_move or not fresh.nodes:  # to pass as well may win at once
            continue
        searched += fresh.nodes
        knowing = Oracle(memory=SMALL, use_atlas=False)
        engine = knowing.engine_for(5)
        enough = least_win(position.rules, position.to_move)
        engine.teach(np.array([engine.key(spot_of(position))]), np.array([pack_value(enough, MARGIN, NO_MOVE)]))
        move = knowing.winning_move(position)
        assert move is not None
        assert fresh.value(position.play(move)) is position.to_move
        sought += knowing.nodes
        won += 1
    assert won > 5
    assert sought < 1.1 * searched


@pytest.mark.parametrize("first", ["the margin", "the move"])
def test_a_move_is_kept_only_with_the_margin_that_it_reaches(first: str) -> None:
    """The store may know a greater margin than the atlas, whose move need not reach it. Certificates rely on it."""
    truth = Oracle(memory=SMALL, use_atlas=False)
    tried = 0
    for seed in range(4):
        position = typical_position(9, seed)
        margins = {item.move: item.margin or 0 for item in truth.best_moves(position, margins=True)}
        best = truth.margin(position)
        sign = 1 if position.to_move is BLACK else -1
        worse = [(move, margin) for move, margin in margins.items() if move is not PASS and sign * (best - margin) > 0]
        for move, margin in worse:
            oracle = Oracle(memory=SMALL, use_atlas=False)
            engine = oracle.engine_for(5)
            known = [pack_value(sign * best, MARGIN, NO_MOVE), pack_value(sign * margin, MARGIN, move)]
            for value in known if first == "the margin" else reversed(known):
                engine.teach(np.array([engine.key(spot_of(position))]), np.array([value]))
            assert engine.bounds(spot_of(position))[0] == sign * best
            kept = engine.kept_move(spot_of(position))
            assert kept is None or margins[kept] == best
            tried += 1
    assert tried > 20


def test_after_a_pass_the_leader_may_end_the_game(oracle: Oracle) -> None:
    position = at("X X .\nX . .\n. . O", WHITE, rules=Rules(size=3, komi=0.5, max_moves=8), moves_played=4).play(PASS)
    move = oracle.winning_move(position)
    assert move is not None
    assert oracle.value(position.play(move)) is BLACK


def test_what_another_version_has_proven_is_not_trusted(tmp_path: Path) -> None:
    file = tmp_path / "store.db"
    position = typical_position(9, 3)
    answer = Oracle(use_atlas=False, store=file).value(position)
    with contextlib.closing(sqlite3.connect(file)) as database, database:
        database.execute("UPDATE bound_1 SET low = -high, high = -low")
        (kept,) = database.execute("SELECT count(*) FROM bound_1").fetchone()
        database.execute("ALTER TABLE bound_1 RENAME TO bound")
    again = Oracle(use_atlas=False, store=file)
    assert again.value(position) is answer
    assert again.nodes > 1
    with contextlib.closing(sqlite3.connect(file)) as database:
        assert database.execute("SELECT count(*) FROM bound").fetchone() == (kept,), "and stays as it is"


def test_a_foreign_database_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "results.sqlite"
    with contextlib.closing(sqlite3.connect(file)) as database, database:
        database.execute("CREATE TABLE game (number INTEGER)")
    with pytest.raises(UsageError, match=r"expected a store of solved positions.*'game'"):
        BoundStore(file)


def test_the_most_expensive_bounds_come_after_all_of_the_opening(tmp_path: Path) -> None:
    store = BoundStore(tmp_path / "store.db")
    keys = [pack_key(1, 2, NO_KO, left) for left in (8, 9, 10, 11, 20)]
    store.keep(5, [Proven(key, 3, 25, 7, nodes) for key, nodes in zip(keys, (99, 5, 7, 6, 1), strict=True)])
    found, values = store.most_expensive(5, least_left=9, all_left=15, entries=3)
    assert found.tolist() == [keys[4], keys[2], keys[3]]
    assert values.tolist() == [pack_value(3, 25, 7)] * 3


def test_a_file_that_is_not_a_store_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("not a database, but long enough to look like one " * 40)
    with pytest.raises(UsageError, match="expected a store"):
        BoundStore(file)


@needs_root
def test_a_full_disk_costs_no_answer(tmp_path: Path) -> None:
    position = Position.initial(edition_rules(size=4).but(max_moves=8))
    with contextlib.closing(Oracle(use_atlas=False, store=tmp_path / "store.sqlite", expensive=1)) as oracle:
        assert oracle._store is not None
        oracle._store._database.execute("PRAGMA max_page_count = 1")
        oracle._store.keep(5, [Proven(key, 0, 25, 7, 1) for key in range(2000)])
        assert oracle.value(position) is Oracle(use_atlas=False).value(position)
        assert "full" in oracle.store_trouble


def test_a_damaged_store_costs_no_answer(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    position = Position.initial(edition_rules(size=4).but(max_moves=8))
    with contextlib.closing(Oracle(use_atlas=False, store=file, expensive=1)) as oracle:
        answer = oracle.value(position)
        assert oracle._store is not None
        oracle._store._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = bytearray(file.read_bytes())
    content[4096:] = b"x" * (len(content) - 4096)
    file.write_bytes(content)
    with contextlib.closing(Oracle(use_atlas=False, store=file, expensive=1)) as oracle:
        assert oracle.value(position) is answer
        assert "malformed" in oracle.store_trouble


@needs_root
def test_a_full_disk_costs_the_answers_nothing_but_time(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        fill(disk)
        oracle = Oracle(memory=SMALL, store=disk / "solved.db", use_atlas=False)
        assert oracle.margin(Position.initial(edition_rules(size=2))) == Oracle().margin(
            Position.initial(edition_rules(size=2))
        )
        assert "full" in oracle.store_trouble
        oracle.close()
