"""Gradings played for real, on small schemes: resuming, budgets, repeats, and what goes wrong."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from littlego.arena.building import GRADES
from littlego.arena.games import capsule_path
from littlego.arena.participants import Entrant
from littlego.arena.pool import LocalPool
from littlego.arena.store import RESULTS
from littlego.core.board import Colour
from littlego.core.errors import FormatError, UsageError
from littlego.course.contests import grade_agent
from littlego.course.edition import Band, Batch, Rubric, Scheme, shipped_edition
from littlego.course.grading.gradescope import gradescope_problem, gradescope_results
from littlego.course.grading.html import grade_page
from littlego.course.grading.plan import GradingPlan
from littlego.course.grading.report import GradeReport, graded_repeats
from littlego.course.grading.run import GradingTerms, grading_plan, open_grading
from littlego.course.grading.words import all_losses, heading, write_capsules
from littlego.course.seats import parse_entrant
from littlego.review.reading import read_numbered_games
from littlego.sandbox.limits import Level
from tests.arena.agents import GOOD, OCCUPIED, PASSES, passing_command, python_agent

pytestmark = pytest.mark.process

BANDS = (Band(90, 10, times_rate=False), Band(70, 8), Band(0, 5))


def small(opponents: Sequence[str] = ("random", "greedy"), *, budget: float = 1000, repeats: int = 1) -> Scheme:
    """Two games a colour against each opponent."""
    batch = Batch("1", "Stage 1", tuple(Rubric(name, BANDS) for name in opponents), 2, budget)
    return Scheme((batch,), repeats)


def plan_of(entrant: Entrant, scheme: Scheme) -> GradingPlan:
    return grading_plan(entrant, GradingTerms(replace(shipped_edition("2024"), scheme=scheme)))


def graded(entrant: Entrant, scheme: Scheme, out: Path) -> GradeReport:
    with open_grading(entrant, plan_of(entrant, scheme), out=out) as grading, LocalPool(1) as pool:
        grading.play(pool)
        return grading.report()


def test_every_opponent_has_its_games_of_each_colour(tmp_path: Path) -> None:
    report = graded(parse_entrant("greedy"), small(), tmp_path)
    assert report.complete
    assert report.plan.name == "greedy-agent", "one name for two would not do"
    for row in report.counted[0].opponents:
        assert [row.tally_as(colour).games for colour in Colour] == [2, 2]
        assert {record.black for record in row.records} == {"greedy-agent", row.opponent}
        assert 1 <= row.distinct <= 4
    assert json.loads(json.dumps(report.to_dict()))["games"] == 8


def test_a_stopped_grading_continues(tmp_path: Path) -> None:
    entrant = parse_entrant("greedy")
    whole = graded(entrant, small(repeats=2), tmp_path / "whole")
    plan = plan_of(entrant, small(repeats=2))
    ended = 0

    def one_more() -> None:
        nonlocal ended
        ended += 1
        if ended == 3:
            raise KeyboardInterrupt

    with (
        open_grading(entrant, plan, out=tmp_path / "parts") as grading,
        LocalPool(1) as pool,
        pytest.raises(KeyboardInterrupt),
    ):
        grading.play(pool, on_result=one_more)
    with open_grading(entrant, plan, out=tmp_path / "parts") as grading, LocalPool(1) as pool:
        assert grading.report().played == 3
        assert not grading.report().complete
        assert "so far" in heading(grading.report())
        grading.play(pool, on_result=one_more)
        parts = grading.report()
    assert ended == parts.played == 16, "each game once"
    assert [r.moves for r in parts.records()] == [r.moves for r in whole.records()], "the same games either way"


def test_the_best_repeat_counts(tmp_path: Path) -> None:
    report = graded(parse_entrant("greedy"), small(repeats=3), tmp_path)
    totals = [report.points_of(repeat) for repeat in range(3)]
    assert report.points == max(totals) == report.to_dict()["points"]
    assert len({record.moves for record in report.records()}) > 12, "a repeat is not the same games again"


def test_of_equal_repeats_the_first_counts() -> None:
    plan = plan_of(parse_entrant("greedy"), small(repeats=3))
    assert GradeReport(plan, graded_repeats(plan, {}, {}), "").best == 0


def test_a_batch_that_overruns_scores_nothing_and_is_not_played_on(tmp_path: Path) -> None:
    agent = parse_entrant(passing_command(tmp_path, "0"))
    report = graded(agent, small(budget=0.001), tmp_path / "out")
    batch = report.counted[0]
    assert batch.played == 1
    assert batch.overrun
    assert report.complete
    assert report.points == 0
    assert batch.opponents[0].award.line == "the batch exceeded its time: 0"
    assert graded(agent, small(budget=0.001), tmp_path / "out").played == 1, "asking again plays nothing more"


def test_a_recommended_time_ends_no_batch(tmp_path: Path) -> None:
    (batch,) = small(budget=0.001).batches
    agent = parse_entrant(passing_command(tmp_path, "0"))
    report = graded(agent, Scheme((replace(batch, binding=False),)), tmp_path / "out")
    assert report.complete
    assert report.played == report.plan.games > 1


def test_the_opponents_time_is_not_the_agent_s(tmp_path: Path) -> None:
    """It stopped the grading for ever, with neither a reason nor all games."""
    loop = "import time\nwhile time.process_time() < 0.3: pass\n"
    slow = str(python_agent(tmp_path / "slow", loop + PASSES))
    batch = Batch("1", "Stage 1", (Rubric("slow", BANDS, player=slow),), 2, budget_seconds=0.5)
    agent = parse_entrant(str(python_agent(tmp_path / "agent", PASSES)))
    report = graded(agent, Scheme((batch,)), tmp_path / "out")
    assert (report.played, report.complete) == (4, True)


def test_games_inside_the_agent_s_own_folder_are_not_believed(tmp_path: Path) -> None:
    agent = parse_entrant(str(python_agent(tmp_path / "agent", PASSES)))
    out = tmp_path / "agent" / GRADES / "mine"
    assert graded(agent, small(), out).complete, "its author may play them there"
    with pytest.raises(UsageError, match="inside the agent's own folder"):
        graded(agent, small(), out)
    out.rename(tmp_path / "out")
    assert graded(agent, small(), tmp_path / "out").complete


@pytest.mark.parametrize("agent", ["greedy", "forfeits"])
def test_a_winner_whom_the_moves_contradict_is_refused(tmp_path: Path, agent: str) -> None:
    entrant = parse_entrant("greedy" if agent == "greedy" else str(python_agent(tmp_path / "agent", OCCUPIED)))
    graded(entrant, small(("aggressive",)), tmp_path / "out")
    with closing(sqlite3.connect(tmp_path / "out" / RESULTS)) as store, store:
        query = "SELECT finished, result FROM games JOIN records USING (finished) WHERE winner = 2"
        number, text = store.execute(query).fetchone()
        result = json.loads(text)
        result["record"]["outcome"]["winner"] = "black"
        store.execute("UPDATE records SET result = ? WHERE finished = ?", (json.dumps(result), number))
    with pytest.raises(FormatError, match="its moves do not lead to 'Black wins"):
        graded(entrant, small(("aggressive",)), tmp_path / "out")


LEVELS = {str(level) for level in Level}
CONFINED = {"built-in": {""}, "gtp": {"trusted"}, "program": LEVELS}


@pytest.mark.parametrize("kind", CONFINED)
def test_the_isolation_is_that_of_the_games(tmp_path: Path, kind: str) -> None:
    spelling = {
        "built-in": "greedy",
        "gtp": f"gtp:{sys.executable} -m littlego gtp random",
        "program": passing_command(tmp_path, "0"),
    }[kind]
    report = graded(parse_entrant(spelling), small(("random",)), tmp_path / "out")
    level = report.to_dict()["isolation"]
    assert level.partition(":")[0] in CONFINED[kind], level
    assert bool(level) == (f"Isolation {level}" in grade_page(report)) == (kind != "built-in")
    assert (report.cpu_seconds > 0) == (kind == "program")


def test_one_opponent_that_fails_does_not_stop_the_rest(tmp_path: Path) -> None:
    report = graded(parse_entrant("greedy"), small(("random", "nobody", "greedy")), tmp_path)
    assert [len(row.games) for row in report.counted[0].opponents] == [4, 0, 4]
    assert not report.complete
    assert "no player is called 'nobody'" in report.failures[0]
    assert "Not played because of an error on our side" in gradescope_results(report)["output"]


def test_a_program_that_forfeits(tmp_path: Path) -> None:
    source = "import sys; print('thinking', file=sys.stderr)\n" + OCCUPIED
    agent = parse_entrant(str(python_agent(tmp_path / "agent", source)))
    report = graded(agent, small(("aggressive",)), tmp_path / "out")
    row = report.counted[0].opponents[0]
    assert row.forfeits == 4
    assert report.cpu_seconds > 0
    first = next(loss for loss in all_losses(report) if len(loss.games) > 1)
    assert "2,2: the point is occupied" in first.text()
    assert "illegal_occupied" in first.text()
    assert "  | thinking" in first.text()
    assert first.title.startswith("Games ")
    write_capsules(report)
    assert capsule_path(tmp_path / "out", first.number).exists()
    assert '"bad":"cc"' in grade_page(report), "2,2, where the illegal move would be, is marked on the board"
    kept = read_numbered_games(tmp_path / "out")[first.games[1].number]
    assert kept.moves == first.games[1].result.record.moves
    test = gradescope_results(report)["tests"][0]
    assert test["name"] == "Stage 1: aggressive"
    assert (test["score"], test["max_score"], test["status"]) == (0, 10, "failed")
    assert "the point is occupied" in test["output"]


def test_an_agent_that_cannot_be_built_has_a_report(tmp_path: Path) -> None:
    agent = python_agent(tmp_path / "agent", "def choose(:\n")
    report = grade_agent(agent, edition="2024", stage="all", out=tmp_path / "out")
    assert report.points == 0
    assert report.max_points == 100
    assert "SyntaxError" in report.problem
    assert report.complete
    results = gradescope_results(report)
    assert results["score"] == 0
    assert "SyntaxError" in results["output"]
    assert [test["max_score"] for test in results["tests"]] == [25, 25, 25, 15, 5, 5]


def test_another_agent_is_not_mixed_in(tmp_path: Path) -> None:
    agent = parse_entrant(str(python_agent(tmp_path / "agent", PASSES)))
    with open_grading(agent, plan_of(agent, small()), out=tmp_path / "out"):
        pass
    python_agent(tmp_path / "agent", GOOD)
    with pytest.raises(UsageError, match="holds another grading"):
        graded(agent, small(), tmp_path / "out")


def test_people_are_not_graded() -> None:
    with pytest.raises(UsageError, match="a person cannot be graded"):
        grade_agent("manual")


def test_gradescopes_form(tmp_path: Path) -> None:
    results = gradescope_results(graded(parse_entrant("greedy"), small(), tmp_path))
    assert results["score"] == sum(test["score"] for test in results["tests"])
    assert {entry["name"] for entry in results["leaderboard"]} == {"Points", "Wins", "CPU seconds"}
    assert all(entry["order"] in ("asc", "desc") for entry in results["leaderboard"])
    assert all(test["visibility"] == "visible" for test in results["tests"])
    assert json.loads(json.dumps(results)) == results
    nothing = gradescope_problem("no agent here")
    assert nothing.keys() == results.keys()
    assert nothing["score"] == 0
