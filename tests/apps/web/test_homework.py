"""Submit as an act: a due date, a receipt, the newest counts, late days, and opponents reserved for grading."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from littlego.apps.web.cohort import enrol
from littlego.apps.web.homework import HANDED_IN, LATE, set_homework
from tests.apps.web.serving import finished, offer_course, ok, refused, serving
from tests.apps.web.test_agents import GOOD_AGENT
from tests.command import in_this_process

pytestmark = pytest.mark.process

OWNER = {"authorization": "Bearer only-the-owner-knows-it-for-sure"}
CANVAS = "Student,ID,SIS User ID,SIS Login ID,Section,HW2 (998877)\n"
STUDENTS = CANVAS + '"Lovelace, Ada",113,900113,ada,A,\n"Zoe, Ben",114,900114,ben,A,\n'


@contextmanager
def school(
    data: Path, *, due_in: timedelta, jobs_at_once: int = 0
) -> Iterator[tuple[TestClient, list[dict[str, str]]]]:
    """A server whose homework of 2025 is due then, and the headers of Ada and Ben."""
    roster = data.parent / "roster.csv"
    roster.write_text(STUDENTS, encoding="utf-8")
    data.mkdir(exist_ok=True)
    students = enrol(roster, data).students
    set_homework(data, datetime.now(UTC) + due_in, "2025")
    token = OWNER["authorization"].split()[1]
    headers = [{"authorization": f"Bearer {student.token}"} for student in students]
    with serving(data, host="0.0.0.0", token=token, students=students, jobs_at_once=jobs_at_once) as client:
        yield client, headers


def upload(client: TestClient, who: dict[str, str], content: bytes, file: str = "my_player3.py") -> str:
    params = {"name": "mine", "file": file}
    return str(ok(client.put("/api/agents", params=params, content=content, headers=who))["id"])


def handed_in(data: Path) -> dict[str, set[str]]:
    return {path.name: {file.name for file in path.iterdir()} for path in (data / HANDED_IN).iterdir()}


def test_the_latest_counts_and_goes_to_grade_class(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with school(data, due_in=timedelta(hours=1)) as (client, (ada, ben)):
        agent = upload(client, ada, GOOD_AGENT.encode())
        assert ok(client.get("/api/homework", headers=ada))["receipt"] is None
        first = ok(client.post(f"/api/agents/{agent}/hand-in", headers=ada))
        assert (first["name"], first["version"], first["late_days"]) == ("mine", 1, 0)
        upload(client, ada, f"{GOOD_AGENT}# better\n".encode())
        second = ok(client.post(f"/api/agents/{agent}/hand-in", headers=ada))
        assert (second["version"], second["digest"] == first["digest"]) == (2, False)
        assert ok(client.get("/api/homework", headers=ada))["receipt"] == second
        shown = ok(client.get("/api/homework", headers=OWNER))
        assert (shown["handed_in"], shown["students"], shown["reserved"]) == (1, 2, ["alphabeta"])
        refused(client.post(f"/api/agents/{agent}/hand-in", headers=ben), 404)
        mine = upload(client, OWNER, GOOD_AGENT.encode())
        assert "only students" in refused(client.post(f"/api/agents/{mine}/hand-in", headers=OWNER), 403)
    assert (data / HANDED_IN / "113" / "my_player3.py").read_text().endswith("# better\n")
    tried = in_this_process(
        "grade-class", str(data / HANDED_IN), "--roster", str(tmp_path / "roster.csv"), "--dry-run", "--json"
    )
    assert [(row["student"], row["runs"]) for row in json.loads(tried.stdout)] == [("Lovelace, Ada", True)]
    assert "Zoe, Ben" in tried.stderr, "who has handed in nothing is named"


def test_late_days_are_counted_and_then_it_is_over(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with school(data, due_in=-timedelta(days=1, hours=1)) as (client, (ada, ben)):
        agent = upload(client, ada, GOOD_AGENT.encode())
        assert ok(client.post(f"/api/agents/{agent}/hand-in", headers=ada))["late_days"] == 2
    assert (data / LATE).read_text() == "student,days\n113,2\n"
    tried = in_this_process("grade-class", str(data / HANDED_IN), "--late", str(data / LATE), "--dry-run")
    assert "Late: 113 (2 days)." in tried.stderr
    with school(data, due_in=-timedelta(days=5, hours=1)) as (client, (ada, ben)):
        agent = upload(client, ben, GOOD_AGENT.encode())
        assert "nothing can be handed in since" in refused(
            client.post(f"/api/agents/{agent}/hand-in", headers=ben), 409
        )
    assert set(handed_in(data)) == {"113"}


def test_reserved_opponents_are_refused_until_it_is_due(tmp_path: Path) -> None:
    data = tmp_path / "data"
    for due_in, status in ((timedelta(hours=1), 403), (-timedelta(hours=1), 202)):
        with school(data, due_in=due_in) as (client, (ada, _)):
            agent = upload(client, ada, GOOD_AGENT.encode())
            for stage in ("1", "all"):
                answer = client.post(
                    f"/api/agents/{agent}/grade", json={"edition": "2024", "stage": stage}, headers=ada
                )
                assert answer.status_code == status, answer.text
                if status == 403:
                    assert "alphabeta is reserved for grading until" in refused(answer, 403)
            submit = client.post(f"/api/agents/{agent}/grade", json={"edition": "2024", "stage": "submit"}, headers=ada)
            assert submit.status_code == 202, submit.text
            owner = client.post(f"/api/agents/{agent}/grade", json={"edition": "2024", "stage": "1"}, headers=OWNER)
            assert owner.status_code == 202, owner.text


STAGED = 'name = "staged"'
for key in "12":
    STAGED += f"""
