"""Write the two files of the game."""


def writeOutput(result, path="output.txt"):
    """Write a move: (row, column), or "PASS"."""
    text = "PASS" if result == "PASS" else f"{result[0]},{result[1]}"
    with open(path, "w") as file:
        file.write(text)


def writePass(path="output.txt"):
    """Write a pass."""
    writeOutput("PASS", path)


def writeNextInput(piece_type, previous_board, board, path="input.txt"):
    """Write what the player of piece_type (1 Black, 2 White) reads before its move."""
    rows = list(previous_board) + list(board)
    lines = [str(piece_type)] + ["".join(str(cell) for cell in row) for row in rows]
    # No newline at the end: the course's host writes none, and some agents count the characters.
    with open(path, "w", newline="\n") as file:
        file.write("\n".join(lines))
