"""`python tools/bench.py web` measures a real server, and a crowd plays without an error."""

from __future__ import annotations

import pytest

from littlego.core.points import parse_move, symmetries
from littlego.core.position import Position
from littlego_bench.web import bench_web
from littlego_bench.web_hints import SOLVED_LEFT, late_lines, openings
from tests.helpers import in_a_thread


def images(line: list[str]) -> set[Position]:
    """The position of a line in all eight images."""
    position = Position.initial()
    for move in line:
        position = position.play(parse_move(move, 5))
    assert position.outcome() is None
    return {position.transformed(symmetry) for symmetry in symmetries(5)}


def test_every_hint_is_of_another_position() -> None:
    """What was asked before, in any image, is remembered and measures nothing."""
    late = late_lines()
    for lines in (openings(), [next(late) for _ in range(300)]):
        seen: set[Position] = set()
        for line in lines:
            found = images(line)
            assert not found & seen
            seen |= found
    assert len(openings(1)) == 1 + 7
    assert all(position.plies_left == SOLVED_LEFT for position in images(next(late)))


@pytest.mark.slow
@pytest.mark.process
def test_a_crowd_plays_without_an_error() -> None:
    result = in_a_thread(bench_web, people=12, results=500, seconds=0.05, rounds=1)
    assert [cost.what for cost in result.costs][:2] == ["the smallest answer", "a move"]
    assert all(cost.requests_per_second > 0 and cost.p99_ms >= cost.median_ms > 0 for cost in result.costs)
    assert result.hints_solved.moves >= result.hints_solved.known > result.hints_solved.positions == 100
    assert result.hints_known.known == result.hints_known.moves > 0, "the atlas has every first, second and third move"
    assert result.crowd.errors == 0
    assert result.crowd.games == result.crowd.people == 12
    assert result.crowd.moves > 12
