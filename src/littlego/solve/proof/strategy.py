"""The winner's strategy, written out by compiled code: a move for every position that can arise."""

from __future__ import annotations

from typing import Final, NamedTuple

from littlego.kernel.bits import Words, find_groups, image, inverse, popcount
from littlego.kernel.compiling import compiled, use_machine_code
from littlego.kernel.packing import MARGIN, NO_MOVE, best_move, least, unpack_key
from littlego.solve.bounds import holds
from littlego.solve.order import (
    CHILD_KO,
    CHILD_MINE,
    CHILD_THEIRS,
    COUNT,
    FRAME_WORDS,
    KO,
    LOST,
    MINE,
    MOVE,
    MY_GROUPS,
    NEXT,
    OPEN,
    TARGET,
    THEIR_GROUPS,
    THEIRS,
    WON,
    expand,
)
from littlego.solve.search import BOARD, LEFT, LOGGED, NODES, PLY, TABLE_LEFT, SearchLine, Shared, key_of, search
from littlego.solve.table import mix, probe

use_machine_code()

DONE, FULL, STOPPED, WRONG, PAUSED = range(5)
"""How a walk ended. WRONG: a position was not won, which only a bug can cause."""

# Words of `Walk.progress`: entries written, words on the stack, nodes searched.
WRITTEN, WAITING, SEARCHED = range(3)

_NO_LIMIT: Final = 1 << 62


class Walk(NamedTuple):
    """A strategy as far as it has been written."""

    stack: Words
    """Keys of positions with the winner to move that still need a move."""
    seen: Words
    """The set of all keys so far: open addressing, key + 1, 0 for a free place."""
    keys: Words
    moves: Words
    """The winner's move for each key."""
    progress: Words


@compiled
def _remember(seen: Words, key: int) -> bool:
    mask = seen.shape[0] - 1
    at = mix(key) & mask
    while seen[at] != 0:
        if seen[at] == key + 1:
            return False
        at = (at + 1) & mask
    seen[at] = key + 1
    return True


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
def _winning_move(line: SearchLine, shared: Shared, left: int) -> int:
    """A move that wins in the position of the first frame, which is won; NO_MOVE if stopped."""
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
    moves = frames[MOVE : MOVE + 26].copy()
    a = frames[CHILD_MINE : CHILD_MINE + 26].copy()
    b = frames[CHILD_THEIRS : CHILD_THEIRS + 26].copy()
    c = frames[CHILD_KO : CHILD_KO + 26].copy()
    for i in range(n):
        frames[MINE], frames[THEIRS], frames[KO], frames[TARGET] = a[i], b[i], c[i], 1 - target
        state[PLY] = 0
        state[LEFT] = left - 1
        result = search(line, shared, _NO_LIMIT)
        if result == LOST:
            return int(moves[i])
    return NO_MOVE


@compiled
def walk(way: Walk, line: SearchLine, shared: Shared, target: int, until: int, pause: int) -> int:
    """Write (key, move) for every position on the stack and every one that can follow it.

    The stack has keys of positions with the winner to move, all won with `target`. Positions
    that the bounds settle, and those with at most `until` plies left, are left out. DONE, FULL
    when a buffer has no room, PAUSED after every `pause` entries (call again), STOPPED or WRONG.
    """
    stack, seen, keys, progress = way.stack, way.seen, way.keys, way.progress
    frames, state, work = line.frames, line.state, line.work
    board = state[BOARD]
    limit = progress[WRITTEN] + pause
    g = FRAME_WORDS  # frame 1 holds the loser's positions, frame 0 the searched ones
    while progress[WAITING] > 0:
        written = progress[WRITTEN]
        if written == keys.shape[0] or progress[WAITING] + 64 > stack.shape[0] or 2 * written + 64 > seen.shape[0]:
            return FULL
        if shared.control[0]:
            return STOPPED
        if written >= limit:
            return PAUSED
        key = stack[progress[WAITING] - 1]
        mine, theirs, ko, left = unpack_key(key)
        frames[MINE], frames[THEIRS], frames[KO], frames[TARGET] = mine, theirs, ko, target
        progress[WAITING] -= 1
        if left <= until or _settled(frames, 0, left, board, work)[0] == WON:
            continue
        if not _remember(seen, key):
            continue
        before = state[NODES]
        move = _winning_move(line, shared, left)
        progress[SEARCHED] += state[NODES] - before
        if move == NO_MOVE:
            return STOPPED if shared.control[0] else WRONG
        keys[written] = key
        way.moves[written] = move
        progress[WRITTEN] = written + 1
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
        if left - 1 == 0:
            continue
        settled, my_count, their_count = _settled(frames, g, left - 1, board, work)
        if settled == LOST:
            continue
        expand(frames, g, left - 1, NO_MOVE, my_count, their_count, board, 0, work)
        for i in range(frames[g + COUNT]):
            if left - 2 > until:
                answer, _ = key_of(
                    frames[g + CHILD_MINE + i], frames[g + CHILD_THEIRS + i], frames[g + CHILD_KO + i], left - 2, board
                )
                stack[progress[WAITING]] = answer
                progress[WAITING] += 1
    return DONE


@compiled
def answers(line: SearchLine, key: int, target: int, out: Words) -> int:
    """Write the keys of the positions after every move of the loser, who is to move; returns how many."""
    frames, work, board = line.frames, line.work, line.state[BOARD]
    mine, theirs, ko, left = unpack_key(key)
    frames[MINE], frames[THEIRS], frames[KO], frames[TARGET] = mine, theirs, ko, target
    empty = board & ~(mine | theirs)
    my_count = find_groups(mine, empty, work, MY_GROUPS)
    their_count = find_groups(theirs, empty, work, THEIR_GROUPS)
    expand(frames, 0, left, NO_MOVE, my_count, their_count, board, 0, work)
    for i in range(frames[COUNT]):
        key, _ = key_of(frames[CHILD_MINE + i], frames[CHILD_THEIRS + i], frames[CHILD_KO + i], left - 1, board)
        out[i] = key
    return int(frames[COUNT])
