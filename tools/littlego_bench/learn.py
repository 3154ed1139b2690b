"""Training games per second: a plain learner against ours, and self-play of Little-Go.

The plain learner is what a textbook leads to: boards and values as numpy arrays, values in a dictionary by the board's
text, updated step by step. It shares no code with ours.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

import numpy as np

from littlego_bench.rates import alternate, median_ratio

ROUNDS = 5
COMPILED_GAMES = 20_000
SELF_PLAY_GAMES = 400


class PlainBoard:
    """A tic-tac-toe board on a numpy array."""

    def __init__(self) -> None:
        self.state = np.zeros((3, 3), dtype=int)
        self.result = -1

    def text(self) -> str:
        return "".join(str(self.state[row][col]) for row in range(3) for col in range(3))

    def is_free(self, row: int, col: int) -> bool:
        return bool(self.state[row][col] == 0)

    def move(self, row: int, col: int, side: int) -> None:
        """Mark a cell and update the state of the game."""
        self.state[row][col] = side
        marks = self.state == side
        won = marks.all(axis=0).any() or marks.all(axis=1).any()
        if won or np.diag(marks).all() or np.diag(marks[:, ::-1]).all():
            self.result = side
        elif (self.state != 0).all():
            self.result = 0


class PlainLearner:
    """Q-learning with a dictionary of arrays."""

    def __init__(self, side: int) -> None:
        self.side = side
        self.q_values: dict[str, np.ndarray] = {}
        self.history: list[tuple[str, int, int]] = []

    def q(self, text: str) -> np.ndarray:
        if text not in self.q_values:
            self.q_values[text] = np.full((3, 3), 1.0)
        return self.q_values[text]

    def move(self, board: PlainBoard) -> None:
        """Mark the best free cell; taken cells are ruled out for good."""
        text = board.text()
        values = self.q(text)
        while True:
            row, col = np.unravel_index(np.argmax(values), values.shape)
            if board.is_free(int(row), int(col)):
                break
            values[row][col] = -1.0
        self.history.append((text, int(row), int(col)))
        board.move(int(row), int(col), self.side)

    def learn(self, board: PlainBoard) -> None:
        """Propagate the reward of a finished game to its moves."""
        target = 0.5 if board.result == 0 else 1.0 if board.result == self.side else 0.0
        for text, row, col in reversed(self.history):
            values = self.q(text)
            values[row][col] = 0.3 * values[row][col] + 0.7 * target
            target = 0.9 * float(np.max(values))
        self.history = []


def plain_games(learner: PlainLearner, games: int, rng: random.Random) -> int:
    """Train the plain learner against random moves; returns the number of games."""
    for _ in range(games):
        board, side = PlainBoard(), 1
        while board.result == -1:
            if side == learner.side:
                learner.move(board)
            else:
                free = [(row, col) for row in range(3) for col in range(3) if board.is_free(row, col)]
                row, col = rng.choice(free)
                board.move(row, col, side)
            side = 3 - side
        learner.learn(board)
    return games


@dataclass(frozen=True, slots=True)
class LearnBench:
    """Games per second: medians over alternating rounds."""

    plain_games_per_second: float
    compiled_games_per_second: float
    ratio: float
    """The median of the rounds' ratios, on tic-tac-toe."""
    self_play_games_per_second: float
    """Little-Go self-play with learning, after some practice."""
    seconds_for_both_sides: float
    """For 100,000 tic-tac-toe games as each side."""


def bench_learn(*, seconds: float = 10.0, seed: int = 1, progress: Callable[[], None] | None = None) -> LearnBench:
    """Measure for about `seconds` after compiling."""
    from littlego.kernel.xorshift import seeded_state
    from littlego.learn.games import Rates
    from littlego.learn.learned import Learned
    from littlego.tictactoe.learner import FastQLearner

    rng = random.Random(seed)
    plain, compiled = PlainLearner(2), FastQLearner(seed=seed)
    compiled.train_side(2, 10)
    values, state = Learned(), seeded_state(seed)
    myself = np.array([-1], dtype=np.int64)

    def self_play() -> int:
        values.train(SELF_PLAY_GAMES, 0, Rates(0.3, 1.0, 0.7, 0.1, 0.0, 0, 0, myself, myself), state)
        return SELF_PLAY_GAMES

    def compiled_games() -> int:
        compiled.train_side(2, COMPILED_GAMES)
        return COMPILED_GAMES

    self_play()
    ways = {
        "plain": lambda: plain_games(plain, 20, rng),
        "compiled": compiled_games,
        "self-play": self_play,
    }
    rates = alternate(ways, rounds=ROUNDS, seconds=seconds, progress=progress)
    began = time.perf_counter()
    FastQLearner(seed=seed).train(100_000)
    return LearnBench(
        median(rates["plain"]),
        median(rates["compiled"]),
        median_ratio(rates["compiled"], rates["plain"]),
        median(rates["self-play"]),
        time.perf_counter() - began,
    )
