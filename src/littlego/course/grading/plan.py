"""The games of a grading, each with a number of its own.

The number of a game, in decimal digits: repeat, one for the batch, one for the opponent, three for the game itself.
So a directory holds stage 1, stage 2 and what "submit" plays side by side, and any of them can be continued.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Final, NamedTuple

from littlego.arena.entrants.kinds import BuiltIn, Prepared
from littlego.arena.games import Chair, Fixture, GamesJob, Identified, run_identity
from littlego.arena.referee.levels import Level
from littlego.arena.referee.limits import Limits
from littlego.core.colour import Colour
from littlego.core.errors import UsageError
from littlego.core.rules import Rules, edition_rules
from littlego.core.seeds import derive_seed
from littlego.course.grading.rubric import Batch, Scheme
from littlego.formats.records import rules_to_dict

AGENT: Final = ""
"""The chair of the agent that is graded: nobody's name."""


class Slot(NamedTuple):
    """Where a game stands in a grading, every part counted from 0."""

    repeat: int
    batch: int
    """In the edition's scheme."""
    opponent: int
    """In the batch."""
    game: int

    @property
    def number(self) -> int:
        """The slot as a number; even where the agent has Black. Raises ValueError if a part has too many digits."""
        if not (0 <= self.batch < 10 and 0 <= self.opponent < 10 and 0 <= self.game < 1000 and self.repeat >= 0):
            raise ValueError(f"{self}: a grading has at most 10 batches, 10 opponents in each and 1000 games with one")
        return ((self.repeat * 10 + self.batch) * 10 + self.opponent) * 1000 + self.game

    @classmethod
    def of(cls, number: int) -> Slot:
        """The slot of a number."""
        rest, game = divmod(number, 1000)
        rest, opponent = divmod(rest, 10)
        repeat, batch = divmod(rest, 10)
        return cls(repeat, batch, opponent, game)

    @property
    def agent_colour(self) -> Colour:
        """The agent has Black in every other game, the first included."""
        return Colour.WHITE if self.game % 2 else Colour.BLACK


@dataclass(frozen=True, slots=True)
class Round:
    """One playing of a batch: what shares a budget of time."""

    repeat: int
    index: int
    """Of the batch in the edition's scheme."""
    batch: Batch

    def slots(self) -> list[Slot]:
        """Its games, opponent after opponent."""
        return [
            Slot(self.repeat, self.index, opponent, game)
            for opponent in range(len(self.batch.rubrics))
            for game in range(self.batch.games_each)
        ]


@dataclass(frozen=True, slots=True)
class GradingPlan:
    """Everything that decides a grading. Equal plans are the same grading, which is then continued."""

    agent: str
    """How the agent is spelled."""
    name: str
    """What tables and records call it: no opponent's name."""
    scheme: Scheme
    stage: str
    seed: int = 1
    limits: Limits = dataclasses.field(default_factory=Limits)
    level: Level | None = None
    repeats: int | None = None
    """How often to play it; None for as often as the edition does."""

    def __post_init__(self) -> None:
        self.scheme.selected(self.stage)
        if self.repeats is not None and not 1 <= self.repeats <= 9:
            raise UsageError(f"{self.repeats} repeats: expected 1 to 9")

    @property
    def edition(self) -> str:
        """The edition of the course."""
        return self.scheme.edition

    @property
    def rules(self) -> Rules:
        """The rules of the edition."""
        return edition_rules(self.edition)

    def rounds(self) -> list[Round]:
        """What is played, in order."""
        chosen = self.scheme.selected(self.stage)
        repeats = self.repeats or self.scheme.repeats_of(self.stage)
        return [Round(repeat, self.scheme.batches.index(batch), batch) for repeat in range(repeats) for batch in chosen]

    @property
    def games(self) -> int:
        """Games in all."""
        return sum(each.batch.games for each in self.rounds())

    def identity(self, agent: Identified) -> str:
        """A short text that differs for every plan and every change to what the agent plays from.

        Not for another stage or number of repeats, which are further games of the same grading, nor for another
        place of the agent's files.
        """
        return run_identity(
            [agent],
            edition=self.edition,
            rules=rules_to_dict(self.rules),
            seed=self.seed,
            limits=self.limits.as_dict(),
            level=str(self.level),
        )

    def question(self, agent: Identified) -> str:
        """A short text that differs where a finished report of this agent would be the answer to something else."""
        return run_identity(
            [agent],
            identity=self.identity(agent),
            name=self.name,
            stage=self.stage,
            repeats=self.repeats,
            scheme=dataclasses.asdict(self.scheme),
        )

    def fixtures(self, each: Round) -> list[Fixture[Slot]]:
        """The games of a round, in which the agent has the chair AGENT and an opponent that of its name."""
        found = []
        for slot in each.slots():
            opponent = each.batch.rubrics[slot.opponent].opponent
            seed = derive_seed(self.seed, "grade", slot.repeat, each.batch.key, opponent)
            black, white = (AGENT, opponent) if slot.agent_colour is Colour.BLACK else (opponent, AGENT)
            found.append(Fixture(slot, black, white, derive_seed(seed, "game", slot.game)))
        return found

    def job(self, prepared: Prepared) -> GamesJob:
        """What a worker needs to play its games."""
        chairs = {name: Chair(name, BuiltIn(name), name) for name in self.scheme.opponents}
        return GamesJob(self.rules, self.limits, self.level, {**chairs, AGENT: Chair(self.name, prepared, self.agent)})
