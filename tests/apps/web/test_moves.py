"""Moves of uploaded agents in games that only their pages know."""

from __future__ import annotations

import os
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from littlego.apps.web import agents
from littlego.core.game import GameRecord
from littlego.core.points import parse_move
from littlego.core.position import Position
from littlego.sandbox.limits import Limits
from tests.apps.web.serving import ok, refused
from tests.apps.web.test_agents import GOOD_AGENT, HOSTILE_AGENT, upload
from tests.arena.gtp_engines import fake_engine

pytestmark = pytest.mark.process

COUNTS = """
import os
seen = len(open("seen.txt").read()) if os.path.exists("seen.txt") else 0
open("seen.txt", "a").write("x")
open("output.txt", "w").write("%d,0" % seen)
"""
"""Plays a row further down at each move that it remembers."""


def move(client: TestClient, agent: str, *moves: str, **more: object) -> dict[str, object]:
    found: dict[str, object] = ok(client.post(f"/api/agents/{agent}/move", json={"moves": list(moves), **more}))
    return found


def test_an_agent_plays_a_whole_game_of_which_nothing_is_stored(arena: TestClient) -> None:
    agent = upload(arena, GOOD_AGENT.encode(), "my_player3.py")
    store = arena.app.state.services.store  # type: ignore[attr-defined] # starlette's app
    before = store.execute("SELECT * FROM things ORDER BY kind, id")
    position, moves = Position.initial(), list[str]()
    while (outcome := position.outcome()) is None:
        found = move(arena, agent, *moves)
        moves.append(str(found["move"]))
        position = position.play(parse_move(moves[-1], 5))
        shown = position.outcome()
        winner = shown and shown.winner and shown.winner.word
        assert found["outcome"] == (shown and {"winner": winner, "verdict": shown.verdict.value, "text": str(shown)})
    assert outcome.winner is not None
    assert "has ended" in refused(arena.post(f"/api/agents/{agent}/move", json={"moves": moves}), 409)
    assert store.execute("SELECT * FROM things ORDER BY kind, id") == before


def test_its_files_stay_from_move_to_move_of_one_game(arena: TestClient) -> None:
    agent = upload(arena, COUNTS.encode(), "my_player3.py")
    assert move(arena, agent, game="a")["move"] == "0,0"
    assert move(arena, agent, "0,0", "4,4", game="a")["move"] == "1,0"
    assert move(arena, agent, "4,4", game="b")["move"] == "0,0"
    assert move(arena, agent, "0,0", "4,4", "1,0", "4,3", game="a")["move"] == "2,0"
    # Moves were taken back: the agent starts with fresh files, as after a restart.
    assert move(arena, agent, game="a")["move"] == "0,0"


def test_the_rules_of_a_game_are_those_of_its_page(arena: TestClient) -> None:
    agent = upload(arena, COUNTS.encode(), "my_player3.py")
    assert move(arena, agent, size=3, komi=0.5, max_moves=1)["outcome"] == {
        "winner": "black",
        "verdict": "score",
        "text": "Black wins by 0.5 (1-0.5)",
    }
    assert "already ended" in refused(
        arena.post(f"/api/agents/{agent}/move", json={"moves": ["0,0", "0,1"], "size": 3, "max_moves": 1})
    )
    assert "move 2" in refused(arena.post(f"/api/agents/{agent}/move", json={"moves": ["0,0", "0,0"]}))


def test_a_hostile_agent_forfeits_and_gets_nothing(arena: TestClient, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        source = HOSTILE_AGENT.format(outside=tmp_path, port=listener.getsockname()[1], server=os.getpid())
        agent = upload(arena, source.encode(), "my_player3.py", "hostile")
        found = move(arena, agent, "2,2")
    assert found["move"] is None
    outcome = found["outcome"]
    assert isinstance(outcome, dict)
    assert (outcome["winner"], outcome["verdict"]) == ("black", "bad_format")
    assert "managed []" in outcome["text"]
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_built_is_said(arena: TestClient) -> None:
    agent = upload(arena, b"int main( {", "my_player.cpp")
    assert "my_player.cpp" in refused(arena.post(f"/api/agents/{agent}/move", json={}))
    assert arena.post("/api/agents/nobody/move", json={}).status_code == 404


def test_nobody_asks_for_many_moves_at_once(arena: TestClient) -> None:
    agent = upload(arena, COUNTS.encode(), "my_player3.py")
    with ThreadPoolExecutor(40) as asking:
        answers = list(asking.map(lambda k: arena.post(f"/api/agents/{agent}/move", json={"game": f"g{k}"}), range(40)))
    refusals = [refused(answer, 429) for answer in answers if answer.status_code != 200]
    assert 0 < len(refusals) <= 32
    assert all("too many requests of yours" in words for words in refusals)
    assert move(arena, agent)["move"] == "0,0"


def after(*moves: int) -> GameRecord:
    return GameRecord("a person", "engine", Position.initial(), moves)


def test_an_engine_answers_and_takes_moves_back(tmp_path: Path) -> None:
    log = tmp_path / "log"
    spelling = f"gtp:{fake_engine(tmp_path, 'first_empty', log)}"
    assert agents.turn("game", after(12), spelling, None, Limits()).moves == (12, 20)
    assert agents.turn("game", after(12, 20, 13), spelling, None, Limits()).moves[-1] == 21
    # The person takes two moves back and plays another.
    assert agents.turn("game", after(12, 20, 7), spelling, None, Limits()).moves[-1] == 21
    (seated,) = (seat for key, seat in agents._seats.items() if key[0] == "game")
    agents._seats.pop(("game", "WHITE")).cleared.close()
    assert seated.player.status == 0  # type: ignore[attr-defined] # a GtpPlayer, ended politely
    assert log.read_text().count("quit") == 2, "the seat was taken anew after the moves were taken back"


def test_the_seat_that_was_used_longest_ago_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents, "_seats", {})
    monkeypatch.setattr(agents, "_MOST_SEATS", 2)
    for game in ("one", "two", "one", "three"):
        agents.turn(game, after(12), "greedy", None, Limits())
    assert [game for game, _ in agents._seats] == ["one", "three"]
