"""Measured strengths: the order that is asked for, and every place that shows them reads the one file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from littlego.core.position import Position
from littlego.core.rules import Rules, edition_rules
from littlego.players.catalogue import FILE, PLAYERS, course_strengths, measured_strengths, strengths_for
from littlego.players.exact import StrongestPlayer

README = Path(__file__).parents[2] / "README.md"


@pytest.mark.parametrize(
    "weaker",
    [
        "random greedy",
        "greedy aggressive",
        "greedy smart",
        "aggressive alphabeta",
        "alphabeta learner",
        "alphabeta champion",
        "learner agent",
        "champion agent",
    ],
)
def test_the_order_of_strength(weaker: str) -> None:
    low, high = (course_strengths().of(name) for name in weaker.split())
    assert low is not None
    assert high is not None
    assert low.rating < high.rating


def test_each_table_counts_its_games() -> None:
    for table in json.loads(FILE.read_text())["tables"]:
        played = sum(row["games"] for row in table["pairs"])
        assert sum(row["black_games"] for row in table["players"]) == played
        assert sum(row["white_games"] for row in table["players"]) == played
        won = sum(row["black_wins"] + row["white_wins"] for row in table["players"])
        assert won == played
        for row in table["players"]:
            assert row["name"] in PLAYERS
            low, high = row["interval_95"]
            assert low <= row["rating"] <= high


@pytest.mark.parametrize("rules", [edition_rules("2019"), edition_rules("2019", 7), edition_rules("2025", 7)], ids=str)
def test_strongest_is_who_was_measured_to_be(rules: Rules) -> None:
    measured = strengths_for(rules)
    assert measured is not None
    best = PLAYERS[measured.players[0].name].make(3)
    position = Position.initial(rules).play(rules.size + 1)
    assert StrongestPlayer(3).choose(position) == best.choose(position)


def test_the_readme_says_what_was_measured() -> None:
    rows = {line.split("|")[1].strip(" `"): line for line in README.read_text().splitlines() if line.startswith("| `")}
    for player in course_strengths().players:
        low, high = player.interval
        assert rows[player.name].endswith(f"| {player.rating:+g} | {low:+g} to {high:+g} |")


def test_rules_that_nobody_measured() -> None:
    assert strengths_for(edition_rules("2025", 9)) is None
    assert measured_strengths()[0] is course_strengths()
