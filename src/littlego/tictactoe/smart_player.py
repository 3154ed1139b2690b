"""A player that is better than random and never beats perfect."""

from __future__ import annotations

import random
from typing import Any

from littlego.tictactoe.board import Board
from littlego.tictactoe.perfect_player import PerfectPlayer
from littlego.tictactoe.random_player import RandomPlayer

MISTAKES = 0.2
"""The share of moves made at random."""


class SmartPlayer:
    """Plays the perfect player's moves, but one in five at random."""

    def __init__(self, side: int = 0, seed: Any = None) -> None:
        self._random = random.Random(seed)
        self._careful = PerfectPlayer()
        self._careless = RandomPlayer(seed=self._random.random())
        self.set_side(side)

    def set_side(self, side: int) -> None:
        self._careful.set_side(side)
        self._careless.set_side(side)

    def move(self, board: Board) -> Any:
        mover = self._careless if self._random.random() < MISTAKES else self._careful
        return mover.move(board)

    def learn(self, board: Board) -> None:
        """Called at the end of a training game; this player learns nothing."""
