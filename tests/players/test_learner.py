"""A trained learner in one call."""

from __future__ import annotations

import pytest

from littlego.arena.match.quick import play_match
from littlego.core.errors import UsageError
from littlego.learn.trainer import Measure
from littlego.players.learner import train_learner


def test_it_learns_and_tells_how_far_it_has_come() -> None:
    told: list[Measure] = []
    learner = train_learner(games=2000, seed=2, chunks=2, progress=told.append, test_games=5)
    assert [measure.games for measure in told] == [500, 2000]
    assert play_match(lambda _: learner, "random", games=20).tally.wins > 10


def test_settings_are_checked() -> None:
    with pytest.raises(UsageError, match="opponent 'nobody'"):
        train_learner(games=10, opponents=("nobody",))
