"""The search: does the side to move reach a margin of at least `target` in the plies that are left?

A depth-first search of won and lost, without recursion: the line being searched is in `frames`,
one stretch of words per ply, so that a search can stop at any node and continue later from there.

**Passing.** Say the side to move is behind if its stones minus the opponent's are below its target.
If it passes while behind, the opponent passes too and the game ends lost; so such a pass need not
be tried. If it passes while ahead, the opponent is behind, and whether or not a pass went before,
passing loses for him; so the opponent's position is worth the same as without that pass. Hence
only the leader's pass is searched and the number of passes is no part of a position. (A side that
is ahead *after a pass of the opponent* wins by passing; this can arise at the root only, and
`oracle` deals with it there.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from littlego.kernel.bits import FRAME, Words, at, find_groups, image, inverse, popcount
from littlego.kernel.marks import compiled
from littlego.kernel.packing import MARGIN, NO_MOVE, VALUE_BITS, best_move, greatest, least, pack_key, pack_value
from littlego.solve.bounds import holds
from littlego.solve.guess import Weights, guess
from littlego.solve.order import (
    CHILD_KO,
    CHILD_MINE,
    CHILD_THEIRS,
    COUNT,
    FRAME_WORDS,
    GUESS_WORK,
    HINT_SCORE,
    KEY,
    KO,
    LOST,
    MINE,
    MOST_PLIES,
    MOVE,
    MY_GROUPS,
    NEXT,
    NODES_BEFORE,
    OPEN,
    SCORE,
    STOPPED,
    SYMMETRY,
    TARGET,
    THEIR_GROUPS,
    THEIRS,
    WON,
    WORK_WORDS,
    expand,
)
from littlego.solve.table import MOST_EFFORT, fetch, fold, probe, store

# Positions with fewer plies left are searched again faster than they are looked up.
TABLE_LEFT: Final = 5
# Folding by symmetry, and looking every child up in the table, pay only with more plies left.
FOLD_LEFT: Final = 11
CHILDREN_LEFT: Final = 7

# Threads share the work at nodes with more plies left than this.
SHARE_LEFT: Final = 8

# The state of a search. With SEEK its first position is searched for a move, even if the table knows that it is won.
PLY, LEFT, NODES, BOARD, THREADS, LOGGED, LOG_EFFORT, PRUNE, GUESS_LEFT, SEEK = range(10)
STATE_WORDS: Final = 16

BUSY_BITS: Final = 14
LOG_WORDS: Final = 1 << 16
"""Two words per logged position: its key, and its value with the nodes above it."""

NO_LOG: Final = 1 << 60
"""More nodes than any position costs."""


class SearchLine(NamedTuple):
    """One thread's line of search, in arrays that the search changes in place."""

    frames: Words
    """A stretch of FRAME_WORDS for each ply: see `order`."""
    state: Words
    """Where the search is, and its settings: PLY and the following words."""
    work: Words
    """Scratch: see `order`."""
    log: Words


class Shared(NamedTuple):
    """What the threads of a search share."""

    words: Words
    """The table."""
    bits: int
    """The number of its buckets, as a power of two."""
    busy: Words
    """Keys of positions that some thread is working on."""
    control: Words
    """The search stops when the first word is not 0."""
    weights: Weights
    """Of the guess that orders moves with at least GUESS_LEFT plies left."""


def _zeros(count: int) -> Words:
    return np.zeros(count, dtype=np.int64)


def new_line(
    board: int,
    *,
    threads: int = 1,
    log_effort: int = NO_LOG,
    prune: bool = True,
    log_words: int = LOG_WORDS,
    zeros: Callable[[int], Words] = _zeros,
) -> SearchLine:
    """A line that never guesses and logs positions costing at least `log_effort` nodes.

    LEFT and the first frame are not set. `zeros` makes its arrays.
    """
    sizes = (FRAME_WORDS * MOST_PLIES, STATE_WORDS, WORK_WORDS, log_words)
    line = SearchLine(*(zeros(size) for size in sizes))
    line.state[[BOARD, THREADS, LOG_EFFORT, PRUNE, GUESS_LEFT]] = (board, threads, log_effort, prune, MOST_PLIES)
    return line


_REFUTED: Final = -(1 << 40)
_DEFERRED: Final = -(1 << 30)


@compiled
def key_of(mine: int, theirs: int, ko: int, left: int, board: int) -> tuple[int, int]:
    """The key of a position in the table, and the symmetry that leads to it."""
    if left >= FOLD_LEFT and board == FRAME:
        return fold(mine, theirs, ko, left)
    return pack_key(mine, theirs, ko, left), 0


