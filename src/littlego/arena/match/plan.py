"""A match: a plan of games between two participants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from littlego.arena.entrants.kinds import Prepared
from littlego.arena.games import Chair, Fixture, GamesJob, run_identity
from littlego.arena.openings import Opening
from littlego.arena.referee.levels import Level
from littlego.arena.referee.limits import Limits
from littlego.core.colour import Colour
from littlego.core.points import move_name
from littlego.core.rules import Rules
from littlego.core.seeds import derive_seed
from littlego.formats.records import rules_to_dict


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """Everything that decides a match. Equal plans are the same match, which is then continued."""

    first: str
    """How the first participant is spelled; it has Black in games 0, 2, 4, ..."""
    second: str
    rules: Rules
    games: int
    seed: int
    limits: Limits = field(default_factory=Limits)
    level: Level | None = None
    """The level of isolation asked for; None takes the best."""
    budget_seconds: float | None = None
    """CPU time that each program may use in the whole match; who passes it loses the games to come."""
    swap: bool = True
    """Whether the two exchange colours after every game."""
    openings: tuple[Opening, ...] = ()
    """Each is played twice in a row, then the next; after the last the first again."""

    def first_colour(self, number: int) -> Colour:
        """The colour of the first participant in a game, counted from 0."""
        return Colour.WHITE if self.swap and number % 2 else Colour.BLACK

    def fixtures(self) -> list[Fixture[int]]:
        """Its games, with 0 and 1 for the chairs of the two."""
        return [
            Fixture(number, black, 1 - black, derive_seed(self.seed, "game", number), self.opening(number))
            for number in range(self.games)
            for black in [int(self.first_colour(number) is Colour.WHITE)]
        ]

    def opening(self, number: int) -> Opening:
        """The first moves of a game."""
        return self.openings[number // 2 % len(self.openings)] if self.openings else ()

    def _opening_names(self) -> list[list[str]]:
        return [[move_name(move, self.rules.size) for move in moves] for moves in self.openings]

    def job(self, names: tuple[str, str], prepared: Sequence[Prepared]) -> GamesJob:
        """What a worker needs to play its games, in which the two are called `names`."""
        spellings = (self.first, self.second)
        chairs = {k: Chair(names[k], prepared[k], spellings[k]) for k in range(2)}
        return GamesJob(self.rules, self.limits, self.level, chairs)

    def identity(self, *prepared: Prepared) -> str:
        """A short text that is different for every plan and for every change to what an agent plays from.

        Not for another number of games, which are further games of the same match, nor for another place of the
        agents' files.
        """
        return run_identity(
            prepared,
            rules=rules_to_dict(self.rules),
            seed=self.seed,
            limits=self.limits.as_dict(),
            level=str(self.level),
            budget=self.budget_seconds,
            **({"openings": self._opening_names()} if self.openings else {}),
        )
