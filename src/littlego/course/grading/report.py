"""The report of a grading as a value: points with the lines of the rubric, games, time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

from littlego.arena.match import distinct_games
from littlego.arena.store import KeptGame
from littlego.core.board import Colour
from littlego.core.game import GameRecord
from littlego.course.edition import Award, Batch, Rubric
from littlego.course.grading.plan import GradingPlan, Round, Slot
from littlego.formats.records import record_to_dict
from littlego.stats import Tally

GradedGame: TypeAlias = KeptGame[Slot]


def agent_won(game: GradedGame) -> bool | None:
    """None for a tie."""
    outcome = game.result.record.outcome
    return outcome.won_by(game.key.agent_colour) if outcome else None


def agent_cpu(game: GradedGame) -> list[float]:
    """CPU seconds of each of the agent's moves; empty for a built-in player."""
    return game.result.cpu_seconds.get(game.key.agent_colour.word, [])


@dataclass(frozen=True)
class OpponentGrade:
    """The agent's results against one opponent in one round."""

    rubric: Rubric
    planned: int
    """Games in the plan."""
    games: tuple[GradedGame, ...]
    """Games played so far, in order."""
    overrun: bool = False
    """Whether the batch exceeded its time and so scores nothing."""

    @property
    def opponent(self) -> str:
        return self.rubric.opponent

    @cached_property
    def tally(self) -> Tally:
        return Tally.of(map(agent_won, self.games))

    def tally_as(self, colour: Colour) -> Tally:
        return Tally.of(agent_won(game) for game in self.games if game.key.agent_colour is colour)

    @cached_property
    def award(self) -> Award:
        if self.overrun:
            return Award(0.0, "the batch exceeded its time: 0")
        return self.rubric.award(self.tally.wins, self.tally.games)

    @cached_property
    def records(self) -> list[GameRecord]:
        return [game.result.record for game in self.games]

    @cached_property
    def distinct(self) -> int:
        return distinct_games(self.records)

    @property
    def lost(self) -> list[GradedGame]:
        """The games that the agent did not win, ties included."""
        return [game for game in self.games if not agent_won(game)]

    @property
    def forfeits(self) -> int:
        return sum(game.result.is_forfeit for game in self.lost)

    @property
    def cpu_seconds(self) -> float:
        return sum(sum(agent_cpu(game)) for game in self.games)

    @property
    def slowest_move(self) -> float:
        return max((seconds for game in self.games for seconds in agent_cpu(game)), default=0.0)

    def to_dict(self) -> dict[str, Any]:
        """Includes the records of the games that were not won."""
        return {
            "opponent": self.opponent,
            "points": self.award.points,
            "max_points": self.rubric.max_points,
            "rubric_line": self.award.line,
            "games": self.tally.games,
            "planned_games": self.planned,
            **asdict(self.tally),
            "win_rate": self.tally.win_rate,
            "interval_95": list(self.tally.interval),
            "distinct_games": self.distinct,
            "forfeits": self.forfeits,
            "by_colour": {colour.word: _tally_dict(self.tally_as(colour)) for colour in Colour},
            "cpu_seconds": round(self.cpu_seconds, 3),
            "slowest_move_seconds": self.slowest_move,
            "lost": [lost_to_dict(game) for game in self.lost],
        }


def _tally_dict(tally: Tally) -> dict[str, Any]:
    return {"games": tally.games, "wins": tally.wins, "win_rate": tally.win_rate, "interval_95": list(tally.interval)}


def lost_to_dict(game: GradedGame) -> dict[str, Any]:
    slot, result = game.key, game.result
    outcome = result.record.outcome
    return {
        "repeat": slot.repeat + 1,
        "game": game.number,
        "place": slot.game,
        "colour": slot.agent_colour.word,
        "verdict": outcome.verdict.value if outcome else None,
        "outcome": str(outcome),
        "remarks": list(result.remarks),
        "stderr": result.capsule["stderr"] if result.capsule else "",
        "record": record_to_dict(result.record),
    }


@dataclass(frozen=True)
class BatchGrade:
    """The results of one round."""

    round: Round
    opponents: tuple[OpponentGrade, ...]
    problem: str = ""
    """Why its agent cannot play at all, such as a compiler's output; otherwise empty."""

    @property
    def batch(self) -> Batch:
        return self.round.batch

    @property
    def points(self) -> float:
        return sum(grade.award.points for grade in self.opponents)

    @property
    def played(self) -> int:
        return sum(len(grade.games) for grade in self.opponents)

    @property
    def cpu_seconds(self) -> float:
        return sum(grade.cpu_seconds for grade in self.opponents)

    @property
    def overrun(self) -> bool:
        """Whether it exceeded its time and so scores nothing."""
        return self.batch.binding and self.cpu_seconds > self.batch.budget_seconds

    @property
    def complete(self) -> bool:
        return bool(self.problem) or self.overrun or self.played == self.batch.games

    def to_dict(self) -> dict[str, Any]:
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
            "problem": self.problem,
            "opponents": [grade.to_dict() for grade in self.opponents],
        }


