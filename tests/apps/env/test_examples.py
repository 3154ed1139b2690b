"""The examples for research, without the libraries that take long to install: those run in the workflow `examples`."""

from __future__ import annotations

import numpy as np
from gymnasium.utils.env_checker import check_env

import maskable_ppo
from littlego.core.board import Colour


def test_the_environment_of_the_ppo_example() -> None:
    env = maskable_ppo.AgainstPlayer("greedy", seed=1)
    check_env(env, skip_render_check=True)
    rng = np.random.default_rng(1)
    colours = []

    def at_random(_seen: object, mask: np.ndarray) -> np.int64:
        if env.env.unwrapped.position.moves_played < 2:
            colours.append(env.env.unwrapped.position.to_move)
        return np.int64(rng.choice(np.flatnonzero(mask)))

    tally = maskable_ppo.games_won(at_random, env, 40)
    assert tally.games == 40
    assert 0 < tally.wins < 20, "greedy is stronger than random"
    assert {colours.count(colour) for colour in Colour} == {20}
