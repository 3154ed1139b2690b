"""My player: the largest capture, else a point near the centre. Make it stronger.

Keep the class name MyPlayer and the method get_input. Other files beside this one may help, for
instance learned Q values: open them by their name alone, "qvalues.json".
"""


class MyPlayer:
    """My Little-Go player."""

    type = "my"

    def get_input(self, go, piece_type):
        """My move (row, column) as piece_type, 1 Black or 2 White. "PASS" only if there is no valid move."""
        best_move, best_worth = "PASS", None
        for i in range(go.size):
            for j in range(go.size):
                if go.valid_place_check(i, j, piece_type, test_check=True):
                    worth = self.worth(go, i, j, piece_type)
                    if best_worth is None or worth > best_worth:
                        best_move, best_worth = (i, j), worth
        return best_move

    def worth(self, go, i, j, piece_type):
        """How good a move is; compared from left to right."""
        test_go = go.copy_board()
        test_go.place_chess(i, j, piece_type)
        captured = len(test_go.remove_died_pieces(3 - piece_type))
        from_centre = abs(i - go.size // 2) + abs(j - go.size // 2)
        return captured, -from_centre