[[stages]]
key = "{key}"
games = 2
budget_seconds = 100
[[stages.opponents]]
player = "random"
lines = [ {{ from = 0, points = 5 }} ]
"""


def zipped(files: dict[str, str]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return stream.getvalue()


def test_an_agent_for_each_stage_is_checked_graded_and_handed_in(tmp_path: Path) -> None:
    data = tmp_path / "data"
    offer_course(data)
    (data / "editions" / "staged.toml").write_text(STAGED)
    broken = "raise SystemExit(3)\n"
    with school(data, due_in=timedelta(hours=1), jobs_at_once=1) as (client, (ada, _)):
        content = zipped({"hw/stage1/my_player3.py": GOOD_AGENT, "hw/stage2/my_player3.py": broken})
        agent = upload(client, ada, content, "hw.zip")
        job = ok(client.post(f"/api/agents/{agent}/grade", json={"edition": "staged", "stage": "all"}, headers=ada))
        client.headers.update(ada)
        graded = finished(client, job["id"])
        assert graded["state"] == "done", graded["message"]
        rows: list[Any] = [batch["opponents"][0] for batch in graded["result"]["repeats"][0]["batches"]]
        assert [row["games"] for row in rows] == [2, 2]
        assert [row["forfeits"] for row in rows] == [0, 2], "each stage has its own agent"
        checked = finished(client, ok(client.post(f"/api/agents/{agent}/check", json={"edition": "2025"}))["id"])
        found = {(one["title"].partition(": ")[0], one["status"]) for one in checked["result"]["checks"]}
        assert ("stage1", "failed") not in found
        assert {("stage1", "passed"), ("stage2", "failed")} <= found
        ok(client.post(f"/api/agents/{agent}/hand-in"))
    assert handed_in(data) == {"113": {"agent.zip"}}


def test_a_class_of_2019_is_checked(tmp_path: Path) -> None:
    from littlego.course.starter import KIT_2019

    with serving(tmp_path / "data") as client:
        source = (KIT_2019 / "my_player.py").read_bytes()
        params = {"name": "mine", "file": "my_player.py"}
        agent = ok(client.put("/api/agents", params=params, content=source))["id"]
        checked = finished(client, ok(client.post(f"/api/agents/{agent}/check", json={"edition": "2019"}))["id"])
        assert checked["state"] == "done", checked["message"]
        assert {one["status"] for one in checked["result"]["checks"]} == {"passed"}
