"""A class of 2019 that plays from what it has learned, one move ahead. Python 3.7, standard library.

Lies beside model.json, which `littlego train` wrote. Each valid move leads to a board; the model says how likely the
side that has just moved wins from there, by the shapes on that board, and the class plays to the best one. The shapes
are those of littlego/learn/features.py, written out again because this runs without the littlego package;
tests/agent/test_learner.py compares the two.
"""

import base64
import json
import math
import os
import random
import sys
import zlib
from array import array

MODEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "model.json")
SLACK = 0.005
"""Moves whose value is this close to the best are drawn with equal chances."""
MOST_SMALL = 6
"""With up to this many groups in danger every set of them is tried; with more, all count as lost."""
LEAST_SPARE, SPARES = -8, 16
"""By how much the sure and the possible final lead exceed the one that wins: from -8 to 7."""
MOST_STONES = MOST_LIBERTIES = 8
"""Larger groups count as this large."""
GROUPS = 10
"""So many groups are looked at; missing ones have a weight of their own."""
# A cell is coded by what it holds:
#   7: 0 empty, 1-3 own with 1, 2, more liberties, 4-6 other with 1, 2, more
#   5: 0 empty, 1 own in atari, 2 own else, 3 other in atari, 4 other else
#   3: 0 empty, 1 own, 2 other
CODINGS = {7: (0, 1, 2, 3, 4, 5, 6), 5: (0, 1, 2, 2, 3, 4, 4), 3: (0, 1, 1, 1, 2, 2, 2)}


def shapes(size, kinds):
    """Every place of each block up to symmetry, as coding, row, column, rows, columns: of each set, and shared."""
    pairs, triples, fours, fives = (range((size - wide) // 2 + 1) for wide in (2, 3, 4, 5))
    found = [(7, row, column, 2, 2) for row in pairs for column in pairs if row <= column]
    found += [(5, row, column, 2, 3) for row in pairs for column in triples]
    found += [(3, row, column, 3, 3) for row in triples for column in triples if row <= column]
    found += [(3, row, column, 2, 5) for row in pairs for column in fives if "strips" in kinds]
    return found, [(3, row, column, 3, 4) for row in triples for column in fours if "oblongs" in kinds]


def images(size):
    """Where the eight symmetries take a point, as functions of row and column."""
    last = size - 1
    turned = [
        lambda r, c: (r, c),
        lambda r, c: (last - r, c),
        lambda r, c: (r, last - c),
        lambda r, c: (last - r, last - c),
    ]
    return turned + [lambda r, c, turn=turn: turn(c, r) for turn in turned]


def find_groups(board, side):
    """The groups of a side, 1 or 2: their stones, their liberties, and whether they have two one-point eyes."""
    size = len(board)
    found, seen = [], set()
    for row in range(size):
        for column in range(size):
            if board[row][column] == side and (row, column) not in seen:
                stones, liberties = find_group(board, row, column)
                seen |= stones
                eyes = [point for point in liberties if all(next_to in stones for next_to in neighbours(*point, size))]
                found.append((stones, liberties, len(eyes) > 1))
    return found


def neighbours(i, j, size):
    return [(a, b) for a, b in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)) if 0 <= a < size and 0 <= b < size]


def cell_codes(mine, theirs, size):
    """What the cells hold, in the finest coding."""
    codes = [[0] * size for _ in range(size)]
    for groups, first in ((mine, 1), (theirs, 4)):
        for stones, liberties, _ in groups:
            for i, j in stones:
                codes[i][j] = first + min(len(liberties), 3) - 1
    return codes


def most_lost(groups, turns, own_turns, is_first):
    """How many stones a side loses at most, which has `own_turns`, against a stone for each side at each turn.

    A group falls only when all its liberties are filled: groups that have more together than the attacker has turns
    are safe, and so is one with two eyes. The largest group fills its own liberties as long as it can spare them.
    """
    safe = sorted((liberties for _, liberties, _ in groups if len(liberties) > turns), key=len, reverse=True)
    small = [(len(stones), liberties) for stones, liberties, two in groups if len(liberties) <= turns and not two]
    missed, filled = own_turns, set()
    if safe:
        filled = safe[0]
        missed = is_first - (len(filled) - turns - 1)
        if len(safe) > 1 and len(filled | safe[1]) >= 2 * (turns + 1):
            filled = set()
        else:
            missed += turns
    if len(small) > MOST_SMALL:
        return sum(stones for stones, _ in small) + min(own_turns, max(0, missed))
    most, sets = 0, [(0, set())]
    for stones, liberties in small:
        sets += [(lost + stones, needed | liberties) for lost, needed in sets]
    for lost, needed in sets:
        if len(needed) <= turns:
            elsewhere = len(needed - filled) if filled else 0
            most = max(most, lost + min(own_turns, max(0, missed - elsewhere)))
    return most


def find_group(board, row, column):
    """The stones connected to a stone, and their liberties."""
    size = len(board)
    group, liberties, waiting = {(row, column)}, set(), [(row, column)]
    while waiting:
        i, j = waiting.pop()
        for a, b in neighbours(i, j, size):
            if board[a][b] == 0:
                liberties.add((a, b))
            elif board[a][b] == board[row][column] and (a, b) not in group:
                group.add((a, b))
                waiting.append((a, b))
    return group, liberties


