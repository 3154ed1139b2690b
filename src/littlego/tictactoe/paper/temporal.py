"""The paper's learner: temporal differences on state values, two learners playing each other.

A learner values the boards that its own moves lead to. At its next move it takes the value of the board
that it then chooses, or the result if the game is over, and moves the value of its last board a share
alpha towards it. With probability epsilon it plays any move instead of the best one.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from littlego.tictactoe.board import EMPTY, ONGOING, O, X
from littlego.tictactoe.codes import POWERS, RESULTS, Code, cells_of, code_of

WIN, LOSS = 1.0, -1.0
NO_MOVES_LEFT = -0.1
"""The value of a full board to the learner that is to move. To the one that filled it, it is 0."""

FORMAT = "littlego tic-tac-toe learner"
VERSION = 1

OPENINGS: dict[str, Code] = {f"{cell // 3},{cell % 3}": X * POWERS[cell] for cell in range(9)}
"""The nine first moves, by name."""


REPLIES: dict[str, Code] = {
    f"{first // 3},{first % 3} then {second // 3},{second % 3}": X * POWERS[first] + O * POWERS[second]
    for first, second in ((0, 1), (0, 2), (0, 4), (0, 8), (1, 0), (1, 4), (1, 8), (4, 8), (4, 5))
}
"""The paper's nine answers to a first move in a corner, on an edge or in the centre, by name."""


class LearnerFileError(Exception):
    """A file that is not a saved learner; the message says what was expected."""


@dataclass
class TemporalLearner:
    """One side's values, and the board after its last move in the current game."""

    side: int
    alpha: float = 0.2
    epsilon: float = 0.02
    values: dict[Code, float] = field(default_factory=dict)
    last: Code | None = None

    def value(self, code: Code) -> float:
        """The value of a board after this side's move; it starts at 1 for a won board and 0 for others."""
        known = self.values.get(code)
        if known is None:
            known = self.values[code] = WIN if RESULTS[code] == self.side else 0.0
        return known

    def start(self) -> None:
        self.last = None

    def choose(self, code: Code, rng: random.Random) -> int:
        """The cell to play: one of the best at random; any cell with probability epsilon."""
        cells = [cell for cell in range(9) if code // POWERS[cell] % 3 == EMPTY]
        values = [self.value(code + self.side * POWERS[cell]) for cell in cells]
        if rng.random() < self.epsilon:
            return rng.choice(cells)
        best = max(values)
        return rng.choice([cell for cell, value in zip(cells, values, strict=True) if value == best])

    def move(self, code: Code, rng: random.Random) -> Code:
        """The board after its move; updates the value of its last board."""
        after = code + self.side * POWERS[self.choose(code, rng)]
        self._learn(self.value(after))
        self.last = after
        return after

    def finish(self, code: Code) -> None:
        """Learn from a game that the opponent's move has ended."""
        self._learn(LOSS if RESULTS[code] == X + O - self.side else NO_MOVES_LEFT)

    def _learn(self, value: float) -> None:
        if self.last is not None:
            self.values[self.last] = (1 - self.alpha) * self.values[self.last] + self.alpha * value


@dataclass
class Pair:
    """Two learners that play each other, X first."""

    x: TemporalLearner
    o: TemporalLearner
    games: int = 0

    @classmethod
    def new(cls, *, alpha: float = 0.2, epsilon: float = 0.02) -> Pair:
        """Two untrained learners."""
        return cls(TemporalLearner(X, alpha, epsilon), TemporalLearner(O, alpha, epsilon))

    def play_game(self, rng: random.Random) -> int:
        """One game of self-play; its result: 0 a draw, 1 X won, 2 O won."""
        code: Code = 0
        mover, other = self.x, self.o
        mover.start()
        other.start()
        while True:
            code = mover.move(code, rng)
            if RESULTS[code] != ONGOING:
                other.finish(code)
                self.games += 1
                return RESULTS[code]
            mover, other = other, mover

    def train(self, games: int, rng: random.Random) -> list[int]:
        """Play games; how many were drawn, won by X and won by O."""
        counts = [0, 0, 0]
        for _ in range(games):
            counts[self.play_game(rng)] += 1
        return counts

    def to_json(self) -> str:
        sides = {
            name: {
                "alpha": learner.alpha,
                "epsilon": learner.epsilon,
                "values": {board_name(code): value for code, value in sorted(learner.values.items())},
            }
            for name, learner in (("x", self.x), ("o", self.o))
        }
        return json.dumps({"format": FORMAT, "version": VERSION, "games": self.games, **sides}, indent=1) + "\n"

    @classmethod
    def load(cls, path: Path) -> Pair:
        """Two saved learners. Raises OSError and LearnerFileError."""
        try:
            return cls.from_json(path.read_text(encoding="utf-8"))
        except UnicodeDecodeError as error:
            raise LearnerFileError(f"not a saved learner: {error}") from error

    @classmethod
    def from_json(cls, text: str) -> Pair:
        """The inverse of `to_json`. Raises LearnerFileError."""
        try:
            data = json.loads(text)
            if data["format"] != FORMAT or data["version"] != VERSION:
                raise LearnerFileError(f"expected {FORMAT!r}, version {VERSION}")
            return cls(_learner(data["x"], X), _learner(data["o"], O), int(data["games"]))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise LearnerFileError(f"not a saved learner: {type(error).__name__}: {error}") from error


def _learner(data: Any, side: int) -> TemporalLearner:
    values = {board_code(name): float(value) for name, value in data["values"].items()}
    return TemporalLearner(side, float(data["alpha"]), float(data["epsilon"]), values)


def board_name(code: Code) -> str:
    """A board as nine characters, row by row: `.`, `X` and `O`."""
    return "".join(".XO"[mark] for mark in cells_of(code))


def board_code(name: str) -> Code:
    """The board that nine characters name. Raises ValueError."""
    if len(name) != 9:
        raise ValueError(f"expected nine of . X O, got {name!r}")
    return code_of([".XO".index(mark) for mark in name])
