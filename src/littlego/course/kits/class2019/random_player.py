"""The random player."""

import random


def valid_points(go, piece_type):
    """Every point where piece_type may place a stone, row by row."""
    n = go.size
    return [(i, j) for i in range(n) for j in range(n) if go.valid_place_check(i, j, piece_type, test_check=True)]


class RandomPlayer:
    """Any valid point, with equal chances."""

    type = "random"

    def get_input(self, go, piece_type):
        """A valid move (row, column), or "PASS" if there is none."""
        points = valid_points(go, piece_type)
        if not points:
            return "PASS"
        weights = self.choices(go, piece_type, points)
        return random.choices(list(weights), list(weights.values()))[0]

    def choices(self, go, piece_type, points):
        """Those of the valid `points` that it may play, each with its weight."""
        return dict.fromkeys(points, 1)
