"""A match: a plan of games between two participants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from littlego.arena.entrants.kinds import Prepared
from littlego.arena.games import Chair, Fixture, GamesJob, run_identity
from littlego.arena.openings import Opening, opening_of
from littlego.arena.referee.levels import Level
from littlego.arena.referee.limits import Limits
from littlego.arena.results import KeptGame
from littlego.core.colour import Colour
from littlego.core.points import move_name
from littlego.core.rules import Rules
from littlego.core.seeds import derive_seed
from littlego.formats.records import rules_to_dict


def distinct_names(first: str, second: str) -> tuple[str, str]:
    """The names of two participants in records."""
    return (first, second) if first != second else (f"{first}-1", f"{second}-2")


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """Everything that decides a match. An equal plan is the same match and continues it."""

    first: str
    """The spelling of the first participant, who has Black in games 0, 2, 4, ..."""
    second: str
    rules: Rules
    games: int
    seed: int
    limits: Limits = field(default_factory=Limits)
    level: Level | None = None
    """The required level of isolation; None takes the best available."""
    budget_seconds: float | None = None
    """CPU time that each program may use in the whole match; a program that exceeds it forfeits the remaining games."""
    swap: bool = True
    """Whether the participants swap colours after every game."""
    openings: tuple[Opening, ...] = ()
    """Each is played twice in a row, then the next; after the last comes the first again."""

    def first_colour(self, number: int) -> Colour:
        """The colour of the first participant in a game, counted from 0."""
        return Colour.WHITE if self.swap and number % 2 else Colour.BLACK

    def first_won(self, game: KeptGame[int]) -> bool | None:
        """Whether the first participant won a game; None for a tie."""
        outcome = game.result.record.outcome
        return outcome.won_by(self.first_colour(game.key)) if outcome else None

    def fixtures(self) -> list[Fixture[int]]:
        """The participants' chairs are 0 and 1."""
        return [
            Fixture(number, black, 1 - black, self._seed_of(number), opening_of(self.openings, number))
            for number in range(self.games)
            for black in [int(self.first_colour(number) is Colour.WHITE)]
        ]

    def _seed_of(self, number: int) -> int:
        """A game with the match's own seed comes first, so that a match of one game is that game."""
        return derive_seed(self.seed, "game", number) if number else self.seed

    def job(self, names: tuple[str, str], prepared: Sequence[Prepared]) -> GamesJob:
        """`names` are the participants' names in records."""
        spellings = (self.first, self.second)
        chairs = {k: Chair(names[k], prepared[k], spellings[k]) for k in range(2)}
        return GamesJob(self.rules, self.limits, self.level, chairs)

    def identity(self, *prepared: Prepared) -> str:
        """A short hash of the plan and of the agents' files.

        The same for another number of games, which continue the match, and wherever the agents' files are.
        """
        openings = [[move_name(move, self.rules.size) for move in moves] for moves in self.openings]
        return run_identity(
            prepared,
            rules=rules_to_dict(self.rules),
            seed=self.seed,
            limits=self.limits.as_dict(),
            level=str(self.level),
            budget=self.budget_seconds,
            **({"openings": openings} if openings else {}),
        )
