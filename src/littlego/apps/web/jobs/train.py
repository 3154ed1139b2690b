"""The job that trains a Little-Go learner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from littlego.apps.web.jobs.progress import Progress
from littlego.core.points import move_name
from littlego.core.rules import DEFAULT_SIZE

if TYPE_CHECKING:
    from littlego.learn.labels import Label

FOLDER: Final = "training"
_SHOWN: Final = 9
"""Positions in which pages show the learner's move."""


def run(params: dict[str, Any], data: Path, progress: Progress) -> dict[str, Any]:
    """Train a learner in the data directory. Its curve grows in the result."""
    from littlego.learn import trainer
    from littlego.learn.labels import best_moves, row_of, shipped_labels

    labels = shipped_labels()
    shown = _spread([label for label in labels if label.wins])

    settings = trainer.TrainingSettings(
        games=params["games"],
        alpha=params["alpha"],
        epsilon=params["epsilon"],
        opponents=tuple(params["opponents"]),
        representation=params["representation"],
        seed=params["seed"],
        chunks=min(40, max(1, round(params["games"] ** 0.5))),
    )

    def result_of(training: trainer.Training) -> dict[str, Any]:
        return {
            "model": params["model"],
            "test_games": settings.test_games,
            "curve": [asdict(measure) for measure in training.curve],
            "choices": [
                {
                    "cells": row_of(label).partition("\t")[0],
                    "to_move": ("black", "white")[label.to_move],
                    "played": label.played,
                    "move": move_name(move, DEFAULT_SIZE),
                    "winning": row_of(label).rpartition("\t")[2].split(" "),
                }
                for label, (move, _) in zip(shown, best_moves(shown, training.values), strict=True)
            ],
        }

    def step(training: trainer.Training, _seconds: float) -> None:
        progress(training.games_done, settings.games, "games", result_of(training))

    return result_of(trainer.train(settings, data / FOLDER / params["model"], labels=labels, progress=step))


def _spread(won: Sequence[Label]) -> tuple[Label, ...]:
    """A few positions of all ages, the youngest first."""
    by_age = sorted(won, key=lambda label: label.played)
    return tuple(by_age[k * len(by_age) // _SHOWN] for k in range(_SHOWN))
