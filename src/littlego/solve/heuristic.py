"""Alpha-beta with an evaluation, compiled: for play that is strong but not exact.

It looks a few plies ahead and judges by stones and liberties, as a good student agent does. It does not
use the solver's bounds or table; it shares only the rules and the move order.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from littlego.kernel.bits import Words, find_groups, popcount
from littlego.kernel.compiling import compiled
from littlego.kernel.packing import MARGIN, PASS
from littlego.solve.order import (
    CHILD_KO,
    CHILD_MINE,
    CHILD_THEIRS,
    COUNT,
    FRAME_WORDS,
    KO,
    MINE,
    MOVE,
    MY_GROUPS,
    SCORE,
    TARGET,
    THEIR_GROUPS,
    THEIRS,
    expand,
    standing,
)

WIN: Final = 100_000
ANY: Final = -MARGIN
"""A target that every position meets, so that a pass is always among the moves."""


class Look(NamedTuple):
    """The arrays of one look ahead."""

    frames: Words
    """See `order`."""
    work: Words
    board: int
    budget: Words
    """Nodes that may still be searched, in the first word."""


@compiled
def judge(mine: int, theirs: int, left: int, need: int, board: int, work: Words) -> int:
    """What a position is worth to the side to move; more than WIN, or less than -WIN, at the end of the game.

    `need` is the least difference in stones that wins.
    """
    difference = popcount(mine) - popcount(theirs)
    if left == 0:
        return WIN + difference if difference >= need else difference - WIN
    return 100 * (difference - need) + 3 * standing(mine, theirs, board, work)


@compiled
def look(state: Look, f: int, left: int, depth: int, alpha: int, beta: int, need: int, passed: int) -> int:
    """Negamax with alpha-beta from the position in the frame at `f`; stops when the budget is used up."""
    frames, work, board, budget = state.frames, state.work, state.board, state.budget
    budget[0] -= 1
    mine, theirs = frames[f + MINE], frames[f + THEIRS]
    if left == 0 or passed >= 2:
        return judge(mine, theirs, 0, need, board, work)
    if depth <= 0 or budget[0] <= 0:
        return judge(mine, theirs, left, need, board, work)
    empty = board & ~(mine | theirs)
    frames[f + TARGET] = ANY
    my_count = find_groups(mine, empty, work, MY_GROUPS)
    their_count = find_groups(theirs, empty, work, THEIR_GROUPS)
    expand(frames, f, left, -1, my_count, their_count, board, 0, work)
    n = frames[f + COUNT]
    best = -2 * WIN
    g = f + FRAME_WORDS
    for i in range(n):
        chosen = i
        for j in range(i + 1, n):
            if frames[f + SCORE + j] > frames[f + SCORE + chosen]:
                chosen = j
        for part in range(MOVE, CHILD_KO + 26, 26):
            kept = frames[f + part + i]
            frames[f + part + i] = frames[f + part + chosen]
            frames[f + part + chosen] = kept
        frames[g + MINE] = frames[f + CHILD_MINE + i]
        frames[g + THEIRS] = frames[f + CHILD_THEIRS + i]
        frames[g + KO] = frames[f + CHILD_KO + i]
        passes = passed + 1 if frames[f + MOVE + i] == PASS else 0
        value = -look(state, g, left - 1, depth - 1, -beta, -alpha, 1 - need, passes)
        if value > best:
            best = value
        if best > alpha:
            alpha = best
        if alpha >= beta or budget[0] <= 0:
            break
    return best
