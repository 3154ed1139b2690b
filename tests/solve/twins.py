"""The slow, obvious twins of the solver: plain minimax on `core`, with both passes and no bounds."""

from __future__ import annotations

import random

from littlego.core.board import Colour
from littlego.core.position import Position
from littlego.core.rules import Rules, edition_rules
from littlego.kernel.words import Spot


def difference(position: Position) -> int:
    """The stones of the side to move minus the opponent's."""
    board = position.board
    return board.stones(position.to_move).bit_count() - board.stones(position.to_move.opponent).bit_count()


def minimax(position: Position, memory: dict[Position, int] | None = None) -> int:
    """The margin of the side to move at the end with best play, by trying everything."""
    memory = {} if memory is None else memory
    if position.outcome() is not None:
        return difference(position)
    if position not in memory:
        memory[position] = max(-minimax(position.play_legal(move), memory) for move in position.legal_moves())
    return memory[position]


def black_margin(position: Position) -> int:
    """The same as Black's stones minus White's."""
    return minimax(position) if position.to_move is Colour.BLACK else -minimax(position)


def random_position(size: int, left: int, seed: int, *, passes: float = 0.05) -> Position:
    """A position of a random game with so many plies left, never after a pass; stones lie at random."""
    rng = random.Random(seed)
    length = max(left, rng.randrange(left, max(left + 1, size * size)))
    rules = Rules(size=size, komi=size / 2, max_moves=length)
    while True:
        position = Position.initial(rules)
        while position.plies_left > left:
            moves = position.legal_moves()
            position = position.play_legal(rng.choice(moves if rng.random() < passes else moves[:-1] or moves))
        if not position.passes:
            return position


def typical_position(left: int, seed: int) -> Position:
    """A position of a random game of full length on 5x5."""
    rng = random.Random(seed)
    while True:
        position = Position.initial(edition_rules())
        while position.plies_left > left:
            moves = position.legal_moves()
            position = position.play_legal(rng.choice(moves[:-1] or moves))
        if not position.passes:
            return position


def spot(position: Position) -> Spot:
    """The kernel's view, worked out point by point."""
    size = position.size
    place = {point: 5 * (point // size) + point % size for point in range(size * size)}
    stones = [
        sum(1 << place[p] for p in place if position.board.at(p) is colour)
        for colour in (position.to_move, position.to_move.opponent)
    ]
    return Spot(stones[0], stones[1], -1 if position.ko is None else place[position.ko], position.plies_left)