@dataclass(frozen=True, repr=False)
class GradeReport:
    """A grading of one agent, complete or not; `str` is the grade in a sentence."""

    plan: GradingPlan
    repeats: tuple[tuple[BatchGrade, ...], ...]
    level: str
    """How programs were isolated in the games, see `isolation_of`."""
    failures: tuple[str, ...] = ()
    """Games that could not be played because of an error on our side."""
    directory: str = ""
    runtime: str = ""
    """The agent's interpreter and its packages, or its language."""
    date: str = ""
    """When its last game was played."""
    digest: str = ""
    """Of the agent's files; empty for a built-in player."""
    lacking: tuple[str, ...] = ()
    """Modules that the agent imports and that its interpreter does not have."""
    remarks: tuple[str, ...] = ()
    """On the agent's files, as `littlego check` has them."""
    places: Mapping[int, str] = field(default_factory=dict)
    """Where in its own files the agent was when its time ran out, by the numbers of games: `my_player3.py, line 9`."""

    @property
    def best(self) -> int:
        """The repeat that counts: the one with the most points, the first of equals."""
        totals = [self.points_of(repeat) for repeat in range(len(self.repeats))]
        return totals.index(max(totals))

    def points_of(self, repeat: int) -> float:
        return sum(batch.points for batch in self.repeats[repeat])

    @property
    def problem(self) -> str:
        """Why nothing can be played, such as a compiler's output; otherwise empty."""
        problems = [batch.problem for batch in self.batches]
        return "\n".join(dict.fromkeys(problems)) if all(problems) else ""

    @property
    def earned(self) -> float:
        """Of the repeat that counts, before anything is taken off for being late."""
        return self.points_of(self.best)

    @property
    def points(self) -> float:
        """What the agent gets: what it earned, less the penalty for being late, and what the teacher changed."""
        earned = Fraction(str(round(self.earned, 9))) * self.plan.edition.late.share(self.plan.late_days)
        return max(0.0, float(earned + Fraction(str(self.plan.by_hand))))

    @property
    def max_points(self) -> float:
        return sum(batch.batch.max_points for batch in self.repeats[0])

    @property
    def batches(self) -> tuple[BatchGrade, ...]:
        """Of all repeats."""
        return tuple(batch for repeat in self.repeats for batch in repeat)

    @property
    def counted(self) -> tuple[BatchGrade, ...]:
        """Of the repeat that counts."""
        return self.repeats[self.best]

    @property
    def grades(self) -> list[OpponentGrade]:
        """Against each opponent, in the repeat that counts."""
        return [grade for batch in self.counted for grade in batch.opponents]

    @property
    def played(self) -> int:
        return sum(batch.played for batch in self.batches)

    @property
    def complete(self) -> bool:
        return all(batch.complete for batch in self.batches)

    @property
    def cpu_seconds(self) -> float:
        """In all repeats."""
        return sum(batch.cpu_seconds for batch in self.batches)

    def __str__(self) -> str:
        from littlego.course.grading.words import heading

        return heading(self)

    def __repr__(self) -> str:
        return f"<GradeReport {self}>"

    def records(self) -> list[GameRecord]:
        return [record for batch in self.batches for grade in batch.opponents for record in grade.records]

    def to_dict(self) -> dict[str, Any]:
        return {
            "agent": {
                "name": self.plan.name,
                "spelling": self.plan.agent,
                "stages": dict(self.plan.stage_agents),
            },
            "edition": self.plan.edition.name,
            "edition_digest": self.plan.edition.digest(),
            "stage": self.plan.stage,
            "seed": self.plan.seed,
            "limits": self.plan.limits.as_dict(),
            "points": self.points,
            "earned": self.earned,
            "late_days": self.plan.late_days,
            "by_hand": self.plan.by_hand,
            "note": self.plan.note,
            "max_points": self.max_points,
            "complete": self.complete,
            "problem": self.problem,
            "failures": list(self.failures),
            "games": self.played,
            "planned_games": self.plan.games,
            "counted_repeat": self.best + 1,
            "cpu_seconds": round(self.cpu_seconds, 3),
            "isolation": self.level,
            "runtime": self.runtime,
            "remarks": list(self.remarks),
            "directory": self.directory,
            "repeats": [
                {
                    "repeat": number + 1,
                    "points": self.points_of(number),
                    "batches": [batch.to_dict() for batch in batches],
                }
                for number, batches in enumerate(self.repeats)
            ],
        }


def graded_repeats(
    plan: GradingPlan, games: Mapping[Slot, GradedGame], problems: Mapping[str, str]
) -> tuple[tuple[BatchGrade, ...], ...]:
    """From those `games` that belong to the plan. `problems` says why an agent cannot be run, by its chair."""
    repeats: dict[int, list[BatchGrade]] = {}
    for each in plan.rounds():
        problem = problems.get(plan.chair(each.batch), "")
        repeats.setdefault(each.repeat, []).append(_batch_grade(each, games, problem))
    return tuple(map(tuple, repeats.values()))


def _batch_grade(each: Round, games: Mapping[Slot, GradedGame], problem: str) -> BatchGrade:
    played: list[list[GradedGame]] = [[] for _ in each.batch.rubrics]
    for slot in each.slots():
        if slot in games:
            played[slot.opponent].append(games[slot])
    grades = [
        OpponentGrade(rubric, each.batch.games_each, tuple(against))
        for rubric, against in zip(each.batch.rubrics, played, strict=True)
    ]
    batch = BatchGrade(each, tuple(grades), problem)
    return BatchGrade(each, tuple(replace(grade, overrun=True) for grade in grades)) if batch.overrun else batch
