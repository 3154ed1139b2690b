"""The greedy player."""

from random_player import RandomPlayer


def captures(go, piece_type, i, j):
    """How many stones piece_type would capture at (i, j). Tries it on a copy of the game."""
    test_go = go.copy_board()
    test_go.place_chess(i, j, piece_type)
    return len(test_go.remove_died_pieces(3 - piece_type))


def largest_captures(go, piece_type, points):
    """How many stones one move can capture at most, and the points that do."""
    captured = {(i, j): captures(go, piece_type, i, j) for i, j in points}
    most = max(captured.values())
    return most, [point for point in points if captured[point] == most]


class GreedyPlayer(RandomPlayer):
    """The largest capture, equal ones with equal chances; without one, any valid point."""

    type = "greedy"

    def choices(self, go, piece_type, points):
        """The points of the largest capture; all points if nothing can be captured."""
        return dict.fromkeys(largest_captures(go, piece_type, points)[1], 1)
