"""Little-Go as a Python game of OpenSpiel, so that its algorithms run on it. Needs OpenSpiel.

Players are 0 (Black) and 1 (White); an action is a point in row-major order, or `size * size` for the pass. OpenSpiel's
own Go differs: it scores areas, and ends a game whose board repeats.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from littlego.apps.env.planes import PLANES, action_of, move_of, planes
from littlego.core.board import Colour, draw_board
from littlego.core.errors import UsageError
from littlego.core.points import move_name
from littlego.core.position import Position
from littlego.core.rules import DEFAULT_EDITION, DEFAULT_SIZE, edition_rules

try:
    import pyspiel
except ImportError as error:
    raise UsageError("OpenSpiel is not installed: pip install open_spiel") from error

NAME: Final = "python_littlego"
PARAMETERS: Final = {"size": DEFAULT_SIZE, "edition": int(DEFAULT_EDITION)}  # OpenSpiel writes and reads it as a number
SIDES: Final = tuple(Colour)

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


class LittleGoGame(pyspiel.Game):  # type: ignore[misc]  # OpenSpiel has no types
    """`pyspiel.load_game("python_littlego(size=4)")`."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        chosen = {**PARAMETERS, **(params or {})}
        self.rules = edition_rules(str(chosen["edition"]), int(chosen["size"]))
        information = pyspiel.GameInfo(
            num_distinct_actions=self.rules.size**2 + 1,
            max_chance_outcomes=0,
            num_players=len(SIDES),
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self.rules.max_moves,
        )
        super().__init__(_TYPE, information, dict(params or {}))

    def new_initial_state(self) -> LittleGoState:
        return LittleGoState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> PlanesObserver:  # noqa: ARG002 - both see all
        return PlanesObserver(self.rules.size)


class LittleGoState(pyspiel.State):  # type: ignore[misc]  # OpenSpiel has no types
    """A game in progress; the names with an underscore are what OpenSpiel calls."""

    def __init__(self, game: LittleGoGame) -> None:
        super().__init__(game)
        self.position = Position.initial(game.rules)

    def current_player(self) -> int:
        """0, 1, or PlayerId.TERMINAL."""
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        return SIDES.index(self.position.to_move)

    def _legal_actions(self, player: int) -> list[int]:
        """In ascending order; none for the player who is not to move."""
        if player != self.current_player():
            return []
        return [action_of(move, self.position.size) for move in self.position.legal_moves()]

    def _apply_action(self, action: int) -> None:
        """Raises IllegalMove."""
        self.position = self.position.play(move_of(action, self.position.size))

    def _action_to_string(self, player: int, action: int) -> str:
        """`B 2,3` or `W PASS`."""
        return f"{'BW'[player]} {move_name(move_of(action, self.position.size), self.position.size)}"

    def is_terminal(self) -> bool:
        return self.position.outcome() is not None

    def returns(self) -> list[float]:
        """1 and -1 at the end of a game that was won, otherwise 0."""
        outcome = self.position.outcome()
        if outcome is None or outcome.winner is None:
            return [0.0, 0.0]
        return [1.0 if side is outcome.winner else -1.0 for side in SIDES]

    def __str__(self) -> str:
        """Distinct for distinct positions, under the simple ko."""
        return f"{self.position!r}, passes {self.position.passes}\n{draw_board(self.position.board)}"


class PlanesObserver:
    """What a player sees, in OpenSpiel's form: the planes as `tensor`, and by name in `dict`."""

    def __init__(self, size: int) -> None:
        shape = (PLANES, size, size)
        self.tensor = np.zeros(PLANES * size * size, np.float32)
        self.dict = {"observation": self.tensor.reshape(shape)}

    def set_from(self, state: LittleGoState, player: int) -> None:
        self.dict["observation"][:] = planes(state.position, SIDES[player])

    def string_from(self, state: LittleGoState, player: int) -> str:  # noqa: ARG002 - both see all
        return str(state)


def register_openspiel() -> str:
    """Make Little-Go a game of OpenSpiel, once; returns the name for `pyspiel.load_game`."""
    if NAME not in pyspiel.registered_names():
        pyspiel.register_game(_TYPE, LittleGoGame)
    return NAME
