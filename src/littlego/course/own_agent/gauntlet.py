"""The agent against everyone, through the real referee, with each colour."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from littlego.arena.entrants.kinds import BuiltIn, CourseAgent
from littlego.arena.match.plan import MatchPlan
from littlego.arena.match.run import run_match
from littlego.arena.match.standings import distinct_games
from littlego.arena.match.store import MatchStore
from littlego.arena.pool.local import LocalPool
from littlego.arena.referee.client import Supervisor
from littlego.arena.results import GameResult
from littlego.core.colour import Colour
from littlego.core.rules import edition_rules
from littlego.course.own_agent.files import export_agent
from littlego.stats import Tally

OPPONENTS: Final = (
    "random",
    "greedy",
    "aggressive",
    "smart",
    "qlearning",
    "alphabeta",
    "learner",
    "champion",
    "perfect",
)
NAME: Final = "agent"


@dataclass(frozen=True, slots=True)
class GauntletRow:
    """The agent's results against one opponent with one colour."""

    opponent: str
    colour: Colour
    tally: Tally
    distinct: int
    cpu_mean: float
    cpu_99: float
    cpu_most: float
    cpu_game: float
    """Mean CPU seconds a game."""


def run_gauntlet(
    out: Path,
    *,
    games: int,
    jobs: int,
    opponents: tuple[str, ...] = OPPONENTS,
    python: str | None = None,
    seed: int = 1,
    on_result: Callable[[GameResult], None] = lambda _result: None,
) -> list[GauntletRow]:
    """Play `games` games with each colour against each opponent; results are stored in `out`.

    `on_result` is called with each result of this run.
    """
    rows = []
    with tempfile.TemporaryDirectory(prefix="littlego-gauntlet-") as scratch:
        exported = Path(scratch) / NAME
        export_agent(exported)
        with Supervisor() as supervisor:
            prepared = CourseAgent(exported, python).prepare(Path(scratch) / "built", supervisor)
        with LocalPool(jobs) as pool:
            for opponent in opponents:
                plan = MatchPlan(NAME, opponent, edition_rules(), 2 * games, seed)
                players = (prepared, BuiltIn(opponent))
                job = plan.job((NAME, opponent), players)
                with MatchStore[int](out / f"{opponent}-{plan.identity(*players)}.sqlite") as store:
                    run_match(plan, job, store, pool, on_result=lambda _number, result: on_result(result))
                    results = [game.result for game in store.games()]
                rows += [_row(opponent, colour, results) for colour in Colour]
    return rows


def _row(opponent: str, colour: Colour, results: list[GameResult]) -> GauntletRow:
    played = [result for result in results if result.record.player(colour) == NAME]
    outcomes = [result.record.outcome for result in played if result.record.outcome]
    times = sorted(seconds for result in played for seconds in result.cpu_seconds[colour.word])
    return GauntletRow(
        opponent,
        colour,
        Tally.of(outcome.won_by(colour) for outcome in outcomes),
        distinct_games([result.record for result in played]),
        sum(times) / len(times),
        times[int(0.99 * (len(times) - 1))],
        times[-1],
        sum(times) / len(played),
    )
