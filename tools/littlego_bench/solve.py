"""Node counts of the solver on fixed positions, and its rate against a scalar loop in the same run."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from compiling import compiled
from littlego.core.points import parse_point
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.kernel.words import spot_of
from littlego.solve.engine import Engine
from littlego.solve.oracle import least_win

LENGTHS: Final = (14, 16, 18)
"""Games from the empty board."""
RANDOM: Final = ((6, 40), (8, 40), (10, 40), (12, 20), (14, 5))
"""(plies left, number) of positions from random games."""
ODD_LEFT: Final = (14, 16, 18, 20, 22)
"""Plies left of the odd positions."""
STEPS: Final = 200_000_000
_TABLE: Final = 1 << 30
_ODD: Final = Path(__file__).with_name("odd_positions.txt")


@dataclass(frozen=True, slots=True)
class Line:
    """A set of positions."""

    what: str
    positions: int
    nodes: int
    seconds: float
    slowest: float


@dataclass(frozen=True, slots=True)
class SolveBench:
    """The signature is the number of nodes: it changes only when the search does."""

    lines: tuple[Line, ...]
    signature: int
    nodes_per_second: float
    steps_per_second: float
    nodes_per_million_steps: float
    """The rate relative to the scalar loop: comparable between machines, even busy ones."""


@compiled
def scalar_loop(steps: int) -> int:
    """A chain of dependent shifts and sums that a compiler cannot shorten."""
    x = 88172645463325252
    for _ in range(steps):
        x ^= x << 13
        x ^= x >> 7 & 0x1FFFFFFFFFFFFFF
        x ^= x << 17
    return x


def sets(
    lengths: Sequence[int] = LENGTHS, late: Sequence[tuple[int, int]] = RANDOM
) -> Iterator[tuple[str, list[Position]]]:
    rules = edition_rules()
    for length in lengths:
        yield f"empty board, {length} plies", [Position.initial(rules.but(max_moves=length))]
    for left, count in late:
        yield f"random games, {left} plies left", [random_position(left, seed) for seed in range(count)]


def odd_sets(most_left: int) -> Iterator[tuple[str, list[Position]]]:
    """The positions of odd openings with at most `most_left` plies left, in sets for tuning and sets held back."""
    text = _ODD.read_text(encoding="utf-8")
    found: dict[tuple[int, str], list[Position]] = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            left, half, *moves = line.split()
            position = Position.initial()
            for move in moves:
                position = position.play(parse_point(move, position.size))
            found.setdefault((int(left), half), []).append(position)
    for (plies, half), positions in sorted(found.items()):
        if plies <= most_left:
            yield f"odd openings, {half}, {plies} plies left", positions


def random_position(left: int, seed: int) -> Position:
    """A position from a random game of full length."""
    rng = random.Random(seed)
    position = Position.initial()
    while position.plies_left > left:
        moves = position.legal_moves()
        position = position.play_legal(rng.choice(moves[:-1] or moves))
    return position


def bench_solve(
    *,
    lengths: Sequence[int] = LENGTHS,
    late: Sequence[tuple[int, int]] = RANDOM,
    odd_left: int = 0,
    steps: int = STEPS,
    progress: Callable[[], None] | None = None,
) -> SolveBench:
    """Solve every set with a fresh table for each position, on one thread; seconds are CPU time.

    With `odd_left` the sets are the odd positions with at most that many plies left. The signature depends on the sets.
    """
    scalar_loop(1)
    _ask(random_position(4, 0))
    lines = []
    began = time.thread_time()
    scalar_loop(steps)
    scalar_seconds = time.thread_time() - began
    for what, positions in odd_sets(odd_left) if odd_left else sets(lengths, late):
        taken = [_ask(position) for position in positions]
        lines.append(
            Line(
                what,
                len(positions),
                sum(nodes for nodes, _ in taken),
                sum(seconds for _, seconds in taken),
                max(seconds for _, seconds in taken),
            )
        )
        if progress:
            progress()
    began = time.thread_time()
    scalar_loop(steps)
    scalar_seconds += time.thread_time() - began
    nodes = sum(line.nodes for line in lines)
    rate = nodes / sum(line.seconds for line in lines)
    scalar = 2 * steps / scalar_seconds
    return SolveBench(tuple(lines), nodes, rate, scalar, 1e6 * rate / scalar)


def _ask(position: Position) -> tuple[int, float]:
    engine = Engine(position.size, memory=_TABLE)
    target = least_win(position.rules, position.to_move)
    began = time.thread_time()
    engine.reaches(spot_of(position), target)
    return engine.nodes, time.thread_time() - began
