"""Maskable PPO, of sb3-contrib, learns to beat a built-in player on `littlego_v0`.

    pip install 'littlego[env]' sb3-contrib
    python examples/maskable_ppo.py --steps 120000          some minutes on two cores

The environment is PettingZoo's `littlego_v0`, seen by one agent: the other side is a built-in player, and the learner
gets Black and White in turn. Illegal moves are masked out, and the reward is who won.
"""

from __future__ import annotations

import argparse
import itertools
import time
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from littlego import Tally, make_player
from littlego.env import littlego_v0


class AgainstPlayer(gymnasium.Env[npt.NDArray[np.float32], np.int64]):
    """One side of `littlego_v0`; the other is a built-in player. The sides change with every game."""

    def __init__(self, opponent: str = "greedy", *, seed: int = 1) -> None:
        self.env = littlego_v0.env()
        self.env.reset()
        self.size = self.env.unwrapped.position.size
        agent = self.env.possible_agents[0]
        self.observation_space = self.env.observation_space(agent)["observation"]
        self.action_space = self.env.action_space(agent)
        self._name = opponent
        self._me = agent
        self._begin(seed)

    def _begin(self, seed: int) -> None:
        self.opponent = make_player(self._name, seed=seed)
        self._sides = itertools.cycle(self.env.possible_agents)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.float32], dict[str, Any]]:
        super().reset(seed=seed, options=options)
        if seed is not None:
            self._begin(seed)
        self._me = next(self._sides)
        self.env.reset(seed=seed)
        self._let_opponent_play()
        return self._seen(), {}

    def step(self, action: np.int64) -> tuple[npt.NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        self.env.step(int(action))
        self._let_opponent_play()
        return self._seen(), float(self.env.rewards[self._me]), self.env.terminations[self._me], False, {}

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Where sb3-contrib looks for what is legal."""
        mask: npt.NDArray[np.bool_] = self.env.observe(self._me)["action_mask"].astype(bool)
        return mask if mask.any() else np.ones_like(mask)

    def _seen(self) -> npt.NDArray[np.float32]:
        seen: npt.NDArray[np.float32] = self.env.observe(self._me)["observation"]
        return seen

    def _let_opponent_play(self) -> None:
        while self.env.agent_selection != self._me and not any(self.env.terminations.values()):
            position = self.env.unwrapped.position
            move = self.opponent.choose(position)
            self.env.step(move if isinstance(move, int) else self.size**2)


def games_won(choose: Any, env: AgainstPlayer, games: int) -> Tally:
    """`choose(observation, mask)` plays `games` games, half of them with each colour."""
    results = []
    for _ in range(games):
        seen, _info = env.reset()
        reward, over = 0.0, False
        while not over:
            seen, reward, over, _truncated, _info = env.step(choose(seen, env.action_masks()))
        results.append(reward > 0)
    return Tally.of(results)


def main() -> None:
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.env_util import make_vec_env

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=120_000, help="moves of the learner")
    parser.add_argument("--opponent", default="greedy", help="a built-in player")
    parser.add_argument("--games", type=int, default=200, help="games of the test")
    options = parser.parse_args()
    seeds = itertools.count(1)
    envs = make_vec_env(lambda: AgainstPlayer(options.opponent, seed=next(seeds)), n_envs=8, seed=1)
    network = {"net_arch": [256, 256]}
    model = MaskablePPO("MlpPolicy", envs, n_steps=512, batch_size=512, ent_coef=0.01, policy_kwargs=network, seed=1)
    began = time.monotonic()
    model.learn(options.steps)

    def choose(seen: npt.NDArray[np.float32], mask: npt.NDArray[np.bool_]) -> np.int64:
        action, _state = model.predict(seen, action_masks=mask, deterministic=True)
        return np.int64(action)

    tally = games_won(choose, AgainstPlayer(options.opponent, seed=1000), options.games)
    low, high = tally.interval
    print(
        f"After {options.steps:,} steps in {time.monotonic() - began:.0f} s: {tally.wins} of {tally.games} games won "
        f"against {options.opponent} ({tally.win_rate:.0%}, 95% interval {low:.0%} to {high:.0%})"
    )


if __name__ == "__main__":
    main()
