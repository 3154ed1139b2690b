"""A match in one call."""

from __future__ import annotations

import pytest

from littlego.arena.match.quick import play_match
from littlego.core.colour import Colour
from littlego.core.errors import UnknownPlayer, UsageError
from littlego.core.rules import edition_rules
from littlego.players.simple import GreedyPlayer


def test_colours_are_exchanged_and_wins_counted() -> None:
    match = play_match("aggressive", "random", games=9, seed=3)
    assert [record.black for record in match.records] == ["aggressive", "random"] * 4 + ["aggressive"]
    won = sum(
        record.outcome is not None
        and record.outcome.winner is (Colour.BLACK if record.black == "aggressive" else Colour.WHITE)
        for record in match.records
    )
    assert match.tally.wins == won > 5
    assert str(match).startswith(f"aggressive beat random in {won} of 9 games (")
    again = play_match("aggressive", "random", games=9, seed=3)
    assert [record.moves for record in again.records] == [record.moves for record in match.records]


def test_a_class_of_ones_own_plays() -> None:
    match = play_match(GreedyPlayer, "greedy", games=2, rules=edition_rules("2019", 4))
    assert match.first == "GreedyPlayer"
    assert {record.start.rules.edition for record in match.records} == {"2019"}


def test_wrong_use_is_told() -> None:
    with pytest.raises(UnknownPlayer, match="did you mean 'greedy'"):
        play_match("greedyy", "random")
    with pytest.raises(UsageError, match="0 games"):
        play_match("greedy", "random", games=0)
