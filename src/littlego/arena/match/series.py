"""Many games between two players, one after the other in this process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from littlego.arena.entrants.kinds import BuiltIn, Prepared
from littlego.arena.match.plan import play_prepared
from littlego.arena.referee.client import Supervisor
from littlego.arena.referee.limits import Limits
from littlego.core.colour import Colour
from littlego.core.game import GameRecord
from littlego.core.rules import Rules
from littlego.core.seeds import derive_seed
from littlego.stats import Tally


@dataclass(frozen=True, slots=True)
class Series:
    """A plan of games. The same plan gives the same games, whoever plays it and whenever."""

    black: str
    white: str
    rules: Rules
    games: int
    seed: int
    swap: bool = False
    """Whether the two exchange colours after every game."""
    prepared: tuple[Prepared, Prepared] | None = None
    """Who plays under those names; None for the built-in players so called."""
    supervisor: Supervisor = field(default_factory=Supervisor)
    """Runs the programs among them; not started before there is one."""

    def order(self, game: int) -> tuple[int, int]:
        """Who has Black and who White in a game, counted from 0: 0 the first named, 1 the second."""
        return (1, 0) if self.swap and game % 2 else (0, 1)

    def play(self) -> Iterator[GameRecord]:
        """The games, one after the other."""
        for game in range(self.games):
            yield self.play_game(game)

    def play_game(self, game: int) -> GameRecord:
        """One game of the plan, counted from 0."""
        first, second = self.order(game)
        names = (self.black, self.white)
        prepared = self.prepared or (BuiltIn(self.black), BuiltIn(self.white))
        record, _ = play_prepared(
            (prepared[first], prepared[second]),
            names=(names[first], names[second]),
            rules=self.rules,
            seed=derive_seed(self.seed, "game", game),
            supervisor=self.supervisor,
            limits=Limits(),
        )
        return record


@dataclass(frozen=True, slots=True)
class Standing:
    """How one player did with one colour."""

    player: str
    colour: Colour
    tally: Tally
    forfeits: int


def standings(records: list[GameRecord]) -> list[Standing]:
    """A row for every player and colour that occurs, in the order of their first game."""
    rows = dict.fromkeys((record.player(colour), colour) for record in records for colour in Colour)
    return [_standing(records, player, colour) for player, colour in rows]


def _standing(records: list[GameRecord], player: str, colour: Colour) -> Standing:
    outcomes = [record.outcome for record in records if record.player(colour) == player and record.outcome]
    return Standing(
        player,
        colour,
        Tally.of(None if outcome.winner is None else outcome.winner is colour for outcome in outcomes),
        sum(outcome.verdict.is_forfeit and outcome.winner is not colour for outcome in outcomes),
    )


def distinct_games(records: list[GameRecord]) -> int:
    """How many different games there are: deterministic players repeat theirs."""
    return len({(record.start, record.moves, record.outcome and record.outcome.verdict) for record in records})
