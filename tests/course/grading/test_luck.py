"""How much of a grade is luck: against gradings that are really drawn again."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest

from littlego.arena.store import GameResult, KeptGame
from littlego.core.game import GameRecord
from littlego.core.position import Position
from littlego.core.rules import Outcome, Verdict
from littlego.course.edition import Band, Rubric, shipped_edition
from littlego.course.grading.plan import Slot
from littlego.course.grading.report import OpponentGrade
from littlego.course.grading.words import points_interval

RUBRIC = shipped_edition("2024").scheme.selected("1")[0].rubrics[0]
"""Against random: 25 from 90%, 15 x rate from 70%, else 0."""


def grade(wins: int, games: int = 20) -> OpponentGrade:
    start = Position.initial()
    kept = []
    for number in range(games):
        slot = Slot(0, 0, 0, number)
        winner = slot.agent_colour if number < wins else slot.agent_colour.opponent
        record = replace(GameRecord("a", "b", start), outcome=Outcome(winner, Verdict.SCORE, start.score()))
        kept.append(KeptGame(slot, GameResult(record)))
    return OpponentGrade(RUBRIC, games, tuple(kept))


@pytest.mark.parametrize("rate", [0.75, pytest.param(0.88, marks=pytest.mark.exhaustive), 0.97])
def test_the_interval_covers_another_grading_19_times_in_20(rate: float) -> None:
    rng = random.Random(4)
    covered, trials = 0, 40
    for _ in range(trials):
        first, second = (sum(rng.random() < rate for _ in range(20)) for _ in range(2))
        low, high = points_interval([grade(first)])
        covered += low <= RUBRIC.award(second, 20).points <= high
    assert covered >= 0.85 * trials, covered


def test_the_interval_is_the_exact_one() -> None:
    """With as many points as wins, another grading is the sum of two beta-binomial distributions."""
    games, wins = 40, 20
    even = replace(grade(wins, games), rubric=Rubric("random", (Band(0, games),)))
    low, high = points_interval([even])

    def log_beta(a: float, b: float) -> float:
        return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)

    half = games // 2  # with each colour, half of them won
    a = b = half / 2 + 0.5
    each = [math.comb(half, k) * math.exp(log_beta(k + a, half - k + b) - log_beta(a, b)) for k in range(half + 1)]
    chance = [
        sum(each[k] * each[total - k] for k in range(max(0, total - half), min(half, total) + 1))
        for total in range(games + 1)
    ]
    assert sum(chance) == pytest.approx(1)
    for tail in (chance[: round(low)], chance[round(high) + 1 :]):
        assert 0.01 < sum(tail) < 0.03


def test_an_agent_that_wins_with_black_alone_gets_the_same_again() -> None:
    """With the colours pooled, 10 of 10 and 0 of 10 looked like 20 games of a coin."""
    twenty = grade(20)
    lost = [replace(game, result=grade(0).games[number].result) for number, game in enumerate(twenty.games)]
    games = tuple(lost[number] if number % 2 else game for number, game in enumerate(twenty.games))
    low, high = points_interval([replace(twenty, games=games, rubric=Rubric("random", (Band(0, 20),)))])
    assert low >= 7
    assert high <= 13


def test_two_equal_programs_may_differ_by_half_the_points() -> None:
    low, high = points_interval([grade(19)])
    assert low < 15 < high == 25
