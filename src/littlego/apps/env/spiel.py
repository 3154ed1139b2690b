"""OpenSpiel-style states, for programs written against its interface. Only `register_openspiel` needs OpenSpiel.

Players are 0 (Black) and 1 (White); an action is a point in row-major order, or `size * size` for
the pass. OpenSpiel's own Go differs: it scores areas, and ends a game whose board repeats.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from littlego.apps.env.planes import PLANES, action_of, move_of, planes
from littlego.core.colour import Colour
from littlego.core.errors import UsageError
from littlego.core.points import move_name, parse_move
from littlego.core.position import Position
from littlego.core.rules import Rules, edition_rules
from littlego.formats.diagram import draw_board

TERMINAL: Final = -4
"""`current_player` after the end, as OpenSpiel's PlayerId.TERMINAL."""
SIDES: Final = tuple(Colour)


def register_openspiel() -> str:
    """Make Little-Go a game of OpenSpiel, once; returns the name for `pyspiel.load_game`. Raises UsageError."""
    try:
        from littlego.apps.env.openspiel import register
    except ImportError as error:
        raise UsageError("OpenSpiel is not installed: pip install open_spiel") from error
    return register()


@dataclass(frozen=True)
class SpielGame:
    """Little-Go as an OpenSpiel-style game."""

    rules: Rules = field(default_factory=edition_rules)

    def new_initial_state(self) -> SpielState:
        return SpielState(Position.initial(self.rules))

    def num_distinct_actions(self) -> int:
        """Legal or not."""
        return self.rules.size**2 + 1

    def num_players(self) -> int:
        return len(SIDES)

    def max_game_length(self) -> int:
        return self.rules.max_moves

    def min_utility(self) -> float:
        return -1.0

    def max_utility(self) -> float:
        return 1.0

    def observation_tensor_shape(self) -> list[int]:
        """The shape that `observation_tensor` is flattened from."""
        return [PLANES, self.rules.size, self.rules.size]


class SpielState:
    """A game in progress, changed in place by `apply_action`; `clone` it to keep it."""

    def __init__(self, position: Position, history: tuple[int, ...] = ()) -> None:
        self.position = position
        self._outcome = position.outcome()
        self._history = history

    def current_player(self) -> int:
        """0 or 1; TERMINAL after the end."""
        return TERMINAL if self.is_terminal() else SIDES.index(self.position.to_move)

    def is_terminal(self) -> bool:
        return self._outcome is not None

    def legal_actions(self, player: int | None = None) -> list[int]:
        """In ascending order; none for the player who is not to move, and none after the end."""
        if self.is_terminal() or player not in (None, self.current_player()):
            return []
        return [action_of(move, self.position.size) for move in self.position.legal_moves()]

    def apply_action(self, action: int) -> None:
        """Raises IllegalMove, and UsageError after the end."""
        if self.is_terminal():
            raise UsageError("the game is over: no action can be applied")
        self.position = self.position.play(move_of(action, self.position.size))
        self._outcome = self.position.outcome()
        self._history = (*self._history, action)

    def child(self, action: int) -> SpielState:
        """The state after an action; this one does not change."""
        after = self.clone()
        after.apply_action(action)
        return after

    def returns(self) -> list[float]:
        """1 and -1 at the end of a game that was won, otherwise 0."""
        outcome = self._outcome
        if outcome is None or outcome.winner is None:
            return [0.0, 0.0]
        return [1.0 if side is outcome.winner else -1.0 for side in SIDES]

    def rewards(self) -> list[float]:
        """The same as `returns`: only the last move is rewarded."""
        return self.returns()

    def clone(self) -> SpielState:
        return SpielState(self.position, self._history)

    def history(self) -> list[int]:
        return list(self._history)

    def move_number(self) -> int:
        return len(self._history)

    def action_to_string(self, player: int, action: int) -> str:
        """`B 2,3` or `W PASS`."""
        return f"{'BW'[player]} {move_name(move_of(action, self.position.size), self.position.size)}"

    def string_to_action(self, text: str) -> int:
        """From `2,3` or `PASS`, with or without a colour before it. Raises FormatError."""
        name = text.split()[-1] if text.split() else text
        return action_of(parse_move(name, self.position.size), self.position.size)

    def observation_string(self, player: int | None = None) -> str:  # noqa: ARG002 - both see everything
        """Distinct for distinct positions, under the simple ko."""
        position = self.position
        return f"{position!r}, passes {position.passes}\n{draw_board(position.board)}"

    def observation_tensor(self, player: int | None = None) -> list[float]:
        """A player's planes (default: the side to move), flattened."""
        side = self.position.to_move if player is None else SIDES[player]
        seen: list[float] = planes(self.position, side).ravel().tolist()
        return seen

    def __str__(self) -> str:
        return self.observation_string()
