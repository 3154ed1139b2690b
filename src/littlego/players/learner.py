"""A trained learner in one call, for notebooks and scripts. `littlego train` does more, and keeps checkpoints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from littlego.learn.trainer import Measure, Settings, Training
from littlego.players.qlearning import QLearningPlayer


def train_learner(
    games: int = 20_000,
    *,
    seed: int = 1,
    chunks: int = 1,
    progress: Callable[[Measure], None] | None = None,
    **settings: Any,
) -> QLearningPlayer:
    """A player that has learned 5x5 Little-Go from `games` games by Q-learning; the same seed gives the same one.

    `progress` is called with a measure after each of `chunks` parts of the training. Further settings are
    those of `littlego.learn.trainer.Settings`. Raises UsageError.
    """
    training = Training.new(Settings(games=games, seed=seed, chunks=chunks, **settings))
    while not training.is_done:
        measure = training.advance()
        if progress:
            progress(measure)
    return QLearningPlayer(seed, model=training.model())
