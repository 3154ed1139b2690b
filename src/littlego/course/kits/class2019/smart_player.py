"""The smart player."""

from aggressive_player import AggressivePlayer, groups, near_centre
from greedy_player import largest_captures


def in_danger(go, piece_type):
    """The stones of piece_type in groups with one liberty."""
    return {stone for stones, liberties in groups(go, piece_type) if len(liberties) == 1 for stone in stones}


def rescued(go, piece_type, i, j):
    """How many stones of piece_type in danger now would be out of it after a move at (i, j)."""
    test_go = go.copy_board()
    test_go.place_chess(i, j, piece_type)
    test_go.remove_died_pieces(3 - piece_type)
    return len(in_danger(go, piece_type) - in_danger(test_go, piece_type))


class SmartPlayer(AggressivePlayer):
    """Aggressive, and saves its own stones from capture when that is worth more."""

    type = "smart"

    def choices(self, go, piece_type, points):
        """The points that save most if that is more than can be captured; else aggressive's."""
        if in_danger(go, piece_type):
            saved = {(i, j): rescued(go, piece_type, i, j) for i, j in points}
            most = max(saved.values())
            if most > largest_captures(go, piece_type, points)[0]:
                return near_centre(go, [point for point in points if saved[point] == most])
        return super().choices(go, piece_type, points)
