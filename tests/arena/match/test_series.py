from __future__ import annotations

from littlego.arena.match.series import Series, distinct_games, standings
from littlego.core.colour import BLACK
from littlego.core.rules import edition_rules

RULES = edition_rules()


def test_a_plan_decides_its_games() -> None:
    plan = Series("greedy", "random", RULES, games=4, seed=9)
    games = [record.moves for record in plan.play()]
    assert games == [record.moves for record in plan.play()]
    assert plan.play_game(2).moves == games[2], "any game can be played alone"
    assert len(set(games)) == 4
    assert games != [record.moves for record in Series("greedy", "random", RULES, games=4, seed=10).play()]


def test_colours_are_exchanged_after_every_game() -> None:
    plan = Series("smart", "random", RULES, games=4, seed=1, swap=True)
    assert [plan.order(game)[0] for game in range(4)] == [0, 1, 0, 1]
    rows = standings(list(plan.play()))
    assert [(row.player, row.tally.games) for row in rows] == [("smart", 2), ("random", 2), ("random", 2), ("smart", 2)]
    assert sum(row.tally.wins for row in rows) == 4


def test_a_player_against_itself_has_a_row_for_each_colour() -> None:
    records = list(Series("random", "random", RULES, games=3, seed=1).play())
    rows = standings(records)
    assert len(rows) == 2
    assert rows[0].colour is BLACK
    assert rows[0].tally.wins == rows[1].tally.losses
    assert distinct_games(records) == 3
