"""Work in the background: how jobs are stopped, resumed and reported."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from littlego.apps.web.agents import Agents
from littlego.apps.web.cohort import enrol
from littlego.apps.web.jobs import Jobs, Turns
from littlego.apps.web.store import NoRoom, ServerStore
from littlego.arena.tournament import runner
from littlego.arena.tournament.pairings import default_rounds
from tests.apps.web.serving import PATIENCE, contest, endless, finished, offer_course, ok, refused, serving, until
from tests.apps.web.serving import SHORT as TINY
from tests.apps.web.test_agents import GOOD_AGENT, upload
from tests.apps.web.test_cohort import roster
from tests.helpers import in_a_thread

pytestmark = [pytest.mark.process, pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")]


def test_a_job_is_followed_without_fetching_its_result_again(arena: TestClient) -> None:
    agent = upload(arena, b"pass", "my_player3.py")
    job = finished(arena, ok(arena.post(f"/api/agents/{agent}/check"))["id"])
    assert job["result"]["checks"]
    for seen, result in ((job["result_version"], None), (job["result_version"] - 1, job["result"])):
        assert ok(arena.get(f"/api/jobs/{job['id']}?seen={seen}"))["result"] == result


def test_a_gradings_points_grow_while_it_plays(tmp_path: Path) -> None:
    offer_course(tmp_path, games=1000)
    with serving(tmp_path) as client:
        agent = upload(client, GOOD_AGENT.encode(), "my_player3.py")
        job = ok(client.post(f"/api/agents/{agent}/grade", json=TINY))["id"]
        found = until(lambda: ok(client.get(f"/api/jobs/{job}")), lambda one: one["result"] and one["result"]["games"])
        assert found["state"] == "running", found["message"]
        assert 0 < found["result"]["games"] < 1000
        assert 0 <= found["seconds"] <= time.time() - found["created"] + 0.1
        ok(client.post(f"/api/jobs/{job}/cancel"))


def test_a_swiss_has_as_many_rounds_as_on_the_command_line(arena: TestClient) -> None:
    players = ["random", "greedy", "aggressive"]
    cup = ok(arena.post("/api/tournaments", json={"format": "swiss", "games": 2, "players": players}))["id"]
    found = ok(arena.get(f"/api/tournaments/{cup}"))
    assert found["planned_games"] == 2 * default_rounds(len(players)), "one of three has a bye in every round"


def test_jobs_are_stopped(tmp_path: Path) -> None:
    with serving(tmp_path) as client:
        running = endless(client)
        waiting = contest(client)
        until(lambda: ok(client.get(f"/api/jobs/{running}")), lambda job: job["state"] == "running")
        assert ok(client.get(f"/api/jobs/{waiting}"))["state"] == "waiting"
        assert ok(client.post(f"/api/jobs/{waiting}/cancel"))["state"] == "cancelled"
        assert ok(client.post(f"/api/jobs/{running}/cancel"))["state"] == "cancelled"
        assert ok(client.post(f"/api/jobs/{running}/cancel"))["state"] == "cancelled"
        assert client.post("/api/jobs/nothing/cancel").status_code == 404
        assert ok(client.get("/api/jobs/queue")) == []
    with serving(tmp_path) as client:
        assert ok(client.get(f"/api/jobs/{running}"))["state"] == "cancelled"


def test_a_restart_continues_its_jobs(tmp_path: Path) -> None:
    with serving(tmp_path, jobs_at_once=0) as client:
        cup = ok(client.post("/api/tournaments", json={"players": ["random", "greedy"], "games": 2}))["id"]
        job = ok(client.post(f"/api/tournaments/{cup}/run"))["id"]
        agent = upload(client, b"pass", "my_player3.py")
        check = ok(client.post(f"/api/agents/{agent}/check"))["id"]
        assert ok(client.get(f"/api/jobs/{job}"))["state"] == "waiting"
    with serving(tmp_path) as client:
        assert finished(client, job)["state"] == "done"
        assert ok(client.get(f"/api/tournaments/{cup}"))["games"] == 2
        assert finished(client, check)["state"] == "done"


def test_too_many_jobs_are_refused(tmp_path: Path) -> None:
    with serving(tmp_path, jobs_at_once=0) as client:
        agent = upload(client, GOOD_AGENT.encode(), "my_player3.py")
        answers = [client.post(f"/api/agents/{agent}/check") for _ in range(101)]
    assert [answer.status_code for answer in answers] == [202] * 100 + [422]
    assert "try again later" in refused(answers[-1])


def test_a_job_that_breaks_says_so(tmp_path: Path) -> None:
    with serving(tmp_path) as client:
        cup = ok(client.post("/api/tournaments", json={"players": ["random", "greedy"], "games": 2}))["id"]
        for path in (tmp_path / "tournaments" / cup).iterdir():
            path.unlink()
        job = finished(client, ok(client.post(f"/api/tournaments/{cup}/run"))["id"])
    assert job["state"] == "failed"
    assert job["message"]


def test_a_job_that_breaks_shows_no_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("littlego.apps.web.jobs._LONGEST_PAUSE", 0.05)
    with serving(tmp_path) as client:
        cup = ok(client.post("/api/tournaments", json={"players": ["random", "greedy"], "games": 2}))["id"]
        (tmp_path / "tournaments" / cup / runner._LOCK).mkdir()
        job = finished(client, ok(client.post(f"/api/tournaments/{cup}/run"))["id"])
    assert job["state"] == "failed"
    assert "IsADirectoryError" in job["message"]
    assert "5 times: given up" in job["message"]
    assert str(tmp_path) not in job["message"]


def test_a_job_that_is_still_stopping_can_be_continued(tmp_path: Path) -> None:
    """It goes on once its process has ended, and is not stopped a second time by whoever clicks twice."""
    (tmp_path / "my_player3.py").write_text("pass")

    async def stop_and_go_on() -> None:
        jobs = Jobs(ServerStore(tmp_path / "arena.sqlite"), tmp_path)
        job = jobs.begin("check", "Check", {"spelling": str(tmp_path / "my_player3.py"), "edition": "2025"})["id"]
        while jobs.stored.row(job)["state"] != "running":
            await asyncio.sleep(0.01)
        for _ in range(2):
            assert jobs.cancel(job)["state"] == "cancelled"
            assert jobs.queue() == []
            assert jobs.cancel(job)["state"] == "cancelled"
            assert jobs.go_on(job, by="")["state"] == "waiting"
            assert len(jobs.queue()) == 1
        async with asyncio.timeout(PATIENCE):
            while jobs.stored.row(job)["state"] not in ("done", "failed"):
                await asyncio.sleep(0.01)
        assert jobs.stored.row(job)["state"] == "done", jobs.stored.row(job)
        assert jobs.queue() == []
        await jobs.close()

    in_a_thread(asyncio.run, stop_and_go_on())


@pytest.mark.process
def test_the_process_of_a_job_loads_no_web_server() -> None:
    """It takes longer to load than a short job takes."""
    script = """import contextlib, sys
