"""A full disk: words, nothing lost, and on it goes when there is room."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from littlego.apps.web.services.decks import SHIPPED
from tests.apps.web.processes import PATIENCE, Server
from tests.apps.web.serving import a_deck
from tests.disks import fill, small_disk

pytestmark = [
    pytest.mark.process,
    pytest.mark.slow,
    pytest.mark.siege,
    pytest.mark.skipif(
        os.geteuid() != 0 and not os.environ.get("LITTLEGO_CI"), reason="a small disk can be mounted by root only"
    ),
]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", "2m") as folder:
        yield folder


def post(server: Server, path: str, body: object) -> httpx.Response:
    return httpx.post(server.address + path, json=body, timeout=PATIENCE, headers=server.headers)


def test_a_full_disk_has_words_and_loses_nothing(disk: Path) -> None:
    with Server(disk / "data") as server:
        game = server.ask("/api/games", {"black": "human", "white": "human"})["id"]
        contest = server.ask("/api/tournaments", {"players": ["random", "greedy"], "games": 2})["id"]
        deck = server.ask("/api/decks/import", {"text": a_deck()})["id"]
        ballast = fill(disk)
        kept = []
        # What SQLite has written before makes a little room: that is used up first.
        while (answer := post(server, "/api/games", {"black": "human", "white": "human"})).status_code == 201:
            kept.append(answer.json()["id"])
        refusals = [
            answer,
            post(server, f"/api/games/{game}/moves", {"move": "2,2"}),
            post(server, f"/api/tournaments/{contest}/run", {}),
            post(server, "/api/learn/tictactoe", {"games": 100}),
            post(server, "/api/decks/import", {"text": a_deck()}),
            httpx.put(
                f"{server.address}/api/agents?name=a&file=my_player3.py",
                content=b"x" * 9000,
                timeout=PATIENCE,
                headers=server.headers,
            ),
        ]
        for refusal in refusals:
            assert refusal.status_code == 507, (refusal.url, refusal.text)
            assert "disk is full" in refusal.json()["detail"]
        assert server.ask(f"/api/games/{game}")["moves"] == []
        assert {one["id"] for one in server.ask("/api/decks")} == {SHIPPED, deck}, "half a deck would spoil the list"
        assert {one["id"] for one in server.ask("/api/games?most=200")} == {game, *kept}
        ballast.unlink()
        assert server.ask(f"/api/games/{game}/moves", {"move": "2,2"})["moves"] == ["2,2"]
        job = server.ask(f"/api/tournaments/{contest}/run", {})["id"]
        assert (
            server.until(f"/api/jobs/{job}", lambda found: found["state"] not in ("waiting", "running"))["state"]
            == "done"
        )
        assert "Traceback" not in server.printed()
        assert " 500 " not in server.printed()


def test_a_players_move_and_the_stopping_of_a_job_wait_for_room(disk: Path) -> None:
    with Server(disk / "data") as server:
        game = server.ask("/api/games", {"black": "human", "white": "random"})["id"]
        job = server.ask("/api/learn/training", {"games": 2_000_000})["id"]
        server.until(f"/api/jobs/{job}", lambda found: found["state"] == "running")
        ballast = fill(disk)
        while post(server, "/api/games", {"black": "human", "white": "human"}).status_code == 201:
            pass
        assert post(server, f"/api/jobs/{job}/cancel", {}).status_code == 507
        assert server.ask(f"/api/jobs/{job}")["state"] == "running"
        ballast.unlink()
        assert server.ask(f"/api/jobs/{job}/cancel", {})["state"] == "cancelled"
        server.ask(f"/api/games/{game}/moves", {"move": "2,2"})
        server.until(f"/api/games/{game}", lambda state: len(state["moves"]) == 2)
        server.kill()
        server.start()
        assert server.ask(f"/api/jobs/{job}")["state"] == "cancelled"
        assert "Traceback" not in server.printed()
