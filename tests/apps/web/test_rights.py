"""Who may do what: the table in docs/server.md, tried on real servers, and how a browser comes to be the owner's."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import APIRouter
from fastapi.testclient import TestClient

from littlego.apps.web.app import create_app
from littlego.apps.web.auth import Access, others_can_read, owners_token, routes_without_rights, write_doorway
from littlego.apps.web.cohort import Student
from littlego.apps.web.settings import ServerSettings
from littlego.core.errors import UsageError
from tests.apps.web.serving import description, ok, refused, serving

TOKEN = "only-the-owner-knows-it-for-sure"
BEARER = {"authorization": f"Bearer {TOKEN}"}
DOCS = Path(__file__).parents[3] / "docs" / "server.md"

# What the table of docs/server.md calls it, and requests that stand for it.
THINGS = {
    "pages, starter kits, the API's description": ["GET /", "GET /js/main.js", "GET /kernel/kernel.wasm",
        "GET /api/about", "GET /api/openapi.json", "GET /api/kits/python.zip"],
    "tournaments and their standings": ["GET /api/tournaments", "GET /api/tournaments/{tournament}"],
    "a tournament's games, reasons of forfeits": ["GET /api/tournaments/{tournament}/games"],
    "capsules, which hold stderr and files": ["GET /api/tournaments/{tournament}/games/0/capsule.json"],
    "a tournament's reports": ["GET /api/tournaments/{tournament}/report.html"],
    "lists of jobs": ["GET /api/jobs/queue"],
    "agents, checks and grades": ["GET /api/agents", "GET /api/agents/{agent}", "GET /api/jobs/{job}"],
    "an agent's moves": ["POST /api/agents/{agent}/move"],
    "uploading, checking, grading": ["PUT /api/agents?name=x&file=my_player3.py",
        "POST /api/agents/{agent}/grade", "DELETE /api/agents/{agent}",
        "POST /api/jobs/{job}/cancel"],
    "when homework is due": ["GET /api/homework"],
    "handing it in": ["POST /api/agents/{agent}/hand-in"],
    "holding tournaments": ["POST /api/tournaments", "POST /api/tournaments/{tournament}/run",
        "POST /api/tournaments/{tournament}/players"],
}  # fmt: skip
ROLES = ("the owner", "a student", "others, on loopback", "others, with `--host`")


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, tuple[TestClient, dict[str, str]]]]:
    """By role, a server and the headers that a request of that role has."""
    make = tmp_path_factory.mktemp
    student = Student("Ada", "ada", "abcd-efgh-jkmn-pqrs", "Ada", "Amber otter 100")
    with (
        serving(make("own"), token=TOKEN) as local,
        serving(make("class"), host="0.0.0.0", token=TOKEN, students=(student,)) as school,
        serving(make("open"), host="0.0.0.0", token=TOKEN) as public,
    ):
        students = {"authorization": f"Bearer {student.token}"}
        yield dict(zip(ROLES, ((local, BEARER), (school, students), (local, {}), (public, {})), strict=True))


def things_there(client: TestClient) -> dict[str, str]:
    """The ids of something of each kind, made by the owner."""
    agent = client.put(
        "/api/agents", params={"name": "x", "file": "my_player3.py"}, content=b"pass", headers=BEARER
    )  # fmt: skip
    body = {"players": ["random", "greedy"], "size": 2, "games": 2}
    tournament = ok(client.post("/api/tournaments", json=body, headers=BEARER))["id"]
    return {
        "agent": ok(agent)["id"],
        "job": ok(client.post(f"/api/tournaments/{tournament}/run", headers=BEARER))["id"],
        "tournament": tournament,
    }


@pytest.mark.parametrize("role", ROLES)
def test_the_table_of_the_docs_is_true(servers: dict[str, tuple[TestClient, dict[str, str]]], role: str) -> None:
    client, headers = servers[role]
    there = things_there(client)
    table = documented()
    for thing, requests in THINGS.items():
        for request in requests:
            method, path = request.format(**there).split(" ", 1)
            answer = client.request(method, path, headers=headers, follow_redirects=False)
            allowed = "no" if answer.status_code in (401, 403) else "yes"
            if table[thing][role] == "of own agents":  # a tournament of others has none for a student
                assert answer.status_code == 404 or answer.json() == [], (request, answer.text)
            elif table[thing][role] == "own":  # the owner's things do not exist for students
                assert allowed == "yes"
                assert answer.status_code == 404 or not re.search("{(agent|job)}", request), (request, answer.text)
            else:
                assert table[thing][role] == allowed, (request, role, answer.text)


def documented() -> dict[str, dict[str, str]]:
    """The table of docs/server.md: by thing and role, yes, no, or one's own."""
    row_of = r"^\| ([^|]+) \| (yes|no) \| (yes|no|own|of own agents) \| (yes|no) \| (yes|no) \|$"
    rows = re.findall(row_of, DOCS.read_text(), re.M)
    return {row[0]: dict(zip(ROLES, row[1:], strict=True)) for row in rows}


