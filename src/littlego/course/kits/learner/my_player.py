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
STAGES = 4
# A cell is coded by what it holds:
#   7: 0 empty, 1-3 own with 1, 2, more liberties, 4-6 other with 1, 2, more
#   5: 0 empty, 1 own in atari, 2 own else, 3 other in atari, 4 other else
#   3: 0 empty, 1 own, 2 other
CODINGS = {7: (0, 1, 2, 3, 4, 5, 6), 5: (0, 1, 2, 2, 3, 4, 4), 3: (0, 1, 1, 1, 2, 2, 2)}


def shapes(size):
    """Every place of each block up to symmetry: coding, row, column, rows, columns."""
    pairs, triples = range((size - 2) // 2 + 1), range((size - 3) // 2 + 1)
    squares = [(7, row, column, 2, 2) for row in pairs for column in pairs if row <= column]
    oblongs = [(5, row, column, 2, 3) for row in pairs for column in triples]
    return squares + oblongs + [(3, row, column, 3, 3) for row in triples for column in triples if row <= column]


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


def cell_codes(board, own):
    """What the cells hold, in the finest coding; `own` is 1 or 2."""
    size = len(board)
    codes = [[0] * size for _ in range(size)]
    for row in range(size):
        for column in range(size):
            if board[row][column] and not codes[row][column]:
                group, liberties = find_group(board, row, column)
                code = (1 if board[row][column] == own else 4) + min(len(liberties), 3) - 1
                for i, j in group:
                    codes[i][j] = code
    return codes


def find_group(board, row, column):
    """The stones connected to a stone, and their liberties."""
    size = len(board)
    group, liberties, waiting = {(row, column)}, set(), [(row, column)]
    while waiting:
        i, j = waiting.pop()
        for a, b in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):
            if not (0 <= a < size and 0 <= b < size):
                continue
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
        self.placements, offset = [], 0
        for coding, row, column, rows, columns in shapes(self.size):
            cells = [(row + i, column + j) for i in range(rows) for j in range(columns)]
            self.placements += [(coding, offset, [turn(*cell) for cell in cells]) for turn in images(self.size)]
            offset += coding ** len(cells)
        self.differences = offset
        self.dangers = offset + 25 * (self.length + 1)
        self.set_size = self.dangers + 25

    def value(self, board, own, played):
        """How likely the side `own`, 1 or 2, wins, which has just made move `played`."""
        codes = cell_codes(board, own)
        base = self.set_size * (own - 1 + 2 * ((played - 1) * STAGES // self.length))
        total = 0
        for coding, offset, cells in self.placements:
            table = CODINGS[coding]
            index = 0
            for row, column in cells:
                index = index * coding + table[codes[row][column]]
            total += self.weights[base + offset + index]
        flat = [code for row in codes for code in row]
        lead = sum(0 < code < 4 for code in flat) - sum(code > 3 for code in flat)
        total += self.weights[base + self.differences + 25 * played + min(max(lead, -12), 12) + 12]
        total += self.weights[base + self.dangers + 5 * min(flat.count(1), 4) + min(flat.count(4), 4)]
        return 1 / (1 + math.exp(-self.scale * total))


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
