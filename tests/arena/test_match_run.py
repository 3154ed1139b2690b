"""Playing a match: what is counted, and who is told."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from littlego.arena.games import play_missing
from littlego.arena.match import MatchPlan, StoredMatch
from littlego.arena.participants import BuiltIn
from littlego.arena.pool import Failure, InProcess, Job
from littlego.arena.store import Store
from littlego.core.rules import edition_rules

pytestmark = pytest.mark.process

NAMES = ("random", "greedy")


class Twice(InProcess):
    """Plays games here, and tells of each twice, as a cluster may."""

    def run(
        self, job: Job, tasks: Iterable[Any], *, on_failure: Callable[[Failure], None] = lambda _failure: None
    ) -> Generator[tuple[Any, Any], None, None]:
        for answer in super().run(job, tasks, on_failure=on_failure):
            yield from (answer, answer)


def test_a_game_that_comes_twice_counts_once(tmp_path: Path) -> None:
    plan, told = MatchPlan(*NAMES, edition_rules(), 4, 1), list[int]()
    job = plan.job(NAMES, [BuiltIn(name) for name in NAMES])
    with Store[int](tmp_path / "results.sqlite") as store:
        play_missing(job, plan.fixtures(), store, Twice(), on_result=lambda fixture, _: told.append(fixture.key))
        assert told == [game.key for game in store.games()] == [0, 1, 2, 3]


def test_a_shorter_match_shows_its_own_games_only(tmp_path: Path) -> None:
    @contextlib.contextmanager
    def follow(*_: object) -> Iterator[Callable[[], None]]:
        yield lambda: None

    for games in (4, 2):
        plan = MatchPlan(*NAMES, edition_rules(), games, 1)
        match = StoredMatch(plan, NAMES, [BuiltIn(name) for name in NAMES], tmp_path)
        match.play(InProcess(), follow, lambda _failure: None)
        assert sorted(game.key for game in match.games) == list(range(games))
