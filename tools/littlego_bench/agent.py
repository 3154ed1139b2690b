"""CPU time per move of our submission, against a minimal program in the same games."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from littlego.arena.entrants.kinds import CourseAgent
from littlego.arena.match.plan import MatchPlan
from littlego.arena.pool.tasks import InProcess
from littlego.arena.referee.client import Supervisor
from littlego.core.rules import edition_rules
from littlego.course.own_agent.files import export_agent
from littlego_bench.random_agent import write_random_agent


@dataclass(frozen=True, slots=True)
class AgentBench:
    """CPU times of the agent that `littlego agent export` writes, started for every move."""

    games: int
    wins: int
    moves: int
    cpu_seconds_mean: float
    cpu_seconds_most: float
    base_cpu_seconds_mean: float
    """For the starter kit's random player."""
    ratio: float
    """Of the mean CPU times."""


def bench_agent(*, games: int = 6, seed: int = 1, progress: Callable[[], None] | None = None) -> AgentBench:
    """Play `games` through the referee, with alternating colours."""
    plan = MatchPlan("agent", "base", edition_rules(), games, seed)
    agent, base, wins = list[float](), list[float](), 0
    with tempfile.TemporaryDirectory(prefix="littlego-bench-") as scratch, Supervisor() as supervisor:
        folder = Path(scratch)
        export_agent(folder / "agent")
        prepared = (
            CourseAgent(folder / "agent").prepare(folder / "built-agent", supervisor),
            write_random_agent(folder / "base").prepare(folder / "built-base", supervisor),
        )
        for fixture, result in InProcess().run(plan.job(("agent", "base"), prepared), plan.fixtures()):
            mine = plan.first_colour(fixture.key)
            agent += result.cpu_seconds[mine.word]
            base += result.cpu_seconds[mine.opponent.word]
            outcome = result.record.outcome
            wins += outcome is not None and outcome.winner is mine
            if progress:
                progress()
    return AgentBench(games, wins, len(agent), mean(agent), max(agent), mean(base), mean(agent) / mean(base))
