"""The game host: the board, the rules, and the judge that build.sh calls after every move.

    python3 host.py -m 7       judge the seventh move of a game (-v: also show the board)

reads input.txt, the position, and output.txt, the move made in it. If the game goes on, it writes
the next player's input.txt and exits with 0. If the game is over, it exits with the winner:
1 Black, 2 White. It exits with 3 if input.txt is missing or broken, which is no player's fault.

Agents may import GO from here. Python 3.6 or newer; nothing else is needed: the rules are written out here
because the kit runs without the littlego package, whose tests compare the two.
"""

import argparse
import operator
import sys
from copy import copy, deepcopy

from read import readInput, readOutput, remarkOnOutput
from write import writeNextInput

N = 5
NAMES = {1: "Black (X)", 2: "White (O)"}


class GO:
    """A game. board[i][j] is 0 (empty), 1 (Black, X) or 2 (White, O); i is the row, j the column."""

    def __init__(self, n):
        self.size = n
        self.X_move = True  # whether Black is to move; only play() keeps it up to date
        self.died_pieces = []  # what the last move captured
        self.n_move = 0  # how many moves were made
        self.max_move = n * n - 1
        self.komi = n / 2
        self.verbose = False
        self.init_board(n)

    def init_board(self, n):
        """Clear the board."""
        self.board = [[0] * n for _ in range(n)]
        self.previous_board = [[0] * n for _ in range(n)]

    def set_board(self, piece_type, previous_board, board):
        """Set the boards of input.txt. The opponent's last move captured what is missing now."""
        self.previous_board = previous_board
        self.board = board
        self.died_pieces = [
            (i, j)
            for i in range(self.size)
            for j in range(self.size)
            if previous_board[i][j] == piece_type and board[i][j] != piece_type
        ]

    def compare_board(self, board1, board2):
        """Whether two boards are the same."""
        return all(list(row1) == list(row2) for row1, row2 in zip(board1, board2))

    def copy_board(self):
        """A copy of the whole game, to try moves on."""
        return deepcopy(self)

    def detect_neighbor(self, i, j):
        """The points next to (i, j)."""
        n = len(self.board)
        around = [(i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)]
        return [(x, y) for x, y in around if 0 <= x < n and 0 <= y < n]

    def detect_neighbor_ally(self, i, j):
        """The stones next to (i, j) that have its colour."""
        return [(x, y) for x, y in self.detect_neighbor(i, j) if self.board[x][y] == self.board[i][j]]

    def ally_dfs(self, i, j):
        """The group of the stone at (i, j): every stone connected to it, itself included."""
        group, stack, seen = [], [(i, j)], {(i, j)}
        while stack:
            point = stack.pop()
            group.append(point)
            for ally in self.detect_neighbor_ally(*point):
                if ally not in seen:
                    seen.add(ally)
                    stack.append(ally)
        return group

    def find_liberty(self, i, j):
        """Whether the group of the stone at (i, j) has a liberty."""
        return any(self.board[x][y] == 0 for ally in self.ally_dfs(i, j) for x, y in self.detect_neighbor(*ally))

    def find_died_pieces(self, piece_type):
        """The stones of piece_type that have no liberty."""
        died, seen = [], set()
        for i, row in enumerate(self.board):
            for j, cell in enumerate(row):
                if cell == piece_type and (i, j) not in seen:
                    group = self.ally_dfs(i, j)
                    seen.update(group)
                    if not self.find_liberty(i, j):
                        died.extend(group)
        return sorted(died)

    def remove_died_pieces(self, piece_type):
        """Take the stones of piece_type without a liberty off the board, and return where they were."""
        died_pieces = self.find_died_pieces(piece_type)
        if died_pieces:
            self.remove_certain_pieces(died_pieces)
        return died_pieces

    def remove_certain_pieces(self, positions):
        """Take the stones at these points off the board."""
        board = self.board
        for i, j in positions:
            board[i][j] = 0
        self.update_board(board)

    def place_chess(self, i, j, piece_type):
        """Place a stone, if that is legal; say whether it was.

        What it captures stays on the board until you call remove_died_pieces(3 - piece_type).
        """
        if not self.valid_place_check(i, j, piece_type):
            return False
        self.previous_board = [list(row) for row in self.board]
        board = self.board
        board[i][j] = piece_type
        self.update_board(board)
        return True

    def valid_place_check(self, i, j, piece_type, test_check=False):
        """Whether a stone may be placed at (i, j). Says why not if verbose, unless test_check."""
        why = self.why_invalid(i, j, piece_type)
        if why and self.verbose and not test_check:
            print("Invalid placement: " + why)
        return not why

    def why_invalid(self, i, j, piece_type):
        """Why a stone may not be placed at (i, j), or "" if it may."""
        n = len(self.board)
        if not (0 <= i < n and 0 <= j < n):
            return f"{i},{j} is not on the board: rows and columns run from 0 to {n - 1}"
        if self.board[i][j] != 0:
            return f"{i},{j} is occupied"
        after = copy(self)
        after.board = [list(row) for row in self.board]
        after.board[i][j] = piece_type
        after.remove_died_pieces(3 - piece_type)
        if not after.find_liberty(i, j):
            return f"a stone at {i},{j} would have no liberty"
        if self.died_pieces and self.compare_board(self.previous_board, after.board):
            return f"{i},{j} would retake the ko at once"
        return ""

    def update_board(self, new_board):
        """Put another board in place of this one."""
        self.board = new_board

    def visualize_board(self):
        """Print the board: X for Black, O for White, nothing for an empty point."""
        n = len(self.board)
        print("-" * n * 2)
        for row in self.board:
            print(" ".join(" XO"[cell] for cell in row))
        print("-" * n * 2)

    def game_end(self, piece_type, action="MOVE"):
        """Whether the game is over after piece_type has made its move ("MOVE" or "PASS").

        It is over at the last move, and at a second pass in a row: then the board has not changed since
        this player's last move. When Black passes on the empty board, no pass came before.
        """
        if self.n_move >= self.max_move:
            return True
        if action != "PASS" or not self.compare_board(self.previous_board, self.board):
            return False
        return piece_type == 2 or any(any(row) for row in self.board)

    def score(self, piece_type):
        """How many stones of piece_type are on the board; komi is not in it."""
        return sum(list(row).count(piece_type) for row in self.board)

    def judge_winner(self):
        """Who has more, White with komi: 1, 2, or 0 for a tie, which boards of odd size never have."""
        black, white = self.score(1), self.score(2) + self.komi
        return 0 if black == white else 1 if black > white else 2

    def play(self, player1, player2, verbose=False):
        """Play a game in this process and return the winner: 1, 2, or 0 for a tie.

        A player is anything with get_input(go, piece_type) that returns (row, column) or "PASS".
        It gets a copy of the game, so that it cannot change this one. An illegal move loses.
        """
        self.init_board(self.size)
        self.X_move, self.died_pieces, self.n_move = True, [], 0
        self.verbose = verbose or "manual" in (getattr(player1, "type", ""), getattr(player2, "type", ""))
        while True:
            piece_type = 1 if self.X_move else 2
            action = (player1 if self.X_move else player2).get_input(self.copy_board(), piece_type)
            self.n_move += 1
            if not self._make(action, piece_type):
                return self._over(3 - piece_type)
            if self.verbose:
                self.visualize_board()
            if self.game_end(piece_type, "PASS" if action == "PASS" else "MOVE"):
                return self._over(self.judge_winner())
            if action == "PASS":
                self.previous_board, self.died_pieces = deepcopy(self.board), []
            self.X_move = not self.X_move

    def _make(self, action, piece_type):
        """Make a move; say whether it could be made."""
        if action == "PASS":
            return True
        try:
            i, j = (operator.index(number) for number in action)
        except (TypeError, ValueError):
            if self.verbose:
                print(f"Invalid move: expected (row, column) or 'PASS', got {action!r}")
            return False
        if not self.place_chess(i, j, piece_type):
            return False
        self.died_pieces = self.remove_died_pieces(3 - piece_type)
        return True

    def _over(self, winner):
        if self.verbose:
            print("Game over. " + (f"{NAMES[winner]} wins." if winner else "A tie."))
        return winner


