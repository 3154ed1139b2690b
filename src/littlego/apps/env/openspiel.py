"""Little-Go as a Python game of OpenSpiel, so that its algorithms run on it. Needs OpenSpiel.

OpenSpiel's own Go differs: it scores areas, and ends a game whose board repeats.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pyspiel

from littlego.apps.env.planes import PLANES, planes
from littlego.apps.env.spiel import SIDES, SpielGame, SpielState
from littlego.core.rules import DEFAULT_EDITION, DEFAULT_SIZE, edition_rules

NAME: Final = "python_littlego"
PARAMETERS: Final = {"size": DEFAULT_SIZE, "edition": int(DEFAULT_EDITION)}  # OpenSpiel writes and reads it as a number

_TYPE: Final = pyspiel.GameType(
    short_name=NAME,
    long_name="Little-Go",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=len(SIDES),
    min_num_players=len(SIDES),
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification=PARAMETERS,
)


class LittleGoGame(pyspiel.Game):  # type: ignore[misc]
    """`pyspiel.load_game("python_littlego(size=4)")`."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        chosen = {**PARAMETERS, **(params or {})}
        self.game = SpielGame(edition_rules(str(chosen["edition"]), int(chosen["size"])))
        information = pyspiel.GameInfo(
            num_distinct_actions=self.game.num_distinct_actions(),
            max_chance_outcomes=0,
            num_players=self.game.num_players(),
            min_utility=self.game.min_utility(),
            max_utility=self.game.max_utility(),
            utility_sum=0.0,
            max_game_length=self.game.max_game_length(),
        )
        super().__init__(_TYPE, information, dict(params or {}))

    def new_initial_state(self) -> LittleGoState:
        return LittleGoState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> PlanesObserver:  # noqa: ARG002 - both see all
        return PlanesObserver(self.game.rules.size)


class LittleGoState(pyspiel.State):  # type: ignore[misc]
    """A game in progress; the names with an underscore are what OpenSpiel calls."""

    def __init__(self, game: LittleGoGame) -> None:
        super().__init__(game)
        self.state: SpielState = game.game.new_initial_state()

    def current_player(self) -> int:
        """0, 1, or PlayerId.TERMINAL."""
        return self.state.current_player()

    def _legal_actions(self, player: int) -> list[int]:
        return self.state.legal_actions(player)

    def _apply_action(self, action: int) -> None:
        self.state.apply_action(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self.state.action_to_string(player, action)

    def is_terminal(self) -> bool:
        return self.state.is_terminal()

    def returns(self) -> list[float]:
        return self.state.returns()

    def __str__(self) -> str:
        return str(self.state)


class PlanesObserver:
    """What a player sees, in OpenSpiel's form: the planes as `tensor`, and by name in `dict`."""

    def __init__(self, size: int) -> None:
        shape = (PLANES, size, size)
        self.tensor = np.zeros(PLANES * size * size, np.float32)
        self.dict = {"observation": self.tensor.reshape(shape)}

    def set_from(self, state: LittleGoState, player: int) -> None:
        self.dict["observation"][:] = planes(state.state.position, SIDES[player])

    def string_from(self, state: LittleGoState, player: int) -> str:
        return state.state.observation_string(player)


def register() -> str:
    """Make the game known to OpenSpiel, once; returns its name."""
    if NAME not in pyspiel.registered_names():
        pyspiel.register_game(_TYPE, LittleGoGame)
    return NAME
