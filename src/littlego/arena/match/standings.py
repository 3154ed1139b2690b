"""Results by player and colour."""

from __future__ import annotations

from dataclasses import dataclass

from littlego.core.colour import Colour
from littlego.core.game import GameRecord
from littlego.stats import Tally


@dataclass(frozen=True, slots=True)
class ColourStanding:
    """A player's results with one colour."""

    player: str
    colour: Colour
    tally: Tally
    forfeits: int


def standings(records: list[GameRecord]) -> list[ColourStanding]:
    """One row for each player and colour, in the order of their first games."""
    rows = dict.fromkeys((record.player(colour), colour) for record in records for colour in Colour)
    return [_standing(records, player, colour) for player, colour in rows]


def _standing(records: list[GameRecord], player: str, colour: Colour) -> ColourStanding:
    outcomes = [record.outcome for record in records if record.player(colour) == player and record.outcome]
    return ColourStanding(
        player,
        colour,
        Tally.of(outcome.won_by(colour) for outcome in outcomes),
        sum(outcome.verdict.is_forfeit and not outcome.won_by(colour) for outcome in outcomes),
    )


def distinct_games(records: list[GameRecord]) -> int:
    """The number of different games; deterministic players repeat theirs."""
    return len({(record.start, record.moves, record.outcome and record.outcome.verdict) for record in records})