class Patterns:
    """A sum of weights of local shapes, squeezed into 0 to 1."""

    def __init__(self, data):
        self.size, self.scale = data["size"], data["scale"]
        self.length = self.size**2 - 1
        self.weights = array("h")
        self.weights.frombytes(zlib.decompress(base64.b64decode(data["weights"])))
        if sys.byteorder == "big":
            self.weights.byteswap()
        view = data.get("view", {"stages": 4, "kinds": []})
        kinds = view["kinds"]
        self.stages = view["stages"]
        in_sets, shared = shapes(self.size, kinds)
        self.in_sets, self.differences = self.placed(in_sets, 0)
        self.dangers = self.differences + 25 * (self.length + 1)
        self.set_size = self.dangers + 25
        self.shared, end = self.placed(shared, 2 * self.stages * self.set_size)
        self.margins = self.groups = None
        self.proves = "proofs" in kinds
        if "margins" in kinds:
            self.margins = end
            end += SPARES * SPARES * (self.length + 1)
        if "groups" in kinds:
            self.groups = end
            self.no_group = end + 2 * 2 * MOST_STONES * MOST_LIBERTIES * (self.length // 2 + 1)

    def placed(self, blocks, offset):
        """Blocks in their eight images: coding, where their weights begin, cells; and where the weights of all end."""
        placements = []
        for coding, row, column, rows, columns in blocks:
            cells = [(row + i, column + j) for i in range(rows) for j in range(columns)]
            placements += [(coding, offset, [turn(*cell) for cell in cells]) for turn in images(self.size)]
            offset += coding ** len(cells)
        return placements, offset

    def value(self, board, own, played):
        """How likely the side `own`, 1 or 2, wins, which has just made move `played`."""
        mine, theirs = find_groups(board, own), find_groups(board, 3 - own)
        sure, possible = self.spares(mine, theirs, own, played)
        if self.proves and (sure >= 0 or possible < 0):
            return float(sure >= 0)
        codes = cell_codes(mine, theirs, self.size)
        base = self.set_size * (own - 1 + 2 * ((played - 1) * self.stages // self.length))
        total = 0
        for start, placements in ((base, self.in_sets), (0, self.shared)):
            for coding, offset, cells in placements:
                table = CODINGS[coding]
                index = 0
                for row, column in cells:
                    index = index * coding + table[codes[row][column]]
                total += self.weights[start + offset + index]
        flat = [code for row in codes for code in row]
        lead = sum(0 < code < 4 for code in flat) - sum(code > 3 for code in flat)
        total += self.weights[base + self.differences + 25 * played + min(max(lead, -12), 12) + 12]
        total += self.weights[base + self.dangers + 5 * min(flat.count(1), 4) + min(flat.count(4), 4)]
        if self.margins is not None:
            sure, possible = (min(max(n - LEAST_SPARE, 0), SPARES - 1) for n in (sure, possible))
            total += self.weights[self.margins + (played * SPARES + sure) * SPARES + possible]
        total += self.life(mine, theirs, played)
        return 1 / (1 + math.exp(-self.scale * total))

    def turns(self, played):
        """Those left to the other side, which moves next, and to the one that has just moved."""
        return (self.length - played + 1) // 2, (self.length - played) // 2

    def spares(self, mine, theirs, own, played):
        """By how much the final lead that is sure, and the most that is possible, are more than a win needs."""
        if not self.proves and self.margins is None:
            return 0, 0
        their_turns, my_turns = self.turns(played)
        needed = self.size // 2 + 1 if own == 1 else -(self.size // 2)
        lead = sum(len(stones) for stones, _, _ in mine) - sum(len(stones) for stones, _, _ in theirs)
        spare = lead + my_turns - their_turns - needed
        sure = spare - most_lost(mine, their_turns, my_turns, 0)
        return sure, spare + most_lost(theirs, my_turns, their_turns, 1)

    def life(self, mine, theirs, played):
        """The weights of the groups."""
        total = 0
        their_turns, my_turns = self.turns(played)
        if self.groups is not None:
            seen = [self.group_place(group, 0, their_turns) for group in mine]
            seen += [self.group_place(group, 1, my_turns) for group in theirs]
            total += sum(self.weights[place] for place in (seen + [self.no_group] * GROUPS)[:GROUPS])
        return total

    def group_place(self, group, side, turns):
        """The weight of a group that the other side has so many turns to capture."""
        stones, liberties, two_eyes = group
        kind = (2 * side + two_eyes) * MOST_STONES + min(len(stones), MOST_STONES) - 1
        kind = kind * MOST_LIBERTIES + min(len(liberties), MOST_LIBERTIES) - 1
        return self.groups + kind * (self.length // 2 + 1) + turns


class MyPlayer:
    """Plays to the board of the highest learned value; on a board of another size than the model's, for stones."""

    def __init__(self):
        self.type = "my"
        with open(MODEL) as file:
            self.model = Patterns(json.load(file))

    def get_input(self, go, piece_type):
        """The move to make, as (row, column)."""
        values = {}
        for i in range(go.size):
            for j in range(go.size):
                if go.valid_place_check(i, j, piece_type, test_check=True):
                    values[i, j] = self.value_after(go, i, j, piece_type)
        if not values:
            return "PASS"
        close = max(values.values()) - SLACK
        return random.choice([move for move, value in values.items() if value >= close])

    def value_after(self, go, i, j, piece_type):
        """How likely the side to move wins with a stone at i,j: exact if that is the last move."""
        after = go.copy_board()
        after.place_chess(i, j, piece_type)
        after.remove_died_pieces(3 - piece_type)
        lead = after.score(1) - after.score(2) - go.komi
        if piece_type == 2:
            lead = -lead
        if go.n_move + 1 >= go.max_move:
            return float(lead > 0)
        if go.size != self.model.size:
            return 0.5 + lead / 100.0
        return self.model.value(after.board, piece_type, go.n_move + 1)
