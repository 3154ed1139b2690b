"""`qlearning`: plays from values learned in practice games, one move ahead, without search."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Final

from littlego.core.colour import BLACK
from littlego.core.points import PASS, Move, points_of
from littlego.core.position import Position
from littlego.learn.model import SLACK, Model, read_model, shipped_model
from littlego.players.simple import largest_captures, nearest_to_centre

SIZE: Final = 5


class QLearningPlayer:
    """Looks at every move it has, and plays to the position that it has learned to value most.

    It has learned on 5x5. On another size it does what the course's own was seen to do after its
    opening: the largest capture, else nearest the centre.
    """

    def __init__(self, seed: int = 0, *, model: Model | None = None) -> None:
        self._random = random.Random(seed)
        self._model = model

    def choose(self, position: Position) -> Move:
        """A move of the best value."""
        if position.size != SIZE:
            return self._capture_or_centre(position)
        moves = position.legal_moves()
        values = [self.value_after(position, move) for move in moves]
        close = max(values) - SLACK
        return self._random.choice([move for move, value in zip(moves, values, strict=True) if value >= close])

    def value_after(self, position: Position, move: Move) -> float:
        """The chance that the side to move wins with `move`, which must be legal: exact if that ends the game."""
        after = position.play_legal(move)
        mover = position.to_move
        if (outcome := after.outcome()) is not None:
            return float(outcome.winner is mover)
        if after.passes and after.score().winner is not mover:
            return 0.0  # the opponent passes too and has won
        self._model = self._model or shipped_model()
        board = after.board
        played = min(after.moves_played, 23)
        return self._model.value(board.stones(mover), board.stones(mover.opponent), int(mover is not BLACK), played)

    def _capture_or_centre(self, position: Position) -> Move:
        points = points_of(position.legal_points())
        if not points:
            return PASS
        captured, best = largest_captures(position, points)
        return self._random.choice(best if captured else nearest_to_centre(points, position.size))


def from_file(path: Path, seed: int) -> QLearningPlayer:
    """A player with a model of the user's own. Raises FormatError."""
    return QLearningPlayer(seed, model=read_model(path))
