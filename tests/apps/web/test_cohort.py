"""A server for a class: every student has a token, and what is another's cannot be read, stopped or deleted."""

from __future__ import annotations

import csv
import re
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from littlego.apps.web.cohort import enrol, read_students, write_sheet
from littlego.apps.web.settings import address_of
from littlego.core.errors import UsageError
from littlego.course.grading.cohort.roster import Papers
from tests.apps.web.serving import SHORT, description, finished, offer_course, ok, refused, serving, until
from tests.apps.web.test_agents import GOOD_AGENT

pytestmark = pytest.mark.process

OWNER = {"authorization": "Bearer only-the-owner-knows-it-for-sure"}
NAMES = ("Ada Lovelace", "Ben Zoë", "Cleo")


def roster(folder: Path, *names: str) -> Path:
    path = folder / "roster.csv"
    path.write_text("\n".join(["name", *names]) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TestClient, dict[str, dict[str, str]]]]:
    """A server whose jobs wait, and the headers of each student."""
    data = tmp_path_factory.mktemp("school")
    students = enrol(roster(data, *NAMES), data).students
    headers = {student.name.split()[0]: {"authorization": f"Bearer {student.token}"} for student in students}
    token = OWNER["authorization"].split()[1]
    with serving(data, host="0.0.0.0", token=token, students=students, jobs_at_once=0) as client:
        yield client, headers


def upload(client: TestClient, headers: dict[str, str], name: str = "mine", *, source: str = GOOD_AGENT) -> str:
    params = {"name": name, "file": "my_player3.py"}
    content = f"{source}# {name}\n".encode()
    return str(ok(client.put("/api/agents", params=params, content=content, headers=headers))["id"])


def belongings(client: TestClient, headers: dict[str, str]) -> dict[str, str]:
    """The ids of one thing of each kind, of whoever has these headers."""
    for waiting in ok(client.get("/api/jobs/queue", headers=headers)):
        ok(client.post(f"/api/jobs/{waiting['id']}/cancel", headers=headers))
    agent = upload(client, headers)
    return {
        "agent": agent,
        "job": ok(client.post(f"/api/agents/{agent}/check", headers=headers))["id"],
    }


def test_what_is_anothers_does_not_exist(school: tuple[TestClient, dict[str, dict[str, str]]]) -> None:
    """Every operation of the API that names something, tried by another student on all that Ada has."""
    client, headers = school
    there = belongings(client, headers["Ada"])
    operations = [
        (method.upper(), path)
        for path, item in description()["paths"].items()
        for method in item
        if re.search(r"\{(agent|job)\}", path)
    ]
    assert len(operations) > 10
    for method, path in operations:
        asked = re.sub(r"\{(\w+)\}", lambda found: there.get(found[1], "grading"), path)
        body: dict[str, str] | None = {} if method == "POST" else None
        answer = client.request(method, asked, headers=headers["Ben"], json=body)
        assert refused(answer, 404) == f"there is no {asked.split('/')[3]!r} on this server", (method, path)
        missing = client.request(method, asked.replace(asked.split("/")[3], "nosuchthing1"), headers=headers["Ben"])
        assert missing.status_code == 404, "what is another's looks like what does not exist"
    for kind, path in (("agent", "agents"), ("job", "jobs")):
        ok(client.get(f"/api/{path}/{there[kind]}", headers=headers["Ada"]))
        ok(client.get(f"/api/{path}/{there[kind]}", headers=OWNER))
    assert ok(client.get(f"/api/jobs/{there['job']}", headers=headers["Ada"]))["state"] == "waiting"


def test_lists_have_ones_own(school: tuple[TestClient, dict[str, dict[str, str]]]) -> None:
    client, headers = school
    there = belongings(client, headers["Ada"])
    secrets = ("Ada", *there.values())
    lists = ("agents", "jobs/queue", "tournaments", "about")
    for path in lists:
        assert not [word for word in secrets if word in client.get(f"/api/{path}", headers=headers["Cleo"]).text], path
    assert there["agent"] in client.get("/api/agents", headers=headers["Ada"]).text
    teachers = {agent["id"]: agent["student"] for agent in ok(client.get("/api/agents", headers=OWNER))}
    assert teachers[there["agent"]] == "Ada Lovelace"


def test_the_queue_is_of_ones_own(school: tuple[TestClient, dict[str, dict[str, str]]]) -> None:
    client, headers = school
    there = belongings(client, headers["Ada"])
    mine = belongings(client, headers["Ben"])["job"]
    assert [job["id"] for job in ok(client.get("/api/jobs/queue", headers=headers["Ben"]))] == [mine]
    assert {there["job"], mine} <= {job["id"] for job in ok(client.get("/api/jobs/queue", headers=OWNER))}
    ok(client.post(f"/api/jobs/{mine}/cancel", headers=headers["Ben"]))


