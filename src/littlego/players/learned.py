"""Players with learned values: `learner`, one move ahead without search, and `champion`.

The champion is a strong, fallible player in the manner of the best student agents: alpha-beta on the values that
`learner` learned. It looks a few moves ahead and plays to the best position it can force, and it draws between moves
that look alike. It does not use the oracle. Of 821 won positions from games of mixed players (every second of
`tests/learn/test-labels.tsv`) it throws 18 away: 2.2%, with a 95% interval of 1.4 to 3.4%. The course's champion threw
away 5 of 214, 2.3%: ours looks no further on purpose, or nobody could earn full points against it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from littlego.core.colour import BLACK
from littlego.core.points import PASS, Move
from littlego.core.position import Position
from littlego.core.rules import Rules
from littlego.learn.model import Model, least_alike, model_for, read_model, shipped_model
from littlego.players.course import AlphaBeta, QLearningPlayer

if TYPE_CHECKING:
    from littlego.learn.trainer import Measure
    from littlego.learn.values_kernel import LearnedArrays


class LearnerPlayer:
    """Plays the move that leads to the position of the highest learned value.

    Where it has learned nothing, with another size, komi or length than its model's, it plays like the course's
    `qlearning`.
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
        if not self.plays(position.rules):
            return self._elsewhere.choose(position)
        moves = position.legal_moves()
        values = [self.value_after(position, move) for move in moves]
        least = least_alike(max(values))
        return self._random.choice([move for move, value in zip(moves, values, strict=True) if value >= least])

    def plays(self, rules: Rules) -> bool:
        """Whether it has learned this game.

        >>> lg.train_learner(games=10).plays(lg.edition_rules(size=4))
        False
        """
        return self._model.plays(rules) if self._model else model_for(rules) is not None

    def value_after(self, position: Position, move: Move) -> float:
        """The chance that the side to move wins with `move`, which must be legal; exact if it ends the game.

        Raises UsageError for a game that it has not learned.

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
        model.check_plays(position.rules)
        own, other = after.board.stones(mover), after.board.stones(mover.opponent)
        return model.value(own, other, int(mover is not BLACK), after.moves_played)


def from_file(path: Path, seed: int) -> LearnerPlayer:
    """A player with a user's own model. Raises UsageError."""
    return LearnerPlayer(seed, model=read_model(path))


def train_learner(
    games: int = 20_000,
    *,
    seed: int = 1,
    progress: Callable[[Measure], None] | None = None,
    **settings: Any,
) -> LearnerPlayer:
    """A player trained on Little-Go with `games` games of Q-learning; the same seed gives the same player.

    Several times along the way it is tested, and `progress` is called with what was measured. Further settings are
    those of `littlego.learn.trainer.TrainingSettings`. Raises UsageError.

    >>> learner = lg.train_learner(games=100, seed=1)
    >>> lg.Position.initial().is_legal(learner.choose(lg.Position.initial()))
    True
    """
    from littlego.learn.trainer import Training, TrainingSettings  # numba, which playing does without

    training = Training.new(TrainingSettings.for_games(games, seed=seed, **settings))
    while not training.is_done:
        measure = training.advance()
        if progress:
            progress(measure)
    return LearnerPlayer(seed, model=training.model())


DEPTHS: Final = {5: 2, 7: 5}
"""Moves that it looks ahead, its own among them, by board size; on 7x7 one less in the first third of a game, where
there are more of them to look at."""
SLACK: Final = 0.002
"""Moves whose values are this close look alike, and one is drawn; see `least_alike`."""

_WORSE: Final = 1e-9
"""A move that is known to be no better than the least that looks alike counts as worse by so much."""


class Champion:
    """Searches with learned values in the games that a model ships for; in others it is `alphabeta`."""

    def __init__(self, seed: int = 0, *, depth: int | None = None) -> None:
        """`depth`, at least 2, is for all sizes; None for its own."""
        self._random = random.Random(seed)
        self._depth = depth
        self._elsewhere = AlphaBeta()

    def choose(self, position: Position) -> Move:
        return self._random.choice(self.choices(position))

    def choices(self, position: Position) -> list[Move]:
        """The moves that look alike to it, of which it draws one."""
        moves = position.legal_moves()
        if len(moves) == 1:
            return list(moves)
        if model_for(position.rules) is None:
            return [self._elsewhere.choose(position)]
        values = self.values_after(position, moves)
        least = least_alike(max(values.values()), SLACK)
        alike = [move for move in moves if values[move] >= least]
        return [move for move in alike if move is not PASS] or alike

    def values_after(self, position: Position, moves: tuple[Move, ...]) -> dict[Move, float]:
        """The chance of winning after each move; of a move that is not among the best, only an upper bound."""
        from littlego.kernel.packing import NO_KO
        from littlego.learn.search_kernel import look

        learned = learned_values(position.rules)
        mover = position.to_move
        best = 0.0
        found: dict[Move, float] = {}
        for move in self._likeliest_first(position, moves):
            after = position.play_legal(move)
            if (outcome := after.outcome()) is not None:
                value = float(outcome.winner is mover)
            else:
                board = after.board
                value = 1.0 - look(
                    learned,
                    board.stones(mover.opponent),
                    board.stones(mover),
                    NO_KO if after.ko is None else after.ko,
                    after.passes,
                    after.moves_played,
                    self._depth_at(position) - 1,
                    0.0,
                    1.0 - least_alike(best, SLACK) + _WORSE,
                )
            found[move] = value
            best = max(best, value)
        return found

    def _depth_at(self, position: Position) -> int:
        is_early = 3 * position.moves_played < position.rules.max_moves
        return self._depth or max(2, DEPTHS[position.size] - is_early)

    def _likeliest_first(self, position: Position, moves: tuple[Move, ...]) -> list[Move]:
        """By the learned values alone, which makes the search short."""
        from littlego.learn.games_kernel import value_after

        learned = learned_values(position.rules)
        mover = position.to_move

        def value(move: Move) -> float:
            after = position.play_legal(move)
            board, played = after.board, after.moves_played
            own, other = board.stones(mover), board.stones(mover.opponent)
            return float(value_after(learned, own, other, int(mover is not BLACK), played, after.passes))

        return sorted(moves, key=value, reverse=True)


@cache
def learned_values(rules: Rules) -> LearnedArrays:
    """The shipped model for the size of `rules`, as compiled code takes it. Raises UsageError for another game."""
    from littlego.learn.values_kernel import values_of

    return values_of(shipped_model(rules.size), rules)
