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

**Links.** Two groups with two liberties in common are as good as connected: the attacker takes one,
the defender answers at the other, which is a stone like any other. The two points are set apart and
count for neither group, each pair serves one link only, and then the linked groups are one group. A group with
more than `m` liberties, of which at most `m` are left without the points set apart, is not filled from (the
points may be needed for a link) but does not fall either: the attacker cannot fill all its liberties, and where the
defender takes one to answer a broken link, that stone joins it to the linked groups, which do not fall.
"""

from __future__ import annotations

from typing import Final

from littlego.kernel.bits import FRAME, Words, at, beside, lowest, popcount
from littlego.kernel.compiling import borrowing

MOST_SUBSETS: Final = 6
"""With up to this many small groups every set of them is tried; with more, all are counted as lost."""

# Layout of the scratch words: items are (stones, liberties) pairs.
ITEMS: Final = 0
CLUSTERS: Final = 64
MEMBERS: Final = 128
SMALL_LIBERTIES: Final = 160
SMALL_STONES: Final = 192
UNION: Final = 224
SUM: Final = 288
SCRATCH_WORDS: Final = 352


@borrowing
def _most_lost(
    items: Words, start: int, count: int, m: int, q: int, first: int, apart: int, allowed: int, board: int, w: Words
) -> int:
    """The most a defender of `items` loses against the even exchange of a stone a move, or something above `allowed`.

    `apart` are the points that serve links: no group may count on them.
    """
    small = 0
    small_stones = 0
    every = 0
    best_liberties = 0
    best_count = 0
    second_liberties = 0
    second_count = 0
    for i in range(count):
        group = items[at(start + 2 * i)]
        liberties = items[at(start + 2 * i + 1)]
        if popcount(liberties) > m:
            own = liberties & ~apart
            n = popcount(own)
            if n > best_count:
                second_liberties = best_liberties
                second_count = best_count
                best_liberties = own
                best_count = n
            elif n > second_count:
                second_liberties = own
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
    if best_count > m:
        missed_at_most = m + first - (best_count - m - 1)
        if second_count > m and popcount(best_liberties | second_liberties) >= 2 * (m + 1):
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


@borrowing
def _link(groups: Words, start: int, count: int, m: int, w: Words) -> tuple[int, int]:
    """Link small groups to others where two common liberties allow it.

    Writes to ITEMS the linked groups that the attacker cannot fill, and one by one the members of
    the others. Returns the points set apart, 0 if nothing was linked, and the number of items.
    """
    n = count
    apart = 0
    for i in range(count):
        w[at(CLUSTERS + 2 * i)] = groups[at(start + 2 * i)]
        w[at(CLUSTERS + 2 * i + 1)] = groups[at(start + 2 * i + 1)]
        w[at(MEMBERS + i)] = 1 << i
    searching = True
    while searching:
        searching = False
        for i in range(n):
            for j in range(i + 1, n):
                left = w[at(CLUSTERS + 2 * i + 1)]
                right = w[at(CLUSTERS + 2 * j + 1)]
                common = left & right & ~apart
                if common & (common - 1) and (popcount(left) <= m or popcount(right) <= m):
                    one = common & -common
                    common ^= one
                    apart |= one | (common & -common)
                    w[at(CLUSTERS + 2 * i)] |= w[at(CLUSTERS + 2 * j)]
                    w[at(CLUSTERS + 2 * i + 1)] = left | right
                    w[at(MEMBERS + i)] |= w[at(MEMBERS + j)]
                    n -= 1
                    w[at(CLUSTERS + 2 * j)] = w[at(CLUSTERS + 2 * n)]
                    w[at(CLUSTERS + 2 * j + 1)] = w[at(CLUSTERS + 2 * n + 1)]
                    w[at(MEMBERS + j)] = w[at(MEMBERS + n)]
                    searching = True
                    break
            if searching:
                break
    if n == count:
        return 0, 0
    items = 0
    for i in range(n):
        liberties = w[at(CLUSTERS + 2 * i + 1)] & ~apart
        if popcount(liberties) > m:
            w[at(ITEMS + 2 * items)] = w[at(CLUSTERS + 2 * i)]
            w[at(ITEMS + 2 * items + 1)] = liberties
            items += 1
        else:
            members = w[at(MEMBERS + i)]
            while members:
                k = lowest(members)
                members &= members - 1
                w[at(ITEMS + 2 * items)] = groups[at(start + 2 * k)]
                w[at(ITEMS + 2 * items + 1)] = groups[at(start + 2 * k + 1)]
                items += 1
    return apart, items


@borrowing
def holds(
    groups: Words, start: int, count: int, m: int, q: int, first: int, allowed: int, board: int, w: Words
) -> bool:
    """Whether the defender of `groups` loses at most `allowed` against an even exchange.

    The attacker has `m` moves left and the defender `q` turns; `first` is 1 if the defender is to
    move. `w` is scratch of SCRATCH_WORDS words.
    """
    if allowed < 0:
        return False
    if _most_lost(groups, start, count, m, q, first, 0, allowed, board, w) <= allowed:
        return True
    if count < 2:
        return False
    apart, items = _link(groups, start, count, m, w)
    return apart != 0 and _most_lost(w, ITEMS, items, m, q, first, apart, allowed, board, w) <= allowed
