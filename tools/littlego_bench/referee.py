"""The cost of the referee: a move at each level over a bare exec, and games against a shell loop."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Final

from littlego.arena.building import find_python
from littlego.arena.match import MatchPlan
from littlego.arena.participants import CourseAgent, Prepared
from littlego.arena.pool import LocalPool
from littlego.arena.processes import environment_of_others
from littlego.core.rules import edition_rules
from littlego.sandbox.client import MoveRequest, Supervisor
from littlego.sandbox.limits import Level, Limits, probe
from littlego_bench.random_agent import write_random_agent

ROUNDS: Final = 3
_INPUT: Final = b"1\n" + b"\n".join([b"00000"] * 10)

# The course's loop in small: agent and host are started for every move, by the name on the PATH.
_SHELL_LOOP: Final = """
cp init/input.txt input.txt; move=0; winner=0
while [ $winner -eq 0 ]; do
    move=$((move + 1)); rm -f output.txt
    python3 my_player3.py; python3 host.py -m $move; winner=$?
done
echo $move
"""
_SHORTEST_GAME: Final = 10
"""Moves: random games are longer. An error ends the loop much sooner, as a victory would."""


@dataclass(frozen=True, slots=True)
class RefereeBench:
    """Medians of alternating rounds, in milliseconds and games per second."""

    bare_ms: float
    """A move of the same program, started with fork and exec alone."""
    level_ms: dict[str, float]
    """The same move through the supervisor, by level."""
    loop_games_per_second: float
    """A shell loop that starts agent and host for every move."""
    games_per_second: dict[str, float]
    """A match between two such programs, one game at a time, by level."""
    moves_per_second: dict[str, float]
    ratio: dict[str, float]
    """Of the match to the loop, by level."""
    jobs: int
    jobs_games_per_second: float
    """The match with one game per core at once, at the best level."""
    jobs_ratio: float


def bench_referee(*, moves: int = 20, games: int = 1, progress: Callable[[], None] | None = None) -> RefereeBench:
    """Measure with the starter kit's random player; `moves` and `games` are per round."""
    step = progress or (lambda: None)
    jobs = os.cpu_count() or 1
    with _random_agent() as folder, contextlib.ExitStack() as stack:
        supervisors = {level: stack.enter_context(Supervisor(level=level)) for level in probe().levels}
        bare, levels = _measure_moves(folder, supervisors, moves, step)
        agent = CourseAgent(folder).prepare(folder.parent / "built", supervisors[Level.PORTABLE])
        loop, parallel = [], []
        rates: dict[Level, list[tuple[float, float]]] = {level: [] for level in supervisors}
        for _ in range(ROUNDS):
            loop.append(_loop_rate(folder, games))
            for level, supervisor in supervisors.items():
                rates[level].append(_match_rates(agent, supervisor, games))
            parallel.append(_parallel_rate(agent, 4 * games * jobs, jobs))
            step()
    return RefereeBench(
        1000 * bare,
        {str(level): 1000 * seconds for level, seconds in levels.items()},
        median(loop),
        {str(level): median(rate for rate, _ in pairs) for level, pairs in rates.items()},
        {str(level): median(moves for _, moves in pairs) for level, pairs in rates.items()},
        {
            str(level): median(rate / slow for (rate, _), slow in zip(pairs, loop, strict=True))
            for level, pairs in rates.items()
        },
        jobs,
        median(parallel),
        median(fast / slow for fast, slow in zip(parallel, loop, strict=True)),
    )


@contextlib.contextmanager
def _random_agent() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="littlego-bench-") as scratch:
        yield write_random_agent(Path(scratch) / "agent").path


def _measure_moves(
    folder: Path, supervisors: dict[Level, Supervisor], moves: int, step: Callable[[], None]
) -> tuple[float, dict[Level, float]]:
    """Seconds per move: bare, and at each level."""
    python = find_python()
    argv = (str(python.path), "my_player3.py")
    (folder / "input.txt").write_bytes(_INPUT)
    bare: list[float] = []
    times: dict[Level, list[float]] = {level: [] for level in supervisors}
    # A directory each: Root gives its directory to another user.
    copies = {level: Path(shutil.copytree(folder, folder.parent / str(level))) for level in supervisors}
    for _ in range(ROUNDS):
        bare += [_timed(lambda: subprocess.run(argv, cwd=folder, check=True, env={})) for _ in range(moves)]
        for level, supervisor in supervisors.items():
            request = MoveRequest(argv, copies[level], _INPUT, Limits(), python.readable)
            times[level] += [_timed(partial(supervisor.run, request)) for _ in range(moves)]
        step()
    return median(bare), {level: median(seconds) for level, seconds in times.items()}


def _timed(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def _loop_rate(folder: Path, games: int) -> float:
    """Raises RuntimeError if the games were not played to their end."""
    loop = f"for game in $(seq {games}); do {_SHELL_LOOP} done"
    env = environment_of_others()
    began = time.perf_counter()
    done = subprocess.run(["sh", "-c", loop], cwd=folder, env=env, check=False, capture_output=True, text=True)
    passed = time.perf_counter() - began
    if min(map(int, done.stdout.split())) < _SHORTEST_GAME:
        raise RuntimeError(f"the shell loop ended after {done.stdout.split()} moves: {done.stderr[-1000:]}")
    return games / passed


def _match_rates(agent: Prepared, supervisor: Supervisor, games: int) -> tuple[float, float]:
    """Games and moves per second of a running match, one game at a time."""
    plan = _plan(games, supervisor.level)
    with plan.job(("a", "b"), (agent, agent)).open() as play:
        began = time.perf_counter()
        moves = sum(len(play(fixture).record.moves) for fixture in plan.fixtures())
        passed = time.perf_counter() - began
    return games / passed, moves / passed


def _parallel_rate(agent: Prepared, games: int, jobs: int) -> float:
    """Games per second with workers, including their start."""
    plan = _plan(games)
    job = plan.job(("a", "b"), (agent, agent))

    def play() -> None:
        with LocalPool(jobs) as pool:
            assert len(list(pool.run(job, plan.fixtures()))) == games

    return games / _timed(play)


def _plan(games: int, level: Level | None = None) -> MatchPlan:
    return MatchPlan("a", "b", edition_rules(), games, 1, level=level)
