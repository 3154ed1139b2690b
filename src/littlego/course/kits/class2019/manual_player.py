"""A person at the terminal."""

NAMES = {1: "Black (X)", 2: "White (O)"}


class ManualPlayer:
    """Asks for a move. The host checks it, and asks again if it is not valid."""

    type = "manual"

    def get_input(self, go, piece_type):
        """The move that was typed, (row, column)."""
        while True:
            typed = input(f"{NAMES[piece_type]} to move, row,column: ")
            try:
                i, j = [int(number) for number in typed.split(",")]
            except ValueError:
                print("Type two numbers such as 2,3: rows and columns count from 0 at the top left.")
            else:
                return i, j
