"""Moves per second of random games in the research environments, as ratios to the naive referee."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from statistics import median
from typing import Final

from littlego.apps.env.vector import VectorLittleGo
from littlego_bench.random_games import Play, core_game, drawn, naive_game, open_spiel
from littlego_bench.rates import alternate, median_ratio

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
    """Medians of alternating rounds."""

    games_at_once: int
    rows: tuple[Row, ...]
    missing: tuple[str, ...]
    """What is not installed here."""


def bench_env(
    *, games: int = 1024, seconds: float = 6.0, seed: int = 1, progress: Callable[[], None] | None = None
) -> EnvBench:
    """Play random 5x5 games for about `seconds` in every installed environment."""
    rng = random.Random(seed)
    ways: dict[str, Play] = {
        NAIVE: lambda: naive_game(SIZE, rng),
        "littlego.core": lambda: core_game(SIZE, rng),
        f"VectorLittleGo({games}), observations": _vector(games, seed),
        f"VectorLittleGo({games}, copy=False)": _vector(games, seed, copy=False),
        f"VectorLittleGo({games}).play_random": _unseen(games, seed),
    }
    missing = []
    for what, module, make in (
        ("littlego_v0 (PettingZoo)", "pettingzoo", _littlego_v0),
        ("OpenSpiel's Go", "pyspiel", open_spiel),
    ):
        if find_spec(module):
            ways[what] = make(SIZE, rng)
        else:
            missing.append(what)
    for play in ways.values():  # what is compiled is compiled now
        play()
    rates = alternate(ways, rounds=ROUNDS, seconds=seconds, progress=progress)
    rows = [Row(what, median(values), median_ratio(values, rates[NAIVE])) for what, values in rates.items()]
    return EnvBench(games, tuple(sorted(rows, key=lambda row: row.ratio)), tuple(missing))


def _vector(games: int, seed: int, *, copy: bool = True) -> Play:
    env = VectorLittleGo(games, SIZE, copy=copy)
    env.reset(seed=seed)

    def step() -> int:
        env.step(env.random_actions())
        return games

    return step


def _unseen(games: int, seed: int) -> Play:
    env = VectorLittleGo(games, SIZE)
    env.reset(seed=seed)

    def play() -> int:
        env.play_random(10)
        return 10 * games

    return play


def _littlego_v0(size: int, rng: random.Random) -> Play:
    from littlego.apps.env import littlego_v0

    env = littlego_v0.raw_env(size=size)

    def game() -> int:
        env.reset()
        while not env.terminations[env.agent_selection]:
            mask = env.observe(env.agent_selection)["action_mask"]
            env.step(int(drawn(mask.nonzero()[0].tolist(), rng)))
        return env.position.moves_played

    return game
