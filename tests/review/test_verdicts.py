"""Verdicts against plain minimax on small boards, and what is said before all is known."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from littlego.core.board import BLACK, WHITE, Colour
from littlego.core.errors import Resigned, UsageError
from littlego.core.game import GameRecord
from littlego.core.points import PASS
from littlego.core.position import Position
from littlego.core.rules import Rules, Verdict, edition_rules
from littlego.review.values import Value, Values
from littlego.review.verdicts import GameReview, Judgement, MoveReview
from littlego.solve.oracle import Oracle
from tests.review.games import SHORT, TIES, forfeited, logged_game, short_game, twin_good, twin_margin, twin_value
from tests.solve.twins import typical_position


def reviewed(record: GameRecord, oracle: Oracle, **options: int) -> GameReview:
    review = GameReview(record, oracle, **options)  # type: ignore[arg-type]  # a test's shorthand
    assert review.work()
    return review


def expected(move: MoveReview, last_mistake: int | None) -> Judgement:
    """The verdict in the words of the rules, from the twin's values alone."""
    position = move.position
    mover = position.to_move
    before, after = twin_value(position).rank(mover), twin_value(position.play(move.move)).rank(mover)
    if position.legal_moves() == (PASS,):
        return Judgement.FORCED
    if after < before:
        return Judgement.LOSING_MOVE if move.number == last_mistake else Judgement.THREW_AWAY
    if before == 0:
        return Judgement.LOST_ANYWAY
    if len(twin_good(position)) == 1:
        return Judgement.ONLY_MOVE
    return Judgement.KEPT if before == 2 else Judgement.KEPT_TIE


@pytest.mark.parametrize("rules", [SHORT, TIES], ids=["3x3", "2x2 with ties"])
def test_every_verdict_is_that_of_minimax(oracle: Oracle, rules: Rules) -> None:
    seen = set()
    for seed in range(25):
        review = reviewed(short_game(seed, rules=rules), oracle, margins_left=31)
        assert review.complete
        losing = review.losing_move
        for move in review.moves:
            assert move.before is twin_value(move.position)
            assert move.after is twin_value(move.position.play(move.move))
            assert move.judgement is expected(move, losing.number if losing else None)
            assert move.margin_before == twin_margin(move.position)
            loss = twin_margin(move.position) - twin_margin(move.position.play(move.move))
            assert move.slip == (loss if move.colour is BLACK else -loss) >= 0
            if move.before.rank(move.colour):
                assert move.good == twin_good(move.position)
            seen.add(move.judgement)
        assert losing is None or not any(m.judgement.is_mistake for m in review.moves if m.number > losing.number)
    assert seen >= {Judgement.LOSING_MOVE, Judgement.THREW_AWAY, Judgement.LOST_ANYWAY}
    assert (Judgement.KEPT_TIE in seen) is (rules is TIES)


def test_what_is_not_searched_is_not_known_yet_and_can_be_continued(oracle: Oracle) -> None:
    record = logged_game(3)
    review = GameReview(record, oracle, search_left=8, others_left=6)
    assert {move.judgement for move in review.moves} == {Judgement.UNKNOWN}
    assert not review.complete
    review.work()
    for move in review.moves:
        if move.position.plies_left <= 8:
            assert move.before is Value.of(oracle.value(move.position))
            assert move.judgement is not Judgement.UNKNOWN
    deeper = GameReview(record, oracle, search_left=10, others_left=6, values=review.values)
    deeper.work()
    known = [sum(move.before is not None for move in r.moves) for r in (review, deeper)]
    assert known[0] <= known[1]
    assert json.loads(json.dumps(deeper.to_dict()))["moves"][23]["after"] in ("black", "white")


def test_work_stops_in_time_and_continues(oracle: Oracle) -> None:
    record = logged_game(7)
    review = GameReview(record, oracle, search_left=12)
    assert not review.work(seconds=0)
    steps: list[tuple[int, int]] = []
    review.work(watch=lambda done, total: steps.append((done, total)))
    assert [done for done, _ in steps] == list(range(1, steps[0][1] + 1))
    assert review.moves[-1].after is not None


