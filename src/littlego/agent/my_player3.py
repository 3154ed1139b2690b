"""A Little-Go agent: a book of the opening, then exact search. Python 3.7, standard library.

Reads input.txt, writes output.txt. It uses two small files: book.txt beside it, and moves.txt, which
it writes to remember how many moves have been played. It also plays without them.

The course takes one file, so the rules, the bounds and the move order are written here a second time, and
nothing of the littlego package is imported; tests/agent compares this file with the package, move by move.

The board is an int: bit 6 * row + column, the sixth column always empty, so that a shift by one or
six reaches the neighbours and nothing else. `mine` are the stones of the side to move. A position
is won for the side to move if it can reach a margin, its stones minus the opponent's, of at least
`target`: 3 for Black, -2 for White (komi is 2.5).
"""

import binascii
import itertools
import os
import sys
import time

SIZE = 5
LENGTH = 24
ROW = SIZE + 1
POINTS = [ROW * i + j for i in range(SIZE) for j in range(SIZE)]
BOARD = sum(1 << p for p in POINTS)
PASS = 0
TARGETS = {1: 3, 2: -2}
"""The margin that wins, by colour: its stones minus the opponent's."""

EXACT_LEFT = 15
"""With at most this many plies left it searches to the end of the game."""
TRUST_LEFT = 14
"""With fewer plies left it does not trust the book, but searches."""
EXACT_NODES = 250000
"""The most nodes of an exact search."""
LOOK_NODES = 25000
"""The most nodes of a search with an evaluation, where the end is too far away."""
MOST_SECONDS = 4.0
"""The most CPU time of a search, for slow machines; the course allows 10."""

HERE = os.path.dirname(os.path.abspath(__file__))
BOOK = os.path.join(HERE, "book.txt")
MOVES = "moves.txt"


def beside(stones):
    """The points next to a set of points; may include some of them."""
    return (stones << 1 | stones >> 1 | stones << ROW | stones >> ROW) & BOARD


def count(stones):
    return bin(stones).count("1")


AROUND = {1 << p: beside(1 << p) for p in POINTS}
CENTRAL = {bit: 32 * (count(around) + (bit == 1 << 2 * ROW + 2)) for bit, around in AROUND.items()}


# The rules


def find_groups(stones, empty):
    """The groups of `stones`, each with its liberties."""
    groups = []
    while stones:
        group = stones & -stones
        while True:
            grown = (group | group << 1 | group >> 1 | group << ROW | group >> ROW) & stones
            if grown == group:
                break
            group = grown
        groups.append((group, beside(group) & empty))
        stones ^= group
    return groups


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
# The attacker has `m` moves left, the defender `q` turns. A group is captured only when all its
# liberties are filled, so groups with more than `m` liberties together are safe. A group with two
# one-point eyes always is. The defender fills liberties of its largest group, which adds a stone a
# turn, as long as that group keeps more liberties than the attacker has moves left.


def most_lost(groups, m, q, first, apart, allowed):
    """The most a defender loses against an exchange of a stone a move; may stop early above `allowed`.

    `first` is 1 if the defender is to move; `apart` are points that no group may count on.
    """
    small = []
    every = small_stones = 0
    best = best_count = second = second_count = 0
    for group, liberties in groups:
        if count(liberties) > m:
            own = liberties & ~apart
            n = count(own)
            if n > best_count:
                second, second_count, best, best_count = best, best_count, own, n
            elif n > second_count:
                second, second_count = own, n
            continue
        if liberties & liberties - 1:
            eyes = liberties & ~beside(BOARD & ~group)
            if eyes & eyes - 1:
                continue
        stones = count(group)
        small.append((liberties, stones))
        every |= liberties
        small_stones += stones
    missed = q
    filling = False
    if best_count > m:
        missed = m + first - (best_count - m - 1)
        filling = True
        if second_count > m and count(best | second) >= 2 * (m + 1):
            missed = first - (best_count - m - 1)
            filling = False
    most = min(q, max(0, missed))
    if not small:
        return most
    if len(small) > 6 or (not filling and count(every) <= m):
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


