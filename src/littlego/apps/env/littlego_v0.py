"""Little-Go as a PettingZoo environment: two agents in turn (AEC), with action masks.

An observation is a dictionary: `observation`, the planes of `littlego.apps.env.planes`, and
`action_mask`, 1 for every legal action. Actions are the points in row-major order, then the pass.
The winner's reward is 1 and the loser's -1, when the game is over; both get 0 for a tie.
"""

from __future__ import annotations

from typing import Any, ClassVar, TypedDict

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Space
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from littlego.apps.env.planes import PLANES, ActionMask, Planes, action_mask, move_of, planes
from littlego.core.board import Colour
from littlego.core.errors import UsageError
from littlego.core.points import Move
from littlego.core.position import Position
from littlego.core.rules import DEFAULT_EDITION, DEFAULT_SIZE, Rules, edition_rules
from littlego.formats.text import draw_terminal

AGENTS = {"black_0": Colour.BLACK, "white_0": Colour.WHITE}
NAMES = {colour: agent for agent, colour in AGENTS.items()}


class Observation(TypedDict):
    """What an agent sees."""

    observation: Planes
    action_mask: ActionMask


def env(
    *,
    size: int = DEFAULT_SIZE,
    edition: str = DEFAULT_EDITION,
    rules: Rules | None = None,
    render_mode: str | None = None,
    illegal_reward: float = -1.0,
) -> AECEnv[str, Observation, int | None]:
    """The environment with PettingZoo's usual wrappers: an illegal action ends the game and costs `illegal_reward`.

    `rules` replaces `size` and `edition`. Raises UsageError.
    """
    raw = raw_env(size=size, edition=edition, rules=rules, render_mode=render_mode)
    masked = wrappers.TerminateIllegalWrapper(raw, illegal_reward=illegal_reward)
    bounded = wrappers.AssertOutOfBoundsWrapper(masked)
    return wrappers.OrderEnforcingWrapper(bounded)


class raw_env(AECEnv[str, Observation, int | None]):  # type: ignore[misc]  # noqa: N801 - untyped, and PettingZoo's name
    """The environment without wrappers: an illegal action raises IllegalMove, which says why."""

    metadata: ClassVar[dict[str, Any]] = {
        "name": "littlego_v0",
        "render_modes": ["human", "ansi"],
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        *,
        size: int = DEFAULT_SIZE,
        edition: str = DEFAULT_EDITION,
        rules: Rules | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise UsageError(
                f"render mode {render_mode!r}: expected one of {', '.join(self.metadata['render_modes'])}, or None"
            )
        self.rules = rules or edition_rules(edition, size)
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        points = self.rules.size**2
        seen = Dict(
            {
                "observation": Box(0.0, 1.0, (PLANES, self.rules.size, self.rules.size), np.float32),
                "action_mask": Box(0, 1, (points + 1,), np.int8),
            }
        )
        self.observation_spaces: dict[str, Space[Any]] = dict.fromkeys(AGENTS, seen)
        self.action_spaces: dict[str, Space[Any]] = {agent: Discrete(points + 1) for agent in AGENTS}
        self._start()

    def _start(self) -> None:
        self.position = Position.initial(self.rules)
        self._last_move: Move | None = None
        self.agents = list(AGENTS)
        self.agent_selection = NAMES[self.position.to_move]
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}

    def observation_space(self, agent: str) -> Space[Any]:
        """The same object every time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[Any]:
        """The points, then the pass; the same object every time."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002 - an AECEnv
        """Start a new game. Nothing here is random, so `seed` has no effect; there are no options."""
        self._start()
        self._show()

    def observe(self, agent: str) -> Observation:
        """Only the agent whose turn it is has legal actions."""
        mine = agent == self.agent_selection and not self.terminations.get(agent, True)
        mask = action_mask(self.position)
        return {
            "observation": planes(self.position, AGENTS[agent]),
            "action_mask": mask if mine else np.zeros_like(mask),
        }

    def step(self, action: int | None) -> None:
        """Move for the agent whose turn it is. Raises IllegalMove."""
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        if action is None:
            raise UsageError("the game is not over: expected an action; only an agent whose game is over passes None")
        agent = self.agent_selection
        move = move_of(int(action), self.rules.size)
        self.position = self.position.play(move)
        self._last_move = move
        self._cumulative_rewards[agent] = 0.0
        if (outcome := self.position.outcome()) is not None:
            self.terminations = dict.fromkeys(self.agents, True)
            if outcome.winner is not None:
                self.rewards = {NAMES[outcome.winner]: 1.0, NAMES[outcome.winner.opponent]: -1.0}
        self.agent_selection = NAMES[self.position.to_move]
        self._accumulate_rewards()
        self._show()

    def render(self) -> str | None:
        """The board as text; `human` prints it."""
        text = draw_terminal(self.position, last_move=self._last_move, colour=False)
        if self.render_mode == "ansi":
            return text
        if self.render_mode == "human":
            print(text)
        return None

    def close(self) -> None:
        """Nothing to close."""

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()