@compiled
def _enter(
    frames: Words, f: int, left: int, state: Words, words: Words, bits: int, work: Words, weights: Weights
) -> int:
    """Settle a node by bounds or table, or write its moves; WON, LOST or OPEN."""
    mine = frames[at(f + MINE)]
    theirs = frames[at(f + THEIRS)]
    target = frames[at(f + TARGET)]
    board = state[BOARD]
    difference = popcount(mine) - popcount(theirs)
    my_turns = (left + 1) >> 1
    their_turns = left >> 1
    if left == 0:
        return WON if difference >= target else LOST
    empty = board & ~(mine | theirs)
    my_count = -1
    their_count = -1
    even = difference + my_turns - their_turns
    if state[PRUNE]:
        # If a stone a move is enough for me, the bounds can only show my win; else only my loss.
        if target <= even:
            my_count = find_groups(mine, empty, work, MY_GROUPS)
            if holds(work, MY_GROUPS, my_count, their_turns, my_turns, 1, even - target, board, work):
                return WON
        else:
            their_count = find_groups(theirs, empty, work, THEIR_GROUPS)
            if holds(work, THEIR_GROUPS, their_count, my_turns, their_turns, 0, target - even - 1, board, work):
                return LOST
    hint = NO_MOVE
    if left >= TABLE_LEFT:
        key, symmetry = key_of(mine, theirs, frames[at(f + KO)], left, board)
        frames[at(f + KEY)] = key
        frames[at(f + SYMMETRY)] = symmetry
        info = probe(words, bits, key)
        if info:
            if least(info) >= target and not (f == 0 and state[SEEK]):
                return WON
            if greatest(info) < target:
                return LOST
            hint = image(best_move(info), inverse(symmetry))
    if my_count < 0:
        my_count = find_groups(mine, empty, work, MY_GROUPS)
    if their_count < 0:
        their_count = find_groups(theirs, empty, work, THEIR_GROUPS)
    if expand(frames, f, left, hint, my_count, their_count, board, state[PRUNE], work) == WON:
        if left >= TABLE_LEFT:
            move = image(frames[at(f + MOVE)], frames[at(f + SYMMETRY)])
            store(words, bits, frames[at(f + KEY)], target, MARGIN, move, 0)
        return WON
    if left > CHILDREN_LEFT and _ask_children(frames, f, left, board, words, bits, work) == WON:
        return WON
    if left >= state[GUESS_LEFT]:
        _guess_children(frames, f, left, weights, work)
    return OPEN


@compiled
def _guess_children(frames: Words, f: int, left: int, weights: Weights, work: Words) -> None:
    """Add a guess to the scores of the moves that are neither refuted nor known to be good."""
    for i in range(frames[at(f + COUNT)]):
        score = frames[at(f + SCORE + i)]
        if score != _REFUTED and score != HINT_SCORE:
            own = frames[at(f + CHILD_THEIRS + i)]
            other = frames[at(f + CHILD_MINE + i)]
            frames[at(f + SCORE + i)] = score + guess(weights, own, other, left - 1, work, GUESS_WORK)


@compiled
def _ask_children(frames: Words, f: int, left: int, board: int, words: Words, bits: int, work: Words) -> int:
    """Look every child up: one that is lost for the opponent wins at once, refuted ones are dropped."""
    n = frames[at(f + COUNT)]
    target = 1 - frames[at(f + TARGET)]
    # All are fetched before the first is read: waiting for one after the other took a tenth of the time.
    for i in range(n):
        key, _ = key_of(
            frames[at(f + CHILD_MINE + i)],
            frames[at(f + CHILD_THEIRS + i)],
            frames[at(f + CHILD_KO + i)],
            left - 1,
            board,
        )
        work[at(i)] = key
        fetch(words, bits, key)
    for i in range(n):
        info = probe(words, bits, work[at(i)])
        if info:
            if greatest(info) < target:
                frames[at(f + NEXT)] = i
                move = image(frames[at(f + MOVE + i)], frames[at(f + SYMMETRY)])
                store(words, bits, frames[at(f + KEY)], frames[at(f + TARGET)], MARGIN, move, 1)
                return WON
            if least(info) >= target:
                frames[at(f + SCORE + i)] = _REFUTED
    return OPEN


@compiled
def _effort(nodes: int) -> int:
    """A logarithm of a number of nodes, at most MOST_EFFORT."""
    effort = 0
    while nodes > 4 and effort < MOST_EFFORT:
        nodes >>= 3
        effort += 1
    return effort


