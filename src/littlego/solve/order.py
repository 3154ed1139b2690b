"""The moves of a position, in the order in which they should be tried."""

from __future__ import annotations

from typing import Final

from littlego.kernel.bits import POINTS, Words, at, beside, find_groups, lowest, popcount
from littlego.kernel.compiling import borrowing
from littlego.kernel.moves import joinable, ko_after, last_liberties, legal_points, liberties_of, taken
from littlego.kernel.packing import NO_KO, PASS
from littlego.solve import guess
from littlego.solve.bounds import SCRATCH_WORDS, holds

LOST, WON, STOPPED, OPEN = range(4)
"""Results of a search; OPEN: not settled yet."""

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
CAPTURE: Final = 140
SELF_ATARI: Final = 60
OWN_LIBERTY: Final = 16
LEADER_PASS: Final = 120
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
WORK_WORDS: Final = GUESS_WORK + guess.SCRATCH_WORDS

HINT_SCORE: Final = 1 << 40


@borrowing
def _groups_worth(work: Words, count: int, atari: int, two: int) -> int:
    """What the groups in OTHER_GROUPS are worth; `atari` and `two` are what stones with 1 or 2 liberties cost."""
    value = -GROUP * count
    for i in range(count):
        stones = popcount(work[at(OTHER_GROUPS + 2 * i)])
        liberties = popcount(work[at(OTHER_GROUPS + 2 * i + 1)])
        value += STONE * stones + LIBERTY * min(liberties, MOST_LIBERTIES)
        if liberties == 1:
            value -= atari * stones
        elif liberties == 2:
            value -= two * stones
    return value


@borrowing
def standing(mine: int, theirs: int, board: int, work: Words) -> int:
    """How good a board looks to the side to move, by stones and liberties. Overwrites OTHER_GROUPS."""
    empty = board & ~(mine | theirs)
    value = _groups_worth(work, find_groups(mine, empty, work, OTHER_GROUPS), MY_ATARI, 0)
    count = find_groups(theirs, empty, work, OTHER_GROUPS)
    return value - _groups_worth(work, count, THEIR_ATARI, THEIR_TWO)


@borrowing
def touch(bit: int, empty: int, my_count: int, their_count: int, work: Words) -> tuple[int, int, int]:
    """What a stone does to the groups it touches: captures, ataris, rescues, and its own liberties.

    Also returns the group that the stone is then part of, and that group's liberties.
    """
    captured = 0
    own = bit
    around = beside(bit)
    liberties = around & empty
    value = CENTRAL * (popcount(around) + (bit == CENTRE))
    for i in range(their_count):
        theirs = work[at(THEIR_GROUPS + 2 * i + 1)]
        if theirs & bit:
            n = popcount(theirs)
            if n == 1:
                captured |= work[at(THEIR_GROUPS + 2 * i)]
            elif n == 2:
                value += ATARI + ATARI_STONE * popcount(work[at(THEIR_GROUPS + 2 * i)])
            else:
                value += ATARI
    for i in range(my_count):
        mine = work[at(MY_GROUPS + 2 * i + 1)]
        if mine & bit:
            own |= work[at(MY_GROUPS + 2 * i)]
            liberties |= mine
            if popcount(mine) <= 2:
                value += RESCUE * popcount(work[at(MY_GROUPS + 2 * i)])
    liberties &= ~bit
    if captured:
        liberties |= beside(own) & captured
        value += 50 + CAPTURE * popcount(captured)
    n = popcount(liberties)
    if n == 1:
        value -= 20 + SELF_ATARI * popcount(own)
    elif n > 2:
        value += OWN_LIBERTY * min(n, 5)
    return value, own, liberties


@borrowing
def _groups_after(bit: int, own: int, liberties: int, my_count: int, work: Words) -> int:
    """Write my groups after a stone that captures nothing to OTHER_GROUPS, from those before it; returns how many.

    Only the groups that the stone touches change, into the one group `own`: nothing is flooded. With `_worth_without`,
    this took a fifth of the search's time off.
    """
    n = 0
    for i in range(my_count):
        others = work[at(MY_GROUPS + 2 * i + 1)]
        if others & bit == 0:
            work[at(OTHER_GROUPS + 2 * n)] = work[at(MY_GROUPS + 2 * i)]
            work[at(OTHER_GROUPS + 2 * n + 1)] = others
            n += 1
    work[at(OTHER_GROUPS + 2 * n)] = own
    work[at(OTHER_GROUPS + 2 * n + 1)] = liberties
    return n + 1


