"""Games over the API: played, taken back, resigned, left and resumed."""

from __future__ import annotations

import asyncio
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest
from fastapi.testclient import TestClient

from littlego.apps.web.jobs.queue import Jobs
from littlego.apps.web.services.games import weeks
from littlego.apps.web.services.news import Hub
from littlego.apps.web.services.store import ServerStore
from littlego.core.game import SEED_BITS, GameRecord, derive_seed
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.formats.records import record_to_dict, write_record
from tests.apps.web.serving import NEWS, begin, ok, refused, serving, settled
from tests.helpers import in_a_thread

SGF = "(;GM[1]FF[4]SZ[5]KM[2.5]PB[Ann]PW[Ben];B[cc];W[cb];B[bb];W[dd];B[db])"


def move(client: TestClient, game: str, text: str, **more: object) -> dict[str, object]:
    return dict(ok(client.post(f"/api/games/{game}/moves", json={"move": text, **more})))


def an_agent(tmp_path: Path) -> Path:
    """The directory of an agent that plays 1,1."""
    folder = tmp_path / "agent"
    folder.mkdir()
    (folder / "my_player3.py").write_text('open("output.txt", "w").write("1,1")')
    return folder


def test_a_whole_game_against_random(arena: TestClient) -> None:
    state = begin(arena, black="human", white="random", seed=7)
    game = state["id"]
    assert (state["black"], state["white"], state["thinking"]) == ("You", "random", False)
    while state["outcome"] is None:
        assert state["to_move"] == "black"
        state = move(arena, game, state["legal"][0], at=len(state["moves"]))
        state = settled(arena, game)
        assert state["trouble"] is None
    assert state["version"] > len(state["moves"])
    assert len(state["boards"]) == len(state["moves"]) + 1
    assert len(state["seconds"]) == len(state["moves"])
    assert state["legal"] == []
    assert state["outcome"]["text"]
    assert game in [one["id"] for one in ok(arena.get("/api/games"))]
    assert refused(arena.post(f"/api/games/{game}/moves", json={"move": "PASS"})) == "the game has ended"
    sgf = arena.get(f"/api/games/{game}.sgf")
    assert sgf.headers["content-type"].startswith("application/x-go-sgf")
    again = ok(arena.post("/api/games/import", json={"text": sgf.text}))
    assert again["moves"] == state["moves"]
    assert again["outcome"] == state["outcome"]


def test_as_white_the_player_begins(arena: TestClient) -> None:
    game = begin(arena, black="greedy", white="human", size=3)["id"]
    state = settled(arena, game)
    assert len(state["moves"]) == 1
    assert state["to_move"] == "white"


def test_an_illegal_move_is_refused_with_its_reason(arena: TestClient) -> None:
    game = begin(arena, black="human", white="human", moves=["2,2"])["id"]
    assert refused(arena.post(f"/api/games/{game}/moves", json={"move": "2,2"})) == "2,2: the point is occupied"
    state = ok(arena.get(f"/api/games/{game}"))
    assert state["illegal"] == {"2,2": "the point is occupied"}
    assert "5,5" in refused(arena.post(f"/api/games/{game}/moves", json={"move": "5,5"}))
    assert refused(arena.post(f"/api/games/{game}/moves", json={"move": "1,1 "}))
    suicide = begin(arena, black="human", white="human", size=3, moves=["0,1", "PASS", "1,0"])
    assert suicide["illegal"]["0,0"] == "the stone would have no liberty (suicide)"


def test_a_second_click_on_the_same_move_is_refused(arena: TestClient) -> None:
    game = begin(arena, black="human", white="human")["id"]
    move(arena, game, "2,2", at=0)
    assert "the game has gone on" in refused(arena.post(f"/api/games/{game}/moves", json={"move": "1,1", "at": 0}))


def test_it_is_not_a_persons_turn(arena: TestClient) -> None:
    game = begin(arena, black="random", white="random", size=9)["id"]
    for what, body in (("moves", {"move": "PASS"}), ("resign", {})):
        assert "and random plays" in refused(arena.post(f"/api/games/{game}/{what}", json=body))
    assert "no move to take back" in refused(arena.post(f"/api/games/{game}/undo"))


def test_a_move_is_taken_back(arena: TestClient) -> None:
    game = begin(arena, black="human", white="random")["id"]
    assert "no move to take back" in refused(arena.post(f"/api/games/{game}/undo"))
    move(arena, game, "2,2")
    assert len(settled(arena, game)["moves"]) == 2
    state = ok(arena.post(f"/api/games/{game}/undo"))
    assert state["moves"] == []
    move(arena, game, "1,1")
    assert settled(arena, game)["moves"][0] == "1,1"


