"""What a side can be sure of without search, so that most lines end long before the game does.

Take a *defender* and an *attacker* who has `m` moves left, the defender having `q` turns. By always
answering as below the defender keeps the attacker's gain small, whatever the attacker does; so the
bound is sound whoever is to move and however the game goes on.

**What a capture costs.** A group is captured only when all its liberties are filled. A set S of
groups therefore costs the attacker as many moves as S has liberties (shared ones counted once), as
long as the defender only passes or fills elsewhere. A group with two one-point eyes, all of whose
neighbours are stones of that one group, cannot be captured at all.

**Filling.** Let G be a group with more than `m` liberties. The defender fills a liberty of G at
each turn, adding a stone, as long as G then still has more liberties than the attacker has moves
left; call the surplus the slack, at first `liberties(G) - m - 1`. A fill is always legal: G keeps a liberty, and the
ko point is none of G's, because the stone that was taken there had no friend beside it. An attacker's move on a liberty
of G leaves the slack as it was (a liberty less, a move less), any other move adds one to it, a fill
takes one. So G never falls, and the defender misses a turn only when the slack is nil: at most
`moves on G's liberties - slack` times, and once more if the defender moves first (`first`).
Capturing S takes `y` moves off G's liberties and leaves at most `m - y` on them, so the defender
loses at most stones(S) + max(0, m - y + first - slack) against the even exchange of a stone a move.
If the game ends early by two passes at a missed turn, the attacker has spent fewer moves than the
count allows for, so the bound holds as well.

**Two such groups** with at least `2 (m + 1)` liberties between them: the liberties can be divided into two
sets of more than `m` each, one for either group, and every move of the attacker is off one of the sets, so a
turn is missed at the beginning at most. They may share liberties, and the slack of the larger group counts
in full: a fill of a shared liberty joins the two, and together they have more than enough.

**One answer to many moves.** Let the attacker be to move, and let `r` be a stone of the defender's that is legal now.
Suppose that after `r` the defender loses little enough against `m` attacks, the coming one included, by the count above
with `first = -1`. Then every move `p` is answered by `r`, except `r` itself, the only liberty that `r` would have, and,
where `r` captures, a `p` that captures first and may so give the stones a liberty. For `r` is legal after `p`, and the
position is the one after `r` with `p` added, where `m - 1` attacks are left. A `p` on a liberty of G takes one of both,
which leaves the slack; any other adds one to the slack, and takes at most one from `y`. Either way the turns missed are
one fewer than `m - y - slack`. A set that can still be captured could be captured before `p`, and if `p` itself
captures a set, its stones were counted. A pass is answered by `r` as well: it only helps the defender. So one count
settles most moves of a lost position together, without a look at any of them.
"""

from __future__ import annotations

from typing import Final

from littlego.kernel.marks import compiled
from littlego.kernel.words import FRAME, Words, at, beside, lowest, popcount

MOST_SUBSETS: Final = 6
"""With up to this many small groups every set of them is tried; with more, all are counted as lost."""

# Layout of the scratch words.
SMALL_LIBERTIES: Final = 0
SMALL_STONES: Final = 32
UNION: Final = 64
SUM: Final = 128
SCRATCH_WORDS: Final = 192


@compiled
def _most_lost(
    groups: Words, start: int, count: int, m: int, q: int, first: int, allowed: int, board: int, w: Words
) -> int:
    """The most the defender of `groups` loses against an even exchange, or something above `allowed`."""
    small = 0
    small_stones = 0
    every = 0
    best_liberties = 0
    best_count = 0
    second_liberties = 0
    second_count = 0
    for i in range(count):
        group = groups[at(start + 2 * i)]
        liberties = groups[at(start + 2 * i + 1)]
        n = popcount(liberties)
        if n > m:
            if n > best_count:
                second_liberties = best_liberties
                second_count = best_count
                best_liberties = liberties
                best_count = n
            elif n > second_count:
                second_liberties = liberties
                second_count = n
            continue
        eyes = liberties & ~beside(board & ~group)
        if eyes & (eyes - 1):
            continue
        stones = popcount(group)
        w[at(SMALL_LIBERTIES + small)] = liberties
        w[at(SMALL_STONES + small)] = stones
        every |= liberties
        small_stones += stones
        small += 1
    if best_count:
        missed_at_most = m + first - (best_count - m - 1)
        if second_count and popcount(best_liberties | second_liberties) >= 2 * (m + 1):
            missed_at_most = first - (best_count - m - 1)
            best_liberties = FRAME  # no move is off both, and none needs to be: nothing to subtract
    else:
        missed_at_most = q
        best_liberties = FRAME
    missed = min(q, max(0, missed_at_most))
    if small == 0 or missed > allowed:
        return missed
    if small > MOST_SUBSETS:
        return small_stones + missed
    if best_liberties == FRAME and popcount(every) <= m:
        return small_stones + missed
    most = missed
    w[UNION] = 0
    w[SUM] = 0
    for chosen in range(1, 1 << small):
        i = lowest(chosen)
        rest = chosen & (chosen - 1)
        union = w[at(UNION + rest)] | w[at(SMALL_LIBERTIES + i)]
        stones = w[at(SUM + rest)] + w[at(SMALL_STONES + i)]
        w[at(UNION + chosen)] = union
        w[at(SUM + chosen)] = stones
        if popcount(union) <= m:
            loss = stones + min(q, max(0, missed_at_most - popcount(union & ~best_liberties)))
            most = max(most, loss)
            if most > allowed:
                break
    return most


@compiled
def holds(
    groups: Words, start: int, count: int, m: int, q: int, first: int, allowed: int, board: int, w: Words
) -> bool:
    """Whether the defender of `groups` loses at most `allowed` against an even exchange.

    The attacker has `m` moves left and the defender `q` turns; `first` is 1 if the defender is to move, 0 if the
    attacker is, and -1 for one answer to many moves. `w` is scratch of SCRATCH_WORDS words.
    """
    return allowed >= 0 and _most_lost(groups, start, count, m, q, first, allowed, board, w) <= allowed