def test_the_opening_is_reported_without_searching() -> None:
    oracle = Oracle(memory=1 << 27)
    values = Values(oracle)
    start = Position.initial()
    assert values.known(start) is Value.BLACK
    assert values.known(start.play(0)) is Value.WHITE
    assert values.known(start.play(12)) is Value.BLACK
    assert oracle.nodes == 0
    record = GameRecord("ann", "bob", start, (0, 12))
    review = GameReview(record, oracle, search_left=0)
    review.work()
    assert review.moves[0].judgement is Judgement.LOSING_MOVE
    assert review.moves[0].one_good == 12
    assert oracle.nodes == 0


def test_what_is_reported_is_what_is_searched(oracle: Oracle) -> None:
    values = Values(oracle)
    told = 0
    for seed in range(12):
        position = typical_position(8, seed)
        oracle.value(position)
        for move in position.legal_moves()[:4]:
            after = position.play(move)
            if (value := values.known(after, plies=1)) is not None:
                assert value is Value.of(oracle.value(after))
                told += 1
    assert told


def test_a_forfeit_in_a_won_position_is_reported(oracle: Oracle) -> None:
    told = []
    for seed in range(20):
        record = forfeited(short_game(seed), 4)
        review = reviewed(record, oracle)
        last = record.final()
        won = twin_value(last).winner is last.to_move
        assert bool(review.forfeited) is won
        told.append(won)
    assert {True, False} <= set(told)
    resigned = reviewed(forfeited(short_game(told.index(True)), 4, Verdict.RESIGNED), oracle)
    assert resigned.forfeited is not None
    assert "resigned a game that was won" in resigned.forfeited


def test_moves_after_two_passes_are_not_judged(oracle: Oracle) -> None:
    record = GameRecord("ann", "bob", Position.initial(SHORT), (4, PASS, PASS, 0))
    review = reviewed(replace(record, outcome=None), oracle)
    assert [move.judgement for move in review.moves][2:] == [Judgement.LOSING_MOVE, Judgement.AFTER_THE_END]


@pytest.mark.parametrize(("rules", "why"), [(edition_rules("2019"), "history"), (edition_rules(size=7), "too large")])
def test_what_cannot_be_solved_is_refused(oracle: Oracle, rules: Rules, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        GameReview(GameRecord("ann", "bob", Position.initial(rules)), oracle)


def test_an_illegal_move_is_refused(oracle: Oracle) -> None:
    with pytest.raises(UsageError, match="1,1: the point is occupied"):
        GameReview(GameRecord("ann", "bob", Position.initial(SHORT), (4, 4)), oracle)


@pytest.mark.process
def test_the_clock_starts_when_the_kernel_is_loaded() -> None:
    """In a fresh process: a limit of seconds is for searching."""
    program = (
        "from littlego.kernel import host\n"
        "from littlego.review.values import stopping_after\n"
        "from littlego.solve.oracle import Oracle\n"
        "oracle = Oracle(memory=1 << 20)\n"
        "before = host.load.cache_info().currsize\n"
        "with stopping_after(oracle, 0.0):\n"
        "    print(before, host.load.cache_info().currsize)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=600, check=False)
    assert done.stdout == "0 1\n", done.stderr


def test_a_winner_made_no_losing_move(oracle: Oracle) -> None:
    """0,0 gives the game away, and White resigns: a mistake, but Black did not lose by it."""
    rules = edition_rules(size=3).but(komi=0.5)
    record = GameRecord("ann", "bob", Position.initial(rules), (0,))
    resigned = {colour: record.forfeited(colour, Resigned(Verdict.RESIGNED, ""), record.final()) for colour in Colour}
    assert reviewed(resigned[BLACK], oracle).moves[0].judgement is Judgement.LOSING_MOVE
    assert reviewed(resigned[WHITE], oracle).moves[0].judgement is Judgement.THREW_AWAY