def test_the_table_is_complete() -> None:
    assert set(documented()) == set(THINGS)


def nothing() -> None:
    pass


def test_every_route_says_who_may_call_it() -> None:
    app = create_app(ServerSettings(Path("nowhere")))
    assert routes_without_rights(app.routes) == []
    app.get("/api/anything/new")(nothing)
    assert routes_without_rights(app.routes) == ["GET /api/anything/new"]


def test_no_server_starts_with_a_route_that_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    router = APIRouter()
    router.post("/api/anything/new")(nothing)
    monkeypatch.setattr("littlego.apps.web.app.jobs.router", router)
    with pytest.raises(RuntimeError, match="POST /api/anything/new"):
        create_app(ServerSettings(Path("nowhere")))


def test_what_is_open_to_strangers_is_known(servers: dict[str, tuple[TestClient, dict[str, str]]]) -> None:
    """Every operation of the API, asked for by somebody without a token on a server that is open to others."""
    client, headers = servers[ROLES[3]]
    public = {
        (method, path)
        for path, item in description()["paths"].items()
        for method in item
        if client.request(method, re.sub(r"{\w+}", "1", path), headers=headers).status_code not in (401, 403)
    }
    assert public == {
        ("get", "/api/about"), ("get", "/api/kits/{language}.zip"),
        ("post", "/api/leave"),
        ("get", "/api/tournaments"), ("get", "/api/tournaments/{tournament}"),
        ("post", "/api/enter"),
    }  # fmt: skip


def test_a_link_works_once_and_leaves_a_cookie(tmp_path: Path) -> None:
    with serving(tmp_path, token=TOKEN) as client:
        link = client.app.state.access.new_link()  # type: ignore[attr-defined]
        assert client.get("/api/agents").status_code == 401
        entered = client.get(link, follow_redirects=False)
        assert (entered.status_code, entered.headers["location"]) == (303, "/")
        cookie = entered.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert TOKEN not in cookie
        assert client.get("/api/agents").status_code == 200
        assert ok(client.get("/api/about"))["owner"] is True
        client.cookies.clear()
        again = client.get(link, follow_redirects=False)
        assert again.status_code == 403
        assert "has been used" in again.text
        assert again.headers["content-type"].startswith("text/html")
        assert client.get("/api/agents").status_code == 401
    with serving(tmp_path, token=TOKEN) as later:
        name, _, value = cookie.partition(";")[0].partition("=")
        later.cookies.set(name, value)
        assert later.get("/api/agents").status_code == 200, "the cookie outlives the server"


def test_the_token_opens_a_browser_too(tmp_path: Path) -> None:
    with serving(tmp_path, token=TOKEN) as client:
        assert "not a token of this server" in refused(client.post("/api/enter", json={"token": "guess"}), 401)
        ok(client.post("/api/enter", json={"token": TOKEN}))
        assert client.get("/api/agents").status_code == 200


def test_cookies_of_other_ports_and_garbage_open_nothing(tmp_path: Path) -> None:
    other = Access(TOKEN, 9).cookie_header(secure=False).partition(";")[0]
    with serving(tmp_path, token=TOKEN) as client:
        for cookie in (other, other.replace("littlego-9=", "littlego-8025="), "littlego-8025=", "littlego-8025", "=;,"):
            assert client.get("/api/agents", headers={"cookie": cookie}).status_code == 401
        assert client.get("/api/agents", headers={"authorization": "Bearer"}).status_code == 401


def test_the_token_is_made_once_and_for_its_owner_only(tmp_path: Path) -> None:
    data = tmp_path / "arena"
    token = owners_token(data)
    assert owners_token(data) == token
    assert stat.S_IMODE(data.stat().st_mode) == 0o700
    assert stat.S_IMODE((data / "token").stat().st_mode) == 0o600
    assert not others_can_read(data)
    data.chmod(0o755)
    assert others_can_read(data)
    (data / "token").write_text("")
    with pytest.raises(UsageError, match="remove it for a new one"):
        owners_token(data)


def test_the_browser_is_started_with_a_page_that_only_the_owner_can_read(tmp_path: Path) -> None:
    page = write_doorway(tmp_path, "http://localhost:1/enter/secret")
    assert "secret" not in page.as_uri()
    assert "url=http://localhost:1/enter/secret" in page.read_text()
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
