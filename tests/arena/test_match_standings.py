from __future__ import annotations

from littlego.arena.match import MatchPlan, distinct_games, standings
from littlego.arena.participants import BuiltIn
from littlego.core.rules import edition_rules
from tests.helpers import series

RULES = edition_rules()


def test_a_plan_decides_its_games() -> None:
    games = [record.moves for record in series("greedy", "random", games=4, seed=9)]
    assert games == [record.moves for record in series("greedy", "random", games=4, seed=9)]
    assert len(set(games)) == 4
    assert games != [record.moves for record in series("greedy", "random", games=4, seed=10)]


def test_any_game_can_be_played_alone() -> None:
    plan = MatchPlan("greedy", "random", RULES, 4, 9)
    with plan.job(("greedy", "random"), (BuiltIn("greedy"), BuiltIn("random"))).open() as play:
        alone = play(plan.fixtures()[2]).record
        assert alone.moves == series("greedy", "random", games=4, seed=9, swap=True)[2].moves


def test_colours_are_exchanged_after_every_game() -> None:
    games = series("smart", "random", games=4, swap=True)
    assert [record.black for record in games] == ["smart", "random", "smart", "random"]
    rows = standings(games)
    assert [(row["player"], row["games"]) for row in rows] == [("smart", 2), ("random", 2), ("random", 2), ("smart", 2)]
    assert sum(row["wins"] for row in rows) == 4
    assert [record.black for record in series("smart", "random", games=2)] == ["smart", "smart"]


def test_a_player_against_itself_has_a_row_for_each_colour() -> None:
    games = series("random", "random", games=3)
    rows = standings(games)
    assert len(rows) == 2
    assert rows[0]["colour"] == "black"
    assert rows[0]["wins"] == rows[1]["losses"]
    assert distinct_games(games) == 3