def linked(groups, m):
    """Groups joined by two common liberties, which cannot both be taken, and those points; None if there are none."""
    clusters = [(liberties, [(group, liberties)]) for group, liberties in groups]
    apart = 0
    searching = True
    while searching:
        searching = False
        for i, j in itertools.combinations(range(len(clusters)), 2):
            left, right = clusters[i][0], clusters[j][0]
            common = left & right & ~apart
            if common & common - 1 and (count(left) <= m or count(right) <= m):
                one = common & -common
                common ^= one
                apart |= one | common & -common
                clusters[i] = (left | right, clusters[i][1] + clusters[j][1])
                clusters[j] = clusters[-1]
                clusters.pop()
                searching = True
                break
    if not apart:
        return None
    joined = []
    for liberties, members in clusters:
        if count(liberties & ~apart) > m:
            joined.append((sum(group for group, _ in members), liberties & ~apart))
        else:
            joined += members
    return joined, apart


def holds(groups, m, q, first, allowed):
    """Whether a defender of `groups` loses at most `allowed` against an exchange of a stone a move."""
    if allowed < 0:
        return False
    if most_lost(groups, m, q, first, 0, allowed) <= allowed:
        return True
    if len(groups) < 2:
        return False
    found = linked(groups, m)
    return found is not None and most_lost(found[0], m, q, first, found[1], allowed) <= allowed


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
        if not self.nodes & 127 and (self.nodes <= 0 or time.process_time() > self.deadline):
            raise OutOfTime


def worth(groups, atari, two):
    """What groups are worth by stones and liberties; `atari` and `two` are what stones with 1 or 2 liberties cost."""
    value = -9 * len(groups)
    for group, liberties in groups:
        stones, n = count(group), count(liberties)
        value += 12 * stones + 8 * min(n, 9)
        if n == 1:
            value -= atari * stones
        elif n == 2:
            value -= two * stones
    return value


def standing(mine, theirs):
    """How good the board looks to the side to move."""
    empty = BOARD & ~(mine | theirs)
    return worth(find_groups(mine, empty), 2, 0) - worth(find_groups(theirs, empty), 9, 2)


def touch(bit, empty, my_groups, their_groups):
    """How good a move looks by the groups it touches, and what it captures."""
    value = CENTRAL[bit]
    captured = 0
    for group, liberties in their_groups:
        if liberties & bit:
            if liberties == bit:
                captured |= group
                continue
            value += 10
            rest = liberties & liberties - 1
            if not rest & rest - 1:
                value += 20 * count(group)
    own, liberties_after = bit, AROUND[bit] & empty
    for group, liberties in my_groups:
        if liberties & bit:
            own |= group
            liberties_after |= liberties
            rest = liberties & liberties - 1
            if not rest & rest - 1:
                value += 30 * count(group)
    liberties_after &= ~bit
    if captured:
        liberties_after |= beside(own) & captured
        value += 50 + 140 * count(captured)
    n = count(liberties_after)
    if n == 1:
        value -= 20 + 60 * count(own)
    elif n > 2:
        value += 16 * min(n, 5)
    return value, captured


def plausibility(place):
    """The weight of the answer that looks best, second best, ... (0, 1, ...)."""
    return 1.0 / (1 + place)


