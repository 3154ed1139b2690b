"""The random player: any legal point, with equal chances; it passes when there is none."""

import random

from host import GO
from read import readInput
from write import writeOutput


class RandomPlayer:
    """Plays at random."""

    type = "random"

    def get_input(self, go, piece_type):
        """A legal move: (row, column), or "PASS"."""
        points = [
            (i, j)
            for i in range(go.size)
            for j in range(go.size)
            if go.valid_place_check(i, j, piece_type, test_check=True)
        ]
        return random.choice(points) if points else "PASS"


if __name__ == "__main__":
    N = 5
    piece_type, previous_board, board = readInput(N)
    go = GO(N)
    go.set_board(piece_type, previous_board, board)
    writeOutput(RandomPlayer().get_input(go, piece_type))
