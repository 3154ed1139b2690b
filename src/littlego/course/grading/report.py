"""What a grading found, as a value: points with the line of the rubric, games, time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from littlego.arena.match.standings import distinct_games
from littlego.arena.results import GameResult, KeptGame
from littlego.core.colour import Colour
from littlego.core.game import GameRecord
from littlego.course.grading.plan import GradingPlan, Round, Slot
from littlego.course.grading.rubric import Award, Batch, Rubric
from littlego.formats.records import record_to_dict
from littlego.stats import Tally

if TYPE_CHECKING:
    from littlego.review.regret import Regret


Game: TypeAlias = KeptGame[Slot]


def agent_won(game: Game) -> bool | None:
    """Whether the agent won a game; None for a tie."""
    outcome = game.result.record.outcome
    if outcome is None or outcome.winner is None:
        return None
    return outcome.winner is game.key.agent_colour


def agent_cpu(game: Game) -> list[float]:
    """The CPU time of each of the agent's moves in a game; empty for a built-in player."""
    return game.result.cpu_seconds.get(game.key.agent_colour.name.lower(), [])


@dataclass(frozen=True)
class OpponentGrade:
    """How the agent did against one opponent in one playing of a batch."""

    rubric: Rubric
    planned: int
    """Games to be played."""
    games: tuple[Game, ...]
    """Games played, in order."""
    overrun: bool = False
    """Whether the batch took too long, which scores nothing."""

    @property
    def opponent(self) -> str:
        """The opponent's name."""
        return self.rubric.opponent

    @cached_property
    def tally(self) -> Tally:
        """Wins, losses and ties."""
        return Tally.of(map(agent_won, self.games))

    def tally_as(self, colour: Colour) -> Tally:
        """The same with one colour."""
        return Tally.of(agent_won(game) for game in self.games if game.key.agent_colour is colour)

    @cached_property
    def award(self) -> Award:
        """The points and why."""
        if self.overrun:
            return Award(0.0, "the batch took too long: 0")
        return self.rubric.award(self.tally.wins, self.tally.games)

    @cached_property
    def records(self) -> list[GameRecord]:
        """The games as such."""
        return [game.result.record for game in self.games]

    @cached_property
    def distinct(self) -> int:
        """How many different games there are among them."""
        return distinct_games(self.records)

    @property
    def lost(self) -> list[Game]:
        """The games that the agent did not win."""
        return [game for game in self.games if not agent_won(game)]

    @property
    def forfeits(self) -> int:
        """How many of these it lost by its own fault."""
        return sum(game.result.is_forfeit for game in self.lost)

    @property
    def cpu_seconds(self) -> float:
        """The agent's CPU time in all."""
        return sum(sum(agent_cpu(game)) for game in self.games)

    @property
    def slowest_move(self) -> float:
        """The most CPU time that a move took."""
        return max((seconds for game in self.games for seconds in agent_cpu(game)), default=0.0)

    def to_dict(self) -> dict[str, Any]:
        """As JSON values; of the games, those that were not won."""
        return {
            "opponent": self.opponent,
            "points": self.award.points,
            "max_points": self.rubric.max_points,
            "rubric_line": self.award.line,
            "games": self.tally.games,
            "planned_games": self.planned,
            "wins": self.tally.wins,
            "losses": self.tally.losses,
            "ties": self.tally.ties,
            "win_rate": self.tally.win_rate,
            "interval_95": list(self.tally.interval),
            "distinct_games": self.distinct,
            "forfeits": self.forfeits,
            "by_colour": {colour.name.lower(): _tally_dict(self.tally_as(colour)) for colour in Colour},
            "cpu_seconds": round(self.cpu_seconds, 3),
            "slowest_move_seconds": self.slowest_move,
            "lost": [lost_to_dict(game) for game in self.lost],
        }


def _tally_dict(tally: Tally) -> dict[str, Any]:
    return {"games": tally.games, "wins": tally.wins, "win_rate": tally.win_rate, "interval_95": list(tally.interval)}


def lost_to_dict(game: Game) -> dict[str, Any]:
    """A game as JSON values, with its verdict at the top."""
    slot, result = game.key, game.result
    outcome = result.record.outcome
    return {
        "id": slot.number,
        "repeat": slot.repeat + 1,
        "game": slot.game + 1,
        "colour": slot.agent_colour.name.lower(),
        "verdict": outcome.verdict.value if outcome else None,
        "outcome": str(outcome),
        "remarks": list(result.remarks),
        "stderr": result.capsule["stderr"] if result.capsule else "",
        "record": record_to_dict(result.record),
    }


@dataclass(frozen=True)
class BatchGrade:
    """One playing of a batch."""

    round: Round
    opponents: tuple[OpponentGrade, ...]

    @property
    def batch(self) -> Batch:
        """What was played."""
        return self.round.batch

    @property
    def points(self) -> float:
        """Points of all opponents."""
        return sum(grade.award.points for grade in self.opponents)

    @property
    def played(self) -> int:
        """Games played."""
        return sum(len(grade.games) for grade in self.opponents)

    @property
    def cpu_seconds(self) -> float:
        """The agent's CPU time in all."""
        return sum(grade.cpu_seconds for grade in self.opponents)

    @property
    def overrun(self) -> bool:
        """Whether it took too long, and scores nothing."""
        return self.batch.binding and self.cpu_seconds > self.batch.budget_seconds

    @property
    def complete(self) -> bool:
        """Whether nothing is left to be played."""
        return self.overrun or self.played == self.batch.games

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "stage": self.batch.key,
            "title": self.batch.title,
            "points": self.points,
            "max_points": self.batch.max_points,
            "complete": self.complete,
            "cpu_seconds": round(self.cpu_seconds, 3),
            "budget_seconds": self.batch.budget_seconds,
            "budget_binding": self.batch.binding,
            "overrun": self.overrun,
            "opponents": [grade.to_dict() for grade in self.opponents],
        }


