"""Many games at once, one move in each: the compiled half of the vectorised environment.

A game is one row of `games`, of ROW words; the sides are the one to move and the other. Points are
those of the 5x5 frame inside, and `row * size + column` in actions, of which the last is the pass.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from littlego.solve.bits import SIDE, Words, beside, compiled, find_groups, lowest, popcount
from littlego.solve.moves import joinable, ko_after, last_liberties, legal_points, taken

MINE: Final = 0
THEIRS: Final = 1
KO: Final = 2
PASSES: Final = 3
PLAYED: Final = 4
LEGAL: Final = 5
ROW: Final = 6

THEIR_GROUPS: Final = 64
WORK_WORDS: Final = 128
"""Both sides' groups: at most 25 stones, and so 50 words, a side."""


@compiled
def begin(game: Words, board: int) -> None:
    """Set a row to the empty board, Black to move."""
    game[:] = 0
    game[KO] = -1
    game[LEGAL] = board


@compiled
def begin_all(games: Words, board: int) -> None:
    """Begin every game."""
    for i in range(len(games)):
        begin(games[i], board)


@compiled
def find_legal(game: Words, board: int, work: Words) -> None:
    """Write where the side to move may place a stone."""
    empty = board & ~(game[MINE] | game[THEIRS])
    open_points = empty & beside(empty)
    if open_points == empty:  # nothing is enclosed: no group has to be looked at
        game[LEGAL] = legal_points(empty, game[KO], 0, 0)
        return
    my_count = find_groups(game[MINE], empty, work, 0)
    their_count = find_groups(game[THEIRS], empty, work, THEIR_GROUPS)
    safe = joinable(work, 0, my_count)
    atari = last_liberties(work, THEIR_GROUPS, their_count)
    game[LEGAL] = legal_points(empty, game[KO], safe, atari)


@compiled
def make_move(game: Words, point: int, board: int, work: Words) -> None:
    """Make a legal move, a pass for a negative point, and change sides. What is legal then is not found yet."""
    mine, theirs = game[MINE], game[THEIRS]
    if point < 0:
        game[PASSES] += 1
        game[KO] = -1
    else:
        bit = 1 << point
        their_count = find_groups(theirs & _near(bit, theirs), board & ~(mine | theirs), work, THEIR_GROUPS)
        captured = taken(bit, work, THEIR_GROUPS, their_count)
        theirs &= ~captured
        game[KO] = ko_after(bit, mine, captured, board & ~(mine | bit | theirs))
        mine |= bit
        game[PASSES] = 0
    game[MINE] = theirs
    game[THEIRS] = mine
    game[PLAYED] += 1


@compiled
def _near(bit: int, stones: int) -> int:
    """The stones of the groups next to a point."""
    seed = beside(bit) & stones
    while True:
        grown = seed | (beside(seed) & stones)
        if grown == seed:
            return seed
        seed = grown


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
    work: Words,
) -> None:
    """Make one move in every game; a game that ends is begun anew.

    Rewards are those of who moved. An illegal action ends the game and loses it. `margins` is, of a
    game that ended, Black's stones minus White's and komi, as they stood.
    """
    for i in range(len(games)):
        game = games[i]
        action = actions[i]
        point = -1
        allowed = action == size * size
        if 0 <= action < size * size:
            point = action // size * SIDE + action % size
            allowed = (game[LEGAL] >> point & 1) != 0
        illegal[i] = not allowed
        rewards[i] = 0
        margins[i] = 0
        black_moved = game[PLAYED] & 1 == 0
        if allowed:
            make_move(game, point, board, work)
        terminated[i] = not allowed or game[PASSES] == 2 or game[PLAYED] == length
        if not terminated[i]:
            find_legal(game, board, work)
            continue
        # After a legal move the sides are changed, so that THEIRS is who moved; after an illegal one they are not.
        mover, other = (game[THEIRS], game[MINE]) if allowed else (game[MINE], game[THEIRS])
        lead = 2 * (popcount(mover) - popcount(other))
        lead += -komi_twice if black_moved else komi_twice
        margins[i] = (lead if black_moved else -lead) / 2
        rewards[i] = np.sign(lead) if allowed else -1
        begin(game, board)


@compiled
def write_observations(
    games: Words, points: Words, length: int, planes: npt.NDArray[np.float32], masks: npt.NDArray[np.int8]
) -> None:
    """Write what the side to move sees in every game: the planes of `littlego.apps.env.planes`, flat, and masks.

    `points` are the points of the frame that are on the board, in the order of actions.
    """
    n = len(points)
    for i in range(len(games)):
        game = games[i]
        seen = planes[i]
        mine, theirs, legal = game[MINE], game[THEIRS], game[LEGAL]
        # A ko point would always be legal but for the ko: retaking captures.
        ko = 1 << game[KO] if game[KO] >= 0 else 0
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
def draw_actions(games: Words, size: int, state: npt.NDArray[np.uint64], actions: Words) -> None:
    """Draw for every game one of its legal actions, the pass among them, all alike."""
    for i in range(len(games)):
        legal = games[i, LEGAL]
        choices = popcount(legal) + 1
        skip = _draw(state, choices)
        if skip == choices - 1:
            actions[i] = size * size
            continue
        for _ in range(skip):
            legal &= legal - 1
        point = lowest(legal)
        actions[i] = point // SIDE * size + point % SIDE


@compiled
def _draw(state: npt.NDArray[np.uint64], choices: int) -> int:
    """A random number below `choices`, by xorshift64*; the state must not be 0."""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    high = (x * np.uint64(0x2545F4914F6CDD1D)) >> np.uint64(32)
    return int((high * np.uint64(choices)) >> np.uint64(32))
