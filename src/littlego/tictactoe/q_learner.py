"""A player that learns Q values from the games it plays."""

from __future__ import annotations

import random
from typing import Any

from littlego.tictactoe.board import DRAW, Board

WIN_REWARD = 1.0
DRAW_REWARD = 0.0
LOSS_REWARD = -10.0


class QLearner:
    """Q-learning with a table: for each state it has met, a value for each of the nine cells.

    The update is Q(s,a) <- (1 - alpha) Q(s,a) + alpha (R + gamma max Q(s',a')), made backwards through
    a game when it has ended. s' is the player's next turn. R is 0, except for its last move, which has
    the reward and no s'.

    Moves that were never tried have the value of a win, so every move is tried. A loss costs far more than
    a win earns, so a move that some answer beats is avoided, however seldom a random player finds that
    answer: that makes the learner perfect. Alpha falls with each update of a value, so that among safe moves
    it prefers the one that wins most often.
    """

    GAME_NUM = 100000
    """Training games as each side."""

    def __init__(
        self,
        alpha: float = 1.0,
        gamma: float = 1.0,
        initial_value: float = 1.0,
        epsilon: float = 0.0,
        side: int = 0,
        seed: Any = None,
        rewards: tuple[float, float, float] = (WIN_REWARD, DRAW_REWARD, LOSS_REWARD),
        fall: float = 0.7,
    ) -> None:
        self.alpha = alpha
        self.fall = fall
        self.gamma = gamma
        self.initial_value = initial_value
        self.epsilon = epsilon
        self.side = side
        self.win_reward, self.draw_reward, self.loss_reward = rewards
        self.q_values: dict[str, dict[tuple[int, int], float]] = {}
        self.times_learned: dict[tuple[str, tuple[int, int]], int] = {}
        self.history: list[tuple[str, tuple[int, int]]] = []
        self.games_learned = 0
        self._random = random.Random(seed)

    def set_side(self, side: int) -> None:
        """Play X (1) or O (2) from now on; what was learned is kept."""
        self.side = side

    def q(self, board: Board) -> dict[tuple[int, int], float]:
        """The values of the empty cells; the initial value for a new state."""
        state = board.encode_state()
        if state not in self.q_values:
            self.q_values[state] = dict.fromkeys(board.valid_moves(), self.initial_value)
        return self.q_values[state]

    def move(self, board: Board) -> Any:
        """Move on the board: the first of the best cells, or sometimes, while training, any cell."""
        values = self.q(board)
        if len(values) >= 8:
            self.history = []  # a new game; the last one may not have been a training game
        if self.is_training() and self._random.random() < self.epsilon:
            cells = list(values)
            row, col = cells[int(self._random.random() * len(cells))]
        else:
            row, col = max(values, key=lambda move: values[move])
        self.history.append((board.encode_state(), (row, col)))
        return board.move(row, col, self.side)

    def learn(self, board: Board) -> None:
        """Called at the end of a training game: give the reward to the moves that led there."""
        if board.game_result == DRAW:
            target = self.draw_reward
        else:
            target = self.win_reward if board.game_result == self.side else self.loss_reward
        for state, move in reversed(self.history):
            values = self.q_values[state]
            times = self.times_learned[state, move] = self.times_learned.get((state, move), 0) + 1
            alpha = self.alpha / times**self.fall
            values[move] = (1 - alpha) * values[move] + alpha * target
            target = self.gamma * max(values.values())
        self.history = []
        self.games_learned += 1

    def is_training(self) -> bool:
        """Whether there are still training games to explore in."""
        return self.epsilon > 0 and self.games_learned < 2 * self.GAME_NUM
