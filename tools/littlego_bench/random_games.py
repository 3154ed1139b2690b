"""Random games, each move drawn from all legal ones. Each function plays one and returns its number of moves.

OpenSpiel's Go has no limit of 24 moves and counts area, so its games are stopped at the length of ours. The cost of a
move is compared: finding the legal moves, drawing one, playing it.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego_bench.naive import NaiveGame

T = TypeVar("T")
Play = Callable[[], int]


def naive_game(size: int, rng: random.Random) -> int:
    game = NaiveGame(size)
    while not game.over():
        game.play(drawn([*game.legal(), None], rng))
    return game.moves


def core_game(size: int, rng: random.Random) -> int:
    position = Position.initial(edition_rules(size=size))
    while position.outcome() is None:
        position = position.play_legal(drawn(position.legal_moves(), rng))
    return position.moves_played


def spiel_game(state: Any, rng: random.Random) -> int:
    while not state.is_terminal():
        state.apply_action(drawn(state.legal_actions(), rng))
    return int(state.move_number())


def open_spiel(size: int, rng: random.Random) -> Play:
    """Raises ImportError where OpenSpiel is not installed."""
    rules = {"board_size": size, "komi": size / 2, "max_game_length": size * size - 1}
    game: Any = importlib.import_module("pyspiel").load_game("go", rules)
    return lambda: spiel_game(game.new_initial_state(), rng)


def drawn(moves: Sequence[T], rng: random.Random) -> T:
    """A uniformly random move."""
    return moves[int(rng.random() * len(moves))]
