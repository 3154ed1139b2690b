"""No student of a class fills the disk or the queue of a server, and none keeps the teacher out."""

from __future__ import annotations

import ast
import asyncio
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from littlego.apps.web import agents, auth, fair, gradings, jobs
from littlego.apps.web.cohort import enrol
from tests.apps.web.serving import SHORT, offer_course, ok, refused, serving
from tests.apps.web.test_agents import GOOD_AGENT, packed
from tests.apps.web.test_cohort import OWNER, roster, upload
from tests.apps.web.test_rights import DOCS
from tests.helpers import in_a_thread

pytestmark = pytest.mark.process

TWO = 2


@pytest.fixture
def school(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[TestClient, dict[str, str]]]:
    """A server whose jobs wait, with limits that are soon reached, and the headers of a student."""
    monkeypatch.setattr(agents, "MOST", TWO)
    offer_course(tmp_path)
    students = enrol(roster(tmp_path, "Ada", "Ben"), tmp_path).students
    token = OWNER["authorization"].split()[1]
    with serving(tmp_path, token=token, students=students, jobs_at_once=0) as client:
        yield client, {"authorization": f"Bearer {students[0].token}"}


def test_uploads_at_once_are_counted(school: tuple[TestClient, dict[str, str]]) -> None:
    client, ada = school
    with ThreadPoolExecutor(8) as pool:
        list(
            pool.map(
                lambda name: client.put(f"/api/agents?name={name}&file=my_player3.py", content=b"1", headers=ada),
                "abcdefgh",
            )
        )
    assert len(ok(client.get("/api/agents", headers=ada))) == TWO


def test_jobs_are_counted_by_the_day(
    school: tuple[TestClient, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job that was stopped at once has stored its order all the same."""
    client, ada = school
    monkeypatch.setattr(jobs, "A_DAY", TWO)
    agent = upload(client, ada)
    for _ in range(TWO):
        job = ok(client.post(f"/api/agents/{agent}/check", headers=ada))["id"]
        ok(client.post(f"/api/jobs/{job}/cancel", headers=ada))
    assert "tomorrow" in refused(client.post(f"/api/agents/{agent}/check", headers=ada))
    assert "tomorrow" in refused(client.post(f"/api/jobs/{job}/resume", headers=ada))
    ok(client.post(f"/api/agents/{agent}/check", headers=OWNER))


def len_of(path: Path) -> int:
    return path.stat().st_size


def test_gradings_take_so_much(
    school: tuple[TestClient, dict[str, str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    client, ada = school
    agent = upload(client, ada)
    monkeypatch.setattr(gradings, "MOST_BYTES", 1 + sum(map(len_of, (tmp_path / "agents").rglob("*.py"))))
    again = {**SHORT, "again": True}
    ok(client.post(f"/api/agents/{agent}/grade", json=again, headers=ada))
    grading = ok(client.get(f"/api/agents/{agent}/gradings", headers=ada))[0]["id"]
    (tmp_path / "grades" / grading).mkdir(parents=True)
    (tmp_path / "grades" / grading / "results.sqlite").write_text("games")
    assert "your agents and gradings take" in refused(
        client.post(f"/api/agents/{agent}/grade", json=again, headers=ada)
    )
    ok(client.post(f"/api/agents/{agent}/grade", json=again, headers=OWNER))


def test_an_archive_takes_what_it_holds_unpacked(
    school: tuple[TestClient, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    client, ada = school
    upload = packed(**{"my_player3.py": GOOD_AGENT, "book.txt": "0" * (1 << 20)})
    assert len(upload) < 1 << 16
    monkeypatch.setattr(agents, "MOST_BYTES", 1 << 20)
    first, second = ({"name": name, "file": "agent.zip"} for name in ("first", "second"))
    agent = ok(client.put("/api/agents", params=first, content=upload, headers=ada))["id"]
    again = client.put("/api/agents", params=second, content=upload, headers=ada)
    assert "your agents take 1 MiB: delete one first" in refused(again)
    ok(client.delete(f"/api/agents/{agent}", headers=ada))
    ok(client.put("/api/agents", params=second, content=upload, headers=ada))


def test_the_server_itself_parses_no_source_of_a_student(
    school: tuple[TestClient, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One f-string of 256 kB takes seconds, in which nobody else is answered: it is another process that reads it."""
    client, ada = school
    parsed: list[object] = []
    really = ast.parse

    def noted(*words: Any, **more: Any) -> Any:
        parsed.append(words[0])
        return really(*words, **more)

    monkeypatch.setattr(ast, "parse", noted)
    asked = {"name": "mine", "file": "my_player.py"}  # a class, or a program? The source tells
    agent = ok(client.put("/api/agents", params=asked, content=GOOD_AGENT.encode(), headers=ada))["id"]
    ok(client.post(f"/api/agents/{agent}/check", headers=ada))
    ok(client.post(f"/api/agents/{agent}/grade", json=SHORT, headers=ada))
    ok(client.post("/api/tournaments", json={"players": ["random", f"agent:{agent}"]}, headers=OWNER))
    ok(client.get(f"/api/agents/{agent}", headers=ada))
    ok(client.delete(f"/api/agents/{agent}", headers=ada))
    monkeypatch.setattr(ast, "parse", really)  # pytest itself parses
    assert parsed == []


def test_a_student_with_a_full_queue_does_not_keep_the_teacher_out(school: tuple[TestClient, dict[str, str]]) -> None:
    client, ada = school
    agent = upload(client, ada)
    begun = [ok(client.post(f"/api/agents/{agent}/check", headers=ada))["id"] for _ in range(jobs.AT_ONCE)]
    assert "of your jobs" in refused(client.post(f"/api/agents/{agent}/check", headers=ada))
    ok(client.post(f"/api/agents/{agent}/check", headers=OWNER))
    ok(client.post(f"/api/agents/{agent}/grade", json=SHORT, headers=OWNER))
    ok(client.post(f"/api/jobs/{begun[0]}/cancel", headers=OWNER))
    ok(client.post(f"/api/jobs/{begun[0]}/resume", headers=OWNER))


def test_the_docs_name_the_limits() -> None:
    told = " ".join(DOCS.read_text(encoding="utf-8").split())
    assert f"at most {agents.MOST} agents, which with their gradings take {agents.MOST_BYTES >> 20} MiB" in told
    assert f"{jobs.AT_ONCE} jobs that run or wait, and begins at most {jobs.A_DAY} jobs a day" in told
    assert f"worked on {fair.AT_ONCE} at a time" in told


def test_an_upload_in_small_pieces_costs_about_what_it_costs_in_large_ones() -> None:
    """It is put together in the server's only thread: copying it anew for every piece would hold up everybody."""
    size = 8 << 20

    async def seconds_for(piece: int) -> float:
        left = size

        async def receive() -> dict[str, Any]:
            nonlocal left
            left -= piece
            return {"type": "http.request", "body": bytes(piece), "more_body": left > 0}

        began = time.perf_counter()
        body = await auth._read(receive, size)
        assert body is not None
        assert len(body) == size
        return time.perf_counter() - began

    large, small = (
        min(in_a_thread(asyncio.run, seconds_for(piece)) for _ in range(3)) for piece in (size // 4, 1 << 10)
    )
    assert small < 20 * large, (small, large)
