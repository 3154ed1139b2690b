"""Measures the tic-tac-toe learner over many seeds, for the table of docs/learning.md: prints JSON.

    python tools/measure_tictactoe.py           some minutes

For each number of training games and each setting: wins and losses by side against the random player, seeds that lose
to the perfect player, and seeds that make no mistake at all, by the solved game.
"""

from __future__ import annotations

import json
from typing import Any, Final

from littlego.tictactoe.board import O, X
from littlego.tictactoe.learner import FastQLearner, LearnerSettings
from littlego.tictactoe.match import battle
from littlego.tictactoe.perfect_player import PerfectPlayer
from littlego.tictactoe.random_player import RandomPlayer

SEEDS: Final = range(300)
TEST_GAMES: Final = 100
SETTINGS: Final = {
    "as it comes": LearnerSettings(),
    "untried cells start at 0.9": LearnerSettings(initial=0.9),
    "win 1, draw 0.5, loss 0, a constant alpha of 0.7, gamma 0.9": LearnerSettings(
        alpha=0.7, fall=0.0, gamma=0.9, win=1.0, draw=0.5, loss=0.0
    ),
}
TRAINED: Final = (("as it comes", 1_000), *((name, 100_000) for name in SETTINGS))


def row(name: str, games: int) -> dict[str, Any]:
    """All seeds with one setting, after `games` training games as each side."""
    found = dict.fromkeys(("won_as_x", "lost_as_x", "won_as_o", "lost_as_o"), 0)
    beaten = {"x": 0, "o": 0}
    perfect = 0
    for seed in SEEDS:
        learner = FastQLearner(SETTINGS[name], seed=seed)
        learner.train(games)
        as_x = battle(learner, RandomPlayer(seed=seed), TEST_GAMES)
        as_o = battle(RandomPlayer(seed=seed), learner, TEST_GAMES)
        for key, count in zip(found, (as_x[X], as_x[O], as_o[O], as_o[X]), strict=True):
            found[key] += count
        beaten["x"] += battle(learner, PerfectPlayer(), 1)[O]
        beaten["o"] += battle(PerfectPlayer(), learner, 1)[X]
        perfect += all(check.is_perfect for check in learner.check())
    return {"setting": name, "games": games, **found, "seeds_beaten": beaten, "perfect_seeds": perfect}


if __name__ == "__main__":
    rows = [row(name, games) for name, games in TRAINED]
    print(json.dumps({"seeds": len(SEEDS), "test_games": TEST_GAMES, "rows": rows}))
