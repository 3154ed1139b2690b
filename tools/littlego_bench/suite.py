"""Every benchmark in one run: what it measures, its ratios, and the numbers behind them.

Each part is measured by its own module and summarised here in the same form, for `suite_page` and for programs. A
ratio compares two things of one run, so it can be compared between machines and days; the rest cannot.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from functools import partial
from typing import Any, Final

from littlego import __version__
from littlego.core.errors import UsageError


@dataclass(frozen=True, slots=True)
class Ratio:
    """One thing relative to another."""

    what: str
    value: float
    over: str
    """The reference."""
    better: str = "higher"
    """`higher`, `lower`, or `same` for what must not change."""


@dataclass(frozen=True, slots=True)
class Bars:
    """A bar chart: one quantity of several things."""

    title: str
    unit: str
    values: dict[str, float]


@dataclass(frozen=True, slots=True)
class Part:
    """The results of one benchmark, or why there are none."""

    name: str
    title: str
    text: str
    seconds: float = 0.0
    ratios: tuple[Ratio, ...] = ()
    bars: tuple[Bars, ...] = ()
    result: dict[str, Any] = field(default_factory=dict)
    """All numbers behind them."""
    missing: str = ""
    """Why it was not measured."""


@dataclass(frozen=True, slots=True)
class Suite:
    """A whole run."""

    version: str
    python: str
    machine: str
    cores: int
    quick: bool
    parts: tuple[Part, ...]
    date: str = ""
    """Of its end."""
    load: float = 0.0
    """How many processes wanted a core, on average over its last minute: more than there are lower all rates."""


_Found = tuple[Any, list[Ratio], list[Bars]]
_VERSION: Final = 1


def run_suite(names: Sequence[str] = (), *, quick: bool = False, begin: Callable[[str], None] | None = None) -> Suite:
    """Measure the named parts, or all. `quick` takes seconds and is noisy, for trying it out.

    A part whose dependencies are not installed is listed as missing. `begin` is called with each part's name before it
    starts. Raises UsageError for a name that is not in PARTS.
    """
    for name in names:
        if name not in PARTS:
            raise UsageError(f"{name!r}: expected one of {', '.join(PARTS)}")
    parts = []
    for name, (title, text, measure) in PARTS.items():
        if names and name not in names:
            continue
        if begin:
            begin(name)
        began = time.perf_counter()
        try:
            result, ratios, bars = measure(quick)
        except ImportError as error:
            parts.append(Part(name, title, text, missing=f"{error.name or error} is not installed"))
            continue
        passed = time.perf_counter() - began
        parts.append(Part(name, title, text, passed, tuple(ratios), tuple(bars), asdict(result)))
    python = f"{platform.python_implementation()} {platform.python_version()}"
    load = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else 0.0
    machine = f"{platform.system()} {platform.machine()}"
    today = date.today().isoformat()
    return Suite(__version__, python, machine, os.cpu_count() or 1, quick, tuple(parts), today, load)


def suite_json(suite: Suite) -> dict[str, Any]:
    return {"format": "littlego-bench", "format_version": _VERSION, **asdict(suite)}


def _engine(quick: bool) -> _Found:
    from littlego_bench.engine import bench_engine

    found = bench_engine(seconds=1.0 if quick else 4.0, with_others=True)
    naive = found.naive_moves_per_second
    rates = {"naive referee": naive, "littlego.core": found.core_moves_per_second, **found.others}
    ratios = [Ratio("littlego.core", found.ratio, "naive referee")]
    ratios += [Ratio("littlego.core", found.core_moves_per_second / rate, name) for name, rate in found.others.items()]
    return found, ratios, [Bars("Moves of random 5x5 games", "moves/s", rates)]


def _referee(quick: bool) -> _Found:
    from littlego_bench.referee import RefereeBench, bench_levels, bench_referee

    found = bench_levels(moves=3) if quick else bench_referee()
    times = {"bare fork and exec": found.bare_ms, **found.level_ms}
    ratios = [Ratio(f"a move at {level}", ms / found.bare_ms, "bare fork and exec", "lower")
              for level, ms in found.level_ms.items()]  # fmt: skip
    bars = [Bars("One move of a small Python program", "ms", times)]
    if isinstance(found, RefereeBench):
        ratios += [Ratio(f"games at {level}", ratio, "shell loop") for level, ratio in found.ratio.items()]
        games = {"shell loop": found.loop_games_per_second, **found.games_per_second}
        bars.append(Bars("Games between two such programs", "games/s", games))
    return found, ratios, bars


def _solve(quick: bool) -> _Found:
    from littlego_bench.solve import bench_solve

    found = bench_solve(lengths=(14,), late=((8, 10), (10, 5)), steps=20_000_000) if quick else bench_solve()
    ratios = [
        Ratio("nodes searched", found.nodes_per_million_steps, "a million steps of a scalar loop"),
        Ratio("signature", float(found.signature), "nodes of the fixed positions", "same"),
    ]
    nodes = {line.what: line.nodes / line.positions for line in found.lines}
    return found, ratios, [Bars("Nodes a position", "nodes", nodes)]


def _agent(quick: bool) -> _Found:
    from littlego_bench.agent import bench_agent

    found = bench_agent(games=1 if quick else 6)
    times = {
        "the agent, mean": 1000 * found.cpu_seconds_mean,
        "the agent, most": 1000 * found.cpu_seconds_most,
        "a random program, mean": 1000 * found.base_cpu_seconds_mean,
    }
    ratios = [Ratio("CPU time of a move", found.ratio, "a program that plays at random", "lower")]
    return found, ratios, [Bars("CPU time a move, of 10,000 ms", "ms", times)]


def _learn(quick: bool) -> _Found:
    from littlego_bench.learn import bench_learn

    found = bench_learn(seconds=1.0 if quick else 10.0)
    rates = {"dictionary and numpy": found.plain_games_per_second, "littlego": found.compiled_games_per_second}
    own = {"patterns": found.patterns_games_per_second, "table": found.table_games_per_second}
    ratios = [
        Ratio("tic-tac-toe", found.ratio, "course-style learner"),
        Ratio("Little-Go, table", own["table"] / own["patterns"], "Little-Go, patterns"),
    ]
    bars = [Bars("Training on tic-tac-toe", "games/s", rates), Bars("Training on Little-Go", "games/s", own)]
    return found, ratios, bars


def _tournament(quick: bool) -> _Found:
    from littlego_bench.tournament import bench_tournament

    small = partial(bench_tournament, games=4, program_games=0, players=6, results=300, rounds=1)
    found = small() if quick else bench_tournament()
    named = {f"{rate.players}, {rate.where}, {rate.workers}": rate for rate in found.rates}
    ratios = [Ratio(name, rate.ratio, "in process") for name, rate in named.items() if rate.ratio != 1]
    bars = [
        Bars(f"Games of {who}", "games/s", {
            f"{rate.where}, {rate.workers}": rate.games_per_second for rate in found.rates if rate.players == who
        })
        for who in dict.fromkeys(rate.players for rate in found.rates)
    ]  # fmt: skip
    return found, ratios, bars


def _web(quick: bool) -> _Found:
    from littlego_bench.web import bench_web

    found = bench_web(people=4, results=300, seconds=0.1, rounds=1) if quick else bench_web()
    smallest = found.costs[0].what
    ratios = [Ratio(cost.what, cost.ratio, smallest) for cost in found.costs[1:]]
    rates = {cost.what: cost.requests_per_second for cost in found.costs}
    times = {cost.what: cost.median_ms for cost in found.costs}
    return found, ratios, [Bars("Requests of 16 clients", "requests/s", rates), Bars("One request", "ms", times)]


PARTS: Final[dict[str, tuple[str, str, Callable[[bool], _Found]]]] = {
    "engine": ("The rules engine", "Random games, each move drawn from all legal ones.", _engine),
    "referee": ("The referee", "What it costs to start, confine and watch a program for one move, by level.", _referee),
    "solve": ("The solver", "Fixed positions; the signature changes only when the search does.", _solve),
    "agent": ("The submission", "Games through the referee against the starter kit's random player.", _agent),
    "learn": ("Learning", "Training games against a plainly written learner with a dictionary.", _learn),
    "tournament": ("Tournaments", "The same games in process, in worker processes and on a cluster.", _tournament),
    "web": ("The web server", "A real server, asked over real connections.", _web),
}
"""By name, in the order of measurement."""
