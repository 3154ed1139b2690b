"""Reviews in words, as a graph and as a page."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from littlego.core.game import GameRecord
from littlego.core.position import Position
from littlego.review.pages import review_page
from littlego.review.verdicts import GameReview
from littlego.review.words import diagram, heading, sentence, strip, summary
from littlego.solve.oracle import Oracle
from tests.review.games import SHORT, forfeited, logged_game, short_game


def printed(review: GameReview) -> str:
    lines = [heading(review.record), ""]
    lines += [
        f"{move.number} {move.colour.symbol} {move.position.move_name(move.move)} {sentence(move)}"
        for move in review.moves
    ]
    losing = review.losing_move
    return "\n".join([*lines, "", *strip(review), "", *([diagram(losing)] if losing else []), "", summary(review), ""])


@pytest.fixture
def short_review(oracle: Oracle) -> GameReview:
    review = GameReview(short_game(2), oracle, margins_left=31)
    review.work()
    return review


def test_a_review_reads_as_it_did(short_review: GameReview, golden: Callable[[str, str], None]) -> None:
    golden("review.txt", printed(short_review))


def test_before_all_is_known_it_says_so(oracle: Oracle) -> None:
    review = GameReview(short_game(2), oracle)
    assert summary(review) == "Nothing is known about this game yet."
    assert strip(review)[1].split()[1] == "?" * 8
    late = GameReview(logged_game(60), oracle, search_left=3, others_left=3)
    late.work()
    assert "?" in strip(late)[1]
    assert summary(late) == "So far 8 of 24 moves are known, with mistakes at moves 1, 4 and 5."


def test_a_game_that_nobody_threw_away(oracle: Oracle) -> None:
    review = GameReview(GameRecord("ann", "bob", Position.initial(SHORT)), oracle)
    review.work()
    assert summary(review) == "No move was played."
    forfeit = next(
        told.forfeited
        for seed in range(20)
        if (told := GameReview(forfeited(short_game(seed), 4), oracle)).work() and told.forfeited
    )
    assert "forfeited a game that was won on the board" in forfeit


def test_the_page_tells_all_of_it_and_trusts_no_name(oracle: Oracle) -> None:
    review = GameReview(short_game(2, black="<script>alert(1)</script>"), oracle)
    review.work()
    html = review_page(review).html()
    assert "<script>alert(1)" not in html
    assert "the losing move" in html
    assert len(re.findall(r"<tr>", html)) == len(review.moves) + 1
    assert GameReview(short_game(2), oracle).moves
    assert "not known yet" in review_page(GameReview(short_game(2), oracle)).html()
