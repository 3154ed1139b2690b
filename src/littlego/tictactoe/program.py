"""The paper's program by the paper's names: its classes, and the lines that its appendix ends with run as printed.

p1 = Learner(player = 1, alpha = 0.2,epsilon = 0.02)
p2 = Learner(player = 2, alpha = 0.2,epsilon = 0.02)
g = Game(learner = p2,other=p1)
g.selfplay(1000)
g(2,2)                 # row and column, counted from 1
g.save("mine.dat")
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlego.tictactoe import paper
from littlego.tictactoe.board import EMPTY, ONGOING, O, X
from littlego.tictactoe.codes import RESULTS, Code, code_of
from littlego.tictactoe.paper import OPENINGS, REPLIES, TemporalLearner, board_name

Action = tuple[int, int]


class State(np.ndarray[Any, Any]):
    """A board, an array of 3 by 3: 0 empty, 1 X, 2 O. Its hash is the number under which values are stored."""

    def __new__(cls) -> State:
        return np.zeros((3, 3), dtype=np.int8).view(cls)

    def __hash__(self) -> Code:  # type: ignore[override]
        return code_of(self.ravel().tolist())

    def won(self, player: int) -> bool:
        return RESULTS[hash(self)] == player

    def full(self) -> bool:
        return bool((self != EMPTY).all())

    def __str__(self) -> str:
        name = board_name(hash(self)).replace(".", "_")
        return "\n".join(" ".join(name[start : start + 3]) for start in (0, 3, 6))


class Learner(TemporalLearner):
    """A learner that moves on a `State`."""

    def __init__(self, player: int, alpha: float = 0.2, epsilon: float = 0.02, seed: int | None = None) -> None:
        super().__init__(player, alpha, epsilon)
        self.traced = False
        """Whether it has learned from the end of the game."""
        self.gamehist: list[Code] = []
        """The boards that it has seen at its turns and made, in the current game."""
        self._rng = random.Random(seed)

    @property
    def player(self) -> int:
        return self.side

    @property
    def valuefunc(self) -> dict[Code, float]:
        return self.values

    def enum_actions(self, state: NDArray[Any]) -> list[Action]:
        return [(i, j) for i in range(3) for j in range(3) if state[i, j] == EMPTY]

    def next_action(self, state: State) -> tuple[float, Action]:
        """The value and the cell of its move: one of the best, or with probability epsilon any."""
        i, j = divmod(self.choose(hash(state), self._rng), 3)
        after = state.copy()
        after[i, j] = self.side
        return self.value(hash(after)), (i, j)

    def next(self, state: State) -> None:
        """Move, unless the game is over, and learn."""
        if RESULTS[hash(state)] == ONGOING:
            value, action = self.next_action(state)
            state[action] = self.side
            self._learn(value)
        else:
            self.finish(hash(state))
        self.traced = RESULTS[hash(state)] != ONGOING
        self.last = hash(state)
        self.gamehist.append(self.last)

    def reset(self) -> None:
        """Begin a new game; values stay."""
        self.start()
        self.gamehist = []
        self.traced = False


class Selfplay:
    """Two learners that play each other. `wining` has the winner of each game, 0 for a draw; `valuesave` the values of
    the nine openings and of the paper's nine replies after each, by their numbers, None for one that was not met."""

    def __init__(self, learner: Learner | None = None, other: Learner | None = None) -> None:
        self.learner = learner or Learner(O)
        self.other = other or Learner(X)
        self.i = 0
        self.wining: list[int] = []
        self.valuesave: dict[Code, list[float | None]] = {}
        self.reset()

    def reset(self) -> None:
        self.state = State()
        self.learner.reset()
        self.other.reset()

    def play(self) -> None:
        """One game; both learn."""
        self.reset()
        while RESULTS[hash(self.state)] == ONGOING:
            self.other.next(self.state)
            self.learner.next(self.state)
        if not self.other.traced:
            self.other.next(self.state)
        self.i += 1
        self.wining.append(RESULTS[hash(self.state)])
        for player, codes in ((self.other, OPENINGS), (self.learner, REPLIES)):
            for code in codes.values():
                self.valuesave.setdefault(code, []).append(player.valuefunc.get(code))


class Game(paper.Game):
    """A person against `learner`; `g(i, j)` counts rows and columns from 1."""

    def __init__(self, learner: Learner | None = None, other: Learner | None = None, seed: int | None = None) -> None:
        super().__init__(learner, other, seed=seed, counted_from=1)
