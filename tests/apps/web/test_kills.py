"""Jobs and the kills of servers, jobs and workers: nothing is lost, nothing is done twice, nobody has to help."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from littlego.apps.web import jobs
from tests.apps.web.processes import JOB, WORKER, Server, descendants, gone, kill
from tests.apps.web.serving import endless, ok, serving, until
from tests.arena.agents import GOOD

pytestmark = [pytest.mark.process, pytest.mark.slow, pytest.mark.siege]

SLOW_AGENT = "import time\ntime.sleep(0.3)\n" + textwrap.dedent(GOOD)
"""It is killed in the middle of a game, which takes seconds."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that tests kill and start again."""
    with Server(tmp_path_factory.mktemp("kills") / "data") as found:
        yield found


def tournament(server: Server, players: list[str], games: int) -> tuple[str, str]:
    """A tournament and the job that runs it."""
    contest = server.ask("/api/tournaments", {"players": players, "games": games})["id"]
    return contest, server.ask(f"/api/tournaments/{contest}/run", {})["id"]


def at_work(server: Server, words: str) -> list[int]:
    """The processes of a kind below the server, once there are some."""
    return list(
        server.until("/api/about", lambda _about: descendants(server.pid, words)) and descendants(server.pid, words)
    )


def test_jobs_end_with_a_server_that_was_killed_and_go_on_with_the_next(server: Server) -> None:
    agent = server.upload(SLOW_AGENT)
    contest, job = tournament(server, ["random", f"agent:{agent}"], 1)
    workers = at_work(server, WORKER)
    agents = at_work(server, "my_player3.py")
    jobs = descendants(server.pid, JOB)
    server.kill()
    server.start()
    gone([*jobs, *workers, *agents])
    state = server.until(f"/api/jobs/{job}", lambda found: found["state"] != "waiting")
    assert state["state"] == "running", state
    server.until(f"/api/jobs/{job}", lambda found: found["state"] != "running")
    assert server.ask(f"/api/jobs/{job}")["state"] == "done"
    assert server.ask(f"/api/tournaments/{contest}")["games"] == 1


def test_a_job_whose_process_is_killed_is_tried_again(server: Server) -> None:
    contest, job = tournament(server, ["random", "greedy", "aggressive"], 1000)
    for crashes in (1, 2):
        workers = at_work(server, WORKER)
        kill(at_work(server, JOB)[0])
        gone(workers)
        found = server.until(f"/api/jobs/{job}", lambda found, crashes=crashes: found["crashes"] == crashes)
        assert found["state"] == "running"
    server.until(f"/api/tournaments/{contest}", lambda found: found["games"] > 0)
    workers = at_work(server, WORKER)
    assert server.ask(f"/api/jobs/{job}/cancel", {})["state"] == "cancelled"
    gone(workers)


def test_a_job_that_is_always_killed_is_given_up_and_told_as_what_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "_LONGEST_PAUSE", 0.05)
    with serving(tmp_path) as client:
        job = endless(client)

        def kill_and_look() -> dict[str, Any]:
            for pid in descendants(os.getpid(), JOB):
                kill(pid)
            return dict(ok(client.get(f"/api/jobs/{job}")))

        told = until(kill_and_look, lambda found: found["state"] == "failed")
        assert "was killed (signal 9), 5 times" in told["message"]
        assert ok(client.post(f"/api/jobs/{job}/resume"))["state"] in ("waiting", "running")
        until(lambda: ok(client.get(f"/api/jobs/{job}")), lambda found: found["done"] > 0)


def kept_games(path: Path) -> dict[Any, Any]:
    """Every result in a store, by its key; read as a stranger would."""
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=600)) as store:
        rows = store.execute("SELECT key, * FROM games JOIN records USING (finished)").fetchall()
    found = {key: row for key, *row in rows}
    assert len(found) == len(rows)
    return found


def test_seven_kills_lose_nothing_and_need_no_help(server: Server) -> None:
    """Of servers, jobs and workers, while a grading and a tournament are played."""
    agent = server.upload("raise SystemExit(3)\n")
    grade = server.ask(f"/api/agents/{agent}/grade", {"stage": "submit2"})["id"]
    contest, run = tournament(server, ["random", "greedy", "aggressive"], 30)
    stores = [
        until(lambda: list(server.data.glob("grades/*")), bool)[0] / "results.sqlite",
        server.data / "tournaments" / contest / "results.sqlite",
    ]
    for number, victim in enumerate(("server", JOB, WORKER, "server", WORKER, JOB, "server")):
        before = _games_of(server, grade) + server.ask(f"/api/tournaments/{contest}")["games"]
        if number % 3 == 2:  # now and then some games are played in between
            server.until(f"/api/jobs/{grade}", lambda _, before=before: _progress(server, grade, contest) > before)
        if victim == "server":
            server.kill()
            server.start()
        else:
            for pid in descendants(server.pid, victim)[:1]:
                kill(pid)
    for job in (grade, run):
        ended = server.until(f"/api/jobs/{job}", lambda found: found["state"] not in ("waiting", "running"))
        assert ended["state"] == "done", ended["message"]
    assert _games_of(server, grade) == 20
    assert server.ask(f"/api/tournaments/{contest}")["games"] == 90
    server.stop()
    assert [len(kept_games(path)) for path in stores] == [20, 90]


def _games_of(server: Server, job: str) -> int:
    return int((server.ask(f"/api/jobs/{job}")["result"] or {}).get("games", 0))


def _progress(server: Server, grade: str, contest: str) -> int:
    """How many games are there; all of them, when there are no more to come."""
    found = _games_of(server, grade) + int(server.ask(f"/api/tournaments/{contest}")["games"])
    return 10**6 if found == 110 else found
