"""Edit, grade, edit, grade: every grading of an agent is kept, listed, and of the files as they were then."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from littlego.arena.building import course_python
from tests.apps.web.serving import SHORT, asked, finished, offer_course, ok, refused, serving
from tests.apps.web.test_agents import GOOD_AGENT, upload

pytestmark = pytest.mark.process

FIRST = "raise SystemExit(3)\n"
SECOND = "import os\nprint(1 / 0)\n"


def graded(client: TestClient, agent: str, **asked: Any) -> dict[str, Any]:
    """The job of a grading, ended."""
    return finished(client, ok(client.post(f"/api/agents/{agent}/grade", json={**SHORT, **asked}))["id"])


def test_every_grading_is_kept_and_an_unchanged_agent_is_graded_again_when_asked(arena: TestClient) -> None:
    agent = upload(arena, FIRST.encode(), "my_player3.py", "graded")
    first = graded(arena, agent)
    assert first["state"] == "done", first["message"]
    assert graded(arena, agent)["id"] == first["id"], "the same version in the same way: the same grading"
    assert upload(arena, SECOND.encode(), "my_player3.py", "graded") == agent
    second = graded(arena, agent)
    assert second["state"] == "done", second["message"]
    again = graded(arena, agent, again=True)
    listed = ok(arena.get(f"/api/agents/{agent}/gradings"))
    assert [one["job"] for one in listed] == [again["id"], second["id"], first["id"]]
    assert [one["version"] for one in listed] == [2, 2, 1]
    assert {(one["edition"], one["stage"], one["state"]) for one in listed} == {("tiny", "exam", "done")}
    assert [(one["points"], one["max_points"]) for one in listed] == [(5, 5)] * 3
    assert ok(arena.get(f"/api/agents/{agent}"))["jobs"]["grade"] == again["id"]
    assert "ZeroDivisionError" in second["result"]["repeats"][0]["batches"][0]["opponents"][0]["lost"][0]["stderr"]
    report = arena.get(f"/api/agents/{agent}/gradings/{listed[-1]['id']}/report.html")
    assert "attachment" in report.headers["content-disposition"]
    assert "no 'nothing'" in refused(arena.get(f"/api/agents/{agent}/gradings/nothing/report.html"), 404)
    assert len(again["result"]["inputs"]["1"].splitlines()) == 1 + 3 + 3, "what it read before it crashed, on 3x3"
    ok(arena.delete(f"/api/agents/{agent}"))
    assert arena.get(f"/api/agents/{agent}/gradings").status_code == 404


def test_a_grading_is_of_the_version_that_was_there_when_it_was_asked_for(tmp_path: Path) -> None:
    offer_course(tmp_path)
    with serving(tmp_path, jobs_at_once=0) as client:
        agent = upload(client, SECOND.encode(), "my_player3.py", "mine")
        job = ok(client.post(f"/api/agents/{agent}/grade", json=SHORT))["id"]
        assert upload(client, FIRST.encode(), "my_player3.py", "mine") == agent
    with serving(tmp_path) as client:
        found = finished(client, job)
        assert found["state"] == "done", found["message"]
        assert "ZeroDivisionError" in str(found["result"])


def test_the_data_directory_can_be_moved(tmp_path: Path) -> None:
    """With an upload, a game against it and half a grading of it inside."""
    offer_course(tmp_path / "here")
    with serving(tmp_path / "here", jobs_at_once=0) as client:
        agent = upload(client, GOOD_AGENT.encode(), "my_player3.py")
        crashing = upload(client, FIRST.encode(), "my_player3.py", "crashing")
        reply = asked(client, agent, "2,2", game="moved")["move"]
        job = ok(client.post(f"/api/agents/{crashing}/grade", json=SHORT))["id"]
        contest = ok(client.post("/api/tournaments", json={"players": ["random", f"agent:{agent}"], "games": 1}))["id"]
        run = ok(client.post(f"/api/tournaments/{contest}/run"))["id"]
    shutil.move(tmp_path / "here", tmp_path / "there")
    with serving(tmp_path / "there") as client:
        assert asked(client, agent, "2,2", reply, "PASS", game="moved")["move"] is not None
        for name in (job, run):
            found = finished(client, name)
            assert found["state"] == "done", found["message"]
        check = finished(client, ok(client.post(f"/api/agents/{crashing}/check"))["id"])  # which plays no game
        assert check["state"] == "done", check["message"]


def test_no_answer_tells_a_path_of_the_server(tmp_path: Path) -> None:
    place = tmp_path / "a-place-that-nobody-knows"
    offer_course(place)
    with serving(place, host="0.0.0.0", token="t") as client:
        client.headers["authorization"] = "Bearer t"
        agent = upload(client, FIRST.encode(), "my_player3.py")
        jobs = [graded(client, agent)["id"], ok(client.post(f"/api/agents/{agent}/check"))["id"]]
        contest = ok(client.post("/api/tournaments", json={"players": ["random", f"agent:{agent}"], "games": 1}))["id"]
        jobs.append(ok(client.post(f"/api/tournaments/{contest}/run"))["id"])
        for job in jobs:
            finished(client, job)
        number = ok(client.get(f"/api/tournaments/{contest}/games"))[0]["number"]
        graded_as = ok(client.get(f"/api/agents/{agent}/gradings"))[0]["id"]
        answers = [
            client.get("/api/agents"), client.get(f"/api/agents/{agent}"),
            client.post(f"/api/agents/{agent}/move", json={"moves": ["2,2"]}),
            client.get(f"/api/tournaments/{contest}"),
            client.get(f"/api/tournaments/{contest}/report.html"),
            client.get(f"/api/tournaments/{contest}/games/{number}/capsule.json"),
            client.get(f"/api/agents/{agent}/gradings"),
            client.get(f"/api/agents/{agent}/gradings/{graded_as}/report.html"),
            *(client.get(f"/api/jobs/{job}") for job in jobs),
        ]  # fmt: skip
    assert len(answers) == 11
    for answer in answers:
        assert answer.status_code == 200, answer.text
        assert place.name not in answer.text, answer.url
        assert str(course_python("my_player3.py")[0].path) not in answer.text, answer.url