def test_only_the_teacher_holds_tournaments(school: tuple[TestClient, dict[str, dict[str, str]]]) -> None:
    client, headers = school
    assert "teacher" in refused(client.post("/api/tournaments", headers=headers["Ben"]), 403)


def test_standings_are_under_pseudonyms(school: tuple[TestClient, dict[str, dict[str, str]]]) -> None:
    client, headers = school
    agents = [f"agent:{upload(client, headers[name], name.lower())}" for name in ("Cleo", "Ben")]
    body = {"players": [*agents, "random"], "size": 2, "games": 2}
    cup = ok(client.post("/api/tournaments", json=body, headers=OWNER))["id"]
    called = ok(client.get("/api/about", headers=headers["Cleo"]))["student"]["called"]
    assert "Cleo" not in called
    for headers_of in (headers["Ben"], {}):
        text = client.get(f"/api/tournaments/{cup}", headers=headers_of).text
        assert called.replace(" ", "_") in text
        assert "cleo" not in text.lower().replace(called.lower(), "")
    assert "teacher" in refused(client.get(f"/api/tournaments/{cup}/report.html", headers=headers["Ben"]), 403)
    assert "sheet" in refused(client.get(f"/api/tournaments/{cup}/games"), 401)


def test_students_see_the_games_of_their_own_agents(tmp_path: Path) -> None:
    """Ada, Ben, whose agent crashes, and Cleo, who has none in it."""
    students = enrol(roster(tmp_path, *NAMES), tmp_path).students
    ada, ben, cleo = ({"authorization": f"Bearer {student.token}"} for student in students)
    with serving(tmp_path, token=OWNER["authorization"].split()[1], students=students) as client:
        broken = {"params": {"name": "mine", "file": "my_player3.py"}, "content": b"1 / 0"}
        agents = [upload(client, ada), ok(client.put("/api/agents", headers=ben, **broken))["id"]]
        body = {"players": [*(f"agent:{agent}" for agent in agents), "random"], "size": 3, "games": 2}
        cup = f"/api/tournaments/{ok(client.post('/api/tournaments', json=body, headers=OWNER))['id']}"
        job = ok(client.post(f"{cup}/run", headers=OWNER))["id"]
        client.headers.update(OWNER)
        assert finished(client, job)["state"] == "done"
        everything = ok(client.get(f"{cup}/games"))
        assert len(everything) == 6
        for who, student in ((ada, students[0]), (ben, students[1]), (cleo, students[2])):
            called = student.pseudonym.replace(" ", "_")
            mine = [game for game in everything if called in (game["black"], game["white"])]
            assert len(mine) == (0 if who is cleo else 4)
            seen = ok(client.get(f"{cup}/games", headers=who))
            assert [game["number"] for game in seen] == [game["number"] for game in mine]
            for game in everything:
                path = f"{cup}/games/{game['number']}"
                is_mine = called in (game["black"], game["white"])
                assert client.get(path, headers=who).is_success == is_mine, game
                lost = game["forfeit"] and game["white" if game["winner"] == "black" else "black"] == called
                assert client.get(f"{path}/capsule.json", headers=who).is_success == lost
                assert all(line["capsule"] == lost for line in seen if line["number"] == game["number"])
        assert sum(game["forfeit"] for game in everything) >= 4, "all of Ben's"


