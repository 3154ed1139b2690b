"""Learning that can be watched: a training of Little-Go, and two tic-tac-toe learners in self-play."""

from __future__ import annotations

import random
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from littlego.apps.web.jobs.main import Tell

FOLDER: Final = "training"
_POINTS: Final = 200
"""Of a tic-tac-toe curve: more would not be seen."""


def train(params: dict[str, Any], data: Path, tell: Tell) -> dict[str, Any]:
    """Train a Little-Go learner in the arena's directory; its curve grows while it learns."""
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
    folder = data / FOLDER / params["model"]

    def found(training: trainer.Training) -> dict[str, Any]:
        return {
            "model": params["model"],
            "test_games": settings.test_games,
            "curve": [asdict(measure) for measure in training.curve],
        }

    def progress(training: trainer.Training, _seconds: float) -> None:
        tell(training.games_done, settings.games, "learning", found(training))

    return found(trainer.train(settings, folder, labels=shipped_labels(), progress=progress))


def tictactoe(params: dict[str, Any], _data: Path, tell: Tell) -> dict[str, Any]:
    """Two learners of tic-tac-toe against each other: shares of results, and what the first moves are worth."""
    from littlego.tictactoe.temporal import OPENINGS, Pair

    games = params["games"]
    every = max(1, games // _POINTS)
    rng = random.Random(params["seed"])
    pair = Pair.new(alpha=params["alpha"], epsilon=params["epsilon"])
    counts = [0, 0, 0]
    curve: list[dict[str, Any]] = []

    def found() -> dict[str, Any]:
        return {"curve": curve}

    for game in range(1, games + 1):
        counts[pair.play_game(rng)] += 1
        if game % every == 0 or game == games:
            curve.append(
                {
                    "games": game,
                    "first": counts[1] / game,
                    "second": counts[2] / game,
                    "draws": counts[0] / game,
                    "values": [round(pair.x.values.get(code, 0.0), 4) for code in OPENINGS.values()],
                }
            )
            tell(game, games, "learning", found)
    return found()
