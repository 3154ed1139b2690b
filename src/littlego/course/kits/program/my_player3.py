"""My Little-Go agent: the largest capture, else a point near the centre.

Started once a move: reads input.txt, writes output.txt, exits. This one already plays legally.
Make it stronger in `choose`; the rest you can leave as it is.

Keep to Python 3.7, the course's newest (no `:=`, no `match`), and to its standard library.
Open files by their name alone, "book.txt": absolute paths do not exist on the course's machine.
"""

import os

SIZE = 5
EMPTY, BLACK, WHITE = 0, 1, 2


def read_input(path="input.txt"):
    """My colour, the board after my last move, and the board now."""
    with open(path) as file:
        lines = file.read().split()
    boards = [[int(digit) for digit in line] for line in lines[1:]]
    return int(lines[0]), boards[:SIZE], boards[SIZE:]


def write_output(move, path="output.txt"):
    """Write my move, (row, column) or None for a pass. Nothing else may be in this file."""
    with open(path, "w") as file:
        file.write("PASS" if move is None else f"{move[0]},{move[1]}")


def neighbours(row, column):
    """The points next to a point: up, down, left and right."""
    around = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    return [(r, c) for r, c in around if 0 <= r < SIZE and 0 <= c < SIZE]


def group_and_liberties(board, row, column):
    """The stones connected to the one here, and the empty points next to them."""
    colour = board[row][column]
    group, liberties = {(row, column)}, set()
    to_visit = [(row, column)]
    while to_visit:
        for r, c in neighbours(*to_visit.pop()):
            if board[r][c] == EMPTY:
                liberties.add((r, c))
            elif board[r][c] == colour and (r, c) not in group:
                group.add((r, c))
                to_visit.append((r, c))
    return group, liberties


def play(board, row, column, colour):
    """The board after a stone on an empty point, and how many stones it captured."""
    board = [list(line) for line in board]
    board[row][column] = colour
    captured = 0
    for r, c in neighbours(row, column):
        if board[r][c] == 3 - colour:
            group, liberties = group_and_liberties(board, r, c)
            if not liberties:
                captured += len(group)
                for stone_row, stone_column in group:
                    board[stone_row][stone_column] = EMPTY
    return board, captured


def legal_moves(colour, previous, board):
    """Every legal move as (row, column, board after it, stones captured). Passing is always legal too."""
    moves = []
    for row in range(SIZE):
        for column in range(SIZE):
            if board[row][column] != EMPTY:
                continue  # occupied
            after, captured = play(board, row, column, colour)
            if not group_and_liberties(after, row, column)[1]:
                continue  # suicide
            if after == previous:
                continue  # ko: this would bring back the board as it was before the opponent's move
            moves.append((row, column, after, captured))
    return moves


def choose(colour, previous, board):
    """My move: (row, column), or None to pass. This is the part to make stronger.

    Ideas: keep my groups from having one liberty; look at the opponent's best answer (minimax);
    remember that only stones count at the end, and that White has 2.5 extra.
    """
    moves = legal_moves(colour, previous, board)
    if not moves:
        return None

    def worth(move):
        row, column, after, captured = move
        liberties = len(group_and_liberties(after, row, column)[1])
        from_centre = abs(row - SIZE // 2) + abs(column - SIZE // 2)
        # Compared from left to right: a later number decides only between equal earlier ones.
        return captured, liberties > 1, -from_centre

    row, column, _, _ = max(moves, key=worth)
    return row, column


if __name__ == "__main__":
    os.chdir(os.path.dirname(os.path.abspath(__file__)))  # an editor may have started it in another directory
    my_colour, previous_board, current_board = read_input()
    write_output(choose(my_colour, previous_board, current_board))