def test_a_game_is_given_up_and_taken_up_again(arena: TestClient) -> None:
    game = begin(arena, black="human", white="human", moves=["2,2"])["id"]
    state = ok(arena.post(f"/api/games/{game}/resign"))
    assert state["outcome"]["winner"] == "black"
    assert state["outcome"]["verdict"] == "resigned"
    assert ok(arena.post(f"/api/games/{game}/undo"))["outcome"] is None


def test_a_game_is_left_for_another(arena: TestClient) -> None:
    moves = ["2,2", "1,2", "1,1"]
    game = begin(arena, black="human", white="human", moves=moves)["id"]
    other = ok(arena.post(f"/api/games/{game}/branch", json={"ply": 2, "black": "human", "white": "greedy"}))
    assert other["moves"] == moves[:2]
    assert (other["black"], other["white"]) == ("You", "greedy")
    assert ok(arena.get(f"/api/games/{game}"))["moves"] == moves
    assert "has 3 moves" in refused(arena.post(f"/api/games/{game}/branch", json={"ply": 4}))


def test_a_player_that_cannot_play_is_asked_again(arena: TestClient, tmp_path: Path) -> None:
    folder = an_agent(tmp_path)
    game = begin(arena, black="human", white=f"{folder}/")["id"]
    rmtree(folder)
    move(arena, game, "2,2")
    state = settled(arena, game)
    assert str(folder) in state["trouble"]
    an_agent(tmp_path)
    assert ok(arena.post(f"/api/games/{game}/retry"))["thinking"]
    assert settled(arena, game)["moves"] == ["2,2", "1,1"]


def test_trouble_is_forgotten_with_the_move_that_brought_it(arena: TestClient, tmp_path: Path) -> None:
    folder = an_agent(tmp_path)
    game = begin(arena, black="human", white=f"{folder}/")["id"]
    rmtree(folder)
    move(arena, game, "2,2")
    assert settled(arena, game)["trouble"]
    an_agent(tmp_path)
    assert ok(arena.post(f"/api/games/{game}/undo"))["trouble"] is None
    move(arena, game, "3,3")
    assert settled(arena, game)["moves"] == ["3,3", "1,1"]


def test_games_from_elsewhere(arena: TestClient) -> None:
    state = ok(arena.post("/api/games/import", json={"text": SGF}))
    assert state["moves"] == ["2,2", "1,2", "1,1", "3,3", "1,3"]
    assert (state["black"], state["white"]) == ("Ann", "Ben")
    played = move(arena, state["id"], "4,4")
    assert played["moves"] == [*state["moves"], "4,4"]
    game = ok(arena.post(f"/api/games/{state['id']}/branch", json={"ply": 3, "white": "random"}))["id"]
    assert len(settled(arena, game)["moves"]) == 4
    record = write_record(GameRecord("Ann", "Ben", Position.initial(edition_rules("2025", 5))))
    state = ok(arena.post("/api/games/import", json={"text": record}))
    assert state["moves"] == []
    assert state["black"] == "Ann"


def test_names_from_elsewhere_are_made_fit_to_be_shown(arena: TestClient) -> None:
    for name, shown in (("A" * 1000, "A" * 60), ("\\ud800\\u001b", "\\ud800\\x1b"), ("", "?")):
        state = ok(arena.post("/api/games/import", json={"text": odd_record("Ann", name)}))
        assert state["black"] == shown
        assert arena.get(f"/api/games/{state['id']}.sgf").status_code == 200


def odd_record(part: str, instead: str) -> str:
    text = write_record(GameRecord("Ann", "Ben", Position.initial(edition_rules("2025", 5))))
    assert part in text
    return text.replace(part, instead)


@pytest.mark.parametrize("seed", [derive_seed(1, "game", 0), 2**SEED_BITS - 1])
def test_every_seed_that_a_game_can_have_is_accepted(arena: TestClient, seed: int) -> None:
    text = odd_record('"seed": null', f'"seed": {seed}')
    assert ok(arena.post("/api/games/import", json={"text": text}))["black"] == "Ann"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "(;",
        "(;SZ[5];B[zz])",
        "(;SZ[99])",
        "(;SZ[5]KM[nan])",
        "(;" * 50_000,
        "{}",
        "{",
        '{"a":' * 20_000,
        '{"record": NaN}',
        odd_record('"seconds": []', '"seconds": [NaN]'),
        odd_record('"komi": 2.5', '"komi": NaN'),
        odd_record('"komi": 2.5', '"komi": 1e999'),
        odd_record('"max_moves": 24', '"max_moves": 1' + 30 * "0"),
        odd_record('"seed": null', '"seed": 1' + 30 * "0"),
        odd_record('"seed": null', f'"seed": {2**53}'),
        "{\x00}",
    ],
    ids=lambda text: text[:16],
)
def test_what_is_not_a_game_is_refused_with_words(arena: TestClient, text: str) -> None:
    assert "the game" in refused(arena.post("/api/games/import", json={"text": text}))


