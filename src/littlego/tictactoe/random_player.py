"""A player that moves at random."""

from __future__ import annotations

import random
from typing import Any

from littlego.tictactoe.board import Board


class RandomPlayer:
    """Any empty cell, each equally likely."""

    def __init__(self, side: int = 0, seed: Any = None) -> None:
        self.side = side
        self._random = random.Random(seed)

    def set_side(self, side: int) -> None:
        self.side = side

    def move(self, board: Board) -> Any:
        row, col = self._random.choice(board.valid_moves())
        return board.move(row, col, self.side)

    def learn(self, board: Board) -> None:
        """Called at the end of a training game; this player learns nothing."""