@dataclass(frozen=True)
class GradeReport:
    """A grading of one agent, whole or as far as it got."""

    plan: GradingPlan
    repeats: tuple[tuple[BatchGrade, ...], ...]
    level: str
    """How programs were kept in their place, in a line."""
    problem: str = ""
    """Why the agent cannot play at all, such as a compiler's words; empty when it can."""
    failures: tuple[str, ...] = ()
    """Games that could not be played through our own fault."""
    directory: str = ""
    regret: Regret | None = None
    """Won positions that were thrown away, in all repeats; advisory, and no part of the points."""

    @property
    def best(self) -> int:
        """The repeat that counts: the one with most points, the first of equals."""
        totals = [self.points_of(repeat) for repeat in range(len(self.repeats))]
        return totals.index(max(totals))

    def points_of(self, repeat: int) -> float:
        """The points of one repeat."""
        return sum(batch.points for batch in self.repeats[repeat])

    @property
    def points(self) -> float:
        """The points that count."""
        return self.points_of(self.best)

    @property
    def max_points(self) -> float:
        """The points that could be had."""
        return sum(batch.batch.max_points for batch in self.repeats[0])

    @property
    def batches(self) -> tuple[BatchGrade, ...]:
        """All batches of all repeats."""
        return tuple(batch for repeat in self.repeats for batch in repeat)

    @property
    def counted(self) -> tuple[BatchGrade, ...]:
        """The batches of the repeat that counts."""
        return self.repeats[self.best]

    @property
    def played(self) -> int:
        """Games played."""
        return sum(batch.played for batch in self.batches)

    @property
    def complete(self) -> bool:
        """Whether nothing is left to be played."""
        return bool(self.problem) or all(batch.complete for batch in self.batches)

    @property
    def cpu_seconds(self) -> float:
        """The agent's CPU time in all repeats."""
        return sum(batch.cpu_seconds for batch in self.batches)

    def records(self) -> list[GameRecord]:
        """Every game played."""
        return [record for batch in self.batches for grade in batch.opponents for record in grade.records]

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "agent": {"name": self.plan.name, "spelling": self.plan.agent},
            "edition": self.plan.edition,
            "stage": self.plan.stage,
            "seed": self.plan.seed,
            "limits": self.plan.limits.as_dict(),
            "points": self.points,
            "max_points": self.max_points,
            "complete": self.complete,
            "problem": self.problem,
            "failures": list(self.failures),
            "games": self.played,
            "planned_games": self.plan.games,
            "counted_repeat": self.best + 1,
            "cpu_seconds": round(self.cpu_seconds, 3),
            "isolation": self.level,
            "directory": self.directory,
            "repeats": [
                {
                    "repeat": number + 1,
                    "points": self.points_of(number),
                    "batches": [batch.to_dict() for batch in batches],
                }
                for number, batches in enumerate(self.repeats)
            ],
            "regret": self._regret_dict(),
        }

    def _regret_dict(self) -> dict[str, Any] | None:
        """The regret as JSON values, its mistakes with the ids of their games."""
        if self.regret is None:
            return None
        ids = [game.key.number for batch in self.batches for grade in batch.opponents for game in grade.games]
        data = self.regret.to_dict()
        data["mistakes"] = [
            {"id": ids[mistake["game"]], **{key: value for key, value in mistake.items() if key != "game"}}
            for mistake in data["mistakes"]
        ]
        return data


def make_report(
    plan: GradingPlan,
    results: Mapping[Slot, GameResult],
    *,
    level: str,
    problem: str = "",
    failures: Sequence[str] = (),
    directory: str = "",
) -> GradeReport:
    """The report of those `results` that belong to the plan."""
    repeats: dict[int, list[BatchGrade]] = {}
    for each in plan.rounds():
        repeats.setdefault(each.repeat, []).append(_batch_grade(each, results))
    return GradeReport(plan, tuple(map(tuple, repeats.values())), level, problem, tuple(failures), directory)


def _batch_grade(each: Round, results: Mapping[Slot, GameResult]) -> BatchGrade:
    played: list[list[Game]] = [[] for _ in each.batch.rubrics]
    for slot in each.slots():
        if slot in results:
            played[slot.opponent].append(KeptGame(slot, results[slot]))
    used = sum(sum(agent_cpu(game)) for games in played for game in games)
    overrun = each.batch.binding and used > each.batch.budget_seconds
    return BatchGrade(
        each,
        tuple(
            OpponentGrade(rubric, each.batch.games_each, tuple(games), overrun)
            for rubric, games in zip(each.batch.rubrics, played, strict=True)
        ),
    )
