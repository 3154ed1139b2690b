"""A Little-Go agent: a book of the opening, then exact search. Python 3.7, standard library.

Reads input.txt, writes output.txt. Beside it are book.txt (openings), corridor.txt (what to play in lost positions)
and model.json (values learned in practice games). It writes moves.txt, to remember how many moves have been played.
It also plays without any of them.

The course takes one file, so the rules, the bounds and the move order are written here a second time, and
nothing of the littlego package is imported; tests/agent compares this file with the package, move by move.

A set of points is an int: bit 6 * row + column, the sixth column always empty, so that a shift by one or six reaches
the neighbours and nothing else. `mine` are the stones of the side to move. Two tricks are everywhere:

    stones & -stones        the lowest stone alone          0b1100 & -0b1100     is 0b0100
    stones & stones - 1     the stones without the lowest   0b1100 & 0b1011      is 0b1000, and 0 for a single stone

A position is won for the side to move if it can reach a margin, its stones minus the opponent's, of at least `target`:
3 for Black, -2 for White (komi is 2.5). A side that keeps its opponent below `target` has itself
reached 1 - `target`: if Black does not get 3, White gets -2.
"""

import base64
import binascii
import json
import math
import os
import random
import struct
import sys
import time
import types
import zlib
from array import array
from functools import lru_cache

