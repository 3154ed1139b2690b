"""A full disk: words, nothing lost, and on it goes when there is room."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.apps.web.processes import PATIENCE, Server
from tests.disks import fill, small_disk

pytestmark = [
    pytest.mark.process,
    pytest.mark.slow,
    pytest.mark.siege,
    pytest.mark.skipif(os.geteuid() != 0, reason="a small disk can be mounted by root only"),
]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", "2m") as folder:
        yield folder


def post(server: Server, path: str, body: object) -> httpx.Response:
    return httpx.post(server.address + path, json=body, timeout=PATIENCE, headers=server.headers)


def use_up(server: Server, agent: str) -> httpx.Response:
    """Use the little room that what SQLite has written before still makes; the refusal of what has none."""
    while (answer := post(server, f"/api/agents/{agent}/check", {})).status_code == 202:
        post(server, f"/api/jobs/{answer.json()['id']}/cancel", {})
    return answer


def upload(server: Server, body: bytes) -> str:
    """The id of a new agent."""
    address = f"{server.address}/api/agents?name=b&file=my_player3.py"
    answer = httpx.put(address, content=body, timeout=PATIENCE, headers=server.headers)
    return str(answer.json()["id"])


def test_a_full_disk_has_words_and_loses_nothing(disk: Path) -> None:
    with Server(disk / "data") as server:
        contest = server.ask("/api/tournaments", {"players": ["random", "greedy"], "games": 2})["id"]
        agent = upload(server, b"pass")
        ballast = fill(disk)
        refusals = [
            use_up(server, agent),
            post(server, f"/api/tournaments/{contest}/run", {}),
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
        assert [one["id"] for one in server.ask("/api/agents")] == [agent]
        ballast.unlink()
        job = server.ask(f"/api/tournaments/{contest}/run", {})["id"]
        assert (
            server.until(f"/api/jobs/{job}", lambda found: found["state"] not in ("waiting", "running"))["state"]
            == "done"
        )
        assert "Traceback" not in server.printed()
        assert " 500 " not in server.printed()


def test_the_stopping_of_a_job_waits_for_room(disk: Path) -> None:
    with Server(disk / "data") as server:
        agent = upload(server, b"import time\ntime.sleep(1000)")
        job = server.ask(f"/api/agents/{agent}/grade", {"edition": "2025"})["id"]
        server.until(f"/api/jobs/{job}", lambda found: found["total"] > 0)
        ballast = fill(disk)
        use_up(server, agent)
        assert post(server, f"/api/jobs/{job}/cancel", {}).status_code == 507
        assert server.ask(f"/api/jobs/{job}")["state"] == "running"
        ballast.unlink()
        assert server.ask(f"/api/jobs/{job}/cancel", {})["state"] == "cancelled"
        server.kill()
        server.start()
        assert server.ask(f"/api/jobs/{job}")["state"] == "cancelled"
        assert "Traceback" not in server.printed()