from pathlib import Path
from littlego.apps.web.job import KINDS
for kind in ("check", "grade", "tournament"):
    with contextlib.suppress(KeyError):  # the first parameter is missing, after everything has been imported
        KINDS[kind]({}, Path("nowhere"), None)
        print(kind, "has begun")
print(*{'fastapi', 'uvicorn'} & sys.modules.keys())"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_no_job_begins_whose_grading_cannot_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when the disk is full between the two: nothing is left of either."""
    with serving(tmp_path, jobs_at_once=0) as client:
        agent = upload(client, GOOD_AGENT.encode(), "my_player3.py")
        monkeypatch.setattr(Agents, "note_job", no_room)
        assert "full" in refused(client.post(f"/api/agents/{agent}/grade", json={}), 507)
        assert ok(client.get("/api/jobs/queue")) == []
        assert ok(client.get(f"/api/agents/{agent}/gradings")) == []
        assert not (tmp_path / "grades").exists()


def no_room(*_given: object) -> None:
    raise NoRoom


def test_who_was_served_longest_ago_is_next() -> None:
    """Ann has begun ten jobs before Ben begins one; his is the next."""
    served: list[str] = []

    async def work(turns: Turns, person: str) -> None:
        async with turns.turn(person):
            served.append(person)
            await asyncio.sleep(0)

    async def everyone() -> None:
        turns = Turns(1)
        await asyncio.gather(*(work(turns, person) for person in ["ann"] * 10 + ["ben", "cleo", "ben"]))

    in_a_thread(asyncio.run, everyone())
    assert served == ["ann", "ben", "cleo", "ann", "ben", *["ann"] * 8]


def test_who_is_stopped_while_waiting_keeps_nobody_waiting() -> None:
    async def stop_one() -> None:
        turns = Turns(1)
        async with turns.turn("ann"):
            waiting = [asyncio.create_task(wait(turns, person)) for person in ("ben", "cleo")]
            await asyncio.sleep(0)
            assert turns.is_wanted_by_others("ann")
            waiting[0].cancel()
        assert await waiting[1] == "cleo"

    async def wait(turns: Turns, person: str) -> str:
        async with turns.turn(person):
            return person

    in_a_thread(asyncio.run, stop_one())


@pytest.mark.process
def test_a_long_job_makes_room_for_somebody_elses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tournament of a thousand games runs, and somebody else's grading gets its turn and is done before it."""
    monkeypatch.setattr("littlego.apps.web.jobs._SLICE", 0.0)
    offer_course(tmp_path)
    students = enrol(roster(tmp_path, "Ada"), tmp_path).students
    with serving(tmp_path, token="t", students=students) as client:
        client.headers["authorization"] = "Bearer t"
        long = endless(client)
        until(lambda: ok(client.get(f"/api/jobs/{long}")), lambda job: job["done"] > 0)
        client.headers["authorization"] = f"Bearer {students[0].token}"
        agent = upload(client, GOOD_AGENT.encode(), "my_player3.py")
        job = finished(client, ok(client.post(f"/api/agents/{agent}/grade", json=TINY))["id"])
        assert job["state"] == "done", job["message"]
        client.headers["authorization"] = "Bearer t"
        found = until(lambda: ok(client.get(f"/api/jobs/{long}")), lambda job: job["state"] == "running")
        assert found["crashes"] == 0
        ok(client.post(f"/api/jobs/{long}/cancel"))


@pytest.mark.process
def test_a_students_job_ends_when_it_has_had_its_real_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A grading of an agent that sleeps would take days; what was played is kept."""
    monkeypatch.setattr("littlego.apps.web.jobs._LONGEST", 0.2)
    offer_course(tmp_path)
    students = enrol(roster(tmp_path, "Ada"), tmp_path).students
    sleeps = b"import time\ntime.sleep(20)\nopen('output.txt', 'w').write('PASS')\n"
    with serving(tmp_path, token="t", students=students) as client:
        client.headers["authorization"] = f"Bearer {students[0].token}"
        agent = upload(client, sleeps, "my_player3.py")
        job = finished(client, ok(client.post(f"/api/agents/{agent}/grade", json=TINY))["id"])
    assert job["state"] == "failed"
    assert job["message"].startswith("stopped after "), job["message"]
