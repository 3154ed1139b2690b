"""The games of a grading, each with its own slot.

A slot names the repeat, the batch, the opponent and the game, so stage 1, stage 2 and the games of "submit" share a
directory, and each can be continued.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from littlego.arena.games import Chair, Fixture, GamesJob, Identified, run_identity
from littlego.arena.participants import BuiltIn, CourseAgent, Prepared
from littlego.core.board import Colour
from littlego.core.errors import UsageError
from littlego.core.game import derive_seed
from littlego.core.rules import Rules
from littlego.course.classes import ClassAgent
from littlego.course.edition import Batch, Edition, Scheme
from littlego.formats.records import rules_to_dict
from littlego.sandbox.limits import Level, Limits


@dataclass(frozen=True)
class StagedAgent:
    """The agents of a submission, by the folder of their stage. A stage without an agent scores nothing."""

    path: Path
    agents: Mapping[str, CourseAgent | ClassAgent]

    @property
    def spelling(self) -> str:
        """Of the folder with all of them; a stage's agent has its own folder added."""
        return str(self.path.absolute())

    @property
    def name(self) -> str:
        return self.path.absolute().name

    def made_with(self) -> str:
        """The tools of all of them; needs no build. Raises UsageError."""
        return json.dumps({folder: agent.made_with() for folder, agent in self.agents.items()})


AGENT: Final = ""
"""The chair of the graded agent; no opponent has this name. An agent for one stage has a slash and its folder."""


def is_agent(chair: object) -> bool:
    """Whether a chair is the graded agent's, and not an opponent's."""
    return chair == AGENT or str(chair).startswith("/")


class Slot(NamedTuple):
    """A game's place in a grading; every part counts from 0."""

    repeat: int
    batch: int
    """Index in the edition's scheme."""
    opponent: int
    """Index in the batch."""
    game: int

    @property
    def agent_colour(self) -> Colour:
        """Black in games 0, 2, 4, ..."""
        return Colour.WHITE if self.game % 2 else Colour.BLACK


@dataclass(frozen=True, slots=True)
class Round:
    """A batch in one repeat: the games that share a time budget."""

    repeat: int
    index: int
    """The batch's index in the edition's scheme."""
    batch: Batch

    def slots(self) -> list[Slot]:
        return [
            Slot(self.repeat, self.index, opponent, game)
            for opponent in range(len(self.batch.rubrics))
            for game in range(self.batch.games_each)
        ]


@dataclass(frozen=True, slots=True)
class GradingPlan:
    """Everything that decides a grading. An equal plan is the same grading and continues it."""

    agent: str
    """The agent's spelling."""
    name: str
    """Its name in tables and records; not an opponent's."""
    edition: Edition
    stage: str
    seed: int = 1
    limits: Limits = dataclasses.field(default_factory=Limits)
    level: Level | None = None
    repeats: int | None = None
    """None for the edition's own number."""
    stage_agents: tuple[tuple[str, str], ...] = ()
    """Folders and spellings of the agents of a submission that has one for each stage."""
    late_days: int = 0
    by_hand: float = 0.0
    """Points that the teacher adds, or takes off."""
    note: str = ""
    """Why, for the report."""

    def __post_init__(self) -> None:
        self.scheme.selected(self.stage)
        if self.repeats is not None and not 1 <= self.repeats <= 9:
            raise UsageError(f"{self.repeats} repeats: expected 1 to 9")
        if self.late_days < 0:
            raise UsageError(f"{self.late_days} days late: expected 0 or more")
        if self.late_days and not self.edition.late.days:
            raise UsageError(f"edition {self.edition.name} says nothing about late submissions")

    @property
    def scheme(self) -> Scheme:
        return self.edition.scheme

    @property
    def rules(self) -> Rules:
        return self.edition.rules()

    def rounds(self) -> list[Round]:
        """In the order of play."""
        chosen = self.scheme.selected(self.stage)
        repeats = self.repeats or self.scheme.repeats_of(self.stage)
        return [Round(repeat, self.scheme.batches.index(batch), batch) for repeat in range(repeats) for batch in chosen]

    @property
    def games(self) -> int:
        return sum(each.batch.games for each in self.rounds())

    def identity(self, *agents: Identified) -> str:
        """A short hash of everything that decides the games: rules, limits, opponents, and the agent's files.

        The same for another stage or number of repeats, which continue the grading, for other points, and wherever the
        files are.
        """
        return run_identity(
            agents,
            edition=self.edition.name,
            rules=rules_to_dict(self.rules),
            opponents=[
                [batch.key, [[rubric.opponent, rubric.files or rubric.spelling] for rubric in batch.rubrics]]
                for batch in self.scheme.batches
            ],
            opponents_run_as=[self.edition.default_python, self.edition.like],
            chairs=[self.chair(batch) for batch in self.scheme.batches],
            seed=self.seed,
            limits=self.limits.as_dict(),
            level=str(self.level),
        )

    def question(self, *agents: Identified) -> str:
        """A short hash of everything that decides the report, beyond `identity`: the edition, name, stage, repeats."""
        return run_identity(
            agents,
            identity=self.identity(*agents),
            edition=self.edition.digest(),
            name=self.name,
            stage=self.stage,
            repeats=self.repeats,
            late=self.late_days,
            by_hand=[self.by_hand, self.note],
        )

    def chair(self, batch: Batch) -> str:
        """The chair of the agent that plays a batch."""
        return f"/{batch.folder}" if self.stage_agents else AGENT

    def fixtures(self, each: Round) -> list[Fixture[Slot]]:
        """An opponent's chair is its name."""
        agent = self.chair(each.batch)
        fixtures = []
        for slot in each.slots():
            opponent = each.batch.rubrics[slot.opponent].opponent
            seed = derive_seed(self.seed, "grade", slot.repeat, each.batch.key, opponent)
            black, white = (agent, opponent) if slot.agent_colour is Colour.BLACK else (opponent, agent)
            fixtures.append(Fixture(slot, black, white, derive_seed(seed, "game", slot.game)))
        return fixtures

    def job(self, agents: Mapping[str, Prepared], opponents: Mapping[str, Prepared]) -> GamesJob:
        """`agents` are by chair; `opponents`, by name, are those that are not built in."""
        chairs = {
            name: Chair(name, opponents.get(name) or BuiltIn(rubric.spelling), rubric.spelling)
            for name, rubric in self.scheme.rubrics().items()
        }
        spellings = {AGENT: self.agent, **{f"/{folder}": spelling for folder, spelling in self.stage_agents}}
        graded = {chair: Chair(self.name, prepared, spellings[chair]) for chair, prepared in agents.items()}
        return GamesJob(self.rules, self.limits, self.level, {**chairs, **graded})
