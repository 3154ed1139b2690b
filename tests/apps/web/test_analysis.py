"""What the analysis board asks: positions of a game with other moves, by how much moves win, variations, lists."""

from __future__ import annotations

from fastapi.testclient import TestClient

from littlego.core.colour import BLACK
from littlego.core.points import parse_move
from littlego.core.position import Position
from littlego.formats.sgf import parse_collection
from tests.apps.web.serving import begin, ok, refused, until
from tests.apps.web.truth import random_line
from tests.solve.twins import minimax

LINE = random_line(31, 20)
OTHER = "PASS"


def test_leads_are_what_trying_everything_says(arena: TestClient) -> None:
    """In a variation of a game: three moves left, komi counted, as the side to move sees it."""
    game = begin(arena, black="human", white="human", moves=LINE)["id"]
    place = {"game": game, "ply": 20, "moves": [OTHER]}
    position = Position.initial()
    for move in (*LINE, OTHER):
        position = position.play(parse_move(move, 5))
    shown = ok(arena.post("/api/positions", json=place))
    assert (shown["moves"], shown["to_move"]) == ([*LINE, OTHER], position.to_move.name.lower())
    assert ok(arena.post("/api/values", json=place))["leads"] == {}, "nobody asked for them"
    found = until(
        lambda: ok(arena.post("/api/values", json={**place, "leads": True})),
        lambda values: not values["missing"] and not values["leads_missing"],
    )
    komi = position.rules.komi if position.to_move is BLACK else -position.rules.komi
    expected = {position.move_name(move): -minimax(position.play(move)) - komi for move in position.legal_moves()}
    assert found["leads"] == expected
    assert {move: lead > 0 for move, lead in expected.items()} == {
        move: value == found["to_move"] for move, value in found["values"].items()
    }


def test_a_game_is_continued_from_a_variation(arena: TestClient) -> None:
    game = begin(arena, black="human", white="human", moves=["2,2", "1,2"], names={"black": "Ann"})["id"]
    branch = ok(
        arena.post(
            f"/api/games/{game}/branch",
            json={"ply": 1, "moves": ["3,3"], "black": "human", "white": "random", "names": {"black": "Ann"}},
        )
    )
    assert (branch["moves"], branch["black"], branch["white"]) == (["2,2", "3,3"], "Ann", "random")
    wrong = {"game": game, "ply": 1, "moves": ["2,2"]}
    assert "move 2: 2,2: the point is occupied" in refused(arena.post("/api/positions", json=wrong))
    assert "not both" in refused(arena.post("/api/positions", json={"game": game, "komi": 1.5}))


def test_variations_are_in_the_sgf(arena: TestClient) -> None:
    game = begin(arena, black="human", white="human", moves=["2,2", "1,2", "2,1"])["id"]
    lines = ["1:3,3_PASS", "1:3,3_0,0", "3:4,4"]
    (root,) = parse_collection(arena.get(f"/api/games/{game}.sgf", params={"line": lines}).text)
    assert [node.properties.get("B", node.properties.get("W")) for node in list(root.main_line())[1:]] == [
        ["cc"],
        ["cb"],
        ["bc"],
        ["ee"],
    ], "the game first; what was tried after its end continues it"
    first = root.children[0]
    assert [child.properties for child in first.children] == [{"W": ["cb"]}, {"W": ["dd"]}]
    assert [child.properties for child in first.children[1].children] == [{"B": [""]}, {"B": ["aa"]}]
    assert "the point is occupied" in refused(arena.get(f"/api/games/{game}.sgf", params={"line": "1:2,2"}))
    assert "there is no move 9" in refused(arena.get(f"/api/games/{game}.sgf", params={"line": "9:2,2"}))


def test_games_are_searched_and_counted_by_opponent(arena: TestClient) -> None:
    """Three games of somebody whom no other test knows; the person to move resigns two of them."""
    games = [begin(arena, black="human", white="greedy", size=3, names={"black": "Zoë", "white": "Xan"})["id"]]
    games += [
        begin(arena, black="human", white="greedy", size=3, names={"black": "Zoë", "white": name})["id"]
        for name in ("Xan", "Yan")
    ]
    for game in games[:2]:
        ok(arena.post(f"/api/games/{game}/resign"))

    def listed(**query: object) -> list[str]:
        return [line["id"] for line in ok(arena.get("/api/games", params={"search": "zoË", **query}))]

    assert set(listed()) == set(games)
    assert set(listed(result="lost")) == set(games[:2])
    assert listed(result="unfinished") == games[2:]
    assert listed(result="won") == []
    assert listed(most=2) + listed(most=2, skip=2) == listed()
    row = next(row for row in ok(arena.get("/api/results")) if row["opponent"] == "Xan")
    assert row == {"opponent": "Xan", "won": 0, "lost": 2, "tie": 0}
