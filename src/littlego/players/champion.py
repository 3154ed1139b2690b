"""The champion: a strong, fallible player in the manner of the best student agents.

Alpha-beta on the values that `learner` learned: it looks a few moves ahead and plays to the best position it can force,
and it draws between moves that look alike. It does not use the oracle. Of 821 won positions from games of mixed players
(every second of `tests/learn/test-labels.tsv`) it throws 18 away: 2.2%, with a 95% interval of 1.4 to 3.4%. The
course's champion threw away 5 of 214, 2.3%: ours looks no further on purpose, or nobody could earn full points against
it.
"""

from __future__ import annotations

import random
from functools import cache
from typing import TYPE_CHECKING, Final

from littlego.core.colour import BLACK
from littlego.core.points import PASS, Move
from littlego.core.position import Position
from littlego.core.rules import Rules
from littlego.learn.model import PatternModel, least_alike, shipped_model, shipped_sizes
from littlego.players.alphabeta import AlphaBeta

if TYPE_CHECKING:
    from littlego.learn.values_kernel import LearnedArrays

DEPTHS: Final = {5: 2, 7: 5}
"""Moves that it looks ahead, its own among them, by board size; on 7x7 one less in the first third of a game, where
there are more of them to look at."""
SLACK: Final = 0.002
"""Moves whose values are this close look alike, and one is drawn; see `least_alike`."""

_WORSE: Final = 1e-9
"""A move that is known to be no better than the least that looks alike counts as worse by so much."""


class Champion:
    """Searches with learned values, on board sizes that a model ships for; on others it is `alphabeta`."""

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
        if position.size not in shipped_sizes():
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
    """The shipped model for the size of `rules`, as compiled code takes it."""
    from littlego.learn.values_kernel import values_of

    model = shipped_model(rules.size)
    assert isinstance(model, PatternModel), "the shipped models are made of patterns"
    return values_of(model, rules)
