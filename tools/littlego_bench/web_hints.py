"""Positions for the benchmark of hints: no two are symmetric, so no answer serves another."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Final

from littlego.core.position import Position

SOLVED_LEFT: Final = 10
"""Plies left in positions that are solved while the client waits."""


def openings(plies: int = 2) -> list[list[str]]:
    """Lines to every position of the first plies, including the empty board."""
    seen: set[str] = set()
    layer: list[tuple[Position, list[str]]] = [(Position.initial(), [])]
    lines: list[list[str]] = []
    for ply in range(plies + 1):
        fresh = [(position, line) for position, line in layer if _is_new(position, seen)]
        lines += [line for _, line in fresh]
        if ply < plies:
            layer = [
                (position.play_legal(move), [*line, position.move_name(move)])
                for position, line in fresh
                for move in position.legal_moves()
            ]
    return lines


def late_lines() -> Iterator[list[str]]:
    """Random lines to late positions, without end."""
    seen: set[str] = set()
    for seed in itertools.count():
        rng = random.Random(seed)
        position, line = Position.initial(), list[str]()
        while position.plies_left > SOLVED_LEFT:
            move = rng.choice(position.legal_moves()[:-1] or position.legal_moves())
            line.append(position.move_name(move))
            position = position.play_legal(move)
        if _is_new(position, seen):
            yield line


def _is_new(position: Position, seen: set[str]) -> bool:
    """Whether the position is unfinished and not symmetric to one seen before."""
    key = position.canonical()[0].key()
    if key in seen or position.outcome() is not None:
        return False
    seen.add(key)
    return True
