"""The search: does the side to move reach a margin of at least `target`, with so many plies left?

A depth-first search of won and lost, without recursion: the line being searched lies in `frames`,
one stretch of words a ply, so that a search can stop at any node and go on later from there.

**Passing.** Say the side to move is behind if its stones minus the opponent's are below its target.
If it passes while behind, the opponent passes too and the game ends lost; so such a pass need not
be tried. If it passes while ahead, the opponent is behind, and whether or not a pass went before,
passing loses for him; so the opponent's position is worth the same as without that pass. Hence
only the leader's pass is searched and the number of passes is no part of a position. (A side that
is ahead *after a pass of the opponent* wins by passing; this can arise at the root only, and
`engine` deals with it there.)
"""

from __future__ import annotations

from typing import Final

from littlego.solve.bits import FRAME, POINTS, Words, beside, compiled, find_groups, lowest, popcount, turn, turn_back
from littlego.solve.bounds import SCRATCH_WORDS, holds
from littlego.solve.table import best_move, fetch, fold, greatest, least, pack, probe, store

LOST: Final = 0
WON: Final = 1
STOPPED: Final = 2
_OPEN: Final = 3

# Positions with fewer plies left are found again faster than they are looked up.
TABLE_LEFT: Final = 5
# Folding by symmetry, and looking at the table for every child, pay only higher up.
FOLD_LEFT: Final = 9
CHILDREN_LEFT: Final = 8
# Below this a move is judged by what it touches alone, not by the whole board after it.
JUDGE_LEFT: Final = 5

# Weights of the move order, chosen by the number of nodes that games of 16 to 22 plies and random
# positions took. What counts is not which move wins but which win is quickly shown: forcing moves,
# captures and the centre first. History and killers were tried and made the proofs larger.
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
CAPTURE: Final = 140
SELF_ATARI: Final = 60
OWN_LIBERTY: Final = 16
LEADER_PASS: Final = 120
STANDING: Final = 5

# Work is shared between threads at nodes with at least so many plies left.
SHARE_LEFT: Final = 8

# A frame: one ply of the line being searched.
MINE: Final = 0
THEIRS: Final = 1
KO: Final = 2
TARGET: Final = 3
KEY: Final = 4
SYMMETRY: Final = 5
NODES_BEFORE: Final = 6
COUNT: Final = 7
NEXT: Final = 8
MOVE: Final = 16
SCORE: Final = 42
CHILD_MINE: Final = 68
CHILD_THEIRS: Final = 94
CHILD_KO: Final = 120
FRAME_WORDS: Final = 160
MOST_PLIES: Final = 32

# The state of a search.
PLY: Final = 0
LEFT: Final = 1
NODES: Final = 2
BOARD: Final = 3
THREADS: Final = 4
LOGGED: Final = 5
LOG_EFFORT: Final = 6
PRUNE: Final = 7
STATE_WORDS: Final = 16

# Scratch: the bounds' words, then both sides' groups.
MY_GROUPS: Final = SCRATCH_WORDS
THEIR_GROUPS: Final = SCRATCH_WORDS + 64
OTHER_GROUPS: Final = SCRATCH_WORDS + 128
OTHER_COUNT: Final = SCRATCH_WORDS + 192
WORK_WORDS: Final = SCRATCH_WORDS + 193

BUSY_BITS: Final = 14
LOG_WORDS: Final = 1 << 16
"""Two words a logged position: its key, and bounds, move and nodes."""

_HINT_SCORE: Final = 1 << 40
_REFUTED: Final = -(1 << 40)
_DEFERRED: Final = -(1 << 30)


@compiled
def _groups_worth(work: Words, count: int, atari: int, two: int) -> int:
    """What the groups in OTHER_GROUPS are worth; a stone in atari or with two liberties costs as given."""
    value = -GROUP * count
    for i in range(count):
        stones = popcount(work[OTHER_GROUPS + 2 * i])
        liberties = popcount(work[OTHER_GROUPS + 2 * i + 1])
        value += STONE * stones + LIBERTY * min(liberties, MOST_LIBERTIES)
        if liberties == 1:
            value -= atari * stones
        elif liberties == 2:
            value -= two * stones
    return value


