"""The game of 2019: the board, the rules, and the host that plays two players in one process.

No passing; a move may not bring back any earlier board of the game; the game ends when the player
to move has no valid move, or after n*n-1 moves. Python 3.6 or newer; nothing else is needed: the rules are
written out here because the kit runs without the littlego package, whose tests compare the two.
"""

import operator
from copy import copy, deepcopy

ATTEMPTS = 100  # how often a player is asked for a valid move before it loses
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
        """Clear the board, and forget earlier boards."""
        self.board = [[0] * n for _ in range(n)]
        self.previous_board = [[0] * n for _ in range(n)]
        self.earlier_boards = ()  # every board before this one, as text: cheap to copy and to compare

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
        """Place a stone, if that is valid; say whether it was.

        What it captures stays on the board until you call remove_died_pieces(3 - piece_type).
        Try moves on copy_board(), not on the game you were given.
        """
        if not self.valid_place_check(i, j, piece_type):
            return False
        self.earlier_boards += (self._as_text(),)
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
        if after._as_text() in self.earlier_boards:
            return f"{i},{j} would bring back an earlier board (ko)"
        return ""

    def _as_text(self):
        return "".join(str(cell) for row in self.board for cell in row)

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

    def game_end(self, piece_type):
        """Whether the game is over before piece_type moves: at the move limit, or if it has no valid move."""
        if self.n_move >= self.max_move:
            return True
        n = len(self.board)
        return not any(self.valid_place_check(i, j, piece_type, True) for i in range(n) for j in range(n))

    def score(self, piece_type):
        """How many stones of piece_type are on the board; komi is not in it."""
        return sum(list(row).count(piece_type) for row in self.board)

    def judge_winner(self):
        """Who has more, White with komi: 1, 2, or 0 for a tie, which boards of odd size never have."""
        black, white = self.score(1), self.score(2) + self.komi
        return 0 if black == white else 1 if black > white else 2

    def play(self, player1, player2, verbose=False):
        """Play a game and return the winner: 1, 2, or 0 for a tie.

        A player is anything with get_input(go, piece_type) that returns (row, column). It gets a
        copy of the game, so that it cannot change this one. After an invalid move it is asked
        again; after 100 it loses. A manual player makes the game verbose.
        """
        self.init_board(self.size)
        self.X_move, self.died_pieces, self.n_move = True, [], 0
        self.verbose = verbose or "manual" in (getattr(player1, "type", ""), getattr(player2, "type", ""))
        if self.verbose:
            self.visualize_board()
        while True:
            piece_type = 1 if self.X_move else 2
            if self.game_end(piece_type):
                return self._over(self.judge_winner())
            if not self._moved(player1 if self.X_move else player2, piece_type):
                return self._over(3 - piece_type)
            if self.verbose:
                self.visualize_board()
            self.n_move += 1
            self.X_move = not self.X_move

    def _moved(self, player, piece_type):
        """Ask a player until it makes a valid move; False if it never does."""
        return any(self._make(player.get_input(self.copy_board(), piece_type), piece_type) for _ in range(ATTEMPTS))

    def _make(self, action, piece_type):
        """Make a move; say whether it could be made."""
        try:
            i, j = (operator.index(number) for number in action)
        except (TypeError, ValueError):
            if self.verbose:
                print(f"Invalid move: expected (row, column), got {action!r}")
            return False
        if not self.place_chess(i, j, piece_type):
            return False
        self.died_pieces = self.remove_died_pieces(3 - piece_type)
        return True

    def _over(self, winner):
        if self.verbose:
            print("Game over. " + (f"{NAMES[winner]} wins." if winner else "A tie."))
        return winner
