"""The cost of tournaments: games per second here and on a cluster, bytes per game, standings with very many results."""

from __future__ import annotations

import contextlib
import json
import os
import random
import resource
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from types import SimpleNamespace
from typing import Any, Final

from littlego.arena.games import Fixture, GamesJob
from littlego.arena.match import MatchPlan
from littlego.arena.participants import BuiltIn, Prepared, travelling
from littlego.arena.pool import InProcess, LocalPool
from littlego.arena.processes import own_python
from littlego.arena.store import RESULTS, GameResult
from littlego.arena.tournament import plan as plans
from littlego.arena.tournament.folder import GameKey, Participant, TournamentStore
from littlego.core.rules import edition_rules
from littlego.sandbox.client import Supervisor
from littlego_bench.local_cluster import local_cluster
from littlego_bench.random_agent import write_random_agent

ROUNDS: Final = 3
STEPS: Final = ROUNDS + 2
"""How often `progress` is called."""
_WORKERS: Final = (1, 2)
_BLACK_EDGE: Final = 50
_EMPTY_TASKS: Final = 200


@dataclass(frozen=True, slots=True)
class Rate:
    """Games per second of running workers."""

    where: str
    workers: int
    players: str
    games_per_second: float
    ratio: float
    """To the first rate of the same players, by round."""


@dataclass(frozen=True, slots=True)
class Standings:
    """`littlego tournament show` with a large store."""

    players: int
    results: int
    seconds: float
    """The whole command, including its start."""
    cpu_seconds: float
    """The same in CPU time, unaffected by a busy machine."""
    peak_mib: float
    store_mib: float
    """Without the records of the games, which standings do not read."""


@dataclass(frozen=True, slots=True)
class TournamentBench:
    """Medians of alternating rounds."""

    rates: list[Rate]
    cpu_seconds_per_game: dict[str, float]
    """By kind of player: referee, supervisor and programs together."""
    cluster_overhead_ms: float | None
    """The extra cost of a game on a cluster of one worker over one worker process; None without Dask."""
    cluster_tasks_per_second: float | None
    """The largest cluster with empty tasks: the limit of the client and the scheduler."""
    kept_per_second: float
    """Games stored per second, one transaction each."""
    bytes_per_game: dict[str, float]
    """In the store, by kind of player."""
    standings: Standings


def bench_tournament(
    *,
    games: int = 60,
    program_games: int = 4,
    players: int = 500,
    results: int = 1_000_000,
    rounds: int = ROUNDS,
    progress: Callable[[], None] | None = None,
) -> TournamentBench:
    """Measure with `smart` against `greedy`, and with the starter kit's random player as a program.

    With `program_games` 0 programs are left out.
    """
    step = progress or (lambda: None)
    with tempfile.TemporaryDirectory(prefix="littlego-bench-") as scratch, contextlib.ExitStack() as stack:
        folder = Path(scratch)
        built_in = _job((BuiltIn("smart"), BuiltIn("greedy")))
        program = _job((agent := _random_agent(folder), agent))
        clusters = _clusters(stack)
        measured: dict[tuple[str, int, str], list[float]] = {}
        empty: list[float] = []
        cpu: dict[str, list[float]] = {}
        kept: dict[str, list[GameResult]] = {}
        for _ in range(rounds):
            for where, workers, who, play in _ways(built_in, program, games, program_games, clusters):
                used = _cpu_seconds()
                rate, played = _rate(play(), workers)
                if where == _IN_PROCESS:  # elsewhere the start of workers would count too
                    cpu.setdefault(who, []).append((_cpu_seconds() - used) / len(played))
                measured.setdefault((where, workers, who), []).append(rate)
                kept.setdefault(who, played)
            if clusters:
                largest = max(clusters)
                empty.append(_rate(clusters[largest].run(_NOTHING, range(_EMPTY_TASKS)), largest)[0])
            step()
        kept_rate, sizes = _store(folder, kept)
        step()
        standings = _standings(folder / "large", players, results)
        step()
    at_most = median(empty) if empty else None
    spent = {who: median(values) for who, values in cpu.items()}
    return TournamentBench(_rates(measured), spent, _overhead(measured), at_most, kept_rate, sizes, standings)


_IN_PROCESS: Final = "in process"
_POOL: Final = "worker processes"
_CLUSTER: Final = "cluster"
_BUILT_IN: Final = "built-in players"
_PROGRAMS: Final = "programs"

_Play = Callable[[], Generator[Any, None, None]]


def _ways(
    built_in: GamesJob, program: GamesJob, games: int, program_games: int, clusters: dict[int, Any]
) -> list[tuple[str, int, str, _Play]]:
    """Everything measured, in the order of a round."""
    return [
        (_IN_PROCESS, 1, _BUILT_IN, partial(InProcess().run, built_in, _fixtures(games))),
        *((_POOL, number, _BUILT_IN, partial(_pool, built_in, games * number, number)) for number in _WORKERS),
        *(
            (_CLUSTER, number, _BUILT_IN, partial(cluster.run, built_in, _fixtures(games * number)))
            for number, cluster in clusters.items()
        ),
        *(
            [(_IN_PROCESS, 1, _PROGRAMS, partial(InProcess().run, program, _fixtures(program_games)))]
            if program_games
            else []
        ),
        *(
            (_POOL, number, _PROGRAMS, partial(_pool, program, program_games * number, number))
            for number in _WORKERS
            if program_games
        ),
    ]


def _pool(job: GamesJob, games: int, workers: int) -> Generator[Any, None, None]:
    with LocalPool(workers) as pool:
        yield from pool.run(job, _fixtures(games))


