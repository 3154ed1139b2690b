"""Our learner and the solved game: the same learner as `q_learner`, its training compiled, and what it gets wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from littlego.kernel.host import KernelMemory
from littlego.kernel.xorshift import seeded_state
from littlego.tictactoe import kernel
from littlego.tictactoe.board import EMPTY, ONGOING, Board, O, X, result_of
from littlego.tictactoe.codes import code_of
from littlego.tictactoe.perfect_player import after, to_move, value
from littlego.tictactoe.q_learner import DRAW_REWARD, LOSS_REWARD, WIN_REWARD, QLearner

Cells = tuple[int, ...]
START: Cells = (EMPTY,) * 9


def continuations(cells: Cells) -> list[Cells]:
    """The positions one move later; none if the game is over."""
    if result_of(cells) != ONGOING:
        return []
    side = to_move(cells)
    return [after(cells, cell, side) for cell in range(9) if cells[cell] == EMPTY]


@dataclass(frozen=True)
class SolvedCheck:
    """A player compared with the solved game, in every position it can meet as one side."""

    side: int
    met: int
    """How many positions with its side to move the opponent can bring about."""
    mistakes: tuple[tuple[Cells, int], ...]
    """Positions, and its move there, where it gives a win or a draw away."""

    @property
    def is_perfect(self) -> bool:
        return not self.mistakes


def check(choose: Callable[[Cells], int], side: int) -> SolvedCheck:
    """Follow `choose` (a cell for a position) against every play of the opponent."""
    met: set[Cells] = set()
    mistakes = []
    frontier = [START] if side == X else continuations(START)
    while frontier:
        cells = frontier.pop()
        if cells in met or result_of(cells) != ONGOING:
            continue
        met.add(cells)
        cell = choose(cells)
        following = after(cells, cell, side)
        if value(following) != value(cells):
            mistakes.append((cells, cell))
        frontier.extend(continuations(following))
    return SolvedCheck(side, len(met), tuple(sorted(mistakes)))


def draw(cells: Sequence[int]) -> str:
    return "\n".join(" ".join(".XO"[mark] for mark in cells[start : start + 3]) for start in (0, 3, 6))


@dataclass(frozen=True)
class LearnerSettings:
    """How the learner learns."""

    alpha: float = 1.0
    """The learning rate at the first update of a value."""
    fall: float = 0.7
    """How fast alpha falls: at the n-th update of a value it is alpha / n**fall. 0: it stays the same."""
    gamma: float = 1.0
    """What a reward is worth one move earlier."""
    epsilon: float = 0.0
    """The share of training moves made at random."""
    initial: float = 1.0
    """The value of moves that were never tried. If it is high, every move is tried."""
    win: float = WIN_REWARD
    draw: float = DRAW_REWARD
    loss: float = LOSS_REWARD

    def rewards(self, side: int) -> tuple[float, float, float]:
        """The rewards of a draw, X's win and O's win to a side."""
        return (self.draw, self.win, self.loss) if side == X else (self.draw, self.loss, self.win)


class FastQLearner:
    """A Q-learner with the course's interface, except that only `train` trains it."""

    GAME_NUM = QLearner.GAME_NUM
    name = "QLearner"

    def __init__(self, settings: LearnerSettings | None = None, *, seed: int = 0) -> None:
        self.settings = settings or LearnerSettings()
        self.side = 0
        self._memory = KernelMemory()
        self._kernel = self._memory.instance()
        self._tables, self._address = self._memory.put(kernel.new_tables(self.settings.initial))
        self._state = self._memory.array(seeded_state(seed))
        self._games = 0

    @property
    def table(self) -> np.ndarray:
        """The value of each cell in each position."""
        return self._tables.q

    def set_side(self, side: int) -> None:
        self.side = side

    def train(self, games: int) -> None:
        """Learn from `games` games as O, then as X, against the random player."""
        for side in (O, X):
            self.train_side(side, games)

    def train_side(self, side: int, games: int) -> None:
        """Learn from games as one side against the random player."""
        at = self.settings
        self._games += games
        if self._games > len(self._tables.rates):  # a value is updated once a game at most
            rates = np.array([at.alpha / times**at.fall for times in range(1, 2 * self._games)])
            self._tables, self._address = self._memory.put(self._tables._replace(rates=rates))
        self._tables.rewards[:] = at.rewards(side)
        where = self._memory.address_of(self._state)
        self._kernel.call("tictactoe_train", self._address, side, games, at.gamma, at.epsilon, where)

    def choose(self, cells: Cells) -> int:
        """The first of the best cells."""
        return int(np.argmax(self.table[code_of(cells)]))

    def move(self, board: Board) -> Any:
        row, col = divmod(self.choose(tuple(board.cells())), 3)
        return board.move(row, col, self.side)

    def learn(self, board: Board) -> None:
        """Called at the end of a training game; this learner learns in `train`."""

    def check(self) -> tuple[SolvedCheck, SolvedCheck]:
        """Compare this learner with the solved game, as X and as O."""
        return check(self.choose, X), check(self.choose, O)
