"""The agent against everyone, through the real referee, with each colour."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from littlego.arena.games import Opening, play_missing
from littlego.arena.match import MatchPlan, distinct_games
from littlego.arena.participants import BuiltIn, CourseAgent, Entrant
from littlego.arena.pool import Executor
from littlego.arena.store import GameResult, Store
from littlego.core.board import Colour
from littlego.core.rules import Rules, edition_rules
from littlego.course.starter import export_agent
from littlego.sandbox.client import Supervisor
from littlego.stats import Tally
from littlego.storage.scratch import temporary_directory

OPPONENTS: Final = tuple(
    BuiltIn(name)
    for name in ("random", "greedy", "aggressive", "smart", "qlearning", "alphabeta", "learner", "champion", "perfect")
)
NAME: Final = "agent"
_SEED: Final = 1


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

    def to_dict(self) -> dict[str, Any]:
        return {
            "opponent": self.opponent,
            "colour": self.colour.word,
            "games": self.tally.games,
            "wins": self.tally.wins,
            "win_rate": self.tally.win_rate,
            "interval_95": list(self.tally.interval),
            "distinct_games": self.distinct,
            "cpu_seconds": {"mean": self.cpu_mean, "p99": self.cpu_99, "most": self.cpu_most},
            "cpu_seconds_game": self.cpu_game,
        }


def run_gauntlet(
    out: Path,
    executor: Executor,
    *,
    games: int,
    opponents: Sequence[Entrant] = OPPONENTS,
    python: str | None = None,
    on_result: Callable[[GameResult], None] = lambda _result: None,
) -> list[GauntletRow]:
    """Play `games` games of the exported agent with each colour against each opponent; results are stored in `out`.

    `on_result` is called with each result of this run.
    """
    with temporary_directory("littlego-gauntlet-") as scratch:
        exported = scratch / NAME
        export_agent(exported)
        agent = CourseAgent(exported, python)
        return challenge(agent, opponents, out, executor, games=games, on_result=on_result)


def challenge(
    agent: Entrant,
    opponents: Sequence[Entrant],
    out: Path,
    executor: Executor,
    *,
    games: int,
    rules: Rules | None = None,
    openings: tuple[Opening, ...] = (),
    on_result: Callable[[GameResult], None] = lambda _result: None,
) -> list[GauntletRow]:
    """The same for any agent and rules, by default those of the newest edition, and from openings."""
    rules = rules or edition_rules()
    rows = []
    with temporary_directory("littlego-gauntlet-") as scratch, Supervisor() as supervisor:
        prepared = agent.prepare(_folder(scratch, NAME), supervisor)
        for number, opponent in enumerate(opponents):
            players = (prepared, opponent.prepare(_folder(scratch, str(number)), supervisor))
            plan = MatchPlan(NAME, opponent.name, rules, 2 * games, _SEED, openings=openings)
            job = plan.job((NAME, opponent.name), players)
            with Store[int](out / f"{opponent.name}-{plan.identity(*players)}.sqlite") as store:
                play_missing(
                    job, plan.fixtures(), store, executor, on_result=lambda _fixture, result: on_result(result)
                )
                results = [game.result for game in store.games()]
            rows += [_row(opponent.name, colour, results) for colour in Colour]
    return rows


def _folder(scratch: Path, name: str) -> Path:
    folder = scratch / name
    folder.mkdir()
    return folder


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
