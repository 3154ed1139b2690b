"""Moves per second of other engines, if installed: OpenSpiel and PettingZoo.

Their Go has no limit of moves and counts area, so games are stopped at the length of ours. The cost of a move is
compared: finding the legal moves, drawing one, playing it.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable
from typing import Any


def other_engines(size: int, rng: random.Random) -> dict[str, Callable[[], int]]:
    """By name, functions that play a random game and return its number of moves. Empty if none is installed."""
    found = {}
    for name, make in (("OpenSpiel", _open_spiel), ("PettingZoo", _petting_zoo)):
        try:
            found[name] = make(size, rng)
        except ImportError:
            continue
    return found


def _open_spiel(size: int, rng: random.Random) -> Callable[[], int]:
    game: Any = importlib.import_module("pyspiel").load_game("go", {"board_size": size, "komi": size / 2})

    def play() -> int:
        state, moves = game.new_initial_state(), 0
        while moves < size * size - 1 and not state.is_terminal():
            legal = state.legal_actions()
            state.apply_action(legal[int(rng.random() * len(legal))])
            moves += 1
        return moves

    return play


def _petting_zoo(size: int, rng: random.Random) -> Callable[[], int]:
    env: Any = importlib.import_module("pettingzoo.classic.go_v5").env(board_size=size, komi=size / 2)

    def play() -> int:
        env.reset(seed=int(rng.random() * 2**31))
        moves = 0
        while moves < size * size - 1:
            seen, _reward, terminated, truncated, _info = env.last()
            if terminated or truncated:
                break
            legal = seen["action_mask"].nonzero()[0]
            env.step(int(legal[int(rng.random() * len(legal))]))
            moves += 1
        return moves

    return play
