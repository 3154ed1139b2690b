"""Many games at once for self-play research: compiled, a vector environment of Gymnasium.

The policy plays both sides: actions and observations are those of the side to move. A game that ends restarts in the
same step (`AutoresetMode.SAME_STEP`), so observations are always of unfinished games; how a game ended is in
`info["final_obs"]`.
"""

from __future__ import annotations

from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Discrete, MultiDiscrete
from gymnasium.vector import AutoresetMode, VectorEnv

from littlego.apps.env import many_games as kernel
from littlego.apps.env.planes import PLANES, Planes
from littlego.core.errors import UsageError
from littlego.core.position import Position
from littlego.core.rules import DEFAULT_SIZE, Rules, edition_rules
from littlego.kernel.any_size import SIZES, compiled_rules
from littlego.kernel.host import KernelMemory
from littlego.kernel.words import NO_KO, Words
from littlego.kernel.xorshift import seeded_state

A = TypeVar("A", bound=npt.NDArray[Any])
Info = dict[str, Any]
LARGEST: Final = SIZES[-1]
"""The largest board of the compiled rules."""


class VectorLittleGo(VectorEnv[Planes, npt.ArrayLike, npt.NDArray[Any]]):
    """`n` games of Little-Go under the simple ko, on boards up to 7x7, one move in each with every `step`.

    `action_mask` in the info is 1 for every legal action; an illegal one loses its game at once.
    """

    def __init__(
        self,
        n: int,
        size: int = DEFAULT_SIZE,
        *,
        rules: Rules | None = None,
        copy: bool = True,
    ) -> None:
        """`rules` replaces `size`. Without `copy`, the next step overwrites the arrays that `reset` and `step` return.

        Raises UsageError.
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
        shape = (n, compiled_rules(self.rules), PLANES)
        self._memory = KernelMemory()
        self._kernel = self._memory.instance()
        self._at, self._address = self._memory.put(kernel.new_games(*shape))
        self._last, self._last_address = self._memory.put(kernel.new_games(*shape))
        """To show how games ended."""
        self._planes: Planes = self._at.planes.reshape(n, PLANES, self.size, self.size)
        self._truncated = np.zeros(n, dtype=np.bool_)
        self._random = self._memory.array(seeded_state(None))
        seen, actions = (PLANES, self.size, self.size), self.size**2 + 1
        self.single_observation_space = Box(0.0, 1.0, seen, np.float32)
        self.observation_space = Box(0.0, 1.0, (n, *seen), np.float32)
        self.single_action_space = Discrete(actions)
        self.action_space = MultiDiscrete(np.full(n, actions))
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}
        self.reset()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Planes, Info]:
        """Restart every game. `seed` makes `random_actions` reproducible; nothing else is random, and no option known.

        Raises UsageError for a seed that is no number.
        """
        if seed is not None and not isinstance(seed, int | np.integer):
            raise UsageError(f"seed {seed!r}: expected one number for all games")
        super().reset(seed=seed, options=options)
        if seed is not None:
            self._random[:] = seeded_state(int(seed))
        self._call("games_begin", -1)
        self._at.illegal[:] = False
        self._at.margins[:] = 0
        self._at.terminated[:] = False
        return self._seen(), self._info()

    def step(
        self, actions: npt.ArrayLike
    ) -> tuple[Planes, npt.NDArray[np.float32], npt.NDArray[np.bool_], npt.NDArray[np.bool_], Info]:
        """Observations, rewards, terminated, truncated, info after one action in every game.

        A reward is that of the side that moved: 1 or -1 if its move ended the game, otherwise 0. Nothing is ever
        truncated: the length of a game is part of its rules. Where games ended, `info["final_obs"]` and
        `info["final_info"]` have what would have been returned without the restart, seen by the side to move next, as
        Gymnasium lays them out. Raises UsageError for an array of another shape.
        """
        chosen = np.asarray(actions, dtype=np.int64)
        if chosen.shape != (self.num_envs,):
            raise UsageError(f"actions of shape {chosen.shape}: expected ({self.num_envs},), one for every game")
        self._at.actions[:] = chosen
        self._call("games_step")
        seen = self._seen()
        info = self._info()
        if self._at.terminated.any():
            info |= self._final(np.flatnonzero(self._at.terminated))
        return seen, self._out(self._at.rewards), self._out(self._at.terminated), self._out(self._truncated), info

    def random_actions(self) -> Words:
        """A uniformly random legal action for every game, from the seed of `reset`."""
        self._call("games_draw", self._memory.address_of(self._random))
        return self._out(self._at.actions)

    def play_random(self, steps: int) -> int:
        """Make `steps` random legal moves in every game, without observations; returns how many games ended.

        The same moves as calling `step(random_actions())` `steps` times.
        """
        return self._call("games_play_random", steps, self._memory.address_of(self._random))

    def set_position(self, number: int, position: Position) -> None:
        """Set a game to a position, for studies that do not start with the empty board. Raises UsageError.

        The length of the game is the environment's, counted from the position's moves.
        """
        is_alternating = position.moves_played % 2 == position.to_move.value - 1
        if position.rules != self.rules or position.outcome() is not None or not is_alternating:
            raise UsageError("expected an unfinished position with the same rules and alternating turns")
        game, board, mover = self._at.games[number], position.board, position.to_move
        game[kernel.MINE], game[kernel.THEIRS] = board.stones(mover), board.stones(mover.opponent)
        game[kernel.KO] = NO_KO if position.ko is None else position.ko
        game[kernel.PASSES], game[kernel.PLAYED] = position.passes, position.moves_played
        self._call("games_mark_legal", range(self.num_envs)[number])

    def observe(self) -> tuple[Planes, Info]:
        """The current observations."""
        return self._seen(), self._info()

    def close(self, **_: Any) -> None:
        """Nothing to close."""
        self.closed = True

    def _call(self, name: str, *asked: int) -> int:
        return self._kernel.call(name, self._address, *asked)

    def _seen(self) -> Planes:
        self._call("games_observe", self.num_envs)
        return self._out(self._planes)

    def _info(self) -> Info:
        everywhere = np.ones(self.num_envs, dtype=np.bool_)
        info = {
            "action_mask": self._out(self._at.masks),
            "to_move": (self._at.games[:, kernel.PLAYED] & 1).astype(np.int8),
            "illegal": self._out(self._at.illegal),
            "margin": self._out(self._at.margins),
        }
        return info | {f"_{key}": everywhere for key in info}

    def _final(self, ended: npt.NDArray[np.intp]) -> Info:
        """The last observation of the games that ended in this step, seen by the side that would be next, and info."""
        self._last.games[: len(ended)] = self._at.finals[ended]
        self._kernel.call("games_observe", self._last_address, len(ended))
        seen = self._last.planes[: len(ended)].reshape(-1, PLANES, self.size, self.size).copy()
        final = np.full(self.num_envs, None, dtype=object)
        for number, planes in zip(ended.tolist(), seen, strict=True):
            final[number] = planes
        where = self._at.terminated.copy()
        last = {"margin": self._at.margins.copy(), "illegal": self._at.illegal & where}
        return {
            "final_obs": final,
            "_final_obs": where,
            "final_info": last | {f"_{key}": where for key in last},
            "_final_info": where,
        }

    def _out(self, array: A) -> A:
        return array.copy() if self._copy else array
