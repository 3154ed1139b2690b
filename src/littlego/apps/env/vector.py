"""Many games at once for self-play research: compiled, with the interface of Gymnasium's vector environments.

The policy plays both sides: actions and observations are those of the side to move. A game that ends restarts in the
same step, so observations are always of unfinished games.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from littlego.apps.env import many_games as kernel
from littlego.apps.env.planes import PLANES, ActionMask, Planes
from littlego.core.errors import UsageError
from littlego.core.position import Position
from littlego.core.rules import DEFAULT_SIZE, Rules, edition_rules
from littlego.kernel.bits import SIDE, Words
from littlego.kernel.frame import board_mask, framed_point, spot_of
from littlego.kernel.xorshift import seeded_state

if TYPE_CHECKING:
    from gymnasium.spaces import Box, MultiDiscrete

A = TypeVar("A", bound=npt.NDArray[Any])
Info = dict[str, npt.NDArray[Any]]
LARGEST: Final = SIDE
"""The largest board of the compiled rules."""


class VectorLittleGo:
    """`n` games of Little-Go under the simple ko, on boards up to 5x5, one move in each with every `step`.

    `action_mask` in the info is 1 for every legal action; an illegal one loses its game at once.
    Needs numpy and numba; Gymnasium only for the two spaces.
    """

    def __init__(self, n: int, size: int = DEFAULT_SIZE, *, rules: Rules | None = None, copy: bool = True) -> None:
        """`rules` replaces `size`. Raises UsageError.

        Without `copy`, the next step overwrites the arrays that `reset` and `step` return.
        """
        self.rules = rules or edition_rules(size=size)
        if n < 1:
            raise UsageError(f"{n} games at once: expected at least 1")
        if self.rules.size > LARGEST or self.rules.ko.value != "simple" or not self.rules.passing:
            raise UsageError(
                f"{self.rules.size}x{self.rules.size}, edition {self.rules.edition}: the vectorised environment plays "
                f"boards up to {LARGEST}x{LARGEST} with the simple ko; littlego_v0 plays every size and edition"
            )
        self.num_envs = n
        self.size = self.rules.size
        self._copy = copy
        self._points: Words = np.array(
            [framed_point(point, self.size) for point in range(self.size**2)], dtype=np.int64
        )
        self._board = board_mask(self.size)
        self._games: Words = np.zeros((n, kernel.ROW), dtype=np.int64)
        self._actions: Words = np.zeros(n, dtype=np.int64)
        self._planes: Planes = np.zeros((n, PLANES, self.size, self.size), dtype=np.float32)
        self._masks: ActionMask = np.zeros((n, self.size**2 + 1), dtype=np.int8)
        self._rewards = np.zeros(n, dtype=np.float32)
        self._terminated = np.zeros(n, dtype=np.bool_)
        self._truncated = np.zeros(n, dtype=np.bool_)
        self._illegal = np.zeros(n, dtype=np.bool_)
        self._margins = np.zeros(n, dtype=np.float32)
        self._random = seeded_state(None)
        self.reset()

    @property
    def single_observation_space(self) -> Box:
        """The planes of one game, as in `littlego_v0`."""
        return self._box(PLANES, self.size, self.size)

    @property
    def observation_space(self) -> Box:
        """The planes of all games."""
        return self._box(self.num_envs, PLANES, self.size, self.size)

    @property
    def action_space(self) -> MultiDiscrete:
        """An action for every game: a point in row-major order, or `size * size` for the pass."""
        from gymnasium.spaces import MultiDiscrete

        return MultiDiscrete(np.full(self.num_envs, self.size**2 + 1))

    def reset(self, *, seed: int | None = None) -> tuple[Planes, Info]:
        """Restart every game. `seed` makes `random_actions` reproducible; nothing else is random."""
        if seed is not None:
            self._random = seeded_state(seed)
        kernel.begin_all(self._games, self._board)
        self._illegal[:] = False
        self._margins[:] = 0
        return self._seen(), self._info()

    def step(
        self, actions: npt.ArrayLike
    ) -> tuple[Planes, npt.NDArray[np.float32], npt.NDArray[np.bool_], npt.NDArray[np.bool_], Info]:
        """Observations, rewards, terminated, truncated, info after one action in every game.

        A reward is that of the side that moved: 1 or -1 if its move ended the game, otherwise 0. Nothing is ever
        truncated: the length of a game is part of its rules. Raises UsageError for an array of another shape.
        """
        chosen = np.asarray(actions, dtype=np.int64)
        if chosen.shape != (self.num_envs,):
            raise UsageError(f"actions of shape {chosen.shape}: expected ({self.num_envs},), one for every game")
        self._make_moves(chosen)
        seen = self._seen()
        return seen, self._out(self._rewards), self._out(self._terminated), self._out(self._truncated), self._info()

    def random_actions(self) -> Words:
        """A uniformly random legal action for every game, from the seed of `reset`."""
        kernel.draw_actions(self._games, self.size, self._random, self._actions)
        return self._out(self._actions)

    def play_random(self, steps: int) -> int:
        """Make `steps` random legal moves in every game, without observations; returns how many games ended.

        The same moves as calling `step(random_actions())` `steps` times.
        """
        ended = 0
        for _ in range(steps):
            kernel.draw_actions(self._games, self.size, self._random, self._actions)
            self._make_moves(self._actions)
            ended += int(self._terminated.sum())
        return ended

    def set_position(self, number: int, position: Position) -> None:
        """Set a game to a position, for studies that do not start with the empty board. Raises UsageError.

        The length of the game is the environment's, counted from the position's moves.
        """
        is_alternating = position.moves_played % 2 == position.to_move.value - 1
        if position.rules != self.rules or position.outcome() is not None or not is_alternating:
            raise UsageError("expected an unfinished position with the same rules and alternating turns")
        spot = spot_of(position)
        game = self._games[number]
        game[kernel.MINE], game[kernel.THEIRS], game[kernel.KO] = spot.mine, spot.theirs, spot.ko
        game[kernel.PASSES], game[kernel.PLAYED] = position.passes, position.moves_played
        kernel.mark_legal(game, self._board)

    def observe(self) -> tuple[Planes, Info]:
        """The current observations."""
        return self._seen(), self._info()

    def close(self) -> None:
        """Nothing to close."""

    def _make_moves(self, chosen: Words) -> None:
        kernel.step_all(
            self._games,
            chosen,
            self.size,
            self._board,
            self.rules.max_moves,
            int(2 * self.rules.komi),
            self._rewards,
            self._terminated,
            self._illegal,
            self._margins,
        )

    def _seen(self) -> Planes:
        flat = self._planes.reshape(self.num_envs, -1)
        kernel.write_observations(self._games, self._points, self.rules.max_moves, flat, self._masks)
        return self._out(self._planes)

    def _info(self) -> Info:
        return {
            "action_mask": self._out(self._masks),
            "to_move": (self._games[:, kernel.PLAYED] & 1).astype(np.int8),
            "illegal": self._out(self._illegal),
            "margin": self._out(self._margins),
        }

    def _out(self, array: A) -> A:
        return array.copy() if self._copy else array

    def _box(self, *shape: int) -> Box:
        from gymnasium.spaces import Box

        return Box(0.0, 1.0, shape, np.float32)