def test_nobody_fills_the_queue(school: tuple[TestClient, dict[str, dict[str, str]]]) -> None:
    client, headers = school
    agent = upload(client, headers["Cleo"])
    answers = [client.post(f"/api/agents/{agent}/check", headers=headers["Cleo"]) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [202, 202, 202, 422]
    assert "of your jobs" in refused(answers[-1])
    for job in ok(client.get("/api/jobs/queue", headers=headers["Cleo"])):
        ok(client.post(f"/api/jobs/{job['id']}/cancel", headers=headers["Cleo"]))


def test_tokens_are_not_guessed_and_open_a_browser(school: tuple[TestClient, dict[str, dict[str, str]]]) -> None:
    client, headers = school
    token = headers["Ada"]["authorization"].split()[1]
    assert len(re.sub("-", "", token)) * 4.9 > 75, "bits"
    for wrong in (token[:-1], token + "x", "", " ", "ada-lovelace", "Ada Lovelace", "é" * 20, "\x7f"):
        assert client.get("/api/agents", headers={"authorization": f"Bearer {wrong}".encode()}).status_code == 401
    assert "not a token" in refused(client.post("/api/enter", json={"token": token[:-1]}), 401)
    entered = client.post("/api/enter", json={"token": token.upper().replace("-", " ")})
    client.cookies.clear()
    name, _, value = entered.headers["set-cookie"].partition(";")[0].partition("=")
    assert token not in entered.headers["set-cookie"]
    about = ok(client.get("/api/about", headers={"cookie": f"{name}={value}"}))
    assert (about["owner"], about["student"]["name"]) == (False, "Ada Lovelace")
    left = client.post("/api/leave", headers={"cookie": f"{name}={value}"}).headers["set-cookie"]
    assert left.startswith(f"{name}=;")
    assert "Max-Age=0" in left
    other = value[:-1] + ("0" if value[-1] != "0" else "1")
    assert client.get("/api/agents", headers={"cookie": f"{name}={other}"}).status_code == 401


def test_a_student_grades_and_the_teacher_sees_it(tmp_path: Path) -> None:
    offer_course(tmp_path)
    students = enrol(roster(tmp_path, "Ada", "Ben"), tmp_path).students
    ada, ben = ({"authorization": f"Bearer {student.token}"} for student in students)
    with serving(tmp_path, token=OWNER["authorization"].split()[1], students=students) as client:
        agent = upload(client, ada)
        slow = upload(client, ada, "slow", source="import time\ntime.sleep(1000)\n")
        checked = ok(client.post(f"/api/agents/{slow}/check", headers=ada))["id"]
        behind = ok(client.post(f"/api/agents/{upload(client, ben)}/check", headers=ben))
        ahead = until(lambda: ok(client.get(f"/api/jobs/{behind['id']}", headers=ben)), lambda job: job["waiting_for"])
        assert ahead["waiting_for"]["title"] == "another student's job"
        ok(client.post(f"/api/jobs/{checked}/cancel", headers=ada))
        job = ok(client.post(f"/api/agents/{agent}/grade", json=SHORT, headers=ada))["id"]
        client.headers.update(ada)
        assert finished(client, job)["state"] == "done"
        (line,) = ok(client.get(f"/api/agents/{agent}/gradings"))
        path = f"/api/agents/{agent}/gradings/{line['id']}/report.html"
        assert client.get(path).status_code == 200
        assert client.get(path, headers=ben).status_code == 404
        assert client.get(path, headers=OWNER).text == client.get(path).text


def test_a_roster_may_change(tmp_path: Path) -> None:
    first = enrol(roster(tmp_path, *NAMES), tmp_path)
    assert first.new == NAMES
    again = enrol(roster(tmp_path, "Ada Lovelace", "Cleo", "Dan"), tmp_path)
    assert (again.new, again.gone) == (("Dan",), ("Ben Zoë",))
    tokens = {student.name: student.token for student in first.students}
    assert {student.name: student.token for student in again.students if student.name in tokens} == {
        name: tokens[name] for name in ("Ada Lovelace", "Cleo")
    }
    assert read_students(tmp_path) == again.students
    back = enrol(roster(tmp_path, *NAMES), tmp_path)
    assert (back.new, back.gone) == (("Ben Zoë",), ("Dan",))
    (ben,) = (student for student in back.students if student.name == "Ben Zoë")
    assert (ben.key, ben.pseudonym) == (first.students[1].key, first.students[1].pseudonym)
    assert ben.token != tokens["Ben Zoë"], "a token that was taken away stays invalid"
    assert stat.S_IMODE((tmp_path / "class.csv").stat().st_mode) == 0o600
    sheet = write_sheet(tmp_path, again.students, "http://10.0.0.7:8025/")
    assert stat.S_IMODE(sheet.stat().st_mode) == 0o600
    text = sheet.read_text()
    assert all(student.token in text and student.pseudonym in text for student in again.students)
    assert "http://10.0.0.7:8025/" in text


def test_students_of_one_name_are_told_apart_by_their_numbers(tmp_path: Path) -> None:
    path = tmp_path / "canvas.csv"
    with path.open("w", newline="") as file:
        head = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
        wei = [["Zhang, Wei", "1", "", "wz1", "A"], ["Zhang, Wei", "2", "", "wz2", "A"]]
        csv.writer(file).writerows([head, ["    Points Possible", "", "", "", ""], *wei])
    students = enrol(path, tmp_path).students
    assert [student.key for student in students] == ["zhang-wei", "zhang-wei-2"]
    assert enrol(path, tmp_path).students == students
    with pytest.raises(UsageError, match="Wei is in it twice"):
        enrol(roster(tmp_path, "Wei", "Wei"), tmp_path)


CANVAS = "Student,ID,SIS User ID,SIS Login ID,Section\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("name\nZo\u00eb A\n", "name\nZoe\u0308  a\n"),  # typed on another machine
        ("name\nAda Lovelace\n", CANVAS + '"Lovelace, Ada",1,,ada,\n'),
        (CANVAS + '"Lovelace, Ada",1,,ada,\n', CANVAS + '"Lovelace, Ada",1,99,ada,\n'),
        (CANVAS + '"Lovelace, Ada",1,,ada,\n', "name\nAda Lovelace\n"),
    ],
)
def test_a_roster_written_differently_leaves_students_their_tokens(tmp_path: Path, before: str, after: str) -> None:
    path = tmp_path / "roster.csv"
    path.write_text(before, encoding="utf-8")
    (first,) = enrol(path, tmp_path).students
    path.write_text(after, encoding="utf-8")
    again = enrol(path, tmp_path)
    assert (again.new, again.gone) == ((), ())
    assert (again.students[0].token, again.students[0].key) == (first.token, first.key)


