"""Moves per second of random games in the research environments, as ratios to the naive referee."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from statistics import median
from typing import Any, Final

from littlego.apps.bench.engine import core_game, drawn, naive_game, rate
from littlego.apps.env.spiel import SpielGame, SpielState
from littlego.apps.env.vector import VectorLittleGo

ROUNDS: Final = 5
SIZE: Final = 5
NAIVE: Final = "naive referee (lists of lists)"


@dataclass(frozen=True, slots=True)
class Row:
    """One way to play random games: the medians of its rates and its ratios to the naive referee."""

    what: str
    moves_per_second: float
    ratio: float


@dataclass(frozen=True, slots=True)
class EnvBench:
    """From alternating rounds, so that noise affects all."""

    games_at_once: int
    rows: tuple[Row, ...]
    missing: tuple[str, ...]
    """What is not installed here."""


def bench_env(
    *, games: int = 1024, seconds: float = 6.0, seed: int = 1, progress: Callable[[], None] | None = None
) -> EnvBench:
    """Play random 5x5 games for about `seconds` in every installed environment. All draw from all legal moves."""
    rng = random.Random(seed)
    ways: dict[str, Callable[[], int]] = {
        NAIVE: lambda: naive_game(SIZE, rng),
        "littlego.core": lambda: core_game(SIZE, rng),
        "SpielState": lambda: _spiel_game(SpielGame().new_initial_state(), rng),
        f"VectorLittleGo({games}), observations": _vector(games, seed),
        f"VectorLittleGo({games}, copy=False)": _vector(games, seed, copy=False),
        f"VectorLittleGo({games}).play_random": _unseen(games, seed),
    }
    missing = []
    for what, module, begun in (
        ("littlego_v0 (PettingZoo)", "pettingzoo", _pettingzoo),
        ("OpenSpiel's Go", "pyspiel", _openspiel),
    ):
        if find_spec(module):
            ways[what] = begun(rng)
        else:
            missing.append(what)
    for way in ways.values():  # what is compiled is compiled now
        way()
    rates: dict[str, list[float]] = {what: [] for what in ways}
    for _ in range(ROUNDS):
        for what, way in ways.items():
            rates[what].append(rate(way, seconds / ROUNDS / len(ways)))
        if progress:
            progress()
    rows = [
        Row(what, median(found), median(fast / slow for fast, slow in zip(found, rates[NAIVE], strict=True)))
        for what, found in rates.items()
    ]
    return EnvBench(games, tuple(sorted(rows, key=lambda row: row.ratio)), tuple(missing))


def _vector(games: int, seed: int, *, copy: bool = True) -> Callable[[], int]:
    env = VectorLittleGo(games, SIZE, copy=copy)
    env.reset(seed=seed)

    def step() -> int:
        env.step(env.random_actions())
        return games

    return step


def _unseen(games: int, seed: int) -> Callable[[], int]:
    env = VectorLittleGo(games, SIZE)
    env.reset(seed=seed)

    def play() -> int:
        env.play_random(10)
        return 10 * games

    return play


def _pettingzoo(rng: random.Random) -> Callable[[], int]:
    from littlego.apps.env import littlego_v0

    env = littlego_v0.raw_env(size=SIZE)

    def game() -> int:
        env.reset()
        while not env.terminations[env.agent_selection]:
            mask = env.observe(env.agent_selection)["action_mask"]
            env.step(int(drawn(mask.nonzero()[0].tolist(), rng)))
        return env.position.moves_played

    return game


def _openspiel(rng: random.Random) -> Callable[[], int]:
    import pyspiel

    rules = {"board_size": SIZE, "komi": SIZE / 2, "max_game_length": SIZE * SIZE - 1}
    game = pyspiel.load_game("go", rules)
    return lambda: _spiel_game(game.new_initial_state(), rng)


def _spiel_game(state: SpielState | Any, rng: random.Random) -> int:
    """Play a state to its end: ours or OpenSpiel's, whose interface is the same."""
    while not state.is_terminal():
        state.apply_action(drawn(state.legal_actions(), rng))
    return int(state.move_number())