@compiled
def standing(mine: int, theirs: int, board: int, work: Words) -> int:
    """How a board looks to the side to move: stones, and groups by their liberties.

    Leaves the opponent's groups in OTHER_GROUPS, and their number in OTHER_COUNT.
    """
    empty = board & ~(mine | theirs)
    value = _groups_worth(work, find_groups(mine, empty, work, OTHER_GROUPS), MY_ATARI, 0)
    count = find_groups(theirs, empty, work, OTHER_GROUPS)
    work[OTHER_COUNT] = count
    return value - _groups_worth(work, count, THEIR_ATARI, THEIR_TWO)


@compiled
def touch(bit: int, empty: int, my_count: int, their_count: int, work: Words) -> int:
    """What a stone does to the groups it touches: captures, ataris, rescues, and its own liberties."""
    captured = 0
    own = bit
    around = beside(bit)
    liberties = around & empty
    value = CENTRAL * (popcount(around) + (bit == CENTRE))
    for i in range(their_count):
        theirs = work[THEIR_GROUPS + 2 * i + 1]
        if theirs & bit:
            n = popcount(theirs)
            if n == 1:
                captured |= work[THEIR_GROUPS + 2 * i]
            elif n == 2:
                value += ATARI + ATARI_STONE * popcount(work[THEIR_GROUPS + 2 * i])
            else:
                value += ATARI
    for i in range(my_count):
        mine = work[MY_GROUPS + 2 * i + 1]
        if mine & bit:
            own |= work[MY_GROUPS + 2 * i]
            liberties |= mine
            if popcount(mine) <= 2:
                value += RESCUE * popcount(work[MY_GROUPS + 2 * i])
    liberties &= ~bit
    if captured:
        liberties |= beside(own) & captured
        value += 50 + CAPTURE * popcount(captured)
    n = popcount(liberties)
    if n == 1:
        value -= 20 + SELF_ATARI * popcount(own)
    elif n > 2:
        value += OWN_LIBERTY * min(n, 5)
    return value


@compiled
def expand(
    frames: Words, f: int, left: int, hint: int, my_count: int, their_count: int, board: int, prune: int, work: Words
) -> int:
    """Write the moves of the frame at `f`, what they lead to, and how good each looks.

    WON if a move is seen to win by the bounds alone, which is then the last one written; else _OPEN.
    """
    mine = frames[f + MINE]
    theirs = frames[f + THEIRS]
    ko = frames[f + KO]
    empty = board & ~(mine | theirs)
    safe = 0
    for i in range(my_count):
        liberties = work[MY_GROUPS + 2 * i + 1]
        if liberties & (liberties - 1):
            safe |= liberties
    atari = 0
    for i in range(their_count):
        liberties = work[THEIR_GROUPS + 2 * i + 1]
        if liberties & (liberties - 1) == 0:
            atari |= liberties
    # A stone is legal beside an empty point, joined to a group with another liberty, or capturing.
    legal = empty & (beside(empty) | safe | atari)
    if ko >= 0:
        legal &= ~(1 << ko)
    # What the opponent must reach after my move, against a stone a move from there on.
    allowed = -frames[f + TARGET] - (left & 1 ^ 1)
    n = 0
    while legal:
        bit = legal & -legal
        legal ^= bit
        point = lowest(bit)
        captured = 0
        if atari & bit:
            for i in range(their_count):
                if work[THEIR_GROUPS + 2 * i + 1] == bit:
                    captured |= work[THEIR_GROUPS + 2 * i]
        my_stones = mine | bit
        their_stones = theirs & ~captured
        new_ko = -1
        if captured and captured & (captured - 1) == 0:
            around = beside(bit)
            if around & mine == 0 and around & board & ~(my_stones | their_stones) == captured:
                new_ko = lowest(captured)
        score = touch(bit, empty, my_count, their_count, work)
        if left >= JUDGE_LEFT:
            score -= STANDING * standing(their_stones, my_stones, board, work)
            spare = allowed + popcount(my_stones) - popcount(their_stones)
            count = work[OTHER_COUNT]
            if prune and holds(work, OTHER_GROUPS, count, left >> 1, (left - 1) >> 1, 0, spare, board, work):
                frames[f + MOVE] = point
                frames[f + NEXT] = 1
                return WON
        if point == hint:
            score = _HINT_SCORE
        frames[f + MOVE + n] = point
        frames[f + SCORE + n] = score
        frames[f + CHILD_MINE + n] = their_stones
        frames[f + CHILD_THEIRS + n] = my_stones
        frames[f + CHILD_KO + n] = new_ko
        n += 1
    if popcount(mine) - popcount(theirs) >= frames[f + TARGET]:
        score = -10000
        if left >= JUDGE_LEFT:
            score = LEADER_PASS - STANDING * standing(theirs, mine, board, work)
        if hint == POINTS:
            score = _HINT_SCORE
        frames[f + MOVE + n] = POINTS
        frames[f + SCORE + n] = score
        frames[f + CHILD_MINE + n] = theirs
        frames[f + CHILD_THEIRS + n] = mine
        frames[f + CHILD_KO + n] = -1
        n += 1
    frames[f + COUNT] = n
    frames[f + NEXT] = 0
    return _OPEN


