"""The winner's strategy, compiled: a move for every position that can arise, one depth after the other."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from littlego.kernel.marks import compiled
from littlego.kernel.words import (
    MARGIN,
    NO_MOVE,
    Words,
    best_move,
    find_groups,
    image,
    inverse,
    least,
    popcount,
    unpack_key,
)
from littlego.solve.bounds import holds
from littlego.solve.search import (
    BOARD,
    CHILD_KO,
    CHILD_MINE,
    CHILD_THEIRS,
    COUNT,
    FRAME_WORDS,
    KO,
    LEFT,
    LOGGED,
    LOST,
    MINE,
    MOVE,
    MY_GROUPS,
    NEXT,
    OPEN,
    PLY,
    TABLE_LEFT,
    TARGET,
    THEIR_GROUPS,
    THEIRS,
    WON,
    SearchLine,
    Shared,
    expand,
    key_of,
    search,
)
from littlego.solve.table import probe

STOPPED_AT, WRONG = -1, -2
"""Instead of how many answers there are. WRONG: a position was not won, which only a bug can cause."""
MOST_ANSWERS: Final = 26
LEFT_OUT: Final = -2
"""Instead of a move, for a position that needs none."""
CHILDREN_WORDS: Final = 4 * MOST_ANSWERS

_NO_LIMIT: Final = 1 << 62


class Responses(NamedTuple):
    """Positions of the winner's, and what `respond` writes."""

    keys: Words
    moves: Words
    after: Words
    """The keys of what can follow, MOST_ANSWERS for each position at most; one may occur more than once."""
    children: Words
    """Scratch."""


def new_responses(count: int) -> Responses:
    return Responses(*(np.zeros(n, dtype=np.int64) for n in (count, count, count * MOST_ANSWERS, CHILDREN_WORDS)))


@compiled
def _settled(frames: Words, f: int, left: int, board: int, work: Words) -> tuple[int, int, int]:
    """WON or LOST if the bounds say so for the position in the frame, else OPEN; and how many groups each side has.

    Leaves the groups in `work`.
    """
    mine = frames[f + MINE]
    theirs = frames[f + THEIRS]
    target = frames[f + TARGET]
    empty = board & ~(mine | theirs)
    turns = (left + 1) >> 1
    others = left >> 1
    even = popcount(mine) - popcount(theirs) + turns - others
    my_count = find_groups(mine, empty, work, MY_GROUPS)
    their_count = find_groups(theirs, empty, work, THEIR_GROUPS)
    if target <= even:
        if holds(work, MY_GROUPS, my_count, others, turns, 1, even - target, board, work):
            return WON, my_count, their_count
    elif holds(work, THEIR_GROUPS, their_count, turns, others, 0, target - even - 1, board, work):
        return LOST, my_count, their_count
    return OPEN, my_count, their_count


@compiled
def _winning_move(line: SearchLine, shared: Shared, left: int, children: Words) -> int:
    """A move that wins in the position of the first frame, which is won; NO_MOVE if stopped.

    `children` are CHILDREN_WORDS words of scratch.
    """
    frames, state, work = line.frames, line.state, line.work
    mine, theirs, ko, target = frames[MINE], frames[THEIRS], frames[KO], frames[TARGET]
    board = state[BOARD]
    key, symmetry = key_of(mine, theirs, ko, left, board)
    for _ in range(2):
        if left >= TABLE_LEFT:
            info = probe(shared.words, shared.bits, key)
            move = best_move(info)
            if info and least(info) >= target and move >= 0:
                return image(move, inverse(symmetry))
        state[PLY] = 0
        state[LEFT] = left
        state[LOGGED] = 0
        result = search(line, shared, _NO_LIMIT)
        if result != WON:
            return NO_MOVE
        if left < TABLE_LEFT:
            return int(frames[MOVE + frames[NEXT] - 1])
    # The table knows that the position is won, but not how: try every move.
    settled, my_count, their_count = _settled(frames, 0, left, board, work)
    if settled != OPEN:
        return NO_MOVE
    expand(frames, 0, left, NO_MOVE, my_count, their_count, board, 0, work)
    n = frames[COUNT]
    for i in range(n):
        children[4 * i], children[4 * i + 1] = frames[CHILD_MINE + i], frames[CHILD_THEIRS + i]
        children[4 * i + 2], children[4 * i + 3] = frames[CHILD_KO + i], frames[MOVE + i]
    for i in range(n):
        frames[MINE], frames[THEIRS], frames[KO] = children[4 * i], children[4 * i + 1], children[4 * i + 2]
        frames[TARGET] = 1 - target
        state[PLY] = 0
        state[LEFT] = left - 1
        result = search(line, shared, _NO_LIMIT)
        if result == LOST:
            return int(children[4 * i + 3])
    return NO_MOVE


@compiled
def respond(line: SearchLine, shared: Shared, target: int, until: int, asked: int, at: Responses) -> int:
    """Write the winner's move for each of the first `asked` keys, or LEFT_OUT, and the keys that can follow it.

    The keys are of positions with the winner to move, all won with `target`. Left out are positions that the bounds
    settle, and those with at most `until` plies left. How many keys follow; or STOPPED_AT or WRONG.
    """
    frames, state, work = line.frames, line.state, line.work
    board = state[BOARD]
    g = FRAME_WORDS  # frame 1 holds the loser's positions, frame 0 the searched ones
    count = 0
    for entry in range(asked):
        if shared.control[0]:
            return STOPPED_AT
        mine, theirs, ko, left = unpack_key(at.keys[entry])
        frames[MINE], frames[THEIRS], frames[KO], frames[TARGET] = mine, theirs, ko, target
        at.moves[entry] = LEFT_OUT
        if left <= until or _settled(frames, 0, left, board, work)[0] == WON:
            continue
        move = _winning_move(line, shared, left, at.children)
        if move == NO_MOVE:
            return STOPPED_AT if shared.control[0] else WRONG
        at.moves[entry] = move
        # Play the move, then every answer to it.
        frames[MINE], frames[THEIRS], frames[KO], frames[TARGET] = mine, theirs, ko, -MARGIN
        my_count = find_groups(mine, board & ~(mine | theirs), work, MY_GROUPS)
        their_count = find_groups(theirs, board & ~(mine | theirs), work, THEIR_GROUPS)
        expand(frames, 0, left, NO_MOVE, my_count, their_count, board, 0, work)
        for i in range(frames[COUNT]):
            if frames[MOVE + i] == move:
                frames[g + MINE] = frames[CHILD_MINE + i]
                frames[g + THEIRS] = frames[CHILD_THEIRS + i]
                frames[g + KO] = frames[CHILD_KO + i]
        frames[g + TARGET] = 1 - target
        if left - 2 <= until:
            continue
        settled, my_count, their_count = _settled(frames, g, left - 1, board, work)
        if settled == LOST:
            continue
        expand(frames, g, left - 1, NO_MOVE, my_count, their_count, board, 0, work)
        for i in range(frames[g + COUNT]):
            answer, _ = key_of(
                frames[g + CHILD_MINE + i], frames[g + CHILD_THEIRS + i], frames[g + CHILD_KO + i], left - 2, board
            )
            at.after[count] = answer
            count += 1
    return count
