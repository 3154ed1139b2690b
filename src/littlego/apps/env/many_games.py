"""Many games at once, one move in each: the compiled half of the vectorised environment.

A game is one row of `games`, of ROW words; the sides are the one to move and the other. Points are
those of the 5x5 frame inside, and `row * size + column` in actions, of which the last is the pass.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from littlego.kernel.bits import SIDE, Words, lowest, popcount
from littlego.kernel.compiling import compiled
from littlego.kernel.moves import find_legal
from littlego.kernel.moves import make_move as moved
from littlego.kernel.packing import NO_KO, PASS
from littlego.kernel.xorshift import State, draw_below

MINE: Final = 0
THEIRS: Final = 1
KO: Final = 2
PASSES: Final = 3
PLAYED: Final = 4
LEGAL: Final = 5
ROW: Final = 6


@compiled
def begin(game: Words, board: int) -> None:
    """Set a row to the empty board with Black to move."""
    game[:] = 0
    game[KO] = NO_KO
    game[LEGAL] = board


@compiled
def begin_all(games: Words, board: int) -> None:
    for i in range(len(games)):
        begin(games[i], board)


@compiled
def mark_legal(game: Words, board: int) -> None:
    """Update LEGAL, the points where the side to move may place a stone."""
    game[LEGAL] = find_legal(game[MINE], game[THEIRS], game[KO], board)


@compiled
def make_move(game: Words, move: int, board: int) -> None:
    """Make a legal move, a point of the frame or PASS, and change sides. LEGAL is out of date afterwards."""
    game[THEIRS], game[MINE], game[KO], game[PASSES] = moved(move, game[MINE], game[THEIRS], game[PASSES], board)
    game[PLAYED] += 1


@compiled
def step_all(
    games: Words,
    actions: Words,
    size: int,
    board: int,
    length: int,
    komi_twice: int,
    rewards: npt.NDArray[np.float32],
    terminated: npt.NDArray[np.bool_],
    illegal: npt.NDArray[np.bool_],
    margins: npt.NDArray[np.float32],
    finals: Words,
) -> None:
    """Make one move in every game; a game that ends starts again, and `finals` has its row as it was at the end.

    Rewards are the mover's. An illegal action loses the game. For a game that ended, `margins` is Black's stones minus
    White's and komi.
    """
    for i in range(len(games)):
        game = games[i]
        action = actions[i]
        move = PASS
        allowed = action == size * size
        if 0 <= action < size * size:
            move = action // size * SIDE + action % size
            allowed = (game[LEGAL] >> move & 1) != 0
        illegal[i] = not allowed
        rewards[i] = 0
        margins[i] = 0
        black_moved = game[PLAYED] & 1 == 0
        if allowed:
            make_move(game, move, board)
        terminated[i] = not allowed or game[PASSES] == 2 or game[PLAYED] == length
        if not terminated[i]:
            mark_legal(game, board)
            continue
        # After a legal move the sides are swapped, so THEIRS moved; after an illegal one they are not.
        mover, other = (game[THEIRS], game[MINE]) if allowed else (game[MINE], game[THEIRS])
        lead = 2 * (popcount(mover) - popcount(other))
        lead += -komi_twice if black_moved else komi_twice
        margins[i] = (lead if black_moved else -lead) / 2
        rewards[i] = np.sign(lead) if allowed else -1
        finals[i] = game
        begin(game, board)


@compiled
def write_observations(
    games: Words, points: Words, length: int, planes: npt.NDArray[np.float32], masks: npt.NDArray[np.int8]
) -> None:
    """Write the observations of the side to move in every game: flat planes (`littlego.apps.env.planes`) and masks.

    `points` are the points of the frame that are on the board, in the order of actions.
    """
    n = len(points)
    for i in range(len(games)):
        game = games[i]
        seen = planes[i]
        mine, theirs, legal = game[MINE], game[THEIRS], game[LEGAL]
        # But for the ko its point would always be legal: retaking captures.
        ko = 1 << game[KO] if game[KO] != NO_KO else 0
        for k in range(n):
            seen[k] = mine >> points[k] & 1
        for k in range(n):
            seen[n + k] = theirs >> points[k] & 1
        for k in range(n):
            seen[2 * n + k] = ko >> points[k] & 1
        seen[3 * n : 4 * n] = game[PLAYED] & 1
        seen[4 * n : 5 * n] = game[PASSES] > 0
        seen[5 * n :] = (length - game[PLAYED]) / length
        for k in range(n):
            masks[i, k] = legal >> points[k] & 1
        masks[i, n] = 1


@compiled
def draw_actions(games: Words, size: int, state: State, actions: Words) -> None:
    """Draw a legal action for every game, uniformly, the pass included."""
    for i in range(len(games)):
        legal = games[i, LEGAL]
        choices = popcount(legal) + 1
        skip = draw_below(choices, state)
        if skip == choices - 1:
            actions[i] = size * size
            continue
        for _ in range(skip):
            legal &= legal - 1
        point = lowest(legal)
        actions[i] = point // SIDE * size + point % SIDE
