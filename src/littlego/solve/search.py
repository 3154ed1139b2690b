"""The search: does the side to move reach a margin of at least `target` in the plies that are left?

A depth-first search of won and lost, without recursion: the line being searched is in `frames`,
one stretch of words per ply, so that a search can stop at any node and continue later from there.
`expand` writes the moves of a position, and how good each looks; the best is tried first.

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

from littlego.kernel.marks import compiled
from littlego.kernel.words import (
    FRAME,
    MARGIN,
    NO_KO,
    NO_MOVE,
    PASS,
    POINTS,
    VALUE_BITS,
    Words,
    at,
    beside,
    best_move,
    find_groups,
    greatest,
    image,
    inverse,
    joinable,
    ko_after,
    last_liberties,
    least,
    legal_points,
    lowest,
    pack_key,
    pack_value,
    popcount,
    taken,
)
from littlego.solve.bounds import SCRATCH_WORDS, holds
from littlego.solve.guess import SCRATCH_WORDS as GUESS_WORDS
from littlego.solve.guess import Weights, guess
from littlego.solve.table import MOST_EFFORT, fetch, fold, probe, store

LOST, WON, STOPPED, OPEN = range(4)
"""Results of a search; OPEN: not settled yet."""

ANSWER_LEFT: Final = 3
"""With fewer plies left, looking for one answer to many moves takes longer than trying them."""
JUDGE_LEFT: Final = 5
"""With fewer plies left a move is judged by what it touches alone, not by the whole board after it."""

# Weights of the move order, chosen by the number of nodes that games of 16 to 22 plies and random
# positions took. What counts is not which move wins but which win is quickly proven: forcing moves,
# captures and the centre first. A history of moves was tried and made the proofs larger.
CENTRE: Final = 1 << POINTS // 2
CENTRAL: Final = 32
STONE: Final = 12
GROUP: Final = 9
LIBERTY: Final = 8
MOST_LIBERTIES: Final = 9
MY_ATARI: Final = 2
THEIR_ATARI: Final = 9
THEIR_TWO: Final = 2
ATARI: Final = 10
ATARI_STONE: Final = 20
RESCUE: Final = 30
CAPTURE: Final = 50
CAPTURED_STONE: Final = 140
SELF_ATARI: Final = 20
SELF_ATARI_STONE: Final = 60
OWN_LIBERTY: Final = 16
MOST_OWN_LIBERTIES: Final = 5
LEADER_PASS: Final = 120
LAST_PASS: Final = -10000
STANDING: Final = 5

# A frame: one ply of the line being searched. First single words, then five lists of up to 26 moves.
MINE, THEIRS, KO, TARGET, KEY, SYMMETRY, NODES_BEFORE, COUNT, NEXT = range(9)
MOVE, SCORE, CHILD_MINE, CHILD_THEIRS, CHILD_KO = range(16, 146, 26)
FRAME_WORDS: Final = 160
MOST_PLIES: Final = 32

# Scratch: the bounds' words, then both sides' groups, then the guess's words.
MY_GROUPS: Final = SCRATCH_WORDS
THEIR_GROUPS: Final = SCRATCH_WORDS + 64
OTHER_GROUPS: Final = SCRATCH_WORDS + 128
GUESS_WORK: Final = SCRATCH_WORDS + 192
WORK_WORDS: Final = GUESS_WORK + GUESS_WORDS

HINT_SCORE: Final = 1 << 40


@compiled
def _worth(stones: int, liberties: int, atari: int, two: int) -> int:
    """What a group is worth to its side; `atari` and `two` are what each of its stones costs with 1 or 2 liberties."""
    value = STONE * stones + LIBERTY * min(liberties, MOST_LIBERTIES) - GROUP
    if liberties == 1:
        value -= atari * stones
    elif liberties == 2:
        value -= two * stones
    return value


@compiled
def _total_worth(work: Words, start: int, count: int, atari: int, two: int) -> int:
    value = 0
    for i in range(count):
        value += _worth(popcount(work[at(start + 2 * i)]), popcount(work[at(start + 2 * i + 1)]), atari, two)
    return value


@compiled
def standing_after(mine: int, theirs: int, board: int, work: Words) -> int:
    """How good a board looks to the side that has just moved, by stones and liberties. Overwrites OTHER_GROUPS."""
    empty = board & ~(mine | theirs)
    count = find_groups(mine, empty, work, OTHER_GROUPS)
    value = _total_worth(work, OTHER_GROUPS, count, THEIR_ATARI, THEIR_TWO)
    count = find_groups(theirs, empty, work, OTHER_GROUPS)
    return value - _total_worth(work, OTHER_GROUPS, count, MY_ATARI, 0)


@compiled
def _groups_after(bit: int, empty: int, groups: int, count: int, work: Words) -> int:
    """Write a side's groups after its stone on `bit`, which captures nothing, to OTHER_GROUPS; returns how many.

    Only the groups that the stone touches change, into one group, the last: nothing is flooded.
    """
    n = 0
    own = bit
    liberties = beside(bit) & empty
    for i in range(count):
        stones = work[at(groups + 2 * i)]
        others = work[at(groups + 2 * i + 1)]
        if others & bit:
            own |= stones
            liberties |= others
        else:
            work[at(OTHER_GROUPS + 2 * n)] = stones
            work[at(OTHER_GROUPS + 2 * n + 1)] = others
            n += 1
    work[at(OTHER_GROUPS + 2 * n)] = own
    work[at(OTHER_GROUPS + 2 * n + 1)] = liberties & ~bit
    return n + 1


@compiled
def unanswered(
    legal: int, mine: int, theirs: int, target: int, left: int, my_count: int, their_count: int, board: int, work: Words
) -> tuple[int, bool]:
    """The moves of `legal` for which `bounds` knows no answer to many moves, and whether it answers a pass.

    The groups of both sides are in `work`.
    """
    empty = board & ~(mine | theirs)
    passing_fails = False
    my_atari = last_liberties(work, MY_GROUPS, my_count)
    their_atari = last_liberties(work, THEIR_GROUPS, their_count)
    answers = legal_points(empty, NO_KO, joinable(work, THEIR_GROUPS, their_count), my_atari)
    # What they may lose after my move and their answer, against an exchange of a stone a move from there on.
    allowed = target - 1 - popcount(mine) + popcount(theirs) - (left & 1)
    if allowed < 0:
        answers &= my_atari
    while answers and legal:
        bit = answers & -answers
        answers ^= bit
        excepted = bit
        spare = allowed
        if my_atari & bit:
            captured = taken(bit, work, MY_GROUPS, my_count)
            spare += popcount(captured)
            count = find_groups(theirs | bit, empty & ~bit | captured, work, OTHER_GROUPS)
            excepted |= their_atari
        else:
            count = _groups_after(bit, empty, THEIR_GROUPS, their_count, work)
            liberties = work[at(OTHER_GROUPS + 2 * count - 1)]
            if liberties & (liberties - 1) == 0:
                excepted |= liberties
        if holds(work, OTHER_GROUPS, count, (left + 1) >> 1, (left - 2) >> 1, -1, spare, board, work):
            legal &= excepted
            passing_fails = True
    return legal, passing_fails


@compiled
def _sure_win(
    legal: int, mine: int, theirs: int, target: int, left: int, my_count: int, their_count: int, board: int, work: Words
) -> int:
    """A move of `legal` after which the bounds show that the mover wins, as a bit; 0 for none."""
    empty = board & ~(mine | theirs)
    atari = last_liberties(work, THEIR_GROUPS, their_count)
    # What I may lose after my move, against an exchange of a stone a move from there on.
    allowed = popcount(mine) + 1 - popcount(theirs) - target - (left & 1 ^ 1)
    if allowed < 0:
        legal &= atari
    while legal:
        bit = legal & -legal
        legal ^= bit
        spare = allowed
        if atari & bit:
            captured = taken(bit, work, THEIR_GROUPS, their_count)
            spare += popcount(captured)
            count = find_groups(mine | bit, empty & ~bit | captured, work, OTHER_GROUPS)
        else:
            count = _groups_after(bit, empty, MY_GROUPS, my_count, work)
        if holds(work, OTHER_GROUPS, count, left >> 1, (left - 1) >> 1, 0, spare, board, work):
            return bit
    return 0


@compiled
def _write_move(
    frames: Words,
    f: int,
    n: int,
    bit: int,
    left: int,
    my_count: int,
    their_count: int,
    worth: int,
    board: int,
    work: Words,
) -> None:
    """Write move `n` of the frame at `f`: a stone, the position after it, and how good it looks.

    `worth` is how good the board before it looks to the mover. What counts besides is what the stone does to the
    groups it touches: captures, ataris, rescues, and its own liberties.
    """
    mine = frames[at(f + MINE)]
    theirs = frames[at(f + THEIRS)]
    around = beside(bit)
    score = CENTRAL * (popcount(around) + (bit == CENTRE))
    captured = 0
    for i in range(their_count):
        others = work[at(THEIR_GROUPS + 2 * i + 1)]
        if others & bit:
            group = work[at(THEIR_GROUPS + 2 * i)]
            stones = popcount(group)
            liberties = popcount(others)
            if liberties == 1:
                captured |= group
            else:
                score += ATARI
                if liberties == 2:
                    score += ATARI_STONE * stones
                worth += _worth(stones, liberties, MY_ATARI, 0) - _worth(stones, liberties - 1, MY_ATARI, 0)
    own = bit
    reach = around & board & ~(mine | theirs)
    for i in range(my_count):
        others = work[at(MY_GROUPS + 2 * i + 1)]
        if others & bit:
            group = work[at(MY_GROUPS + 2 * i)]
            own |= group
            reach |= others
            stones = popcount(group)
            liberties = popcount(others)
            if liberties <= 2:
                score += RESCUE * stones
            worth -= _worth(stones, liberties, THEIR_ATARI, THEIR_TWO)
    reach &= ~bit
    ko = NO_KO
    mine |= bit
    if captured:
        theirs &= ~captured
        ko = ko_after(bit, mine & ~bit, captured, board & ~(mine | theirs))
        reach |= beside(own) & captured
        score += CAPTURE + CAPTURED_STONE * popcount(captured)
    stones = popcount(own)
    liberties = popcount(reach)
    if liberties == 1:
        score -= SELF_ATARI + SELF_ATARI_STONE * stones
    elif liberties > 2:
        score += OWN_LIBERTY * min(liberties, MOST_OWN_LIBERTIES)
    if left >= JUDGE_LEFT:
        if captured:
            worth = standing_after(mine, theirs, board, work)
        else:
            worth += _worth(stones, liberties, THEIR_ATARI, THEIR_TWO)
        score += STANDING * worth
    frames[at(f + MOVE + n)] = lowest(bit)
    frames[at(f + SCORE + n)] = score
    frames[at(f + CHILD_MINE + n)] = theirs
    frames[at(f + CHILD_THEIRS + n)] = mine
    frames[at(f + CHILD_KO + n)] = ko


@compiled
def expand(
    frames: Words, f: int, left: int, hint: int, my_count: int, their_count: int, board: int, prune: int, work: Words
) -> int:
    """Write the moves of the frame at `f`, the positions after them, and how good each looks.

    With `prune`, moves that the bounds answer all together are left out.

    WON if the bounds alone show that a move wins, which is then the first in the list; else OPEN.
    """
    mine = frames[at(f + MINE)]
    theirs = frames[at(f + THEIRS)]
    target = frames[at(f + TARGET)]
    safe = joinable(work, MY_GROUPS, my_count)
    atari = last_liberties(work, THEIR_GROUPS, their_count)
    legal = legal_points(board & ~(mine | theirs), frames[at(f + KO)], safe, atari)
    can_pass = popcount(mine) - popcount(theirs) >= target
    if prune and left >= ANSWER_LEFT:
        legal, fails = unanswered(legal, mine, theirs, target, left, my_count, their_count, board, work)
        can_pass = can_pass and not fails
    if prune and left >= JUDGE_LEFT:
        bit = _sure_win(legal, mine, theirs, target, left, my_count, their_count, board, work)
        if bit:
            frames[at(f + MOVE)] = lowest(bit)
            frames[at(f + NEXT)] = 1
            return WON
    worth = _total_worth(work, MY_GROUPS, my_count, THEIR_ATARI, THEIR_TWO) - _total_worth(
        work, THEIR_GROUPS, their_count, MY_ATARI, 0
    )
    n = 0
    while legal:
        bit = legal & -legal
        legal ^= bit
        _write_move(frames, f, n, bit, left, my_count, their_count, worth, board, work)
        if lowest(bit) == hint:
            frames[at(f + SCORE + n)] = HINT_SCORE
        n += 1
    if can_pass:
        score = LAST_PASS
        if left >= JUDGE_LEFT:
            score = LEADER_PASS + STANDING * worth
        if hint == PASS:
            score = HINT_SCORE
        frames[at(f + MOVE + n)] = PASS
        frames[at(f + SCORE + n)] = score
        frames[at(f + CHILD_MINE + n)] = theirs
        frames[at(f + CHILD_THEIRS + n)] = mine
        frames[at(f + CHILD_KO + n)] = NO_KO
        n += 1
    frames[at(f + COUNT)] = n
    frames[at(f + NEXT)] = 0
    return OPEN


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
    """A stretch of FRAME_WORDS for each ply."""
    state: Words
    """Where the search is, and its settings: PLY and the following words."""
    work: Words
    """Scratch of WORK_WORDS."""
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