SIZE = 5
LENGTH = SIZE * SIZE - 1
"""The moves of a game."""
ROW = SIZE + 1
"""The bits of a row: its points, and one that is always empty."""
POINTS = [ROW * i + j for i in range(SIZE) for j in range(SIZE)]
"""The number of the bit of each point, row by row."""
BOARD = sum(1 << p for p in POINTS)
PASS = 0
"""A move is the bit of a point, or this."""
TARGETS = {1: SIZE // 2 + 1, 2: -(SIZE // 2)}
"""The margin that wins, by colour: its stones minus the opponent's."""

EXACT_LEFT = 16
"""With at most this many plies left it searches to the end of the game."""
SURE_LEFT = 14
"""With at most this many plies left that search is given the time to finish."""
SURE_NODES, SURE_SECONDS = 200000, 6.0
"""The most nodes and CPU time of such a search. With 14 plies left the hardest of 40 odd positions took 100,000 nodes
and 4 s; with 11, after a book opening, 16,000 nodes were enough for every one that was tried."""
EXACT_NODES, EXACT_SECONDS = 60000, 1.5
"""The same with more plies left."""
LOST_NODES, LOST_SECONDS = 30000, 0.25
"""The most nodes and CPU time to find the move of a lost position that is hardest to answer."""
LOOK_NODES, LOOK_SECONDS = 40000, 1.5
"""The most boards that a search with an evaluation looks at, where the end is too far away, and its CPU time. Games
that begin with the book hardly ever need it."""
CLOCK_NODES = 64
"""The clock is read once in so many nodes."""
NO_LIMIT = 1 << 30
"""More nodes than any search has time for."""
MOST_SMALL = 6
"""With up to this many groups in danger every set of them is tried; with more, all count as lost."""

KEPT = 1 << 16
"""How many sets of stones are cached with their groups."""

HERE = os.path.dirname(os.path.abspath(__file__))
BOOK = os.path.join(HERE, "book.txt")
CORRIDOR = os.path.join(HERE, "corridor.txt")
MODEL = os.path.join(HERE, "model.json")
MOVES = "moves.txt"
NOTE_LENGTH = 100
"""Only so many characters of moves.txt are read: a note has fewer, and other files of that name may be large."""


def beside(stones):
    """The points next to a set of points; may include some of them."""
    return (stones << 1 | stones >> 1 | stones << ROW | stones >> ROW) & BOARD


def count(stones):
    return bin(stones).count("1")


AROUND = {1 << p: beside(1 << p) for p in POINTS}
"""The neighbours of each point."""
CENTRE = 1 << SIZE // 2 * (ROW + 1)


def images(point):
    """Where the eight symmetries take a point, counted from 0 to 24."""
    i, j = divmod(point, SIZE)
    k, n = SIZE - 1 - i, SIZE - 1 - j
    return [SIZE * a + b for a, b in ((i, j), (i, n), (k, j), (k, n), (j, i), (j, k), (n, i), (n, k))]


IMAGES = list(zip(*[images(point) for point in range(SIZE * SIZE)]))
"""For each symmetry, where it takes the points. Example: IMAGES[1] mirrors rows and begins 4 3 2 1 0."""


def for_size(size):
    """This file for boards of another size, which the classes of 2019 play on: its text with another SIZE."""
    with open(__file__) as file:
        source = file.read()
    module = types.ModuleType("little_go_%d" % size)
    module.__file__ = __file__
    exec(source.replace("SIZE = %d" % SIZE, "SIZE = %d" % size, 1), module.__dict__)
    return module


# The rules


@lru_cache(maxsize=KEPT)
def connected(stones):
    """The groups of `stones`, each with the points around it.

    A move changes one side's stones: in a search the other side's groups have nearly always been found before.
    """
    groups = []
    while stones:
        group = stones & -stones
        while True:
            grown = (group | group << 1 | group >> 1 | group << ROW | group >> ROW) & stones
            if grown == group:
                break
            group = grown
        groups.append((group, beside(group) & ~group))
        stones ^= group
    return groups


def find_groups(stones, empty):
    """The groups of `stones`, each with its liberties."""
    return [(group, around & empty) for group, around in connected(stones)]


def legal_points(empty, ko, my_groups, their_groups):
    """Where a stone is legal: beside an empty point, joined to a group with another liberty, or capturing."""
    legal = beside(empty)
    for _, liberties in my_groups:
        if liberties & liberties - 1:
            legal |= liberties
    for _, liberties in their_groups:
        if not liberties & liberties - 1:
            legal |= liberties
    return empty & legal & ~ko


def legal_moves(mine, theirs, ko):
    """Every legal stone: (bit, the opponent's stones after it, mine after it, the new ko)."""
    empty = BOARD & ~(mine | theirs)
    their_groups = find_groups(theirs, empty)
    rest = legal_points(empty, ko, find_groups(mine, empty), their_groups)
    moves = []
    while rest:
        bit = rest & -rest
        rest ^= bit
        captured = sum(group for group, liberties in their_groups if liberties == bit)
        moves.append((bit, *after(mine, theirs, bit, captured)))
    return moves


def after(mine, theirs, bit, captured):
    """The opponent's stones, mine, and the ko after a move: a ko is a single stone captured by a lone stone."""
    my_stones, their_stones = mine | bit, theirs & ~captured
    lone = captured and not captured & captured - 1 and not AROUND[bit] & mine
    ko = captured if lone and AROUND[bit] & ~(my_stones | their_stones) == captured else 0
    return their_stones, my_stones, ko


# What a side can be sure of without search
#
# The attacker has `m` moves left, the defender `q` turns. A group is captured only when all its liberties are filled,
# so groups with more than `m` liberties together are safe. A group with two one-point eyes always is. The defender
# fills liberties of its largest group, which adds a stone a turn, as long as that group keeps more liberties than the
# attacker has moves left; turns beyond that are missed.
#
# Example: m = q = 2, the attacker to move, a group of 6 liberties and a stone in atari. Filling costs nothing: the
# group can spare 6 - 2 - 1 = 3. The stone can be captured, so the defender loses at most 1.


def most_lost(groups, m, q, first, allowed):
    """The most a defender loses against an exchange of a stone a move; may stop early above `allowed`.

    `first` is 1 if the defender is to move, 0 if the attacker is, -1 for an answer to many moves (see `unanswered`).
    `best` and `second` are the liberties of the largest safe groups. Of two that have 2 * (m + 1) together, a move of
    the attacker touches one; the defender fills the other, and no move of the attacker makes it miss a turn.
    """
    small = []
    every = small_stones = 0
    best = best_count = second = 0
    for group, liberties in groups:
        n = bin(liberties).count("1")
        if n > m:
            if n > best_count:
                second, best, best_count = best, liberties, n
            else:
                second = second or liberties
            continue
        if n > 1:
            eyes = liberties & ~beside(BOARD & ~group)
            if eyes & eyes - 1:
                continue
        stones = bin(group).count("1")
        small.append((liberties, stones))
        every |= liberties
        small_stones += stones
    missed = q
    filling = False
    if best:
        # The group can spare best_count - m - 1 liberties, and a turn that fills takes one of them. A move of the
        # attacker beside the group takes none: a liberty fewer, but a move fewer to come. One elsewhere gives one back.
        missed = m + first - (best_count - m - 1)
        filling = True
        if second and count(best | second) >= 2 * (m + 1):
            missed = first - (best_count - m - 1)
            filling = False
    most = min(q, max(0, missed))
    if not small or most > allowed:
        return most
    if len(small) > MOST_SMALL or (not filling and count(every) <= m):
        return small_stones + most
    unions = [(0, 0)]
    for liberties, stones in small:
        for union, lost in unions[:]:
            union |= liberties
            if count(union) <= m:
                lost += stones
                unions.append((union, lost))
                elsewhere = count(union & ~best) if filling else 0
                loss = lost + min(q, max(0, missed - elsewhere))
                if loss > most:
                    most = loss
                    if most > allowed:
                        return most
    return most


def holds(groups, m, q, first, allowed):
    """Whether a defender of `groups` loses at most `allowed` against an exchange of a stone a move."""
    return allowed >= 0 and most_lost(groups, m, q, first, allowed) <= allowed


def groups_after(bit, empty, groups):
    """The groups after a stone that captures nothing: those it touches become one, the last."""
    own, own_liberties = bit, AROUND[bit] & empty
    found = []
    for pair in groups:
        if pair[1] & bit:
            own |= pair[0]
            own_liberties |= pair[1]
        else:
            found.append(pair)
    found.append((own, own_liberties & ~bit))
    return found


def unanswered(legal, mine, theirs, my_groups, their_groups, left, target):
    """My moves that no single answer of theirs refutes together with many others, and whether one refutes a pass.

    If they could play `answer` and still hold against one attack more than I have, then `answer` refutes every move but
    itself, the last liberty that it would have and, where it captures, a move of mine that captures first. Example:
    they are ahead with one large group and a weak stone beside it; the stone that joins them answers nearly all.
    """
    empty = BOARD & ~(mine | theirs)
    answers = legal_points(empty, 0, their_groups, my_groups)
    mine_in_atari = sum({liberties for _, liberties in my_groups if not liberties & liberties - 1})
    theirs_in_atari = sum({liberties for _, liberties in their_groups if not liberties & liberties - 1})
    # What they may lose after my move and their answer, against an exchange of a stone a move from there on.
    allowed = target - 1 - count(mine) + count(theirs) - (left & 1)
    if allowed < 0:
        answers &= mine_in_atari
    pass_fails = False
    while answers and legal:
        bit = answers & -answers
        answers ^= bit
        excepted, spare = bit, allowed
        if mine_in_atari & bit:
            captured = sum(group for group, liberties in my_groups if liberties == bit)
            spare += count(captured)
            groups = find_groups(theirs | bit, empty & ~bit | captured)
            excepted |= theirs_in_atari
        else:
            groups = groups_after(bit, empty, their_groups)
            liberties = groups[-1][1]
            if not liberties & liberties - 1:
                excepted |= liberties
        if holds(groups, (left + 1) >> 1, (left - 2) >> 1, -1, spare):
            legal &= excepted
            pass_fails = True
    return legal, pass_fails


# Search


class OutOfTime(Exception):
    """The search has used up its nodes or its time."""


class Clock:
    """Counts nodes, which are the same on every machine, and also limits the CPU time."""

    def __init__(self, nodes, deadline):
        self.nodes = nodes
        self.deadline = deadline

    def tick(self):
        """Count a node; raises OutOfTime after the last."""
        self.nodes -= 1
        if not self.nodes % CLOCK_NODES and (self.nodes <= 0 or time.process_time() > self.deadline):
            raise OutOfTime


# What a move and a board look like; only the order in which moves are tried depends on these numbers.

STONE, LIBERTY, MOST_LIBERTIES, GROUP = 12, 8, 9, -9
"""What a group is worth: 12 for a stone, 8 for a liberty up to nine of them, and 9 less for every group."""
MY_DANGER, THEIR_DANGER = (2, 0), (9, 2)
"""What a stone costs in a group with one liberty, and with two. The side to move can still save its own."""
BESIDE, TO_ATARI, RESCUED = 10, 20, 30
"""A move beside a group of theirs; for each stone of theirs that it puts into atari; for each stone of mine that it may
save, in a group with one liberty or two."""
CAPTURE, CAPTURED = 50, 140
"""A move that captures; for each stone that it captures."""
SELF_ATARI, STONE_IN_ATARI = -20, -60
"""A move that leaves its own group one liberty; for each stone of that group."""
OWN_LIBERTY, MOST_OWN = 16, 5
"""For each liberty of the group that the move makes, if there are three or more, up to five."""
NEIGHBOUR = 32
"""For each neighbour that the point has on the board: 2 in a corner, 4 inside; the centre counts as 5."""
STANDING, PASSING, LAST = 5, 120, -10000
"""How much the whole board counts after a move; what a pass gets; near the end a pass is tried last."""

CENTRAL = {bit: NEIGHBOUR * (count(around) + (bit == CENTRE)) for bit, around in AROUND.items()}


def worth(groups, danger):
    """What groups are worth by stones and liberties: a lone stone inside, for example, 12 + 4 * 8 - 9 = 35."""
    value = GROUP * len(groups)
    for group, liberties in groups:
        stones, n = count(group), count(liberties)
        value += STONE * stones + LIBERTY * min(n, MOST_LIBERTIES)
        if n <= 2:
            value -= danger[n - 1] * stones
    return value


def standing(mine, theirs):
    """How good the board looks to the side to move."""
    empty = BOARD & ~(mine | theirs)
    return worth(find_groups(mine, empty), MY_DANGER) - worth(find_groups(theirs, empty), THEIR_DANGER)


def touch(bit, empty, my_groups, their_groups):
    """How good a move looks by the groups it touches, and what it captures."""
    value = CENTRAL[bit]
    captured = 0
    for group, liberties in their_groups:
        if liberties & bit:
            if liberties == bit:
                captured |= group
                continue
            value += BESIDE
            rest = liberties & liberties - 1
            if not rest & rest - 1:
                value += TO_ATARI * count(group)
    own, liberties_after = bit, AROUND[bit] & empty
    for group, liberties in my_groups:
        if liberties & bit:
            own |= group
            liberties_after |= liberties
            rest = liberties & liberties - 1
            if not rest & rest - 1:
                value += RESCUED * count(group)
    liberties_after &= ~bit
    if captured:
        liberties_after |= beside(own) & captured
        value += CAPTURE + CAPTURED * count(captured)
    n = count(liberties_after)
    if n == 1:
        value += SELF_ATARI + STONE_IN_ATARI * count(own)
    elif n > 2:
        value += OWN_LIBERTY * min(n, MOST_OWN)
    return value, captured


def plausibility(place):
    """The weight of the answer that looks best, second best, ... (0, 1, ...)."""
    return 1.0 / (1 + place)


class Search:
    """An exact search of won and lost, with a table; raises OutOfTime as the clock does."""

    JUDGE_LEFT = 8
    """With fewer plies left, moves are ordered by what they touch alone, and none is shown to win by the bounds."""
    ANSWER_LEFT = 3
    """With fewer plies left, one answer to many moves is not looked for."""
    TABLE_LEFT = 3
    """With fewer plies left, a position is searched again sooner than it is looked up."""

    def __init__(self, clock):
        self.clock = clock
        self.table = {}
        self.losing = set()
        """Moves that `winning_move` has found to lose."""

    def wins(self, mine, theirs, ko, left, target):
        """Whether the side to move reaches a margin of `target`.

        Only the side that is ahead tries a pass: after a pass while behind, the opponent passes and wins. If both only
        added stones, the margin would become `even`. Example: Black, 2 stones ahead, 3 plies left: 2 + 2 - 1 = 3, just
        enough, if Black `holds` without a loss.
        """
        self.clock.tick()
        difference = count(mine) - count(theirs)
        if not left:
            return difference >= target
        my_turns, their_turns = (left + 1) >> 1, left >> 1
        empty = BOARD & ~(mine | theirs)
        even = difference + my_turns - their_turns
        my_groups = their_groups = None
        if target <= even:
            my_groups = find_groups(mine, empty)
            if holds(my_groups, their_turns, my_turns, 1, even - target):
                return True
        else:
            their_groups = find_groups(theirs, empty)
            if holds(their_groups, my_turns, their_turns, 0, target - even - 1):
                return False
        key = None
        if left >= self.TABLE_LEFT:
            key = mine, theirs, ko, left
            known = self.table.get(key)
            if known is not None:
                return known
        won = False
        for _, a, b, new_ko in self.moves(mine, theirs, ko, left, target, my_groups, their_groups):
            if not self.wins(a, b, new_ko, left - 1, 1 - target):
                won = True
                break
        if key:
            self.table[key] = won
        return won

    def moves(self, mine, theirs, ko, left, target, my_groups=None, their_groups=None, every=False):
        """The moves worth trying, best first: without those that one answer refutes, and only one if that one wins by
        the bounds alone. With `every`, all moves."""
        empty = BOARD & ~(mine | theirs)
        my_groups = my_groups or find_groups(mine, empty)
        their_groups = their_groups or find_groups(theirs, empty)
        legal = legal_points(empty, ko, my_groups, their_groups)
        can_pass = count(mine) - count(theirs) >= target
        if left >= self.ANSWER_LEFT and not every:
            legal, fails = unanswered(legal, mine, theirs, my_groups, their_groups, left, target)
            can_pass = can_pass and not fails
        # What I may lose after my move, against an exchange of a stone a move from there on.
        allowed = count(mine) + 1 - count(theirs) - target - (left & 1 ^ 1)
        judge = left >= self.JUDGE_LEFT
        moves = []
        while legal:
            bit = legal & -legal
            legal ^= bit
            value, captured = touch(bit, empty, my_groups, their_groups)
            their_stones, my_stones, new_ko = after(mine, theirs, bit, captured)
            if judge:
                if captured:
                    empty_after = BOARD & ~(my_stones | their_stones)
                    groups = find_groups(my_stones, empty_after)
                    others = find_groups(their_stones, empty_after)
                else:
                    groups = groups_after(bit, empty, my_groups)
                    others = [(group, liberties & ~bit) for group, liberties in their_groups]
                if not every and holds(groups, left >> 1, (left - 1) >> 1, 0, allowed + count(captured)):
                    return [(bit, their_stones, my_stones, new_ko)]
                value -= STANDING * (worth(others, MY_DANGER) - worth(groups, THEIR_DANGER))
            moves.append((-value, bit, their_stones, my_stones, new_ko))
        if can_pass:
            value = LAST
            if judge:
                value = PASSING - STANDING * (worth(their_groups, MY_DANGER) - worth(my_groups, THEIR_DANGER))
            moves.append((-value, PASS, theirs, mine, 0))
        moves.sort()
        return [move[1:] for move in moves]

    def winning_move(self, mine, theirs, ko, left, target, hint=None):
        """A move that wins, or None if there is none; `hint` is tried first."""
        moves = self.moves(mine, theirs, ko, left, target)
        moves.sort(key=lambda move: move[0] != hint)
        answered = {move[0] for move in legal_moves(mine, theirs, ko)} - {move[0] for move in moves}
        for bit, a, b, new_ko in moves:
            if not self.wins(a, b, new_ko, left - 1, 1 - target):
                return bit
            self.losing |= answered | {bit}
        return None

    def trickiest_move(self, mine, theirs, ko, left, target):
        """In a lost position: the move with the fewest winning answers, or the best found when the time is up.

        An answer that looks good counts for more: a plausible opponent chooses it.
        """
        moves = self.moves(mine, theirs, ko, left, target, every=True)
        best, best_share = moves[0][0] if moves else PASS, math.inf
        try:
            for bit, a, b, new_ko in moves:
                share = self.winning_share(a, b, new_ko, left - 1, 1 - target, best_share)
                if share < best_share:
                    best, best_share = bit, share
        except OutOfTime:
            pass
        return best

    def winning_share(self, mine, theirs, ko, left, target, enough):
        """The share of winning moves, better looking ones counting for more; may stop at `enough`."""
        moves = self.moves(mine, theirs, ko, left, target, every=True)
        total = sum(map(plausibility, range(len(moves))))
        won = 0.0 if moves else 1.0
        for place, (_, a, b, new_ko) in enumerate(moves):
            if not self.wins(a, b, new_ko, left - 1, 1 - target):
                won += plausibility(place) / total
                if won >= enough:
                    break
        return won


# Where the end is too far away: what was learned in practice games
#
# A value is a sum of weights, one for what is seen in each of many places: blocks of cells in all eight symmetries, the
# difference of stones, the stones in atari, the final margins that are sure, each group's liberties against the moves
# left. Each colour and each stage of the game has its own weights; blocks of 3x4, of 2x3 with liberties, and the last
# two have one set for all. A model says in `view` which of these it has.
# Example: the block of the cells 0 1 5 6 with the codes 1 0 0 4, as digits of base 7, uses its weight number
# 1 * 343 + 4 = 347.

# A cell is coded by what it holds:
#   7: 0 empty, 1-3 own with 1, 2, more liberties, 4-6 other with 1, 2, more
#   5: 0 empty, 1 own in atari, 2 own else, 3 other in atari, 4 other else
#   3: 0 empty, 1 own, 2 other
CODINGS = {7: (0, 1, 2, 3, 4, 5, 6), 5: (0, 1, 2, 2, 3, 4, 4), 3: (0, 1, 1, 1, 2, 2, 2)}
OWN, OTHER = 0, 3
"""Added to the liberties, 1 to 3, of a group: the code of its stones."""
MOST_AHEAD, MOST_IN_ATARI = 12, 4
"""The difference of stones counts up to 12, stones in atari up to 4."""
DIFFERENCES = 2 * MOST_AHEAD + 1
"""Own stones minus the other's, from -12 to 12."""
DANGERS = (MOST_IN_ATARI + 1) ** 2
"""Own stones in atari, and the other's."""
LEAST_SPARE, SPARES = -8, 16
"""By how much the sure and the possible final margin exceed the one that wins: from -8 to 7."""
STONES_SEEN, LIBERTIES_SEEN = 8, 8
"""Of a group: larger ones count as this large."""
GROUPS = 10
"""So many groups are looked at; missing ones have a weight of their own."""
ANY_LOSS = 100
"""More than can be lost: `most_lost` does not stop early."""
NO_PROOF = 1e-9
"""A learned value is at least so far from 0 and 1, which are kept for what is proven."""
FIELD = 32
"""Bits for the number of a weight where many such numbers are packed into one int."""


def unpacked(kind, text):
    """Numbers as the model keeps them: little-endian, compressed, in base64."""
    numbers = array(kind)
    numbers.frombytes(zlib.decompress(base64.b64decode(text)))
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def shapes(kinds):
    """Every place of each block up to symmetry, as (coding, row, column, rows, columns): those that have weights for
    each colour and stage, and those that have one set for all."""
    pairs, triples, fours, fives = (range((SIZE - wide) // 2 + 1) for wide in (2, 3, 4, 5))
    found = [(7, row, column, 2, 2) for row in pairs for column in pairs if row <= column]
    found += [(5, row, column, 2, 3) for row in pairs for column in triples]
    found += [(3, row, column, 3, 3) for row in triples for column in triples if row <= column]
    found += [(3, row, column, 2, 5) for row in pairs for column in fives if "strips" in kinds]
    shared = [(3, row, column, 3, 4) for row in triples for column in fours if "oblongs" in kinds]
    shared += [(7, row, column, 2, 3) for row in pairs for column in triples if "liberties" in kinds]
    return found, shared


def placed(blocks, start):
    """Blocks in their eight images: coding, where their weights begin, cells; and where the weights of all end."""
    placements = []
    for coding, row, column, rows, columns in blocks:
        cells = [SIZE * (row + i) + column + j for i in range(rows) for j in range(columns)]
        placements += [(coding, start, [image[cell] for cell in cells]) for image in IMAGES]
        start += coding ** len(cells)
    return placements, start


def stone_numbers(blocks):
    """By code and cell: what a stone adds to the numbers of the weights of all blocks."""
    found = [[0] * (SIZE * SIZE) for _ in CODINGS[7]]
    for k, (coding, _, cells) in enumerate(blocks):
        for digit, cell in enumerate(reversed(cells)):
            for code, meaning in enumerate(CODINGS[coding]):
                found[code][cell] += meaning * coding**digit << FIELD * k
    return found


class Patterns:
    """A sum of weights of what is seen, squeezed into 0 to 1; exactly 0 or 1 where the sure margins prove who wins.

    The numbers of the weights of all blocks are found at once, as the fields of one large int, to which each stone adds
    what it means for the blocks around it. Example: two blocks, fields of three decimal digits, weights that begin at
    100 and 500; a stone that adds 1 in the first block and 49 in the second makes 500100 + 049001 = 549101.
    """

    def __init__(self, data):
        self.weights = unpacked("h", data["weights"])
        self.scale = float(data["scale"])
        view = data.get("view", {"stages": 4, "kinds": []})
        kinds = view["kinds"]
        self.stages = view["stages"]
        in_sets, for_all = shapes(kinds)
        blocks, self.differences = placed(in_sets, 0)
        self.dangers = self.differences + DIFFERENCES * (LENGTH + 1)
        self.set_size = self.dangers + DANGERS
        shared, end = placed(for_all, 2 * self.stages * self.set_size)
        self.margins = self.groups = None
        self.proves = "proofs" in kinds
        if "margins" in kinds:
            self.margins = end
            end += SPARES * SPARES * (LENGTH + 1)
        if "groups" in kinds:
            self.groups = end
            self.no_group = end + 2 * 2 * STONES_SEEN * LIBERTIES_SEEN * (LENGTH // 2 + 1)
            end = self.no_group + 1
        if len(self.weights) != end:
            raise ValueError("the number of weights")
        self.starts = sum(start << FIELD * k for k, (_, start, _) in enumerate(blocks + shared))
        self.next_set = sum(self.set_size << FIELD * k for k in range(len(blocks)))
        """Added to `starts` for each set of weights that is skipped."""
        self.numbers = struct.Struct("<%dI" % len(blocks + shared))
        self.stones = stone_numbers(blocks + shared)
        self.known = {}
        """The groups that were looked at."""

    def group(self, group, side):
        """Of a group of side 0, own, or 1: what its stones add, how many are in atari, where its kind's weights begin.

        Most groups have been seen before, in another position of the search.
        """
        key = (group, side)
        if key not in self.known:
            stones, liberties = group
            n = count(liberties)
            code = (OWN, OTHER)[side] + min(n, 3)
            numbers = sum(number for p, number in zip(POINTS, self.stones[code]) if stones >> p & 1)
            eyes = liberties & ~beside(BOARD & ~stones)
            kind = 2 * side + bool(eyes & eyes - 1)
            kind = kind * STONES_SEEN + min(count(stones), STONES_SEEN) - 1
            kind = kind * LIBERTIES_SEEN + min(n, LIBERTIES_SEEN) - 1
            self.known[key] = numbers, count(stones) if n == 1 else 0, kind * (LENGTH // 2 + 1)
        return self.known[key]

    def value(self, own, other, colour, played):
        """How likely the side wins that has just made move `played`; `colour` is 0 for Black."""
        empty = BOARD & ~(own | other)
        my_groups, their_groups = find_groups(own, empty), find_groups(other, empty)
        # The other side moves next.
        their_turns, my_turns = (LENGTH - played + 1) // 2, (LENGTH - played) // 2
        difference = count(own) - count(other)
        if self.proves or self.margins is not None:
            spare = difference + my_turns - their_turns - TARGETS[colour + 1]
            sure = spare - most_lost(my_groups, their_turns, my_turns, 0, ANY_LOSS)
            possible = spare + most_lost(their_groups, my_turns, their_turns, 1, ANY_LOSS)
            if self.proves and (sure >= 0 or possible < 0):
                return float(sure >= 0)
        weight_set = colour + 2 * ((played - 1) * self.stages // LENGTH)
        numbers = self.starts + weight_set * self.next_set
        in_atari, kinds = [0, 0], []
        for side, groups, turns in ((0, my_groups, their_turns), (1, their_groups, my_turns)):
            for group in groups:
                added, danger, kind = self.group(group, side)
                numbers += added
                in_atari[side] += danger
                kinds.append(kind + turns)
        weights = self.weights
        total = sum(map(weights.__getitem__, self.numbers.unpack(numbers.to_bytes(self.numbers.size, "little"))))
        base = self.set_size * weight_set
        ahead = min(max(difference, -MOST_AHEAD), MOST_AHEAD) + MOST_AHEAD
        total += weights[base + self.differences + DIFFERENCES * played + ahead]
        mine, theirs = (min(stones, MOST_IN_ATARI) for stones in in_atari)
        total += weights[base + self.dangers + (MOST_IN_ATARI + 1) * mine + theirs]
        if self.margins is not None:
            sure, possible = (min(max(n - LEAST_SPARE, 0), SPARES - 1) for n in (sure, possible))
            total += weights[self.margins + (played * SPARES + sure) * SPARES + possible]
        if self.groups is not None:
            total += sum(weights[self.groups + kind] for kind in kinds[:GROUPS])
            total += max(0, GROUPS - len(kinds)) * weights[self.no_group]
        return min(max(1 / (1 + math.exp(-self.scale * total)), NO_PROOF), 1 - NO_PROOF)


def read_patterns():
    """What was learned; None without its file."""
    try:
        with open(MODEL) as file:
            return Patterns(json.load(file))
    except (OSError, ValueError, KeyError, TypeError, RecursionError, zlib.error):
        return None


class Lookahead:
    """Alpha-beta on learned values, deeper and deeper until the time is up.

    A value is the chance to win: 0 or 1 where that is certain, because the game ends there or the bounds decide it.
    With `earlier`, the boards of the game so far, it plays by the rules of 2019: nobody passes, no earlier board may
    come back, and the game is over when the side to move has no legal move.
    """

    LEAD, LOOKS, EVEN = 100, 3, 400.0
    """Without learned values: what a stone of lead and a point of `standing` count, and how many such points make a win
    e times as likely as a loss."""
    CERTAIN = 99
    """The depth of a value that is 0 or 1: no deeper look changes it."""

    def __init__(self, clock, patterns, earlier=None):
        self.clock = clock
        self.patterns = patterns
        self.passing = earlier is None
        self.earlier = set(earlier or ())
        self.found = {}
        """The moves of a position, likeliest first, for every deeper look."""
        self.chances = {}
        """The chances of boards, by the mover's stones, the opponent's and the plies left."""
        self.table = {}
        """How deep a position was looked at, the least and the most that it is worth, and its best move."""
        self.refuted = dict.fromkeys(AROUND, 0)
        """How often a move was good enough one ply ahead: such moves are tried first."""

    def choose(self, mine, theirs, ko, left, target, losing=()):
        """The best move as far as it sees, of those that are not known to lose."""
        # The first look is finished at any cost: without it there is no move.
        clock, self.clock = self.clock, Clock(NO_LIMIT, math.inf)
        moves = [move for move in self.moves(mine, theirs, ko, False, left, target) if self.is_new(move)]
        self.clock = clock
        moves = [move for move in moves if move[1] not in losing] or moves
        best = moves[0]
        try:
            for depth in range(2, left + 1):
                value, found = self.best(moves, depth, left, target)
                if value == 0.0:
                    break  # lost: the move that looked best before that was known is the hardest to answer
                best = found
                if value == 1.0:
                    break
                moves.sort(key=lambda move: move is not best)
        except OutOfTime:
            pass
        return best[1]

    def best(self, moves, depth, left, target):
        """The value of the best move, and that move."""
        alpha, best = 0.0, moves[0]
        for move in moves:
            value = self.value_after(move, depth, left, target, alpha, 1.0)
            if value > alpha:
                alpha, best = value, move
        return alpha, best

    def value_after(self, move, depth, left, target, alpha, beta):
        """The mover's chance to win with a move, `depth` plies ahead with this one."""
        chance, bit, a, b, new_ko, board = move
        if depth == 1 or left == 1 or chance in (0.0, 1.0):
            return chance
        if self.passing:
            return 1 - self.value(a, b, new_ko, bit == PASS, depth - 1, left - 1, 1 - target, 1 - beta, 1 - alpha)
        self.earlier.add(board)
        value = 1 - self.value(a, b, 0, False, depth - 1, left - 1, 1 - target, 1 - beta, 1 - alpha)
        self.earlier.discard(board)
        return value

    def value(self, mine, theirs, ko, passed, depth, left, target, alpha, beta):
        """The chance of the side to move to win, `depth` plies ahead; outside `alpha` and `beta` only a bound."""
        key = (mine, theirs, ko, passed, left)
        seen, least, most, favourite = self.table.get(key, (0, 0.0, 1.0, None))
        if seen >= depth:
            if least >= beta or least == most:
                return least
            if most <= alpha:
                return most
        if depth == 1 and key not in self.found:
            return self.one_ahead(mine, theirs, ko, passed, left, target, beta)
        moves = self.moves(mine, theirs, ko, passed, left, target)
        if favourite is not None:
            moves = sorted(moves, key=lambda move: move[1] != favourite)
        best, best_move = None, None
        for move in moves:
            if self.is_new(move):
                value = self.value_after(move, depth, left, target, max(alpha, best or 0.0), beta)
                if best is None or value > best:
                    best, best_move = value, move[1]
                if best >= beta:
                    break
        if best is None:
            best = float(count(mine) - count(theirs) >= target)
        depth = self.CERTAIN if best in (0.0, 1.0) else depth
        self.table[key] = (depth, best if best > alpha else 0.0, best if best < beta else 1.0, best_move)
        return best

    def one_ahead(self, mine, theirs, ko, passed, left, target, beta):
        """The best chance one ply ahead, or the first that is at least `beta`: not all moves need be looked at."""
        best = self.pass_chance(mine, theirs, passed, left, target)
        for bit, a, b, _ in sorted(legal_moves(mine, theirs, ko), key=lambda move: -self.refuted[move[0]]):
            if best is not None and best >= beta:
                break
            if self.passing or self.board(a, b, target) not in self.earlier:
                chance = self.chance(b, a, left - 1, target)
                best = chance if best is None else max(best, chance)
                self.refuted[bit] += best >= beta
        return float(count(mine) - count(theirs) >= target) if best is None else best

    def is_new(self, move):
        """Whether a move brings back no earlier board. Where passing is allowed, `legal_moves` excludes the ko."""
        return self.passing or move[-1] not in self.earlier

    def board(self, theirs, mine, target):
        """Black's and White's stones after a move of the side that needs `target`: only Black's is above 0."""
        return (mine, theirs) if target > 0 else (theirs, mine)

    def moves(self, mine, theirs, ko, passed, left, target):
        """The moves as (chance to win, bit, the opponent's stones, mine, ko, board), likeliest first.

        The chance is exact, 0 or 1, where the game ends, or ends by the opponent's pass.
        """
        key = (mine, theirs, ko, passed, left)
        if key in self.found:
            return self.found[key]
        moves = []
        for bit, a, b, new_ko in legal_moves(mine, theirs, ko):
            moves.append((self.chance(b, a, left - 1, target), bit, a, b, new_ko, self.board(a, b, target)))
        if self.passing:
            chance = self.pass_chance(mine, theirs, passed, left, target)
            moves.append((chance, PASS, theirs, mine, 0, self.board(theirs, mine, target)))
        moves.sort(key=lambda move: move[:2], reverse=True)
        self.found[key] = moves
        return moves

    def pass_chance(self, mine, theirs, passed, left, target):
        """The chance to win with a pass: none where it loses at once, and None where nobody passes."""
        if not self.passing:
            return None
        ahead = count(mine) - count(theirs) >= target
        return float(ahead) if passed or not ahead else self.chance(mine, theirs, left - 1, target)

    def chance(self, own, other, left, target):
        """How likely the side wins that has just moved and needs a margin of `target`."""
        key = (own, other, left)
        if key not in self.chances:
            self.clock.tick()
            self.chances[key] = self.chance_anew(own, other, left, target)
        return self.chances[key]

    def chance_anew(self, own, other, left, target):
        lead = count(own) - count(other) - target
        if not left:
            return float(lead >= 0)
        if not self.passing:
            proof = self.proven(own, other, left, lead)
            if proof is not None:
                return proof
        if self.patterns:
            value = self.patterns.value(own, other, int(target != TARGETS[1]), LENGTH - left)
            # What the margins prove they prove for games with passing.
            return value if self.passing else min(max(value, NO_PROOF), 1 - NO_PROOF)
        return 1 / (1 + math.exp((self.LOOKS * standing(other, own) - self.LEAD * lead) / self.EVEN))

    def proven(self, own, other, left, lead):
        """1.0 or 0.0 if the bounds say who wins although nobody may pass, else None.

        They count on a defender who never gives up what it has. It need not if at each of its turns it can fill a
        liberty of one group that keeps more of them than the attacker has moves left: m + q + 1 liberties at first.
        Example: with m = q = 2 a group with five.
        """
        empty = BOARD & ~(own | other)
        m, q = (left + 1) >> 1, left >> 1
        even = lead + q - m
        if even >= 0:
            groups, q_is_first, won = find_groups(own, empty), 0, 1.0
        else:
            groups, q_is_first, won = find_groups(other, empty), 1, 0.0
            m, q, even = q, m, -even - 1
        if any(count(liberties) > m + q for _, liberties in groups) and holds(groups, m, q, q_is_first, even):
            return won
        return None


# The book
#
# A function from positions to moves that does not store the positions: three words of 16 bits, found by hashing the
# position, are combined into one. Its low five bits are the point (25: pass) in the position's smallest image, its
# high eleven bits a check, which fails for nearly all positions not in the book. Example: the words 0x12f0, 0x4001
# and 0x0c6c make 0x12f0 ^ 0x4001 ^ 0x0c6c = 0x5e9d: the check 0x2f4, and the point 29, which is none.

POINT_BITS, POINT_MASK = 5, 31
"""The bits of a point in a word of the book."""
CHECK_BITS = 11
"""The other bits of such a word."""
PASS_POINT = SIZE * SIZE
WITNESSES = 3
"""A book move is trusted if so many replies to it or a few more, evenly chosen, are in the book, too: a position that
got here by accident, one in 2,048, has no such replies. Example: of 20 replies the first, 7th, 13th and 19th."""


def plain(stones):
    """A set of points with five bits per row."""
    row = (1 << SIZE) - 1
    return sum((stones >> ROW * i & row) << SIZE * i for i in range(SIZE))


def turned(stones, image):
    """The image of a plain set of points."""
    return sum(1 << image[point] for point in range(SIZE * SIZE) if stones >> point & 1)


def book_key(mine, theirs, ko, left):
    """The smallest key of the eight images of a position, and the symmetry that leads to it.

    0-24 my stones | 25-49 theirs | 50-54 the ko's point + 1, 0 for none | 55-59 plies left
    """
    mine, theirs, ko = plain(mine), plain(theirs), plain(ko)
    keys = []
    for image in IMAGES:
        point = turned(ko, image).bit_length()
        keys.append((turned(mine, image) | turned(theirs, image) << 25 | point << 50 | left << 55, image))
    return min(keys)


def mixed(key, seed):
    """A 64-bit hash of a key: splitmix64, whose numbers these are."""
    mask = (1 << 64) - 1
    key = (key + seed * 0x9E3779B97F4A7C15) & mask
    key = (key ^ key >> 30) * 0xBF58476D1CE4E5B9 & mask
    key = (key ^ key >> 27) * 0x94D049BB133111EB & mask
    return key ^ key >> 31


def book_places(key, seed, part):
    """The three places of a key in a book of three parts, and its check."""
    h = mixed(key, seed)
    return (h % part, part + (h >> 20) % part, 2 * part + (h >> 40) % part), mixed(h, 1) >> 64 - CHECK_BITS


def book_least():
    """The fewest plies left at which every position of the walk is in the book; without one, more than a game has."""
    try:
        with open(BOOK) as file:
            return int(file.readline().split()[2])
    except (OSError, ValueError, IndexError):
        return LENGTH + 1


def book_move(mine, theirs, ko, left):
    """The book's move, or None if the position is not in it or there is no book."""
    try:
        with open(BOOK, "rb") as file:
            seed, part, least = (int(word) for word in file.readline().split())
            if left < least:
                return None
            key, image = book_key(mine, theirs, ko, left)
            places, check = book_places(key, seed, part)
            start = file.tell()
            word = 0
            for place in places:
                # Four characters are three bytes. Word 4 is the bytes 8 and 9: the last byte of the four characters
                # that begin at 8 // 3 * 4 = 8, and the first byte of the next four. Eight characters have both.
                file.seek(start + 2 * place // 3 * 4)
                found = binascii.a2b_base64(file.read(8))[2 * place % 3 :]
                word ^= found[0] | found[1] << 8
    except (OSError, ValueError, IndexError, ArithmeticError):
        return None
    point = word & POINT_MASK
    if word >> POINT_BITS != check or point > PASS_POINT:
        return None
    return move_of(point, image)


def move_of(point, image):
    """The move that a symmetry takes to a point, 0 to 24; 25 is a pass."""
    return PASS if point == PASS_POINT else 1 << POINTS[image.index(point)]


def corridor_moves(mine, theirs, ko, left):
    """The moves to draw from in a position of corridor.txt; none if it is not there.

    A position lost with best play is one in which the agent waits for a mistake. Moves that make one equally likely are
    drawn, so that nobody can learn by heart how to win. The file also has the winning moves of positions to which such
    moves lead and which the book lacks. Each line is a key in hexadecimal and a letter for each move:
    `5c8000000001000 hm` is the point 7 or 12 of the position's smallest image; z is a pass.
    """
    key, image = book_key(mine, theirs, ko, left)
    try:
        with open(CORRIDOR) as file:
            text = "\n" + file.read()
    except (OSError, ValueError):
        return []
    start = text.find("\n%x " % key)
    if start < 0:
        return []
    letters = text[start + 1 :].split("\n", 1)[0].split(" ")[1]
    points = [ord(letter) - ord("a") for letter in letters]
    return [move_of(point, image) for point in points if 0 <= point <= PASS_POINT]


def has_witnesses(mine, theirs, ko, left, move):
    """Whether some replies to a book move are in the book, too."""
    after_move = (theirs, mine, 0)
    for bit, a, b, new_ko in legal_moves(mine, theirs, ko):
        if bit == move:
            after_move = (a, b, new_ko)
    replies = legal_moves(*after_move)
    chosen = replies[:: max(1, len(replies) // WITNESSES)]
    return bool(chosen) and all(book_move(a, b, new_ko, left - 2) is not None for _, a, b, new_ko in chosen)


# The game


def read_input(path="input.txt"):
    """The colour, and the stones of Black and White on the board before and on the board now.

    Blanks, empty lines and the mark that some editors put at the start of a file do not matter, nor does what follows.
    """
    with open(path, encoding="utf-8-sig") as file:
        lines = file.read().split()[: 1 + 2 * SIZE]
    rows = lines[1:]
    good = len(lines) == 1 + 2 * SIZE and lines[0] in ("1", "2")
    if not good or any(len(row) != SIZE or row.strip("012") for row in rows):
        raise ValueError("expected a colour and two boards of 5 rows of 0, 1 and 2")
    return int(lines[0]), read_board(rows[:SIZE]), read_board(rows[SIZE:])


def read_board(rows):
    """The stones of Black and of White."""
    digits = "".join(rows)
    return tuple(sum(1 << POINTS[p] for p in range(SIZE * SIZE) if digits[p] == colour) for colour in "12")


def moves_played(colour, before, now):
    """How many moves were played, and whether all mine were from the book.

    As noted after my last move if that fits the boards; else the fewest moves that are possible.
    """
    if not before[0] | before[1]:
        if colour == 1 and not now[0] | now[1]:
            return 0, True
        if colour == 2 and not now[1] and count(now[0]) <= 1:
            return 1, True
    fewest = fewest_moves(colour, before, now)
    try:
        with open(MOVES) as file:
            noted, noted_colour, black, white, by_book = (int(word) for word in file.read(NOTE_LENGTH).split())
    except (OSError, ValueError):
        return fewest, False
    played = noted + 1
    possible = fewest <= played < LENGTH and played % 2 == fewest % 2
    if (noted_colour, black, white) == (colour, *before) and possible:
        return played, bool(by_book)
    return fewest, False


def fewest_moves(colour, before, now):
    """The fewest moves that can have led to these boards, if the game is not over.

    Every stone took a move, those that were captured by the last move too, and the opponent has moved since the board
    before. Example: with Black, 7 stones before, 4 now; White 5 before, 6 now. Black moved 7 times, and White too: 14.
    """
    mine, theirs = colour - 1, 2 - colour
    my_moves = max(count(before[mine]), count(now[mine]))
    their_moves = max(count(before[theirs]) + 1, count(now[theirs]))
    # Before a move of White, Black has made one move more than White.
    more = colour - 1
    return min(2 * max(my_moves, their_moves - more) + more, LENGTH - 2 + more)


def note_moves(played, colour, mine, theirs, by_book):
    """Note for my next move how many moves were played, the board, and whether all mine were from the book."""
    black, white = (mine, theirs) if colour == 1 else (theirs, mine)
    try:
        with open(MOVES, "w") as file:
            file.write("%d %d %d %d %d" % (played, colour, black, white, by_book))
    except OSError:
        pass


def find_ko(colour, before, now):
    """The point where I would recreate the previous board, or 0."""
    mine, theirs = now[colour - 1], now[2 - colour]
    taken = before[colour - 1] & ~mine
    if count(taken) != 1:
        return 0
    for bit, their_stones, my_stones, _ in legal_moves(mine, theirs, 0):
        if bit == taken and (my_stones, their_stones) == (before[colour - 1], before[2 - colour]):
            return taken
    return 0


def choose(mine, theirs, ko, left, target, passed, by_book=False, rng=random):
    """My move, a point's bit or PASS, and whether it is from the book; `by_book`: all my moves so far were."""
    if passed and count(mine) - count(theirs) >= target:
        return PASS, False
    legal = {move[0] for move in legal_moves(mine, theirs, ko)}
    if not legal:
        return PASS, by_book
    moves = [move for move in corridor_moves(mine, theirs, ko, left) if move in legal or move == PASS]
    if moves:
        return rng.choice(moves), True
    hint = book_move(mine, theirs, ko, left)
    if hint is not None and (hint in legal or hint == PASS):
        if by_book or (left - 2 >= book_least() and has_witnesses(mine, theirs, ko, left, hint)):
            return hint, True
    return searched_move(mine, theirs, ko, left, target, hint), False


def searched_move(mine, theirs, ko, left, target, hint=None):
    """My move without the book: a winning one if the search finds it, else the best one as far as it sees."""
    nodes, seconds = (SURE_NODES, SURE_SECONDS) if left <= SURE_LEFT else (EXACT_NODES, EXACT_SECONDS)
    search = Search(Clock(nodes, time.process_time() + seconds))
    if left <= EXACT_LEFT:
        try:
            move = search.winning_move(mine, theirs, ko, left, target, hint)
            if move is not None:
                return move
            search.clock = Clock(LOST_NODES, time.process_time() + LOST_SECONDS)
            return search.trickiest_move(mine, theirs, ko, left, target)
        except OutOfTime:
            pass
    look = Lookahead(Clock(LOOK_NODES, time.process_time() + LOOK_SECONDS), read_patterns())
    return look.choose(mine, theirs, ko, left, target, search.losing)


def any_move(mine, theirs, ko):
    """A legal move, near the centre; PASS if there is none."""
    return max((move[0] for move in legal_moves(mine, theirs, ko)), key=CENTRAL.__getitem__, default=PASS)


def complain(about, error):
    sys.stderr.write("my_player3: %s: %s\n" % (about, error))


def main():
    try:
        colour, before, now = read_input()
    except (OSError, ValueError) as error:
        complain("input.txt", error)
        return 1
    mine, theirs = now[colour - 1], now[2 - colour]
    played, by_book = moves_played(colour, before, now)
    passed = before == now and played > 0
    ko = find_ko(colour, before, now)
    try:
        move, by_book = choose(mine, theirs, ko, LENGTH - played, TARGETS[colour], passed, by_book)
    except Exception as error:
        # We know of no bug here, but a program that makes no move loses, so play anything.
        complain("any move, because of", repr(error))
        move, by_book = any_move(mine, theirs, ko), False
    text = "PASS"
    for bit, their_stones, my_stones, _ in legal_moves(mine, theirs, 0):
        if bit == move:
            mine, theirs = my_stones, their_stones
            text = "%d,%d" % divmod(POINTS.index(move.bit_length() - 1), SIZE)
    try:
        with open("output.txt", "w") as file:
            file.write(text)
    except OSError as error:
        complain("output.txt", error)
        return 1
    note_moves(played + 1, colour, mine, theirs, by_book)
    return 0


if __name__ == "__main__":
    sys.exit(main())
