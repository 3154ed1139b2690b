"""Playing a match: what is counted, and who is told."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from pathlib import Path
from typing import Any

import pytest

from littlego.arena.entrants.kinds import BuiltIn
from littlego.arena.match.plan import GameResult, MatchPlan
from littlego.arena.match.run import MatchJob, Spending, run_match
from littlego.arena.match.store import Store
from littlego.arena.pool.local import Failure, Job
from littlego.arena.referee.limits import Limits
from littlego.core.rules import edition_rules
from littlego.core.verdict import Verdict

pytestmark = pytest.mark.process


def job(budget: float) -> MatchJob:
    players = (BuiltIn("random"), BuiltIn("greedy"))
    plan = MatchPlan("random", "greedy", edition_rules(), 4, 1, Limits(), budget_seconds=budget)
    return MatchJob(plan, ("random", "greedy"), players)


def costly(seconds: float, *, twice: bool) -> Any:
    """Plays games here, each of which cost the first player so much, and perhaps tells of each twice."""

    def execute(
        job: Job, tasks: Iterable[int], *, on_failure: Callable[[Failure], None]
    ) -> Generator[GameResult, None, None]:
        del on_failure  # nothing fails here
        with job.open() as play:
            for task in tasks:
                result: GameResult = play(task)
                result.cpu_seconds["black" if task % 2 == 0 else "white"] = [seconds]
                yield result
                if twice:
                    yield result

    return execute


def test_a_game_that_comes_twice_costs_once(tmp_path: Path) -> None:
    told: list[GameResult] = []
    with Store(tmp_path / "results.sqlite") as store:
        run_match(job(4.5), store, executor=costly(1.0, twice=True), on_result=told.append)
        assert [result.number for result in told] == [0, 1, 2, 3]
        assert Spending(job(4.5).plan, store.results()).seconds == [4.0, 0.0]
        assert {result.record.outcome.verdict for result in told if result.record.outcome} == {Verdict.SCORE}


def test_games_that_a_budget_takes_are_told_too(tmp_path: Path) -> None:
    told: list[GameResult] = []
    with Store(tmp_path / "results.sqlite") as store:
        run_match(job(1.5), store, executor=costly(1.0, twice=False), on_result=told.append)
        assert told == store.results()
    verdicts = [result.record.outcome.verdict for result in told if result.record.outcome]
    assert verdicts == [Verdict.SCORE] * 2 + [Verdict.BATCH_BUDGET] * 2