def judge(n_move, verbose=False):
    """Judge move number n_move of the game in this directory; the winner, or 0 if the game goes on."""
    piece_type, previous_board, board = readInput(N)
    go = GO(N)
    go.verbose = verbose
    go.n_move = n_move
    go.set_board(piece_type, previous_board, board)

    # The rules come before the move limit: an illegal last move loses.
    try:
        action, i, j = readOutput()
        why = go.why_invalid(i, j, piece_type) if action == "MOVE" else ""
    except FileNotFoundError:
        why = "there is no output.txt"
    except (OSError, ValueError) as error:
        why = str(error)
    if why:
        print(f"{NAMES[piece_type]} loses at move {n_move}: {why}", file=sys.stderr)
        return go._over(3 - piece_type)
    remark = remarkOnOutput(action, i, j)
    if remark:
        print(f"{NAMES[piece_type]} could lose elsewhere for move {n_move}: {remark}", file=sys.stderr)

    if action == "MOVE":
        go.place_chess(i, j, piece_type)
        go.died_pieces = go.remove_died_pieces(3 - piece_type)
    if verbose:
        move = "PASS" if action == "PASS" else f"{i},{j}"
        print(f"Move {n_move}: {NAMES[piece_type]} plays {move}")
        go.visualize_board()
    if go.game_end(piece_type, action):
        if verbose:
            print(f"Stones: Black (X) {go.score(1)}, White (O) {go.score(2)} and {go.komi:g} for moving second.")
        return go._over(go.judge_winner())
    if action == "PASS":
        go.previous_board = go.board
    writeNextInput(3 - piece_type, go.previous_board, go.board)
    return 0


def yes(text):
    """The course's build.sh says `-v True`; `-v` alone is enough."""
    return text.lower() not in ("false", "0", "no")


def main():
    """Judge one move; the exit status says how it stands."""
    parser = argparse.ArgumentParser(description="Judge the move in output.txt.")
    parser.add_argument("-m", "--move", type=int, default=0, help="number of this move, counted from 1")
    parser.add_argument("-v", "--verbose", type=yes, nargs="?", const=True, default=False, help="show the board")
    options = parser.parse_args()
    try:
        sys.exit(judge(options.move, options.verbose))
    except (OSError, ValueError) as error:
        print(f"host.py: {error}", file=sys.stderr)
        sys.exit(3)


if __name__ == "__main__":
    main()
