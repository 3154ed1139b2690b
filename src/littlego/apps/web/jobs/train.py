"""The job that trains a Little-Go learner."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from littlego.apps.web.jobs.progress import Progress

FOLDER: Final = "training"


def run(params: dict[str, Any], data: Path, progress: Progress) -> dict[str, Any]:
    """Train a learner in the data directory. Its curve grows in the result."""
    from littlego.learn import trainer
    from littlego.learn.labels import shipped_labels

    settings = trainer.Settings(
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
        }

    def step(training: trainer.Training, _seconds: float) -> None:
        progress(training.games_done, settings.games, "learning", result_of(training))

    return result_of(trainer.train(settings, data / FOLDER / params["model"], labels=shipped_labels(), progress=step))
