"""The page of a grading, and the advisory part: what must be in them."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from pathlib import Path

import pytest

from littlego.course.grading import words
from littlego.course.grading.html import grade_page
from littlego.course.grading.report import GradeReport
from littlego.course.seats import parse_entrant
from tests.arena.agents import python_agent
from tests.course.grading.test_run import graded, small
from tests.players.fidelity import distinct_games

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> GradeReport:
    return graded(parse_entrant("greedy"), small(("random", "alphabeta"), repeats=2), tmp_path_factory.mktemp("out"))


def test_the_page_tells_points_lines_and_every_distinct_game(report: GradeReport) -> None:
    page = grade_page(report)
    assert f"{words.points(report.points)} of 20" in page
    for row in report.counted[0].opponents:
        assert row.award.line in page
    stories = [*words.all_losses(report), *words.all_wins(report)]
    assert page.count('<details class="game"') == len(stories)
    assert sum(len(story.games) for story in stories) == 16
    assert "http://" not in page.replace("http://www.w3.org/", "")


def test_opponents_rest_on_as_many_logged_games_as_there_are(report: GradeReport) -> None:
    assert {name: distinct_games(name) for name in words.LOGGED} == words.LOGGED
    known = "Known from distinct logged games of the course's own players: random by 361, alphabeta by 8."
    assert {words.evidence(batch) for batch in report.counted} == {known}
    assert escape(known) in grade_page(report)


def test_a_page_for_what_did_not_run_or_did_not_finish(report: GradeReport, tmp_path: Path) -> None:
    broken = graded(parse_entrant(str(python_agent(tmp_path / "<b>", "def choose(:\n"))), small(), tmp_path / "out")
    page = grade_page(broken)
    assert "SyntaxError" in page
    assert "<b>" not in page, "a stranger's text is text"
    unfinished = replace(report, repeats=((replace(report.repeats[0][0], opponents=()),),))
    assert "Not finished" in grade_page(unfinished)
