"""The champion: a strong, fallible player in the manner of the best student agents.

Alpha-beta with iterative deepening until its nodes are used up (about a second on 5x5), an
evaluation of stones and liberties, and a random choice between moves that look alike. It does not
use the oracle. On boards beyond 5x5 it looks only at the position after its own move.
"""

from __future__ import annotations

import math
import random
from typing import Final

from littlego.core.points import PASS, Move
from littlego.core.position import Position

NODES: Final = 400_000
"""The budget of a move. Nodes, not seconds, so that games are reproducible."""
ALIKE: Final = 6
"""Moves whose values differ by less than this look alike."""
LARGEST_COMPILED: Final = 5


class Champion:
    """Iterative deepening alpha-beta."""

    def __init__(self, seed: int = 0, *, nodes: int = NODES) -> None:
        self._random = random.Random(seed)
        self._nodes = nodes

    def choose(self, position: Position) -> Move:
        """The move that looks best as deep as the nodes allow."""
        moves = position.legal_moves()
        if len(moves) == 1:
            return moves[0]
        if position.size > LARGEST_COMPILED:
            return self._pick({move: _worth_of(position, move) for move in moves})
        return self._pick(self._searched(position, moves))

    def _pick(self, values: dict[Move, float]) -> Move:
        best = max(values.values())
        alike = [move for move, value in values.items() if value > best - ALIKE and not (move is PASS and value < best)]
        return self._random.choice(alike)

    def _searched(self, position: Position, moves: tuple[Move, ...]) -> dict[Move, float]:
        """The value of each move by the deepest search that was finished."""
        import numpy as np

        from littlego.kernel.frame import board_mask, spot_of
        from littlego.solve.heuristic import WIN, Look, look
        from littlego.solve.oracle import komi_for
        from littlego.solve.order import FRAME_WORDS, MOST_PLIES, WORK_WORDS

        state = Look(
            frames=np.zeros(FRAME_WORDS * (MOST_PLIES + 2), dtype=np.int64),
            work=np.zeros(WORK_WORDS, dtype=np.int64),
            board=board_mask(position.size),
            budget=np.array([self._nodes], dtype=np.int64),
        )
        after = {move: position.play_legal(move) for move in moves}
        need = math.floor(komi_for(position.rules, position.to_move.opponent)) + 1
        values: dict[Move, float] = dict.fromkeys(moves, 0.0)
        left = min(position.plies_left - 1, MOST_PLIES - 2)
        for depth in range(left + 1):
            best = -2 * WIN
            fresh: dict[Move, float] = {}
            for move in sorted(moves, key=lambda move: -values[move]):
                spot = spot_of(after[move])
                state.frames[:4] = (spot.mine, spot.theirs, spot.ko, 0)
                passed = after[move].passes
                # The window reaches ALIKE below the best, so that nearly equal moves get exact values.
                low = max(best - ALIKE, -2 * WIN)
                value = -look(state, 0, left, depth, -2 * WIN, -low, need, passed)
                if state.budget[0] <= 0:
                    return values
                fresh[move] = float(value)
                best = max(best, value)
            values = fresh
            if abs(best) >= WIN:
                break
        return values


def _worth_of(position: Position, move: Move) -> float:
    """A quick estimate for large boards: stones and liberties after the move, with a penalty for atari."""
    after = position.play_legal(move)
    board = after.board
    mover = position.to_move
    value = 0.0
    for group in board.groups():
        stones, liberties = group.bit_count(), board.liberties(group).bit_count()
        worth = 10 * stones + 4 * min(liberties, 6)
        if board.stones(mover) & group:
            # In atari, it may be gone after the next move.
            value += worth - (14 * stones if liberties == 1 else 0)
        else:
            value -= worth - (5 * stones if liberties == 1 else 0)
    if move is PASS:
        return value - 3
    middle = (position.size - 1) / 2
    row, column = divmod(int(move), position.size)
    return value - 0.5 * (abs(row - middle) + abs(column - middle))
