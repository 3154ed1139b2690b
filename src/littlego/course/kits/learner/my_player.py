"""A class of 2019 that plays from what it has learned, one move ahead. Python 3.7, standard library.

Lies beside little_go.py (the rules and the shapes) and model.json (what `littlego train` learned). Each valid move
leads to a board; the model says how likely the side that has just moved wins from there, by the shapes on that board,
and the class plays to the best one. The shapes are those of littlego/learn/features.py, written out again because this
runs without the littlego package; tests/agent/test_learner.py compares the two.
"""

import json
import os
import random

import little_go

MODEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "model.json")
SLACK = 0.005
"""Moves this close to an even chance are drawn with equal chances; near certainty they must be closer: a loss in 300
games is not as good as a sure win."""


class MyPlayer:
    """Plays to the board of the highest learned value; on a board of another size than the model's, for stones."""

    def __init__(self):
        self.type = "my"
        with open(MODEL) as file:
            data = json.load(file)
        self.size = data["size"]
        self.game = little_go if self.size == little_go.SIZE else little_go.for_size(self.size)
        self.model = self.game.Patterns(data)

    def __reduce__(self):
        """Kept from move to move as nothing: what it knows is in the file."""
        return MyPlayer, ()

    def get_input(self, go, piece_type):
        """The move to make, as (row, column)."""
        values = {}
        for i in range(go.size):
            for j in range(go.size):
                if go.valid_place_check(i, j, piece_type, test_check=True):
                    values[i, j] = self.value_after(go, i, j, piece_type)
        if not values:
            return "PASS"
        best = max(values.values())
        least = best - 4 * SLACK * best * (1 - best)
        return random.choice([move for move, value in values.items() if value >= least])

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
        if go.size != self.size:
            return 0.5 + lead / 100.0
        own, other = (self.stones(after.board, colour) for colour in (piece_type, 3 - piece_type))
        return self.model.value(own, other, piece_type - 1, go.n_move + 1)

    def stones(self, board, colour):
        """The stones of a colour as the bits of an int."""
        points = enumerate(self.game.POINTS)
        return sum(1 << bit for point, bit in points if board[point // self.size][point % self.size] == colour)
