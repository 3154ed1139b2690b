"""The perfect player: never leaves a won position, and makes a lost one as hard as it can."""

from __future__ import annotations

from functools import cache
from typing import Final

from littlego.core.errors import UsageError
from littlego.core.points import PASS, Move
from littlego.core.position import Position
from littlego.players.course import Chances
from littlego.solve.oracle import Oracle, why_unsolvable
from littlego.solve.resistance import NODES, LostPosition

VARIED_LEFT: Final = 12
"""With at most this many plies left any winning move will do; earlier, only the proof's own move is quick to verify."""


@cache
def shared_oracle() -> Oracle:
    """One oracle for all perfect players of a process, which share what they work out."""
    return Oracle(memory=1 << 30)


class PerfectPlayer:
    """Plays from exact values. Boards up to 5x5 with the simple ko only."""

    def __init__(self, seed: int = 0, *, oracle: Oracle | None = None, most_nodes: int = NODES) -> None:
        """`most_nodes` limits the choice among losing moves; whether a move wins is always exact."""
        self._chances = Chances(seed)
        self._oracle = oracle or shared_oracle()
        self._most_nodes = most_nodes

    def choose(self, position: Position) -> Move:
        """A winning move if there is one, else a tying one, else the one hardest to answer (see `solve.resistance`).

        Among winning moves, and among those equally hard, the seed decides. Raises UsageError if the position cannot
        be solved.
        """
        if why := why_unsolvable(position):
            raise UsageError(f"the perfect player cannot play this: {why}")
        draws = self._chances.at(position)
        winner = self._oracle.value(position)
        if winner is position.to_move and position.plies_left > VARIED_LEFT:
            move = self._oracle.winning_move(position)
            assert move is not None, "a won position has a winning move"
            return move
        if winner is position.to_move.opponent:
            hardest = LostPosition(self._oracle, position, most_nodes=self._most_nodes).hardest()
            return draws.choice(hardest).move
        moves = draws.shuffled(position.legal_moves())
        # A pass comes last: playing on gives the opponent more chances to go wrong.
        moves.sort(key=lambda move: move is PASS)
        return next(move for move in moves if self._oracle.value(position.play_legal(move)) is winner)
