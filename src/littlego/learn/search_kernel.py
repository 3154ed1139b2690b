"""Alpha-beta on learned values, compiled: the champion's look ahead. Its slow twin is in its test."""

from __future__ import annotations

import numpy as np

from littlego.kernel.any_size import find_legal, make_move, wins
from littlego.kernel.compiling import compiled
from littlego.learn.games_kernel import value_after
from littlego.learn.values_kernel import LearnedArrays


@compiled
def look(
    values: LearnedArrays,
    own: int,
    other: int,
    ko: int,
    passes: int,
    played: int,
    depth: int,
    alpha: float,
    beta: float,
) -> float:
    """The chance that the side to move wins, by the values `depth` of its and its opponent's moves later.

    Exact where the game ends within the depth. Outside `alpha` and `beta` it is a bound. Moves are tried in the order
    of their own values. `depth` is at least 1. With the positional ko, only the last capture is not retaken.
    """
    game = values.game
    colour = played & 1
    legal = find_legal(game, own, other, ko)
    if played >= game.length or passes == 2 or (legal == 0 and not game.passing):
        return wins(game, own, other, colour)
    moves = np.empty(game.points + 1, dtype=np.int64)
    found = np.empty(game.points + 1, dtype=np.float64)
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
        best: float = found[0]
        return best
    best = 0.0
    for k in range(count):
        mover, opponent, retake, passed = make_move(game, moves[k], own, other, passes)
        # No literal number: see `compiling` about functions that call themselves.
        rest = int(depth - 1)
        value = 1.0 - look(values, opponent, mover, retake, passed, played + 1, rest, 1.0 - beta, 1.0 - alpha)
        best = max(best, value)
        alpha = max(alpha, best)
        if alpha >= beta:
            break
    return best
