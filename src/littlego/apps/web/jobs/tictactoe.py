"""The job in which two learners of tic-tac-toe play each other."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any, Final

from littlego.apps.web.jobs.progress import Progress
from littlego.tictactoe.board import X
from littlego.tictactoe.paper.temporal import OPENINGS, Pair
from littlego.tictactoe.players.perfect_player import after, value
from littlego.tictactoe.solved import START

_POINTS: Final = 200
"""The most points of a curve: a chart cannot show more."""


def run(params: dict[str, Any], _data: Path, progress: Progress) -> dict[str, Any]:
    """The shares of results and the values of the first moves, as they change with the games."""
    games = params["games"]
    every = max(1, games // _POINTS)
    rng = random.Random(params["seed"])
    pair = Pair.new(alpha=params["alpha"], epsilon=params["epsilon"])
    counts = [0, 0, 0]
    curve: list[dict[str, Any]] = []
    truth = [float(value(after(START, cell, X))) for cell in range(len(START))]
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
            progress(game, games, "games", {"curve": curve, "truth": truth})
    return {"curve": curve, "truth": truth}
