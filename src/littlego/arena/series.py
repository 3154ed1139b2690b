"""Many games between two built-in players, in this process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from littlego.core.colour import Colour
from littlego.core.game import GameRecord, Player, play, tell_players
from littlego.core.position import Position
from littlego.core.rules import Rules
from littlego.core.seeds import derive_seed
from littlego.players.catalogue import make_player
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

    def names(self, game: int) -> tuple[str, str]:
        """Who has Black and who White in a game, counted from 0."""
        return (self.white, self.black) if self.swap and game % 2 else (self.black, self.white)

    def play(self) -> Iterator[GameRecord]:
        """The games, one after the other."""
        for game in range(self.games):
            yield self.play_game(game)

    def play_game(self, game: int) -> GameRecord:
        """One game of the plan, counted from 0."""
        names = self.names(game)
        seed = derive_seed(self.seed, "game", game)
        players: dict[Colour, Player] = {
            colour: make_player(name, seed=derive_seed(seed, colour.name))
            for colour, name in zip(Colour, names, strict=True)
        }
        return play(players, start=Position.initial(self.rules), names=names, seed=seed, observer=tell_players(players))


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