@compiled
def _leave(frames: Words, f: int, left: int, won: int, state: Words, words: Words, bits: int, log: Words) -> None:
    """Store the value of a searched node, and log expensive ones."""
    if left < TABLE_LEFT:
        return
    target = frames[at(f + TARGET)]
    low = -MARGIN
    high = target - 1
    move = NO_MOVE
    if won:
        low = target
        high = MARGIN
        move = image(frames[at(f + MOVE + frames[at(f + NEXT)] - 1)], frames[at(f + SYMMETRY)])
    nodes = state[NODES] - frames[at(f + NODES_BEFORE)]
    store(words, bits, frames[at(f + KEY)], low, high, move, _effort(nodes))
    if nodes >= state[LOG_EFFORT]:
        logged = state[LOGGED]
        if logged + 2 <= log.shape[0]:
            log[at(logged)] = frames[at(f + KEY)]
            log[at(logged + 1)] = pack_value(low, high, move) | nodes << VALUE_BITS
            state[LOGGED] = logged + 2


@compiled
def _child_key(frames: Words, f: int, i: int, left: int) -> int:
    """The unfolded key of the position after move `i` of the frame at `f`."""
    key: int = pack_key(
        frames[at(f + CHILD_MINE + i)], frames[at(f + CHILD_THEIRS + i)], frames[at(f + CHILD_KO + i)], left - 1
    )
    return key


@compiled
def _busy_slot(key: int) -> int:
    """Where threads note that they are working on a position."""
    return (key * 0x1E3779B97F4A7C15 >> 40) & (1 << BUSY_BITS) - 1


@compiled
def _choose(frames: Words, f: int, left: int, threads: int, busy: Words) -> int:
    """Bring the best move not yet tried to NEXT; 1, or 0 if none is left."""
    n = frames[at(f + COUNT)]
    i = frames[at(f + NEXT)]
    while True:
        best = i
        for j in range(i + 1, n):
            if frames[at(f + SCORE + j)] > frames[at(f + SCORE + best)]:
                best = j
        if i >= n or frames[at(f + SCORE + best)] == _REFUTED:
            return 0
        if best != i:
            for part in range(MOVE, CHILD_KO + 26, 26):
                kept = frames[at(f + part + i)]
                frames[at(f + part + i)] = frames[at(f + part + best)]
                frames[at(f + part + best)] = kept
        if threads < 2 or i == 0 or left <= SHARE_LEFT or frames[at(f + SCORE + i)] <= _DEFERRED:
            return 1
        # Another thread is working on it: come back to it when the other moves are done.
        key = _child_key(frames, f, i, left)
        if busy[at(_busy_slot(key))] != key:
            return 1
        frames[at(f + SCORE + i)] += 2 * _DEFERRED


@compiled
def search(line: SearchLine, shared: Shared, budget: int) -> int:
    """Continue the search of `line` for `budget` nodes; WON, LOST or STOPPED.

    Stops early when control[0] becomes non-zero or the log is full.
    """
    # Passed on one by one: taking arrays out of a tuple at every node was measurably slower.
    frames, state, work, log = line
    words, bits, busy, control, weights = shared
    threads = state[THREADS]
    ply = state[PLY]
    root_left = state[LEFT]
    limit = state[NODES] + budget
    while True:
        f = ply * FRAME_WORDS
        left = root_left - ply
        if state[NODES] >= limit or (state[NODES] & 255 == 0 and control[0] != 0) or state[LOGGED] + 64 > log.shape[0]:
            state[PLY] = ply
            return STOPPED
        state[NODES] += 1
        frames[at(f + NODES_BEFORE)] = state[NODES]
        result = _enter(frames, f, left, state, words, bits, work, weights)
        # Climb until a node has a move left to try.
        while True:
            if result == OPEN:
                if _choose(frames, f, left, threads, busy):
                    break
                result = LOST
                _leave(frames, f, left, LOST, state, words, bits, log)
            if ply == 0:
                state[PLY] = 0
                return result
            ply -= 1
            left += 1
            f -= FRAME_WORDS
            if threads > 1 and left > SHARE_LEFT:
                busy[_busy_slot(_child_key(frames, f, frames[at(f + NEXT)] - 1, left))] = 0
            if result == LOST:
                result = WON
                _leave(frames, f, left, WON, state, words, bits, log)
            else:
                result = OPEN
        i = frames[at(f + NEXT)]
        frames[at(f + NEXT)] = i + 1
        g = f + FRAME_WORDS
        frames[at(g + MINE)] = frames[at(f + CHILD_MINE + i)]
        frames[at(g + THEIRS)] = frames[at(f + CHILD_THEIRS + i)]
        frames[at(g + KO)] = frames[at(f + CHILD_KO + i)]
        frames[at(g + TARGET)] = 1 - frames[at(f + TARGET)]
        if threads > 1 and left > SHARE_LEFT:
            key = _child_key(frames, f, i, left)
            busy[at(_busy_slot(key))] = key
        if left - 1 >= TABLE_LEFT and left - 1 < FOLD_LEFT:
            fetch(words, bits, _child_key(frames, f, i, left))
        ply += 1
