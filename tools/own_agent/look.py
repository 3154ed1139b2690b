"""Looking ahead with learned values, for opponents that do: alpha-beta, compiled by numba."""

from __future__ import annotations

from typing import Final

import numpy as np

from compiling import compiled
from littlego.core.position import Position
from littlego.kernel.any_size import find_legal, make_move, wins
from littlego.kernel.words import NO_KO, Words
from littlego.learn.games import value_after
from littlego.learn.values import LearnedArrays

MOST_AHEAD: Final = 8
"""Moves that one can look ahead."""


def look(values: LearnedArrays, position: Position, depth: int, alpha: float, beta: float) -> float:
    """The chance that the side to move wins: see `looked`. Not to be called by two threads with the same values."""
    board, mover = position.board, position.to_move
    ko = NO_KO if position.ko is None else position.ko
    here = (board.stones(mover), board.stones(mover.opponent), ko, position.passes, position.moves_played)
    ahead = np.zeros((MOST_AHEAD + 1, position.size**2 + 1), dtype=np.int64)
    return float(looked(values, *here, depth, alpha, beta, ahead, np.zeros(ahead.shape)))


@compiled
def looked(
    values: LearnedArrays,
    own: int,
    other: int,
    ko: int,
    passes: int,
    played: int,
    depth: int,
    alpha: float,
    beta: float,
    ahead: Words,
    hopes: np.ndarray,
) -> float:
    """The chance that the side to move wins, by the values `depth` of its and its opponent's moves later.

    Exact where the game ends within the depth. Outside `alpha` and `beta` it is a bound. Moves are tried in the order
    of their own values. `depth` is from 1 to MOST_AHEAD. `ahead` and `hopes` are scratch: moves, the best first, and
    their values, for each number of moves still to look ahead.
    """
    game = values.game
    colour = played & 1
    legal = find_legal(game, own, other, ko)
    if played >= game.length or passes == 2 or (legal == 0 and not game.passing):
        return wins(game, own, other, colour)
    moves, found = ahead[depth], hopes[depth]
    count = 0
    for move in range(game.points + 1):
        if legal >> move & 1 or (move == game.points and game.passing):
            mover, opponent, _, passed = make_move(game, move, own, other, passes)
            value = value_after(values, mover, opponent, colour, played + 1, passed)
            if depth == 1 and value >= beta:
                return value
            place = count
            while place and found[place - 1] < value:
                found[place], moves[place] = found[place - 1], moves[place - 1]
                place -= 1
            found[place], moves[place] = value, move
            count += 1
    if depth == 1:
        return float(found[0])
    best = 0.0
    for k in range(count):
        mover, opponent, retake, passed = make_move(game, moves[k], own, other, passes)
        # No literal number: see `compiling` about functions that call themselves.
        rest = int(depth - 1)
        value = 1.0 - looked(
            values, opponent, mover, retake, passed, played + 1, rest, 1.0 - beta, 1.0 - alpha, ahead, hopes
        )
        best = max(best, value)
        alpha = max(alpha, best)
        if alpha >= beta:
            break
    return best
