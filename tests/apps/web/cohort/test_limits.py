"""No student of a class fills the disk, the queue or the players of a server, and none keeps the teacher out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from littlego.apps.web.cohort import rights
from littlego.apps.web.cohort.students import enrol
from littlego.core.game import GameRecord
from littlego.core.position import Position
from littlego.core.verdict import Outcome, Verdict
from littlego.formats.records import record_to_dict
from tests.apps.web.cohort.test_students import OWNER, roster, upload
from tests.apps.web.http.test_access import DOCS
from tests.apps.web.serving import SHORT, a_deck, offer_course, ok, refused, serving

pytestmark = pytest.mark.process

TWO = 2


@pytest.fixture
def school(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[TestClient, dict[str, str]]]:
    """A server whose jobs wait, with limits that are soon reached, and the headers of a student."""
    for name in ("AGENTS", "DECKS", "GAMES_A_DAY"):
        monkeypatch.setattr(rights, name, TWO)
    offer_course(tmp_path)
    students = enrol(roster(tmp_path, "Ada", "Ben"), tmp_path).students
    token = OWNER["authorization"].split()[1]
    with serving(tmp_path, token=token, students=students, jobs_at_once=0) as client:
        yield client, {"authorization": f"Bearer {students[0].token}"}


def test_decks_and_games_are_counted(school: tuple[TestClient, dict[str, str]]) -> None:
    client, ada = school
    for who, last in ((ada, 422), (OWNER, 201)):
        for path, body in (("games", {"white": "human"}), ("decks/import", {"text": a_deck()})):
            answers = [client.post(f"/api/{path}", json=body, headers=who) for _ in range(TWO + 1)]
            assert [answer.status_code for answer in answers] == [201, 201, last], path
    assert "delete one" in refused(client.post("/api/decks", json={}, headers=ada))
    theirs = ok(client.get("/api/games", headers=OWNER))[0]["id"]
    assert "tomorrow" in refused(client.post(f"/api/games/{theirs}/branch", json={"ply": 0}, headers=ada))
    record = json.dumps(record_to_dict(GameRecord("a", "b", Position.initial())))
    assert "tomorrow" in refused(client.put("/api/games/import", content=record, headers=ada))


def test_uploads_at_once_are_counted(school: tuple[TestClient, dict[str, str]]) -> None:
    client, ada = school
    with ThreadPoolExecutor(8) as pool:
        list(
            pool.map(lambda _: client.put("/api/agents?name=x&file=my_player3.py", content=b"1", headers=ada), "x" * 8)
        )
    assert len(ok(client.get("/api/agents", headers=ada))) == TWO


def test_players_of_one_student_do_not_keep_the_others_waiting(
    school: tuple[TestClient, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    client, ada = school
    monkeypatch.setattr(rights, "GAMES_AT_ONCE", 1)
    body = {"black": "greedy", "white": "greedy", "size": 19}
    ok(client.post("/api/games", json=body, headers=ada))
    assert "a player is thinking in 1" in refused(client.post("/api/games", json=body, headers=ada))


def test_jobs_are_counted_by_the_day(
    school: tuple[TestClient, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job that was stopped at once has stored its order all the same."""
    client, ada = school
    monkeypatch.setattr(rights, "JOBS_A_DAY", TWO)
    agent = upload(client, ada)
    for _ in range(TWO):
        job = ok(client.post(f"/api/agents/{agent}/check", headers=ada))["id"]
        ok(client.post(f"/api/jobs/{job}/cancel", headers=ada))
    assert "tomorrow" in refused(client.post(f"/api/agents/{agent}/check", headers=ada))
    assert "tomorrow" in refused(client.post(f"/api/jobs/{job}/resume", headers=ada))
    ok(client.post(f"/api/agents/{agent}/check", headers=OWNER))


def test_gradings_take_so_much(
    school: tuple[TestClient, dict[str, str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    client, ada = school
    monkeypatch.setattr(rights, "GRADING_BYTES", 1)
    agent = upload(client, ada)
    again = {**SHORT, "again": True}
    ok(client.post(f"/api/agents/{agent}/grade", json=again, headers=ada))
    assert "your gradings take" in refused(client.post(f"/api/agents/{agent}/grade", json=again, headers=ada))
    assert len(list((tmp_path / "grades").iterdir())) == 1
    ok(client.post(f"/api/agents/{agent}/grade", json=again, headers=OWNER))


def test_a_student_with_a_full_queue_does_not_keep_the_teacher_out(school: tuple[TestClient, dict[str, str]]) -> None:
    client, ada = school
    agent = upload(client, ada)
    jobs = [ok(client.post(f"/api/agents/{agent}/check", headers=ada))["id"] for _ in range(rights.JOBS)]
    assert "of your jobs" in refused(client.post(f"/api/agents/{agent}/check", headers=ada))
    ok(client.post(f"/api/agents/{agent}/check", headers=OWNER))
    ok(client.post(f"/api/agents/{agent}/grade", json=SHORT, headers=OWNER))
    ok(client.post(f"/api/jobs/{jobs[0]}/cancel", headers=OWNER))
    ok(client.post(f"/api/jobs/{jobs[0]}/resume", headers=OWNER))


def test_what_is_imported_is_small(school: tuple[TestClient, dict[str, str]]) -> None:
    client, ada = school
    start, long = Position.initial(), "x" * 200_000
    fields = record_to_dict(GameRecord("a", "b", start, outcome=Outcome(None, Verdict.VOID, start.score(), long)))
    game = ok(client.post("/api/games/import", json={"text": json.dumps(fields)}, headers=ada))
    assert len(json.dumps(game)) < 10_000
    fields["rules"]["edition"] = long
    assert "edition" in refused(client.put("/api/games/import", content=json.dumps(fields), headers=ada))


def test_the_docs_name_the_limits() -> None:
    told = " ".join(DOCS.read_text(encoding="utf-8").split())
    assert f"at most {rights.AGENTS} agents with gradings of {rights.GRADING_BYTES >> 20} MiB" in told
    assert f"{rights.DECKS} decks, {rights.JOBS} jobs that run or wait and {rights.GAMES_AT_ONCE} games" in told
    assert f"at most {rights.JOBS_A_DAY} jobs and {rights.GAMES_A_DAY} games a day" in told