def test_another_of_the_same_name_gets_nothing_of_the_one_who_left(tmp_path: Path) -> None:
    path = tmp_path / "roster.csv"
    path.write_text(CANVAS + '"Zhang, Wei",1,,wz1,\n')
    (first,) = enrol(path, tmp_path).students
    path.write_text(CANVAS + '"Zhang, Wei",2,,wz2,\n')
    (other,) = enrol(path, tmp_path).students
    assert other.key != first.key
    path.write_text(CANVAS + '"A, B",7,,x,\n"C, D",7,,x,\n')
    kept = (tmp_path / "class.csv").read_text()
    with pytest.raises(UsageError, match=r"'7' is in line .* too: expected each student once"):
        enrol(path, tmp_path)
    assert (tmp_path / "class.csv").read_text() == kept


def test_hostile_names_are_only_names(tmp_path: Path) -> None:
    """A student chooses the name in the course's system; the teacher opens class.csv in a spreadsheet."""
    names = ["<script>x</script>", "=cmd|calc", '"Eve\nroot"', "../../etc", "\u202eevil", "A\x00da", "\u200b", "@SUM"]
    students = enrol(roster(tmp_path, *names), tmp_path).students
    plain = ["<script>x</script>", "cmd|calc", "Eve root", "../../etc", "evil", "Ada", "SUM"]
    assert [student.name for student in students] == plain
    assert all(re.fullmatch("[a-z0-9-]+", student.key) for student in students)
    sheet = write_sheet(tmp_path, students, 'http://x/"><script>').read_text()
    assert "<script>x" not in sheet
    assert '"><script>' not in sheet


@pytest.mark.parametrize(
    ("text", "says"),
    [("", "heading 'name'"), ("name\n", "no students"), ("who\nAda\n", "heading 'name'"), (None, "cannot be read")],
)
def test_what_is_no_roster_is_refused_in_words(tmp_path: Path, text: str | None, says: str) -> None:
    path = tmp_path / "roster.csv"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UsageError, match=says):
        enrol(path, tmp_path)
    assert not (tmp_path / "class.csv").exists()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("name,token\n", "expected name,key,token,identity"),
        ("name,key,token,identity\nA,a,abc,A\n", "too short"),
        ("name,key,token,identity\nA,../a,abcdefghijklmnop,A\n", "small letters"),
        ("name,key,token,identity\nA,a,abcd-efgh-ijkl-mnop,A\nB,b,ABCDEFGHIJKLMNOP,B\n", "two students have the token"),
        ("name,key,token,identity\nA,a\n", "cannot be read"),
    ],
)
def test_a_damaged_class_is_refused_in_words(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "class.csv").write_text(text)
    with pytest.raises(UsageError, match=says):
        read_students(tmp_path)


def test_the_address_works_from_elsewhere() -> None:
    assert address_of("127.0.0.1", 1) == "http://localhost:1/"
    assert address_of("127.0.0.2", 1) == "http://127.0.0.2:1/"
    assert address_of("::1", 1) == "http://[::1]:1/"
    assert address_of("10.1.2.3", 1) == "http://10.1.2.3:1/"
    assert not re.search(r"//(0\.0\.0\.0|localhost|127|\[::\])", address_of("0.0.0.0", 1))
    assert "[::]" not in address_of("::", 1)


@pytest.mark.parametrize(("encoding", "delimiter"), [("utf-8-sig", ","), ("cp1252", ";"), ("utf-16", "\t")])
def test_a_list_that_a_spreadsheet_saved_again(tmp_path: Path, encoding: str, delimiter: str) -> None:
    path = tmp_path / "list.csv"
    lines = (("name", "days"), ("Zoë Müller", "2"))
    path.write_text("".join(f"{delimiter.join(line)}\r\n" for line in lines), encoding=encoding)
    assert [student.name for student in enrol(path, tmp_path).students] == ["Zoë Müller"]
    assert Papers(late=path).days_late() == {"Zoë Müller": 2}
