"""You: asks for a move until it is legal. run.sh starts it once a move, and shows the board."""

import sys

from host import GO, NAMES
from read import readInput
from write import writeOutput


def show(board):
    """Print the board with the numbers of rows and columns."""
    print("   " + " ".join(str(j) for j in range(len(board))))
    for i, row in enumerate(board):
        print(f"{i:2} " + " ".join(".XO"[cell] for cell in row))


class ManualPlayer:
    """A person at the terminal."""

    type = "manual"

    def get_input(self, go, piece_type):
        """The move that was typed: (row, column), or "PASS"."""
        show(go.board)
        while True:
            typed = input(f"{NAMES[piece_type]} to move, row,column or PASS: ").strip().upper()
            if typed == "PASS":
                return "PASS"
            try:
                i, j = [int(number) for number in typed.split(",")]
            except ValueError:
                print("Type two numbers such as 2,3 (rows and columns count from 0 at the top left), or PASS.")
                continue
            why = go.why_invalid(i, j, piece_type)
            if not why:
                return i, j
            print(f"Not possible: {why}.")


if __name__ == "__main__":
    N = 5
    piece_type, previous_board, board = readInput(N)
    go = GO(N)
    go.set_board(piece_type, previous_board, board)
    try:
        writeOutput(ManualPlayer().get_input(go, piece_type))
    except (EOFError, KeyboardInterrupt):
        sys.exit("You gave up.")
