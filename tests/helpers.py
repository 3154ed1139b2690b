"""Short ways to say what tests say often."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from littlego.arena import match
from littlego.arena.match import MatchPlan
from littlego.arena.participants import BuiltIn
from littlego.core.board import Colour, parse_board
from littlego.core.game import GameRecord
from littlego.core.points import Move, parse_move
from littlego.core.position import Position
from littlego.core.rules import Rules, edition_rules

T = TypeVar("T")


def at(diagram: str, to_move: Colour = Colour.BLACK, *, rules: Rules | None = None, moves_played: int = 0) -> Position:
    """The position of a diagram."""
    board = parse_board(diagram)
    return Position(rules or edition_rules(size=board.size), board, to_move, moves_played=moves_played)


def played(position: Position, moves: str) -> Position:
    """The position after moves such as `2,2 PASS 1,1`."""
    for text in moves.split():
        position = position.play(parse_move(text, position.size))
    return position


def random_game(rules: Rules, seed: int) -> Iterator[tuple[Position, Move]]:
    """The positions of a random game with the moves made in them; passes are rare."""
    rng = random.Random(seed)
    position = Position.initial(rules)
    while position.outcome() is None:
        moves = position.legal_moves()
        move = rng.choice(moves if rng.random() < 0.1 else moves[:-1] or moves)
        yield position, move
        position = position.play(move)


def in_a_thread(function: Callable[..., T], *args: Any, **options: Any) -> T:
    """What a function returns that runs an event loop: in this thread a browser may have left its own."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function, *args, **options).result()


def series(first: str, second: str, *, games: int, seed: int = 1, swap: bool = False) -> list[GameRecord]:
    """Games of two built-in players by the rules of the course, the first with Black unless they swap."""
    plan = MatchPlan(first, second, edition_rules(), games, seed, swap=swap)
    return list(match.played(plan, (first, second), (BuiltIn(first), BuiltIn(second))))
