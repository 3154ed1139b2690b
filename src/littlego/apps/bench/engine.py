"""Moves per second of random games, for the naive twin and for `core`."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import TypeVar

from littlego.apps.bench.naive import NaiveGame
from littlego.apps.bench.others import other_engines
from littlego.core.position import Position
from littlego.core.rules import edition_rules

ROUNDS = 7

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class EngineBench:
    """Medians over alternating rounds, so that noise affects both."""

    size: int
    naive_moves_per_second: float
    core_moves_per_second: float
    ratio: float
    """The median of the rounds' ratios."""
    others: dict[str, float] = field(default_factory=dict)
    """Moves per second of other installed engines, by name."""


def bench_engine(
    *,
    size: int = 5,
    seconds: float = 4.0,
    seed: int = 1,
    with_others: bool = False,
    progress: Callable[[], None] | None = None,
) -> EngineBench:
    """Play random games for about `seconds`, half with each engine. Both draw from all legal moves.

    `with_others` also measures other installed engines, each for as long again.
    """
    each = seconds / ROUNDS / 2
    rng = random.Random(seed)
    naive, core = [], []
    others = other_engines(size, rng) if with_others else {}
    rates: dict[str, list[float]] = {name: [] for name in others}
    for _ in range(ROUNDS):
        naive.append(rate(lambda: naive_game(size, rng), each))
        core.append(rate(lambda: core_game(size, rng), each))
        for name, game in others.items():
            rates[name].append(rate(game, each))
        if progress:
            progress()
    ratios = [fast / slow for fast, slow in zip(core, naive, strict=True)]
    return EngineBench(
        size, median(naive), median(core), median(ratios), {name: median(values) for name, values in rates.items()}
    )


def rate(play_game: Callable[[], int], seconds: float) -> float:
    """Moves per second of a function that plays moves and returns how many, called for `seconds`."""
    moves, began = 0, time.perf_counter()
    while (passed := time.perf_counter() - began) < seconds:
        moves += play_game()
    return moves / passed


def naive_game(size: int, rng: random.Random) -> int:
    """Play a random game with the naive referee; returns the number of moves."""
    game = NaiveGame(size)
    while not game.over():
        game.play(drawn([*game.legal(), None], rng))
    return game.moves


def core_game(size: int, rng: random.Random) -> int:
    """Play a random game with `core`; returns the number of moves."""
    position = Position.initial(edition_rules(size=size))
    while position.outcome() is None:
        position = position.play_legal(drawn(position.legal_moves(), rng))
    return position.moves_played


def drawn(moves: Sequence[T], rng: random.Random) -> T:
    """A uniformly random move."""
    return moves[int(rng.random() * len(moves))]
