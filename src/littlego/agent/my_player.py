"""The submission for 2019: the class MyPlayer, a book of the opening and then a search. Python 3.7, standard library.

Beside it are little_go.py, which is our program for the later editions (its rules, bounds, book and search are used
here), book.txt and corridor.txt (openings on 5x5), and model.json and model-7x7.json (values learned in practice). It
also plays without any of these but little_go.py.

The rules of 2019 differ: nobody may pass, no earlier board may come back, and the game is over when the side to move
has no legal move. The book was made for the later rules, so its moves are good here, but not proven.
"""

import json
import math
import os
import random
import time
import zlib

import little_go

HERE = os.path.dirname(os.path.abspath(__file__))
MOVE_SECONDS = 0.18
"""CPU time a move on average: 400 games of 12 moves in 20 minutes leave 0.25 s, with the host and the opponent."""
LEAST_SHARE = 4
"""A move takes at most a fourth of the time that is left, or less with more than eight moves of mine to come: one part
of half as many as there are moves. Example: with 12 moves left a sixth."""

GAMES = {little_go.SIZE: little_go}
"""The rules by board size."""
MODELS = {}
"""What was learned, by board size: read once, None where nothing was."""


def game_of(size):
    """The rules for a board size."""
    if size not in GAMES:
        GAMES[size] = little_go.for_size(size)
    return GAMES[size]


def model_of(game):
    """What was learned for a board size, or None."""
    if game.SIZE not in MODELS:
        MODELS[game.SIZE] = None
        for name in ("model-%dx%d.json" % (game.SIZE, game.SIZE), "model.json"):
            try:
                with open(os.path.join(HERE, name)) as file:
                    MODELS[game.SIZE] = game.Patterns(json.load(file))
                break
            except (OSError, ValueError, KeyError, TypeError, zlib.error):
                pass  # missing, or of another size
    return MODELS[game.SIZE]


class MyPlayer:
    """Plays from the book while it can, and then what its search finds in the time it has."""

    def __init__(self):
        self.type = "my"
        self.seconds = 0.0
        """CPU time that is left for this game."""
        self.earlier = None
        """Every board of the game that was seen: those after my moves and those after the opponent's."""
        self.by_book = True
        """Whether all my moves so far were the book's."""

    def new_game(self, go):
        self.seconds = MOVE_SECONDS * (go.max_move - go.n_move + 1) / 2
        self.earlier = set()
        self.by_book = go.n_move < 2

    def get_input(self, go, piece_type):
        """The move to make, as (row, column)."""
        began = time.process_time()
        game = game_of(go.size)
        if go.n_move < 2 or self.earlier is None:
            self.new_game(go)
        points = [(1 << p, *divmod(k, go.size)) for k, p in enumerate(game.POINTS)]
        board = tuple(sum(bit for bit, i, j in points if go.board[i][j] == colour) for colour in (1, 2))
        mine, theirs = board[piece_type - 1], board[2 - piece_type]
        legal = {bit for bit, i, j in points if go.valid_place_check(i, j, piece_type, test_check=True)}
        if not legal:
            return "PASS"
        self.earlier.add(board)
        move = self.choose(game, go, mine, theirs, legal, piece_type)
        their_stones, my_stones = next(found[1:3] for found in game.legal_moves(mine, theirs, 0) if found[0] == move)
        self.earlier.add((my_stones, their_stones) if piece_type == 1 else (their_stones, my_stones))
        self.seconds -= time.process_time() - began
        return divmod(game.POINTS.index(move.bit_length() - 1), go.size)

    def choose(self, game, go, mine, theirs, legal, piece_type):
        """The bit of my move."""
        left = go.max_move - go.n_move
        if game.SIZE == little_go.SIZE:
            ko = sum(move[0] for move in game.legal_moves(mine, theirs, 0) if move[0] not in legal)
            move = self.book_move(mine, theirs, ko, left)
            self.by_book = move in legal
            if self.by_book:
                return move
        if len(legal) == 1:
            return min(legal)
        my_moves = (left + 1) / 2
        share = max(LEAST_SHARE, my_moves / 2)
        clock = game.Clock(game.NO_LIMIT, time.process_time() + self.seconds / share)
        look = game.Lookahead(clock, model_of(game), self.earlier)
        target = math.floor(go.komi if piece_type == 1 else -go.komi) + 1
        return look.choose(mine, theirs, 0, left, target, {1 << p for p in game.POINTS} - legal)

    def book_move(self, mine, theirs, ko, left):
        """The move of the book or of the corridor; None off the book, and where the later rules want a pass."""
        moves = little_go.corridor_moves(mine, theirs, ko, left)
        if moves:
            return random.choice(moves)
        move = little_go.book_move(mine, theirs, ko, left)
        if move is None or self.by_book:
            return move
        sure = left - 2 >= little_go.book_least() and little_go.has_witnesses(mine, theirs, ko, left, move)
        return move if sure else None
