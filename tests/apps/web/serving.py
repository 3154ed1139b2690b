"""An arena to ask things of, without a socket."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from fastapi.testclient import TestClient

from littlego.apps.web.app import create_app
from littlego.apps.web.settings import ServerSettings
from littlego.apps.web.store import FOLDER

T = TypeVar("T")

PATIENCE = 600.0
"""Seconds: far more than is needed, so that a busy machine that has to compile fails no test."""


@cache
def description() -> dict[str, Any]:
    """The API as it describes itself, which takes a second to write."""
    return create_app(ServerSettings(Path("nowhere"))).openapi()


COURSE = """
name = "tiny"
[rules]
size = 3
komi = 1.5
length = 8
[[stages]]
key = "exam"
games = 2
budget_seconds = 100
[[stages.opponents]]
player = "random"
lines = [ { from = 0, points = 5 } ]
"""
"""A grading of two games against `random` takes a second; one of the course's takes many."""
SHORT = {"edition": "tiny", "stage": "exam"}


def offer_course(data: Path, *, games: int = 2) -> None:
    """Let a server with this data directory offer the tiny course."""
    folder = data / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tiny.toml").write_text(COURSE.replace("games = 2", f"games = {games}"))


@contextmanager
def serving(data: Path, **settings: Any) -> Iterator[TestClient]:
    """A server on a data directory, as a browser on the same machine meets it."""
    app = create_app(ServerSettings(data, workers=1, **settings))
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        yield client


def until(read: Callable[[], T], done: Callable[[T], bool]) -> T:
    """What is read once it is as wanted."""
    ends = time.monotonic() + PATIENCE
    while not done(found := read()):
        assert time.monotonic() < ends, f"still {found!r}"
        time.sleep(0.05)
    return found


def ok(answer: Any) -> Any:
    """The JSON of an answer that is no refusal."""
    assert answer.status_code < 300, answer.text
    return answer.json()


def refused(answer: Any, status: int = 422) -> str:
    """The words of a refusal."""
    assert answer.status_code == status, answer.text
    detail = answer.json()["detail"]
    return detail if isinstance(detail, str) else str(detail)


def asked(client: TestClient, agent: str, *moves: str, **more: Any) -> dict[str, Any]:
    """What an agent does at its turn in a game with these moves."""
    answer: dict[str, Any] = ok(client.post(f"/api/agents/{agent}/move", json={"moves": list(moves), **more}))
    return answer


def contest(client: TestClient, *, games: int = 2, players: tuple[str, str] = ("random", "greedy")) -> str:
    """The job that plays a new tournament of two built-in players."""
    body = {"players": players, "games": games}
    tournament = ok(client.post("/api/tournaments", json=body))["id"]
    return str(ok(client.post(f"/api/tournaments/{tournament}/run"))["id"])


def endless(client: TestClient) -> str:
    """A job that goes on until it is stopped."""
    return contest(client, games=1000, players=("alphabeta", "champion"))


def finished(client: TestClient, job: str) -> dict[str, Any]:
    """A job once it has ended."""
    found = until(
        lambda: dict(ok(client.get(f"/api/jobs/{job}"))), lambda state: state["state"] not in ("waiting", "running")
    )
    json.dumps(found, allow_nan=False)
    return found