def test_a_line_as_pages_draw_it(arena: TestClient) -> None:
    line = ok(arena.post("/api/positions", json={"moves": ["2,2", "1,2"]}))
    assert line["boards"][-1] == "0000000200001000000000000"
    assert line["plies_left"] == 22
    assert "move 2: 2,2: the point is occupied" in refused(arena.post("/api/positions", json={"moves": ["2,2", "2,2"]}))
    assert "already ended" in refused(arena.post("/api/positions", json={"moves": ["PASS", "PASS", "1,1"]}))
    assert "has ended" in refused(arena.post("/api/games", json={"moves": ["PASS", "PASS"]}))


@pytest.mark.parametrize(
    "asked",
    [
        {"size": 1},
        {"size": 20},
        {"komi": 0.3},
        {"komi": 1e9},
        {"max_moves": 0},
        {"edition": "1999"},
        {"moves": ["2,2,2"]},
        {"moves": ["PASS"] * 401},
        {"white": "nobody"},
        {"white": "manual"},
        {"white": "x" * 401},
        {"white": "agent:nobody"},
        {"seed": -1},
        {"seed": 2**31},
        {"names": {"red": "Ann"}},
        {"names": {"black": "x" * 61}},
        {"and": "more"},
    ],
    ids=str,
)
def test_what_cannot_be_begun_is_refused(arena: TestClient, asked: dict[str, object]) -> None:
    answer = arena.post("/api/games", json=asked)
    assert answer.status_code in (404, 422)
    assert answer.json()["detail"]


@pytest.mark.parametrize("game", ["nothing", "a.b", "x" * 41, "%2e%2e", "a%0a"])
def test_what_is_not_there(arena: TestClient, game: str) -> None:
    for method, path in (("GET", ""), ("GET", ".sgf"), ("POST", "/undo"), ("POST", "/resign"), ("POST", "/review")):
        assert arena.request(method, f"/api/games/{game}{path}").status_code in (404, 405, 422)


def test_a_restart_in_mid_game_loses_nothing(tmp_path: Path) -> None:
    with serving(tmp_path) as client:
        game = begin(client, black="human", white="random", seed=3)["id"]
        move(client, game, "2,2")
    with serving(tmp_path) as client:
        state = settled(client, game)
        assert state["moves"][0] == "2,2"
        assert len(state["moves"]) == 2


def test_states_are_numbered_so_that_answers_and_news_cannot_undo_each_other(arena: TestClient) -> None:
    game = begin(arena, black="human", white="human")
    with arena.websocket_connect(NEWS) as news:
        news.send_json({"listen": f"game:{game['id']}", "confirm": "yes"})
        assert news.receive_json() == {"topic": f"game:{game['id']}", "listening": True}
        answer = ok(arena.post(f"/api/games/{game['id']}/moves", json={"move": "2,2"}))
        assert news.receive_json()["game"]["version"] == answer["version"] > game["version"]
    assert ok(arena.post(f"/api/games/{game['id']}/undo"))["version"] > answer["version"]


@pytest.mark.parametrize("player", ["/no/such", "gtp:engine", "class:" + "x" * 390])
def test_an_opponent_that_is_not_there_is_refused_before_the_game(arena: TestClient, player: str) -> None:
    assert refused(arena.post("/api/games", json={"white": player}))


def test_wins_given_away_are_counted_among_won_positions(tmp_path: Path) -> None:
    """By a review that says: of Black's three moves one kept a win, one gave it away, and one had none."""
    store = ServerStore(tmp_path / "arena.sqlite")
    record = record_to_dict(GameRecord("Ann", "greedy", Position.initial()))
    record["outcome"] = {"winner": "white", "verdict": "score"}
    store.put("game", "g", {"record": record, "seats": {"black": "human", "white": "greedy"}}, "ann")
    moves = [
        {"colour": colour, "before": before, "is_mistake": is_mistake}
        for colour, before, is_mistake in (
            ("black", "black", False),
            ("white", "black", False),
            ("black", "black", True),
            ("white", "white", True),
            ("black", "white", False),
        )
    ]

    async def count() -> Any:
        jobs = Jobs(store, Hub(), tmp_path, at_once=0)
        job = jobs.begin("review", "Review", {})["id"]
        jobs._jobs.note(job, state="done", result={"complete": True, "moves": moves})
        store.put("review", "g", {"job": job})
        found = weeks(store, jobs, "ann", "")
        await jobs.close()
        return found

    (week,) = in_a_thread(asyncio.run, count())["weeks"]
    assert (week["games"], week["won_positions"], week["thrown_away"]) == (1, 2, 1)
