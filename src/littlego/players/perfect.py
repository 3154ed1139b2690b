"""The perfect player: never leaves a won position, and makes a lost one as hard as it can."""

from __future__ import annotations

import random
from functools import cache
from typing import Final

from littlego.core.errors import UsageError
from littlego.core.points import PASS, Move
from littlego.core.position import Position
from littlego.solve.oracle import Oracle, why_unsolvable

COUNT_LEFT: Final = 12
"""With at most so many plies left the opponent's winning replies are counted; before, they are too dear."""

_RANK: Final = {False: 0, None: 1, True: 2}
"""Of a position after a move, by what is known of the opponent's winning it."""


@cache
def shared_oracle() -> Oracle:
    """One oracle for all perfect players of a process: what one works out serves the others."""
    return Oracle(memory=1 << 30)


class PerfectPlayer:
    """Plays from exact values. Boards up to 5x5 with the simple ko only."""

    def __init__(self, seed: int = 0, *, oracle: Oracle | None = None) -> None:
        self._random = random.Random(seed)
        self._oracle = oracle or shared_oracle()

    def choose(self, position: Position) -> Move:
        """A winning move if there is one, else a tying one, else the one hardest to answer.

        Raises UsageError where positions cannot be solved.
        """
        if why := why_unsolvable(position):
            raise UsageError(f"the perfect player cannot play this: {why}")
        moves = list(position.legal_moves())
        self._random.shuffle(moves)
        # A pass is kept for last: playing on gives the opponent more chances to go wrong. What is known
        # to win goes first, and what is known to lose after what is not known: less to work out.
        moves.sort(key=lambda move: (move is PASS, _RANK[self._oracle.is_known_won(position.play_legal(move))]))
        tying: Move | None = None
        for move in moves:
            winner = self._oracle.value(position.play_legal(move))
            if winner is position.to_move:
                return move
            if winner is None and tying is None:
                tying = move
        if tying is not None:
            return tying
        return min(moves, key=lambda move: self._ease(position, move))

    def _ease(self, position: Position, move: Move) -> tuple[bool, int, int]:
        """How easy a losing move makes it for the opponent: a pass worst, then by winning replies, then by stones."""
        after = position.play_legal(move)
        board = after.board
        lead = board.stones(after.to_move).bit_count() - board.stones(position.to_move).bit_count()
        if after.outcome() is not None or after.plies_left > COUNT_LEFT:
            return move is PASS, 0, lead
        return move is PASS, len(self._oracle.winning_moves(after)), lead