class Search:
    """An exact search of won and lost, with a table; raises OutOfTime as the clock does."""

    JUDGE_LEFT = 9
    """With fewer plies left, moves are ordered by what they touch alone."""
    TABLE_LEFT = 3

    def __init__(self, clock):
        self.clock = clock
        self.table = {}

    def wins(self, mine, theirs, ko, left, target):
        """Whether the side to move reaches a margin of `target`.

        Only the side that is ahead tries a pass: after a pass while behind, the opponent passes and wins.
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
        key = 0
        if left >= self.TABLE_LEFT:
            key = mine | theirs << 30 | ko << 60 | left << 90
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
        """The moves worth trying, best first; only one if that one wins by the bounds alone, unless `every`."""
        empty = BOARD & ~(mine | theirs)
        my_groups = my_groups or find_groups(mine, empty)
        their_groups = their_groups or find_groups(theirs, empty)
        legal = legal_points(empty, ko, my_groups, their_groups)
        # What I may lose after my move, against an exchange of a stone a move from there on.
        allowed = -target - (left & 1 ^ 1)
        judge = left >= self.JUDGE_LEFT
        moves = []
        while legal:
            bit = legal & -legal
            legal ^= bit
            value, captured = touch(bit, empty, my_groups, their_groups)
            their_stones, my_stones, new_ko = after(mine, theirs, bit, captured)
            if judge:
                empty_after = BOARD & ~(my_stones | their_stones)
                groups = find_groups(my_stones, empty_after)
                spare = allowed + count(my_stones) - count(their_stones)
                if not every and holds(groups, left >> 1, (left - 1) >> 1, 0, spare):
                    return [(bit, their_stones, my_stones, new_ko)]
                value -= 5 * (worth(find_groups(their_stones, empty_after), 2, 0) - worth(groups, 9, 2))
            moves.append((-value, bit, their_stones, my_stones, new_ko))
        if count(mine) - count(theirs) >= target:
            value = 120 - 5 * (worth(their_groups, 2, 0) - worth(my_groups, 9, 2)) if judge else -10000
            moves.append((-value, PASS, theirs, mine, 0))
        moves.sort()
        return [move[1:] for move in moves]

    def winning_move(self, mine, theirs, ko, left, target, hint=None):
        """A move that wins, or None if there is none; `hint` is tried first."""
        moves = self.moves(mine, theirs, ko, left, target)
        moves.sort(key=lambda move: move[0] != hint)
        for bit, a, b, new_ko in moves:
            if not self.wins(a, b, new_ko, left - 1, 1 - target):
                return bit
        return None

    def trickiest_move(self, mine, theirs, ko, left, target):
        """In a lost position: the move with the fewest winning answers, or the best found when the time is up.

        An answer that looks good counts for more: a plausible opponent chooses it.
        """
        moves = self.moves(mine, theirs, ko, left, target)
        best, best_share = moves[0][0] if moves else PASS, 2.0
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


class Lookahead:
    """Alpha-beta with an evaluation and iterative deepening until the time is up."""

    def __init__(self, clock):
        self.clock = clock

    def choose(self, mine, theirs, ko, left, target):
        """The best move as far as it sees."""
        ordered = sorted(legal_moves(mine, theirs, ko), key=lambda move: standing(move[1], move[2]))
        if not ordered:
            return PASS
        best = ordered[0][0]
        try:
            for depth in range(2, left + 1):
                best, ordered = self.root(ordered, depth, left, target)
        except OutOfTime:
            pass
        return best

    def root(self, ordered, depth, left, target):
        """The best move at a depth, and all moves with it in front."""
        alpha, best = -(10**9), ordered[0]
        for move in ordered:
            value = -self.value(move[1], move[2], move[3], depth - 1, left - 1, 1 - target, -(10**9), -alpha)
            if value > alpha:
                alpha, best = value, move
        return best[0], [best] + [move for move in ordered if move is not best]

    def value(self, mine, theirs, ko, depth, left, target, alpha, beta):
        """What the position is worth to the side to move."""
        self.clock.tick()
        if not depth or not left:
            lead = count(mine) - count(theirs) - target
            if not left:
                return (10**6 if lead >= 0 else -(10**6)) + lead
            return 100 * lead + 3 * standing(mine, theirs)
        moves = legal_moves(mine, theirs, ko)
        moves.sort(key=lambda move: count(move[1]) * 8 - CENTRAL[move[0]] / 32)
        moves.append((PASS, theirs, mine, 0))
        for _, a, b, new_ko in moves:
            value = -self.value(a, b, new_ko, depth - 1, left - 1, 1 - target, -beta, -alpha)
            if value >= beta:
                return value
            alpha = max(alpha, value)
        return alpha


# The book
#
# A function from positions to moves that does not store the positions: three words of 16 bits, found by
# hashing the position, are combined into one. Its low five bits are the point (25: pass) in the position's
# smallest image, its high eleven bits a check, which fails for nearly all positions not in the book.


def images(point):
    """Where the eight symmetries take a point, counted from 0 to 24."""
    i, j = divmod(point, SIZE)
    k, n = SIZE - 1 - i, SIZE - 1 - j
    return [SIZE * a + b for a, b in ((i, j), (i, n), (k, j), (k, n), (j, i), (j, k), (n, i), (n, k))]


IMAGES = list(zip(*[images(point) for point in range(SIZE * SIZE)]))


def plain(stones):
    """A set of points with five bits per row."""
    return sum((stones >> ROW * i & 31) << SIZE * i for i in range(SIZE))


def turned(stones, image):
    """The image of a plain set of points."""
    return sum(1 << image[point] for point in range(SIZE * SIZE) if stones >> point & 1)


def book_key(mine, theirs, ko, left):
    """The smallest key of the eight images of a position, and the symmetry that leads to it."""
    mine, theirs, ko = plain(mine), plain(theirs), plain(ko)
    keys = []
    for image in IMAGES:
        point = turned(ko, image).bit_length()
        keys.append((turned(mine, image) | turned(theirs, image) << 25 | point << 50 | left << 55, image))
    return min(keys)


def mixed(key, seed):
    """A 64-bit hash of a key."""
    mask = (1 << 64) - 1
    key = (key + seed * 0x9E3779B97F4A7C15) & mask
    key = (key ^ key >> 30) * 0xBF58476D1CE4E5B9 & mask
    key = (key ^ key >> 27) * 0x94D049BB133111EB & mask
    return key ^ key >> 31


def book_places(key, seed, part):
    """The three places of a key in a book of three parts, and its check."""
    h = mixed(key, seed)
    return (h % part, part + (h >> 20) % part, 2 * part + (h >> 40) % part), mixed(h, 1) >> 53


def book_least():
    """The fewest plies left in the book; without a book, more than a game has."""
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
                # Four characters are three bytes; a word may span two such groups.
                file.seek(start + 2 * place // 3 * 4)
                found = binascii.a2b_base64(file.read(8))[2 * place % 3 :]
                word ^= found[0] | found[1] << 8
    except (OSError, ValueError, IndexError):
        return None
    if word >> 5 != check or word & 31 > SIZE * SIZE:
        return None
    if word & 31 == SIZE * SIZE:
        return PASS
    point = image.index(word & 31)
    return 1 << POINTS[point]


# The game


def read_input(path="input.txt"):
    """The colour, and the stones of Black and White on the board before and on the board now."""
    with open(path) as file:
        lines = file.read().split("\n")
    lines = [line.strip() for line in lines[: 1 + 2 * SIZE]]
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
    """How many moves were played: as noted after my last move if that matches, else the fewest possible."""
    if not before[0] | before[1]:
        if colour == 1 and not now[0] | now[1]:
            return 0
        if colour == 2 and not now[1] and count(now[0]) <= 1:
            return 1
    try:
        with open(MOVES) as file:
            played, noted_colour, black, white = (int(word) for word in file.read().split())
        if noted_colour == colour and (black, white) == before and 0 < played < LENGTH:
            return played + 1
    except (OSError, ValueError):
        pass
    black, white = count(now[0]), count(now[1])
    fewest = 2 * max(black, white) if colour == 1 else 2 * max(black - 1, white) + 1
    return min(fewest, LENGTH - 1 if colour == 2 else LENGTH - 2)


def note_moves(played, colour, mine, theirs):
    """Note how many moves were played, with the board, for my next move."""
    black, white = (mine, theirs) if colour == 1 else (theirs, mine)
    try:
        with open(MOVES, "w") as file:
            file.write("%d %d %d %d" % (played, colour, black, white))
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


def choose(mine, theirs, ko, left, target, passed):
    """My move: a point's bit, or PASS."""
    ahead = count(mine) - count(theirs) >= target
    if passed and ahead:
        return PASS
    legal = {move[0] for move in legal_moves(mine, theirs, ko)}
    if not legal:
        return PASS
    hint = book_move(mine, theirs, ko, left)
    if hint is not None and hint not in legal and not (hint == PASS and ahead):
        hint = None
    if hint is not None and left >= TRUST_LEFT:
        return hint
    deadline = time.process_time() + MOST_SECONDS
    if left <= EXACT_LEFT:
        search = Search(Clock(EXACT_NODES, deadline))
        try:
            move = search.winning_move(mine, theirs, ko, left, target, hint)
            if move is not None:
                return move
            return search.trickiest_move(mine, theirs, ko, left, target)
        except OutOfTime:
            if hint is not None:
                return hint
    return Lookahead(Clock(LOOK_NODES, deadline)).choose(mine, theirs, ko, left, target)


def main():
    try:
        colour, before, now = read_input()
    except (OSError, ValueError) as error:
        sys.stderr.write("my_player3: input.txt: %s\n" % error)
        return 1
    mine, theirs = now[colour - 1], now[2 - colour]
    played = moves_played(colour, before, now)
    passed = before == now and played > 0
    move = choose(mine, theirs, find_ko(colour, before, now), LENGTH - played, TARGETS[colour], passed)
    text = "PASS"
    for bit, their_stones, my_stones, _ in legal_moves(mine, theirs, 0):
        if bit == move:
            mine, theirs = my_stones, their_stones
            text = "%d,%d" % divmod(POINTS.index(move.bit_length() - 1), SIZE)
    with open("output.txt", "w") as file:
        file.write(text)
    note_moves(played + 1, colour, mine, theirs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