@borrowing
def _worth_without(bit: int, their_count: int, work: Words) -> int:
    """What their groups are worth to them, to move, after a stone of mine on `bit` that captures nothing."""
    value = -GROUP * their_count
    for i in range(their_count):
        stones = popcount(work[at(THEIR_GROUPS + 2 * i)])
        liberties = popcount(work[at(THEIR_GROUPS + 2 * i + 1)] & ~bit)
        value += STONE * stones + LIBERTY * min(liberties, MOST_LIBERTIES)
        if liberties == 1:
            value -= MY_ATARI * stones
    return value


@borrowing
def expand(
    frames: Words, f: int, left: int, hint: int, my_count: int, their_count: int, board: int, prune: int, work: Words
) -> int:
    """Write the moves of the frame at `f`, the positions after them, and how good each looks.

    With `prune`, moves that the bounds refute all together are left out.

    WON if the bounds alone show that a move wins, which is then the first in the list; else OPEN.
    """
    mine = frames[at(f + MINE)]
    theirs = frames[at(f + THEIRS)]
    ko = frames[at(f + KO)]
    empty = board & ~(mine | theirs)
    safe = joinable(work, MY_GROUPS, my_count)
    atari = last_liberties(work, THEIR_GROUPS, their_count)
    legal = legal_points(empty, ko, safe, atari)
    lead = popcount(mine) - popcount(theirs)
    can_pass = lead >= frames[at(f + TARGET)]
    if prune:
        # A stone beside none of their groups changes none of them: where they hold after one such stone, they hold
        # after each, and after a pass.
        spare = frames[at(f + TARGET)] - lead - 2 + (left & 1 ^ 1)
        if holds(work, THEIR_GROUPS, their_count, (left - 1) >> 1, left >> 1, 1, spare, board, work):
            legal &= liberties_of(work, THEIR_GROUPS, their_count)
            can_pass = False
    # What I may lose after my move, against an exchange of a stone a move from there on.
    allowed = -frames[at(f + TARGET)] - (left & 1 ^ 1)
    n = 0
    while legal:
        bit = legal & -legal
        legal ^= bit
        point = lowest(bit)
        captured = taken(bit, work, THEIR_GROUPS, their_count) if atari & bit else 0
        my_stones = mine | bit
        their_stones = theirs & ~captured
        new_ko = ko_after(bit, mine, captured, board & ~(my_stones | their_stones))
        score, own, liberties = touch(bit, empty, my_count, their_count, work)
        if left >= JUDGE_LEFT:
            after = board & ~(my_stones | their_stones)
            if captured:
                count = find_groups(my_stones, after, work, OTHER_GROUPS)
            else:
                count = _groups_after(bit, own, liberties, my_count, work)
            spare = allowed + popcount(my_stones) - popcount(their_stones)
            if prune and holds(work, OTHER_GROUPS, count, left >> 1, (left - 1) >> 1, 0, spare, board, work):
                frames[at(f + MOVE)] = point
                frames[at(f + NEXT)] = 1
                return WON
            score += STANDING * _groups_worth(work, count, THEIR_ATARI, THEIR_TWO)
            if captured:
                count = find_groups(their_stones, after, work, OTHER_GROUPS)
                score -= STANDING * _groups_worth(work, count, MY_ATARI, 0)
            else:
                score -= STANDING * _worth_without(bit, their_count, work)
        if point == hint:
            score = HINT_SCORE
        frames[at(f + MOVE + n)] = point
        frames[at(f + SCORE + n)] = score
        frames[at(f + CHILD_MINE + n)] = their_stones
        frames[at(f + CHILD_THEIRS + n)] = my_stones
        frames[at(f + CHILD_KO + n)] = new_ko
        n += 1
    if can_pass:
        score = -10000
        if left >= JUDGE_LEFT:
            score = LEADER_PASS - STANDING * standing(theirs, mine, board, work)
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
