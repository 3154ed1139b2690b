"""Players with learned values: `learner`, one move ahead without search, and `champion`.

The champion is strong and fallible, in the manner of the best student agents. While it looks ahead in the game it plays
by the learner's values at a glance, without a search. When the game is open or looks lost it plans three of its moves
ahead, and expects each time the reply that looks best to the opponent at a glance. So it outwits players who look no
further, and our submission beats it with both colours: by waiting, with White, until a glance is not enough. It does
not use the oracle. How often it errs, and who beats it, is measured: `tools/measure_agent.py champion`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from littlego.core.board import BLACK
from littlego.core.points import PASS, Move
from littlego.core.position import Position
from littlego.core.rules import Rules
from littlego.kernel.words import NO_KO
from littlego.learn.learned import Learned
from littlego.learn.model import Model, least_alike, model_for, read_model, shipped_model
from littlego.players.course import AlphaBeta, Chances, QLearningPlayer

if TYPE_CHECKING:
    from littlego.learn.trainer import Measure


class LearnerPlayer:
    """Plays the move that leads to the position of the highest learned value.

    Where it has learned nothing, with another size, komi or length than its model's, it plays like the course's
    `qlearning`.
    """

    def __init__(self, seed: int = 0, *, model: Model | None = None) -> None:
        self._chances = Chances(seed)
        self._model = model
        self._values: dict[Rules, Learned] = {}
        self._elsewhere = QLearningPlayer(seed)

    def __getstate__(self) -> dict[str, Any]:
        """For other processes: without values in this one's kernel."""
        return self.__dict__ | {"_values": {}}

    def __repr__(self) -> str:
        return f"<LearnerPlayer with {'its own' if self._model else 'the shipped'} model>"

    def choose(self, position: Position) -> Move:
        """The move of the highest learned value; among moves of about equal value, one at random.

        >>> lg.LearnerPlayer(seed=1).choose(lg.Position.initial())
        12
        """
        if not self.plays(position.rules):
            return self._elsewhere.choose(position)
        return self._chances.at(position).choice(moves_alike(self.values(position)))

    def values(self, position: Position) -> dict[Move, float]:
        """The value after each legal move. Raises UsageError for a game that it has not learned.

        >>> len(lg.LearnerPlayer().values(lg.Position.initial()))  # 25 points and a pass
        26
        """
        return {move: self.value_after(position, move) for move in position.legal_moves()}

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
        own, other = after.board.stones(mover), after.board.stones(mover.opponent)
        learned = self._learned(position.rules)
        return learned.value_after(own, other, int(mover is not BLACK), after.moves_played, after.passes)

    def _learned(self, rules: Rules) -> Learned:
        if self._model is None:
            return learned_values(rules)
        if rules not in self._values:
            self._values[rules] = Learned.of(self._model, rules)
        return self._values[rules]


def moves_alike(values: dict[Move, float]) -> list[Move]:
    """The moves of about the highest value."""
    least = least_alike(max(values.values()))
    return [move for move, value in values.items() if value >= least]


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
    from littlego.learn.trainer import Training, TrainingSettings

    training = Training.new(TrainingSettings.for_games(games, seed=seed, **settings))
    while not training.is_done:
        measure = training.advance()
        if progress:
            progress(measure)
    return LearnerPlayer(seed, model=training.model())


SURE: Final = 0.9
"""The champion does not look further when its best move looks this good at a glance."""
PLANNED: Final = 3
"""How many of its own moves it plans ahead otherwise."""


class Champion:
    """Plays at a glance while it is ahead, else by a plan; in games that no model ships for it is `alphabeta`."""

    def __init__(self, seed: int = 0) -> None:
        self._chances = Chances(seed)
        self._learner = LearnerPlayer(seed)
        self._elsewhere = AlphaBeta()

    def choose(self, position: Position) -> Move:
        return self._chances.at(position).choice(self.choices(position))

    def choices(self, position: Position) -> list[Move]:
        """The moves that look alike to it, of which it draws one."""
        if not self._learner.plays(position.rules):
            return [self._elsewhere.choose(position)]
        values = self._learner.values(position)
        if len(values) > 1 and max(values.values()) < SURE:
            values = planned_values(position)
        alike = moves_alike(values)
        return [move for move in alike if move is not PASS] or alike


def planned_values(position: Position) -> dict[Move, float]:
    """The chance of winning after each move if the opponent always replies as it looks best at a glance."""
    learned, mover = learned_values(position.rules), position.to_move
    found: dict[Move, float] = {}
    for move in position.legal_moves():
        after = position.play_legal(move)
        if (outcome := after.outcome()) is not None:
            found[move] = float(outcome.winner is mover)
            continue
        own, other = after.board.stones(mover.opponent), after.board.stones(mover)
        ko = NO_KO if after.ko is None else after.ko
        found[move] = learned.planned(own, other, ko, after.passes, after.moves_played, PLANNED - 1)
    return found


@cache
def learned_values(rules: Rules) -> Learned:
    """The shipped model for the size of `rules`, in the kernel. Raises UsageError for another game."""
    return Learned.of(shipped_model(rules.size), rules)