@compiled
def key_of(mine: int, theirs: int, ko: int, left: int, board: int) -> tuple[int, int]:
    """The key under which a position is kept, and the symmetry that leads to it."""
    if left >= FOLD_LEFT and board == FRAME:
        return fold(mine, theirs, ko, left)
    return pack(mine, theirs, ko, left), 0


@compiled
def image(move: int, symmetry: int) -> int:
    """Where a symmetry takes a move; a pass, or none, stays."""
    if move < 0 or move >= POINTS or symmetry == 0:
        return move
    return lowest(turn(1 << move, symmetry))


@compiled
def _enter(frames: Words, f: int, left: int, state: Words, words: Words, bits: int, work: Words) -> int:
    """Settle a node by bounds or table, or write its moves; WON, LOST or _OPEN."""
    mine = frames[f + MINE]
    theirs = frames[f + THEIRS]
    target = frames[f + TARGET]
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
        # If a stone a move is enough for me, only my win can be in the bounds; else only my loss.
        if target <= even:
            my_count = find_groups(mine, empty, work, MY_GROUPS)
            if holds(work, MY_GROUPS, my_count, their_turns, my_turns, 1, even - target, board, work):
                return WON
        else:
            their_count = find_groups(theirs, empty, work, THEIR_GROUPS)
            if holds(work, THEIR_GROUPS, their_count, my_turns, their_turns, 0, target - even - 1, board, work):
                return LOST
    hint = -1
    if left >= TABLE_LEFT:
        key, symmetry = key_of(mine, theirs, frames[f + KO], left, board)
        frames[f + KEY] = key
        frames[f + SYMMETRY] = symmetry
        info = probe(words, bits, key)
        if info:
            if least(info) >= target:
                return WON
            if greatest(info) < target:
                return LOST
            hint = best_move(info)
            if 0 <= hint < POINTS and symmetry:
                hint = lowest(turn_back(1 << hint, symmetry))
    if my_count < 0:
        my_count = find_groups(mine, empty, work, MY_GROUPS)
    if their_count < 0:
        their_count = find_groups(theirs, empty, work, THEIR_GROUPS)
    if expand(frames, f, left, hint, my_count, their_count, board, state[PRUNE], work) == WON:
        if left >= TABLE_LEFT:
            move = image(frames[f + MOVE], frames[f + SYMMETRY])
            store(words, bits, frames[f + KEY], target, 25, move, 0)
        return WON
    if left > CHILDREN_LEFT:
        return _ask_children(frames, f, left, board, words, bits)
    return _OPEN


@compiled
def _ask_children(frames: Words, f: int, left: int, board: int, words: Words, bits: int) -> int:
    """Look every child up: one that is lost for the opponent wins at once, refuted ones are dropped."""
    n = frames[f + COUNT]
    target = 1 - frames[f + TARGET]
    for i in range(n):
        key, _ = key_of(
            frames[f + CHILD_MINE + i], frames[f + CHILD_THEIRS + i], frames[f + CHILD_KO + i], left - 1, board
        )
        info = probe(words, bits, key)
        if info:
            if greatest(info) < target:
                frames[f + NEXT] = i
                store(
                    words,
                    bits,
                    frames[f + KEY],
                    frames[f + TARGET],
                    25,
                    image(frames[f + MOVE + i], frames[f + SYMMETRY]),
                    1,
                )
                return WON
            if least(info) >= target:
                frames[f + SCORE + i] = _REFUTED
    return _OPEN


@compiled
def _effort(nodes: int) -> int:
    """A logarithm of a number of nodes, 0 to 7."""
    effort = 0
    while nodes > 4 and effort < 7:
        nodes >>= 3
        effort += 1
    return effort


