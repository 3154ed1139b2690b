"""The rubrics: the course's own worked examples, the edges of every band, the sizes of every batch."""

from __future__ import annotations

import pytest

from littlego.core.errors import UsageError
from littlego.core.rules import EDITIONS
from littlego.course.edition import Band, Rubric, Scheme, find_edition, shipped_edition


def scheme(edition: str) -> Scheme:
    return shipped_edition(edition).scheme


def batch_points(edition: str, wins: list[int]) -> float:
    batch = scheme(edition).batches[0]
    awards = [rubric.award(won, batch.games_each) for rubric, won in zip(batch.rubrics, wins, strict=True)]
    return sum(award.points for award in awards)


@pytest.mark.parametrize("edition", ["2022", "2024", "2025"])
def test_the_worked_example(edition: str) -> None:
    assert batch_points(edition, [18, 16, 14, 11]) == 53.75


def test_the_worked_example_of_2019() -> None:
    assert batch_points("2019", [95, 85, 80, 65]) == 65.5


def rubric(edition: str, opponent: str) -> Rubric:
    return next(r for batch in scheme(edition).batches for r in batch.rubrics if r.opponent == opponent)


@pytest.mark.parametrize(
    ("opponent", "wins", "points", "line"),
    [
        ("random", 20, 25, "90% or more: 25"),
        ("random", 18, 25, "90% or more: 25"),
        ("random", 17, 12.75, "70% or more: 15 x 85% = 12.75"),
        ("random", 14, 10.5, "70% or more: 15 x 70% = 10.5"),
        ("random", 13, 0, "below 70%: 0"),
        ("aggressive", 13, 6.5, "below 70%: 10 x 65% = 6.5"),
        ("alphabeta", 18, 15, "90% or more: 15"),
        ("alphabeta", 0, 0, "below 70%: 5 x 0% = 0"),
        ("qlearning", 17, 4.25, "70% or more: 5 x 85% = 4.25"),
        ("qlearning", 13, 0, "below 70%: 0"),
        ("champion", 13, 1.3, "below 70%: 2 x 65% = 1.3"),
    ],
)
def test_bands_and_the_line_that_applied(opponent: str, wins: int, points: float, line: str) -> None:
    award = rubric("2024", opponent).award(wins, 20)
    assert (award.points, award.line) == (points, line)


def test_no_games_give_no_points() -> None:
    assert rubric("2024", "random").award(0, 0).points == 0


@pytest.mark.parametrize(
    ("edition", "stage", "games", "points", "budget"),
    [
        ("2019", "1", [400], 100, [1200]),
        ("2019", "all", [400], 100, [1200]),
        ("2024", "1", [80], 90, [7200]),
        ("2024", "2", [40], 10, [3600]),
        ("2024", "all", [80, 40], 100, [7200, 3600]),
        ("2024", "submit", [60, 20], 85, [5400, 1800]),
        ("2024", "submit1", [60], 75, [5400]),
        ("2024", "submit2", [20], 10, [1800]),
    ],
)
def test_batches(edition: str, stage: str, games: list[int], points: float, budget: list[float]) -> None:
    batches = scheme(edition).selected(stage)
    assert [batch.games for batch in batches] == games
    assert sum(batch.max_points for batch in batches) == points
    assert [batch.budget_seconds for batch in batches] == budget


def test_editions_and_repeats() -> None:
    assert [scheme(edition).repeats_of("all") for edition in EDITIONS] == [1, 1, 1, 3]
    assert scheme("2025").repeats_of("submit") == 1, "only the grading is repeated"


@pytest.mark.parametrize(
    ("edition", "stage", "says"),
    [
        ("2024", "3", "stage '3': expected one of 1, 2, submit1, submit2, all, submit"),
        ("2019", "submit", "stage 'submit': expected one of 1, all"),
    ],
)
def test_what_cannot_be_graded(edition: str, stage: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        scheme(edition).selected(stage)


def test_an_unknown_edition() -> None:
    with pytest.raises(UsageError, match="edition '1999': expected one of 2019"):
        find_edition("1999")


def test_a_single_line_is_for_all_rates() -> None:
    assert Rubric("random", (Band(0, 5),)).award(2, 4).line == "0% or more: 5 x 50% = 2.5"
