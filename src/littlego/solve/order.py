"""The moves of a position, in the order in which they should be tried."""

from __future__ import annotations

from typing import Final

from littlego.kernel.bits import POINTS, Words, at, beside, find_groups, lowest, popcount
from littlego.kernel.marks import compiled
from littlego.kernel.moves import joinable, ko_after, last_liberties, legal_points, taken
from littlego.kernel.packing import NO_KO, PASS
from littlego.solve import guess
from littlego.solve.bounds import SCRATCH_WORDS, holds

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
WORK_WORDS: Final = GUESS_WORK + guess.SCRATCH_WORDS

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
