"""`learner`: plays from values learned in practice games, one move ahead, without search."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from littlego.core.colour import BLACK
from littlego.core.points import Move
from littlego.core.position import Position
from littlego.learn.model import Model, least_alike, read_model, shipped_model, shipped_sizes
from littlego.players.qlearning import QLearningPlayer

if TYPE_CHECKING:
    from littlego.learn.trainer import Measure


class LearnerPlayer:
    """Plays the move that leads to the position of the highest learned value.

    Where it has learned nothing, on other sizes than its model's, it plays like the course's `qlearning`.
    """

    def __init__(self, seed: int = 0, *, model: Model | None = None) -> None:
        self._random = random.Random(seed)
        self._model = model
        self._elsewhere = QLearningPlayer(seed)

    def __repr__(self) -> str:
        return f"<LearnerPlayer with {'its own' if self._model else 'the shipped'} model>"

    def choose(self, position: Position) -> Move:
        """The move of the highest learned value; among moves of about equal value, one at random.

        >>> lg.LearnerPlayer(seed=1).choose(lg.Position.initial())
        12
        """
        if position.size not in ([self._model.size] if self._model else shipped_sizes()):
            return self._elsewhere.choose(position)
        moves = position.legal_moves()
        values = [self.value_after(position, move) for move in moves]
        least = least_alike(max(values))
        return self._random.choice([move for move, value in zip(moves, values, strict=True) if value >= least])

    def value_after(self, position: Position, move: Move) -> float:
        """The chance that the side to move wins with `move`, which must be legal; exact if it ends the game.

        >>> start = lg.Position.initial()
        >>> learner = lg.LearnerPlayer()
        >>> learner.value_after(start, 12) > learner.value_after(start, 0)  # the centre, the corner
        True
        """
        after = position.play_legal(move)
        mover = position.to_move
        if (outcome := after.outcome()) is not None:
            return float(outcome.winner is mover)
        if after.passes and after.score().winner is not mover:
            return 0.0  # the opponent passes too and has won
        model = self._model or shipped_model(position.size)
        board = after.board
        played = min(after.moves_played, position.size**2 - 2)
        return model.value(board.stones(mover), board.stones(mover.opponent), int(mover is not BLACK), played)


def from_file(path: Path, seed: int) -> LearnerPlayer:
    """A player with a user's own model. Raises UsageError."""
    return LearnerPlayer(seed, model=read_model(path))


def train_learner(
    games: int = 20_000,
    *,
    seed: int = 1,
    chunks: int = 8,
    progress: Callable[[Measure], None] | None = None,
    **settings: Any,
) -> LearnerPlayer:
    """A player trained on Little-Go with `games` games of Q-learning; the same seed gives the same player.

    The learning rate falls from each of `chunks` parts of the training to the next, and `progress` is called with a
    measure after each. Further settings are those of `littlego.learn.trainer.TrainingSettings`. Raises UsageError.

    >>> learner = lg.train_learner(games=100, seed=1)
    >>> lg.Position.initial().is_legal(learner.choose(lg.Position.initial()))
    True
    """
    from littlego.learn.trainer import Training, TrainingSettings  # numba, which playing does without

    training = Training.new(TrainingSettings(games=games, seed=seed, chunks=chunks, **settings))
    while not training.is_done:
        measure = training.advance()
        if progress:
            progress(measure)
    return LearnerPlayer(seed, model=training.model())