_NOTHING: Final = SimpleNamespace(open=partial(contextlib.nullcontext, int))
"""A job with empty tasks. Made of the standard library alone, since a cluster's workers cannot import this module."""


def _rate(games: Generator[Any, None, None], workers: int) -> tuple[float, list[Any]]:
    """Games per second once every worker has had time to start, and the games."""
    played, began = [], 0.0
    for number, (_, game) in enumerate(games):
        played.append(game)
        if number == workers - 1:
            began = time.perf_counter()
    return (len(played) - workers) / (time.perf_counter() - began), played


def _cpu_seconds() -> float:
    """Of this process and all its ended children."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _job(prepared: tuple[Prepared, Prepared]) -> GamesJob:
    return _plan(0).job(("a", "b"), prepared)


def _fixtures(games: int) -> list[Fixture[int]]:
    return _plan(games).fixtures()


def _plan(games: int) -> MatchPlan:
    return MatchPlan("a", "b", edition_rules(), games, 1)


def _random_agent(folder: Path) -> Prepared:
    agent = write_random_agent(folder / "agent")
    with Supervisor() as supervisor:
        return travelling(agent, agent.prepare(folder / "built", supervisor))


def _clusters(stack: contextlib.ExitStack) -> dict[int, Any]:
    """Clusters on this machine by number of workers; none if Dask is not installed."""
    from littlego.arena.cluster import Cluster

    with contextlib.suppress(ImportError):
        import distributed  # noqa: F401 - whether it is there

        sizes = [workers for workers in _WORKERS if workers <= (os.cpu_count() or 1)]
        return {workers: stack.enter_context(Cluster(stack.enter_context(local_cluster(workers)).address))
                for workers in sizes}  # fmt: skip
    return {}


def _rates(measured: dict[tuple[str, int, str], list[float]]) -> list[Rate]:
    rates, first = [], dict[str, list[float]]()
    for (where, workers, who), values in measured.items():
        base = first.setdefault(who, values)
        ratio = median(value / one for value, one in zip(values, base, strict=True))
        rates.append(Rate(where, workers, who, median(values), ratio))
    return rates


def _overhead(measured: dict[tuple[str, int, str], list[float]]) -> float | None:
    there = measured.get((_CLUSTER, 1, _BUILT_IN))
    here = measured[_POOL, 1, _BUILT_IN]
    if there is None:
        return None
    return median(1000 / far - 1000 / near for far, near in zip(there, here, strict=True))


def _store(folder: Path, kept: dict[str, list[GameResult]]) -> tuple[float, dict[str, float]]:
    """Games stored per second, and bytes per game by kind of player."""
    sizes, seconds, stored = {}, 0.0, 0
    for who, games in kept.items():
        path = folder / f"{who}.sqlite"
        with TournamentStore(path) as store:
            empty = _size(path)
            began = time.perf_counter()
            # Several times over, so that pages that are half full do not count.
            rows = [(k, number) for k in range(1 + 400 // len(games)) for number in range(len(games))]
            for k, number in rows:
                store.add(GameKey(2 * k + 1, 2 * k + 2, number), games[number])
            seconds += time.perf_counter() - began
        sizes[who] = (_size(path) - empty) / len(rows)
        stored += len(rows)
    return stored / seconds, sizes


def _size(path: Path) -> int:
    """Of a store, with everything written to its main file."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        pages, size = (database.execute(f"PRAGMA {what}").fetchone()[0] for what in ("page_count", "page_size"))
    return int(pages) * int(size)


def fill_with_results(folder: Path, players: int, results: int) -> None:
    """Make a tournament with stored results but without records of the games."""
    names = [f"player-{number}" for number in range(players)]
    folder.mkdir(parents=True)
    plan = plans.TournamentPlan(plans.Format.ROUND_ROBIN, 1 + results // (players * (players - 1) // 2))
    (folder / plans.FILE).write_text(plans.write_plan(plan))
    with TournamentStore(folder / RESULTS) as store:
        joined = [store.join(name, "random", fingerprint=name, spelling="random") for name in names]
        store.note(settled=plan.settled())
    with contextlib.closing(sqlite3.connect(folder / RESULTS)) as database, database:
        database.executemany(
            "INSERT INTO games (key, black, white, winner, verdict, forfeit, moves) VALUES (?, ?, ?, ?, 'score', 0, ?)",
            _results(joined, results),
        )


def _standings(folder: Path, players: int, results: int) -> Standings:
    fill_with_results(folder, players, results)
    began = time.perf_counter()
    command = own_python("littlego", "tournament", "show", str(folder), "--json")
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} failed")
    passed, cpu = time.perf_counter() - began, usage.ru_utime + usage.ru_stime
    return Standings(players, results, passed, cpu, usage.ru_maxrss / 1024, _size(folder / RESULTS) / 2**20)


def _results(players: list[Participant], results: int) -> Iterator[tuple[str, str, str, int, int]]:
    """Rows of games between players of random strength: round robin, again and again."""
    rng = random.Random(1)
    strength = [rng.gauss(0, 300) for _ in players]
    made = 0
    for game in range(results):
        for i, black in enumerate(players):
            for j, white in enumerate(players):
                if i == j:
                    continue
                if made == results:
                    return
                made += 1
                chance = 1 / (1 + 10 ** (-(strength[i] - strength[j] + _BLACK_EDGE) / 400))
                key = json.dumps([black.id, white.id, game])
                yield key, black.name, white.name, 1 if rng.random() < chance else 2, rng.getrandbits(62)
