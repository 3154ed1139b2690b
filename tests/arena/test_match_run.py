"""Playing a match: what is counted, and who is told."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from littlego.arena.games import Spending
from littlego.arena.match import MatchPlan, StoredMatch, run_match
from littlego.arena.participants import BuiltIn
from littlego.arena.pool import Failure, InProcess, Job
from littlego.arena.store import GameResult, KeptGame, Store
from littlego.core.board import BLACK, WHITE
from littlego.core.rules import Verdict, edition_rules

pytestmark = pytest.mark.process

NAMES = ("random", "greedy")


class Costly(InProcess):
    """Plays games here, each of which cost the first player so much, and perhaps tells of each twice."""

    def __init__(self, seconds: float, *, twice: bool) -> None:
        self.seconds, self.times = seconds, 2 if twice else 1

    def run(
        self, job: Job, tasks: Iterable[Any], *, on_failure: Callable[[Failure], None] = lambda _failure: None
    ) -> Generator[tuple[Any, Any], None, None]:
        for fixture, result in super().run(job, tasks, on_failure=on_failure):
            result.cpu_seconds["black" if fixture.key % 2 == 0 else "white"] = [self.seconds]
            for _ in range(self.times):
                yield fixture, result


def play(store: Store[int], budget: float, executor: InProcess) -> list[KeptGame[int]]:
    """What was told."""
    plan = MatchPlan(*NAMES, edition_rules(), 4, 1, budget_seconds=budget)
    told: list[KeptGame[int]] = []
    job = plan.job(NAMES, [BuiltIn(name) for name in NAMES])
    run_match(plan, job, store, executor, on_result=lambda number, result: told.append(KeptGame(number, result)))
    return told


def test_a_game_that_comes_twice_costs_once(tmp_path: Path) -> None:
    with Store[int](tmp_path / "results.sqlite") as store:
        told = play(store, 4.5, Costly(1.0, twice=True))
        assert [game.key for game in told] == [0, 1, 2, 3]
        assert {verdict(game.result) for game in told} == {Verdict.SCORE}
        spent = Spending(4.5)
        for fixture, game in zip(MatchPlan(*NAMES, edition_rules(), 4, 1).fixtures(), store.games(), strict=True):
            spent.add(fixture, game.result)
        assert spent.seconds == {0: 4.0, 1: 0.0}
        assert spent.overdrawn() is None


def test_games_that_a_budget_takes_are_reported_too(tmp_path: Path) -> None:
    with Store[int](tmp_path / "results.sqlite") as store:
        told = play(store, 1.5, Costly(1.0, twice=False))
        assert [(game.key, game.result) for game in told] == [(game.key, game.result) for game in store.games()]
    assert [verdict(game.result) for game in told] == [Verdict.SCORE] * 2 + [Verdict.BATCH_BUDGET] * 2
    assert [game.result.record.outcome and game.result.record.outcome.winner for game in told[2:]] == [WHITE, BLACK]


def test_a_shorter_match_shows_its_own_games_only(tmp_path: Path) -> None:
    @contextlib.contextmanager
    def follow(*_: object) -> Iterator[Callable[[], None]]:
        yield lambda: None

    for games in (4, 2):
        plan = MatchPlan(*NAMES, edition_rules(), games, 1)
        match = StoredMatch(plan, NAMES, [BuiltIn(name) for name in NAMES], tmp_path)
        match.play(InProcess(), follow, lambda _failure: None)
        assert sorted(game.key for game in match.games) == list(range(games))


def test_a_budget_that_is_used_up_stays_so(tmp_path: Path) -> None:
    """The same command given again plays nothing, and a longer match is lost to its end."""
    with Store[int](tmp_path / "results.sqlite") as store:
        play(store, 1.5, Costly(1.0, twice=False))
        assert play(store, 1.5, Costly(1.0, twice=False)) == []


def verdict(result: GameResult) -> Verdict | None:
    return result.record.outcome.verdict if result.record.outcome else None
