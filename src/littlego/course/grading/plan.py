"""The games of a grading, each with its own number.

Its decimal digits: the repeat, one digit for the batch, one for the opponent, three for the game. So stage 1, stage 2
and the games of "submit" share a directory, and each can be continued.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from littlego.arena.entrants.kinds import BuiltIn, Prepared
from littlego.arena.games import Chair, Fixture, GamesJob, Identified, run_identity
from littlego.arena.referee.levels import Level
from littlego.arena.referee.limits import Limits
from littlego.core.colour import Colour
from littlego.core.errors import UsageError
from littlego.core.rules import Rules
from littlego.core.seeds import derive_seed
from littlego.course.editions.edition import Edition
from littlego.course.editions.rubric import Batch, Scheme
from littlego.formats.records import rules_to_dict

AGENT: Final = ""
"""The chair of the graded agent; no opponent has this name. An agent for one stage has a slash and its folder."""


_NEXT: Final = "next"
"""In a numbering: how many games have a number."""


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
    def number(self) -> int:
        """Even if the agent has Black. Raises ValueError if a part has too many digits."""
        if not (0 <= self.batch < 10 and 0 <= self.opponent < 10 and 0 <= self.game < 1000 and self.repeat >= 0):
            raise ValueError(f"{self}: a grading has at most 10 batches, 10 opponents in each and 1000 games with one")
        return ((self.repeat * 10 + self.batch) * 10 + self.opponent) * 1000 + self.game

    @classmethod
    def of(cls, number: int) -> Slot:
        rest, game = divmod(number, 1000)
        rest, opponent = divmod(rest, 10)
        repeat, batch = divmod(rest, 10)
        return cls(repeat, batch, opponent, game)

    @property
    def series(self) -> str:
        """Names all games against the same opponent in the same batch and repeat."""
        return str(self.number // 1000)

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
            for game in self._games()
        ]

    def _games(self) -> range:
        """Even for the agent's games with Black, odd for those with White."""
        colours = self.batch.colours
        first = colours[0] is Colour.WHITE
        return range(first, 2 * self.batch.games_per_colour, 2 if len(colours) == 1 else 1)


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

    def numbering(self, earlier: Mapping[str, int]) -> dict[str, int]:
        """How many games come before each series, so that the number of a game never changes.

        `earlier` is the numbering of what was graded there before: it stays, and new series come after it.
        """
        found = {_NEXT: 0, **earlier}
        for each in self.rounds():
            for opponent in range(len(each.batch.rubrics)):
                series = Slot(each.repeat, each.index, opponent, 0).series
                if series not in found:
                    found[series] = found[_NEXT]
                    found[_NEXT] += 2 * each.batch.games_per_colour
        return found

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
                [batch.key, [[rubric.opponent, rubric.files] for rubric in batch.rubrics]]
                for batch in self.scheme.batches
            ],
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
