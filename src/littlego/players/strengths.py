"""How strong the built-in players were measured to be: `strengths.json`, which `tools/measure_players.py` writes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from littlego.core.rules import DEFAULT_EDITION, DEFAULT_SIZE, Rules, edition_rules

FILE: Final = Path(__file__).with_name("strengths.json")


@dataclass(frozen=True, slots=True)
class Strength:
    """One player in a round robin, with both colours.

    All pairs start from openings, except those with `agent` or `perfect`, which start from the empty board.
    """

    name: str
    rating: float
    """In Elo; 0 is the mean of the round robin."""
    interval: tuple[float, float]
    """95%, of the rating."""
    games: int


@dataclass(frozen=True, slots=True)
class Measured:
    """The result of a round robin, the strongest player first."""

    rules: Rules
    date: str
    players: tuple[Strength, ...]

    def of(self, name: str) -> Strength | None:
        """The strength of a player; None if it was not measured."""
        return next((player for player in self.players if player.name == name), None)


@cache
def measured_strengths() -> tuple[Measured, ...]:
    """Every round robin that was played, that of the newest edition on 5x5 first."""
    data = json.loads(FILE.read_text(encoding="utf-8"))
    return tuple(
        Measured(
            edition_rules(table["edition"], table["size"]),
            data["measured"],
            tuple(
                Strength(
                    row["name"],
                    row["rating"],
                    (row["interval_95"][0], row["interval_95"][1]),
                    row["black_games"] + row["white_games"],
                )
                for row in table["players"]
            ),
        )
        for table in data["tables"]
    )


def strengths_for(rules: Rules) -> Measured | None:
    """The round robin on this size with this ko and ending; None if there was none."""
    asked = (rules.size, rules.ko, rules.ending)
    return next(
        (each for each in measured_strengths() if (each.rules.size, each.rules.ko, each.rules.ending) == asked), None
    )


def course_strengths() -> Measured:
    """The round robin of the newest edition on 5x5."""
    found = strengths_for(edition_rules(DEFAULT_EDITION, DEFAULT_SIZE))
    assert found is not None, "strengths.json has it"
    return found