@compiled
def _leave(frames: Words, f: int, left: int, won: int, state: Words, words: Words, bits: int, log: Words) -> None:
    """Keep the value of a searched node; log the dear ones."""
    if left < TABLE_LEFT:
        return
    target = frames[f + TARGET]
    low = -25
    high = target - 1
    move = -1
    if won:
        low = target
        high = 25
        move = image(frames[f + MOVE + frames[f + NEXT] - 1], frames[f + SYMMETRY])
    nodes = state[NODES] - frames[f + NODES_BEFORE]
    store(words, bits, frames[f + KEY], low, high, move, _effort(nodes))
    if nodes >= state[LOG_EFFORT]:
        at = state[LOGGED]
        if at + 2 <= log.shape[0]:
            log[at] = frames[f + KEY]
            log[at + 1] = (low + 25) | (high + 25) << 6 | (move + 1) << 12 | nodes << 17
            state[LOGGED] = at + 2


@compiled
def _choose(frames: Words, f: int, left: int, state: Words, busy: Words) -> int:
    """Bring the best move not yet tried to NEXT; 1, or 0 if none is left."""
    n = frames[f + COUNT]
    i = frames[f + NEXT]
    while True:
        best = i
        for j in range(i + 1, n):
            if frames[f + SCORE + j] > frames[f + SCORE + best]:
                best = j
        if i >= n or frames[f + SCORE + best] == _REFUTED:
            return 0
        if best != i:
            for part in range(MOVE, CHILD_KO + 26, 26):
                kept = frames[f + part + i]
                frames[f + part + i] = frames[f + part + best]
                frames[f + part + best] = kept
        if state[THREADS] < 2 or i == 0 or left <= SHARE_LEFT or frames[f + SCORE + i] <= _DEFERRED:
            return 1
        # Another thread is at work there: come back to it when the other moves are done.
        key = pack(frames[f + CHILD_MINE + i], frames[f + CHILD_THEIRS + i], frames[f + CHILD_KO + i], left - 1)
        if busy[(key * 0x1E3779B97F4A7C15 >> 40) & (1 << BUSY_BITS) - 1] != key:
            return 1
        frames[f + SCORE + i] += 2 * _DEFERRED


@compiled
def search(
    frames: Words,
    state: Words,
    words: Words,
    bits: int,
    work: Words,
    busy: Words,
    log: Words,
    control: Words,
    budget: int,
) -> int:
    """Go on with the search in `state` and `frames` for `budget` nodes; WON, LOST or STOPPED.

    Stops early when control[0] becomes non-zero or the log is full.
    """
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
        frames[f + NODES_BEFORE] = state[NODES]
        result = _enter(frames, f, left, state, words, bits, work)
        # Climb until a node has a move left to try.
        while True:
            if result == _OPEN:
                if _choose(frames, f, left, state, busy):
                    break
                result = LOST
                _leave(frames, f, left, LOST, state, words, bits, log)
            if ply == 0:
                state[PLY] = 0
                return result
            ply -= 1
            left += 1
            f -= FRAME_WORDS
            if state[THREADS] > 1 and left > SHARE_LEFT:
                i = frames[f + NEXT] - 1
                key = pack(frames[f + CHILD_MINE + i], frames[f + CHILD_THEIRS + i], frames[f + CHILD_KO + i], left - 1)
                busy[(key * 0x1E3779B97F4A7C15 >> 40) & (1 << BUSY_BITS) - 1] = 0
            if result == LOST:
                result = WON
                _leave(frames, f, left, WON, state, words, bits, log)
            else:
                result = _OPEN
        i = frames[f + NEXT]
        frames[f + NEXT] = i + 1
        g = f + FRAME_WORDS
        frames[g + MINE] = frames[f + CHILD_MINE + i]
        frames[g + THEIRS] = frames[f + CHILD_THEIRS + i]
        frames[g + KO] = frames[f + CHILD_KO + i]
        frames[g + TARGET] = 1 - frames[f + TARGET]
        if state[THREADS] > 1 and left > SHARE_LEFT:
            key = pack(frames[g + MINE], frames[g + THEIRS], frames[g + KO], left - 1)
            busy[(key * 0x1E3779B97F4A7C15 >> 40) & (1 << BUSY_BITS) - 1] = key
        if left - 1 >= TABLE_LEFT and left - 1 < FOLD_LEFT:
            fetch(words, bits, pack(frames[g + MINE], frames[g + THEIRS], frames[g + KO], left - 1))
        ply += 1
