"""The bounds against plain minimax, on every board of 3x3. The minimax is compiled, and knows the rules alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from compiling import compiled
from littlego.core.board import Board
from littlego.core.rules import edition_rules
from littlego.kernel.any_size import compiled_rules, find_legal, play
from littlego.kernel.words import Words, beside, board_mask, find_groups, framed, lowest, popcount
from littlego.solve import search
from littlego.solve.bounds import holds

pytestmark = pytest.mark.xdist_group("compiled")  # once, in one process

BOARD = board_mask(3)
GAME = compiled_rules(edition_rules(size=3))
MOST = 9

Margins = npt.NDArray[np.int8]
"""By passes in a row, my stones, their stones and ko point + 1, all on 3x3: the margin of the side to move."""


@compiled
def small(mask: int) -> int:
    """The nine bits of a 3x3 board in the frame."""
    return mask & 7 | (mask >> 5 & 7) << 3 | (mask >> 10 & 7) << 6


@compiled
def in_frame(mask: int) -> int:
    """The inverse of `small`."""
    return mask & 7 | (mask >> 3 & 7) << 5 | (mask >> 6 & 7) << 10


@compiled
def ko_index(ko: int) -> int:
    """0 for none, else 1 and the point of 3x3."""
    return 0 if ko < 0 else lowest(small(1 << ko)) + 1


@compiled
def may_be_ko(ko: int, mine: int, theirs: int) -> bool:
    """Whether a game can forbid a point: a stone of mine that stood there alone was taken, so theirs are all around."""
    if ko < 0:
        return True
    bit = 1 << ko
    return bit & BOARD & ~(mine | theirs) != 0 and beside(bit) & BOARD & ~theirs == 0


@compiled
def one_ply_more(boards: Words, later: Margins, margins: Margins) -> None:
    """Minimax: the margins with one ply more than in `later`, by trying every move and the pass."""
    for number in range(boards.shape[0]):
        mine, theirs = boards[number]
        a, b = small(mine), small(theirs)
        for ko in range(-1, 13):
            if not may_be_ko(ko, mine, theirs):
                continue
            best = -later[1, b, a, 0]
            legal = find_legal(GAME, a, b, ko_index(ko) - 1)
            while legal:
                mover, opponent, retake = play(GAME, lowest(legal), a, b)
                legal &= legal - 1
                best = max(best, -later[0, opponent, mover, retake + 1])
            margins[0, a, b, ko_index(ko)] = best
            # After a pass the side to move may also end the game; the ko is lifted.
            margins[1, a, b, 0] = max(margins[0, a, b, 0], popcount(mine) - popcount(theirs))


class Claims(NamedTuple):
    """What the bounds claim: that the side to move reaches a margin, or that it does not."""

    reached: int
    wrongly_reached: int
    missed: int
    wrongly_missed: int


@compiled
def claims_of(boards: Words, left: int, margins: Margins, work: Words) -> tuple[int, int, int, int]:
    """Count the bounds' claims about all boards, for every margin and every ko, and those that are wrong."""
    my_turns, their_turns = (left + 1) // 2, left // 2
    reached = wrongly_reached = missed = wrongly_missed = 0
    for number in range(boards.shape[0]):
        mine, theirs = boards[number]
        empty = BOARD & ~(mine | theirs)
        even = popcount(mine) - popcount(theirs) + my_turns - their_turns
        my_count = find_groups(mine, empty, work, search.MY_GROUPS)
        their_count = find_groups(theirs, empty, work, search.THEIR_GROUPS)
        for target in range(-MOST, MOST + 1):
            wins = holds(work, search.MY_GROUPS, my_count, their_turns, my_turns, 1, even - target, BOARD, work)
            loses = holds(
                work, search.THEIR_GROUPS, their_count, my_turns, their_turns, 0, target - even - 1, BOARD, work
            )
            reached += wins
            missed += loses
            for ko in range(-1, 13):
                if may_be_ko(ko, mine, theirs):
                    margin = margins[0, small(mine), small(theirs), ko_index(ko)]
                    wrongly_reached += wins and margin < target
                    wrongly_missed += loses and margin >= target
    return reached, wrongly_reached, missed, wrongly_missed


@compiled
def answers_of(boards: Words, left: int, later: Margins, work: Words) -> tuple[int, int]:
    """Count the moves and passes that one answer is said to refute, on all boards, and those that it does not refute.

    For every margin and every ko; `later` are the margins with a ply less.
    """
    refuted = wrongly_refuted = 0
    for number in range(boards.shape[0]):
        mine, theirs = boards[number]
        a, b = small(mine), small(theirs)
        empty = BOARD & ~(mine | theirs)
        my_count = find_groups(mine, empty, work, search.MY_GROUPS)
        their_count = find_groups(theirs, empty, work, search.THEIR_GROUPS)
        for ko in range(-1, 13):
            if not may_be_ko(ko, mine, theirs):
                continue
            legal = find_legal(GAME, a, b, ko_index(ko) - 1)
            legal_here = in_frame(legal)
            for target in range(-MOST, MOST + 1):
                rest, passing_fails = search.unanswered(
                    legal_here, mine, theirs, target, left, my_count, their_count, BOARD, work
                )
                if passing_fails:
                    refuted += 1
                    wrongly_refuted += -later[1, b, a, 0] >= target
                moves = legal & ~small(rest)
                while moves:
                    mover, opponent, retake = play(GAME, lowest(moves), a, b)
                    moves &= moves - 1
                    refuted += 1
                    wrongly_refuted += -later[0, opponent, mover, retake + 1] >= target
    return refuted, wrongly_refuted


@pytest.mark.slow
def test_the_bounds_are_right_about_every_board_of_three_by_three() -> None:
    """All 12,675 legal boards with every ko that can arise, one to eight plies left, every margin."""
    pairs = [(black, white) for black in range(512) for white in range(512) if not black & white]
    legal = [board for board in (Board(3, *pair) for pair in pairs) if all(map(board.liberties, board.groups()))]
    assert len(legal) == 12_675, "a known number"
    boards = np.array([(framed(board.black, 3), framed(board.white, 3)) for board in legal], dtype=np.int64)
    work = np.zeros(search.WORK_WORDS, dtype=np.int64)
    margins = np.zeros((2, 512, 512, 10), dtype=np.int8)
    for board in legal:
        margins[:, board.black, board.white] = board.black.bit_count() - board.white.bit_count()
    for left in range(1, 9):
        later, margins = margins, np.zeros_like(margins)
        one_ply_more(boards, later, margins)
        found = Claims(*claims_of(boards, left, margins, work))
        assert (found.wrongly_reached, found.wrongly_missed) == (0, 0), left
        assert min(found.reached, found.missed) > 12_675, "the bounds say something of most boards"
        if left >= 2:
            refuted, wrongly_refuted = answers_of(boards, left, later, work)
            assert wrongly_refuted == 0, left
            assert refuted > 12_675, "one answer refutes something on most boards"
    # Known: the whole game of 3x3, eight plies from the empty board, is Black's by one stone.
    assert margins[0, 0, 0, 0] == 1
