"""A match in one call."""

from __future__ import annotations

from pathlib import Path

import pytest

from littlego.core.board import Colour
from littlego.core.errors import UnknownPlayer, UsageError
from littlego.core.points import PASS
from littlego.core.rules import edition_rules
from littlego.course.contests import play_match, play_tournament
from littlego.players.course import GreedyPlayer
from tests.arena.agents import PASSES, python_agent


def test_colours_are_exchanged_and_wins_counted() -> None:
    match = play_match("aggressive", "random", games=9, seed=3)
    assert [record.black for record in match.records] == ["aggressive", "random"] * 4 + ["aggressive"]
    won = sum(
        record.outcome is not None
        and record.outcome.winner is (Colour.BLACK if record.black == "aggressive" else Colour.WHITE)
        for record in match.records
    )
    assert match.tally.wins == won > 5
    assert str(match).startswith(f"aggressive won {won} of 9 games against random (")
    again = play_match("aggressive", "random", games=9, seed=3)
    assert [record.moves for record in again.records] == [record.moves for record in match.records]


def test_a_class_of_ones_own_plays() -> None:
    match = play_match(GreedyPlayer, "greedy", games=2, rules=edition_rules("2019", 4))
    assert match.first == "GreedyPlayer"
    assert {record.start.rules.edition for record in match.records} == {"2019"}


def test_players_are_spelled_as_on_the_command_line(tmp_path: Path) -> None:
    match = play_match(str(python_agent(tmp_path / "agent", PASSES)), "random", games=2)
    assert {record.moves[0] for record in match if record.black == match.first} == {PASS}


def test_wrong_use_is_explained() -> None:
    with pytest.raises(UnknownPlayer, match="did you mean 'greedy'"):
        play_match("greedyy", "random")
    with pytest.raises(UsageError, match="0 games"):
        play_match("greedy", "random", games=0)


def test_a_tournament_in_which_somebody_has_no_game_can_be_printed() -> None:
    cup = play_tournament(["random", "greedy", "aggressive"], form="swiss", rounds=1, games=1, size=3)
    lines = str(cup).splitlines()
    assert len(lines) == 3
    assert [line for line in lines if line.endswith("0 of 0 games")], "the one with the bye"
