"""A Little-Go agent that plays from what it has learned, one move ahead. Python 3.7, standard library.

Lies beside little_go.py (the rules and the files) and model.json (what `littlego train` learned). Each
legal move leads to a board; the model says how likely the side that has just moved wins from there, by the
shapes on that board, and the agent plays to the best one. The shapes are those of littlego/learn/features.py, written
out again because the agent runs without the littlego package; tests/agent/test_learner.py compares the two.
"""

import base64
import json
import math
import os
import random
import sys
import zlib
from array import array
from bisect import bisect_left

import little_go as game

MODEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "model.json")
SLACK = 0.005
"""Moves whose value is this close to the best are drawn with equal chances."""

# The shapes: coding, row, column, rows, columns. A cell is coded by what it holds:
#   7: 0 empty, 1-3 own with 1, 2, more liberties, 4-6 other with 1, 2, more
#   5: 0 empty, 1 own in atari, 2 own else, 3 other in atari, 4 other else
#   3: 0 empty, 1 own, 2 other
CODINGS = {7: (0, 1, 2, 3, 4, 5, 6), 5: (0, 1, 2, 2, 3, 4, 4), 3: (0, 1, 1, 1, 2, 2, 2)}
SHAPES = [
    (7, 0, 0, 2, 2), (7, 0, 1, 2, 2), (7, 1, 1, 2, 2), (5, 0, 0, 2, 3), (5, 0, 1, 2, 3),
    (5, 1, 0, 2, 3), (5, 1, 1, 2, 3), (3, 0, 0, 3, 3), (3, 0, 1, 3, 3), (3, 1, 1, 3, 3),
]  # fmt: skip
STAGES = 4


def placements():
    """Every shape in its eight placements: coding, offset of its weights, cells; and where the shapes end."""
    found, offset = [], 0
    for coding, row, column, rows, columns in SHAPES:
        cells = [game.SIZE * (row + i) + column + j for i in range(rows) for j in range(columns)]
        found += [(coding, offset, [image[cell] for cell in cells]) for image in game.IMAGES]
        offset += coding ** len(cells)
    return found, offset


PLACEMENTS, DIFFERENCE_OFFSET = placements()
DANGER_OFFSET = DIFFERENCE_OFFSET + 25 * (game.LENGTH + 1)
SET_SIZE = DANGER_OFFSET + 25


def unpacked(kind, text):
    """Numbers as the model keeps them: little-endian, compressed, in base64."""
    numbers = array(kind)
    numbers.frombytes(zlib.decompress(base64.b64decode(text)))
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def cell_codes(own, other):
    """What the 25 cells hold, in the finest coding."""
    codes = [0] * (game.SIZE * game.SIZE)
    empty = game.BOARD & ~(own | other)
    for stones, first in ((own, 1), (other, 4)):
        for group, liberties in game.find_groups(stones, empty):
            code = first + min(game.count(liberties), 3) - 1
            for point, place in enumerate(game.POINTS):
                if group >> place & 1:
                    codes[point] = code
    return codes


class Patterns:
    """A sum of weights of local shapes, squeezed into 0 to 1."""

    def __init__(self, data):
        self.weights = unpacked("h", data["weights"])
        self.scale = data["scale"]

    def value(self, own, other, colour, played):
        """How likely the side wins that has just made move `played`; `colour` is 0 for Black."""
        codes = cell_codes(own, other)
        base = SET_SIZE * (colour + 2 * ((played - 1) * STAGES // game.LENGTH))
        total = 0
        for coding, offset, cells in PLACEMENTS:
            table = CODINGS[coding]
            index = 0
            for cell in cells:
                index = index * coding + table[codes[cell]]
            total += self.weights[base + offset + index]
        difference = min(max(game.count(own) - game.count(other), -12), 12) + 12
        total += self.weights[base + DIFFERENCE_OFFSET + 25 * played + difference]
        total += self.weights[base + DANGER_OFFSET + 5 * min(codes.count(1), 4) + min(codes.count(4), 4)]
        return 1 / (1 + math.exp(-self.scale * total))


class Table:
    """A value for every state that was met, and an even chance for all others."""

    def __init__(self, data):
        self.keys, self.values = unpacked("q", data["keys"]), unpacked("B", data["values"])

    def value(self, own, other, _colour, played):
        """How likely the side wins that has just made move `played`."""
        own, other = game.plain(own), game.plain(other)
        best = min((game.turned(own, image), game.turned(other, image)) for image in game.IMAGES)
        key = (best[0] << 25 | best[1]) << 5 | played
        place = bisect_left(self.keys, key)
        return self.values[place] / 255 if place < len(self.keys) and self.keys[place] == key else 0.5


def read_model():
    """The model; None without one, and then the agent plays for stones alone."""
    try:
        with open(MODEL) as file:
            data = json.load(file)
        return Table(data) if data["representation"] == "table" else Patterns(data)
    except (OSError, ValueError, KeyError) as error:
        sys.stderr.write(f"my_player3: model.json: {error}\n")
        return None


def value_after(model, own, other, colour, played, passes):
    """How likely the side wins that has just made move `played`: exact if that ended the game."""
    lead = game.count(own) - game.count(other) - game.TARGETS[colour]
    if played >= game.LENGTH or passes == 2:
        return float(lead >= 0)
    if passes and lead < 0:
        return 0.0  # the opponent passes too and has won
    return model.value(own, other, colour - 1, min(played, 23)) if model else 0.5 + lead / 100.0


def main():
    """Read, choose, write."""
    try:
        colour, before, now = game.read_input()
    except (OSError, ValueError) as error:
        sys.stderr.write(f"my_player3: input.txt: {error}\n")
        return 1
    mine, theirs = now[colour - 1], now[2 - colour]
    played = game.moves_played(colour, before, now) + 1
    passed = before == now and played > 1
    model = read_model()
    moves = [(game.PASS, theirs, mine, 1 + passed)]
    for bit, a, b, _ in game.legal_moves(mine, theirs, game.find_ko(colour, before, now)):
        moves.append((bit, a, b, 0))
    values = [value_after(model, b, a, colour, played, passes) for _, a, b, passes in moves]
    close = max(values) - SLACK
    move, theirs, mine, _ = random.choice([m for m, value in zip(moves, values) if value >= close])
    text = "PASS"
    if move != game.PASS:
        text = "{},{}".format(*divmod(game.POINTS.index(move.bit_length() - 1), game.SIZE))
    with open("output.txt", "w") as file:
        file.write(text)
    game.note_moves(played, colour, mine, theirs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
