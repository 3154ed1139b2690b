"""Who may ask what: hosts, origins, tokens, sizes, and what every answer forbids a browser."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient

from littlego.apps.web import site
from littlego.apps.web.app import create_app
from littlego.apps.web.auth import MOST_BYTES, MOST_UPLOAD_BYTES
from littlego.apps.web.settings import ServerSettings, is_loopback
from tests.apps.web.serving import description, refused, serving

STATIC = Path(__file__).parents[3] / "src" / "littlego" / "apps" / "web" / "static"
TOKEN = "only-the-owner-knows"
BEARER = {"authorization": f"Bearer {TOKEN}"}


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A server that can be reached from elsewhere."""
    with serving(tmp_path_factory.mktemp("public"), host="0.0.0.0", token=TOKEN) as client:
        yield client


def routes() -> list[tuple[str, str]]:
    """Every method and path of the API."""
    paths = description()["paths"]
    return [(method.upper(), re.sub(r"{\w+}", "1", path)) for path, item in paths.items() for method in item]


WRITING = [(method, path) for method, path in routes() if method != "GET" and path not in ("/api/enter", "/api/leave")]


def test_the_list_of_what_writes_is_not_empty() -> None:
    assert len(WRITING) > 10


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1", "testserver", "[::", ""]
)
def test_a_name_that_is_not_ours_is_refused(arena: TestClient, host: str) -> None:
    for path in ("/", "/api/agents", "/js/main.js"):
        assert "not called" in refused(arena.get(path, headers={"host": host}), 421)


@pytest.mark.parametrize("host", ["localhost", "localhost:8025", "127.0.0.1:8025", "[::1]:8025", "127.1.2.3"])
def test_this_machine_by_any_name(arena: TestClient, host: str) -> None:
    assert arena.get("/api/about", headers={"host": host}).status_code == 200


def test_a_server_for_all_is_reached_by_any_name(public: TestClient) -> None:
    assert public.get("/api/about", headers={"host": "go.example"}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "https://evil.example"},
        {"origin": "http://localhost:9999"},
        {"origin": "http://localhost.evil.example"},
        {"origin": "http://evil.example/localhost"},
        {"origin": "ftp://localhost"},
        {"origin": "http://user@localhost"},
        {"origin": "http://["},
        {"origin": "null"},
        {"origin": ""},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
    ids=str,
)
def test_other_sites_write_nothing(arena: TestClient, headers: dict[str, str]) -> None:
    for method, path in (
        ("POST", "/api/agents"),
        ("PUT", "/api/agents?name=x&file=x.zip"),
        ("DELETE", "/api/agents/1"),
    ):
        assert "other sites" in refused(arena.request(method, path, headers=headers), 403)
    assert arena.get("/api/about", headers=headers).status_code == 200


def test_our_own_pages_may_write(arena: TestClient) -> None:
    headers = {"origin": "http://localhost", "sec-fetch-site": "same-origin"}
    body = {"players": ["random", "greedy"], "games": 2}
    assert arena.post("/api/tournaments", json=body, headers=headers).status_code == 201


def test_forms_of_other_sites_are_no_requests(arena: TestClient) -> None:
    """A form can send text without asking first, and old browsers without an Origin: it is not read as JSON."""
    answer = arena.post(
        "/api/tournaments", content=b'{"players": ["random", "greedy"]}', headers={"content-type": "text/plain"}
    )
    assert answer.status_code == 422


def test_answers_are_for_one_person(public: TestClient) -> None:
    """Neither a proxy nor the browser shows them to the next one without asking."""
    for headers, path in ((BEARER, "/api/agents"), ({}, "/api/agents"), ({}, "/api/about"), (BEARER, "/api/jobs/x")):
        assert public.get(path, headers=headers).headers["cache-control"] == "private, no-cache", path


@pytest.mark.parametrize(("method", "path"), WRITING, ids=lambda value: value)
def test_from_elsewhere_whatever_writes_needs_the_token(public: TestClient, method: str, path: str) -> None:
    for headers in ({}, {"authorization": "Bearer "}, {"authorization": f"Bearer {TOKEN}x"}, {"authorization": "é"}):
        sent = {name: value.encode("latin-1") for name, value in headers.items()}
        assert "token" in refused(public.request(method, path, headers=sent), 401)
    assert public.request(method, path, headers=BEARER).status_code != 401


@pytest.mark.parametrize("player", ["/bin", "./x", "..", "cmd:touch owned", "class:/x.py", "gtp:sh", "learner:/x"])
def test_nothing_on_the_machine_is_run(arena: TestClient, player: str) -> None:
    assert "no player is called" in refused(arena.post("/api/tournaments", json={"players": ["random", player]}))


def test_bodies_are_bounded(arena: TestClient) -> None:
    over = b" " * (MOST_BYTES + 1)
    json_type = {"content-type": "application/json"}
    assert "at most" in refused(arena.post("/api/tournaments", content=over, headers=json_type), 413)
    assert "at most" in refused(arena.post("/api/agents", content=over, headers=json_type), 413)
    assert "at most" in refused(arena.post("/api/tournaments", content=iter([over, b"{}"]), headers=json_type), 413)
    declared = {"content-length": str(10**30), **json_type}
    assert arena.post("/api/tournaments", content=b"{}", headers=declared).status_code < 500


def test_uploads_are_bounded(arena: TestClient) -> None:
    chunks = (b"x" * (1 << 20) for _ in range((MOST_UPLOAD_BYTES >> 20) + 1))
    answer = arena.put("/api/agents", params={"name": "big", "file": "big.zip"}, content=chunks)
    assert "at most" in refused(answer, 413)


def test_every_answer_forbids_what_pages_do_not_need(arena: TestClient) -> None:
    paths = ["/", "/js/main.js", "/js/nothing", "/nothing", "/api/nothing", "/sw.js", "/kernel/kernel.wasm"]
    paths += ["/api/about", "/api/openapi.json", "/api/kits/python.zip", "/api/jobs/nothing", "/docs"]
    answers = [arena.get(path) for path in paths]
    answers += [arena.get("/", headers={"host": "evil.example"}), arena.post("/api/tournaments", content=b"{")]
    answers += [arena.post("/", headers={"origin": "null"}), arena.put("/play"), arena.head("/play")]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy.replace("'wasm-unsafe-eval'", "")
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_bug_is_reported_without_its_traceback(tmp_path: Path) -> None:
    app = create_app(ServerSettings(tmp_path, workers=1))

    async def broken() -> None:
        raise ZeroDivisionError("secret")

    app.router.routes.insert(0, APIRoute("/broken", broken))
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        answer = client.get("/broken")
    assert "bug" in refused(answer, 500)
    assert "secret" not in answer.text
    assert "default-src 'self'" in answer.headers["content-security-policy"]


class Foreign(HTMLParser):
    """Whatever in a document no policy would allow, or points elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if (tag == "script" and "src" not in dict(attrs)) or tag in ("style", "iframe", "object", "base"):
            self.found.append(tag)
        for name, value in attrs:
            if name.startswith("on") or name == "style" or "javascript:" in (value or ""):
                self.found.append(name)
            if name in ("src", "href") and not re.match(r"[\w.][\w./-]*$|#", value or ""):
                self.found.append(str(value))


def test_the_page_runs_only_our_own_files_and_every_file_it_names_is_there(arena: TestClient) -> None:
    answer = arena.get("/")
    document = Foreign()
    document.feed(answer.text)
    assert document.found == []
    files = re.findall(r'(?:href|src)="([\w/.-]+)"', answer.text)
    assert len(files) > 8
    for file in files:
        assert arena.get(f"/{file}").status_code == 200, file


def test_no_file_loads_from_elsewhere_or_makes_elements_of_text() -> None:
    for path in (*STATIC.rglob("*.js"), *STATIC.rglob("*.css")):
        text = path.read_text().replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://", text), path.name
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text), (
            path
        )


@pytest.mark.parametrize(
    "path",
    [
        "../server.py",
        "..%2fserver.py",
        "%2e%2e/server.py",
        "js/../../server.py",
        "%2e%2e%2f%2e%2e%2fserver.py",
        "/etc/passwd",
    ],
)
def test_only_the_static_folder_is_served(arena: TestClient, path: str) -> None:
    answer = arena.get(f"/{path}")
    assert answer.status_code == 404
    assert "import" not in answer.text


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("localhost", True),
        ("::1", True),
        ("[::1]", True),
        ("0.0.0.0", False),
        ("go.example", False),
    ],
)
def test_what_is_this_machine(host: str, local: bool) -> None:
    assert is_loopback(host) is local


def test_an_address_that_is_not_there(arena: TestClient) -> None:
    """A person is sent to the pages, which say so; a program gets what it can read."""
    page = arena.get("/puzzles", headers={"accept": "text/html,*/*"}, follow_redirects=False)
    assert (page.status_code, page.headers["location"]) == (303, "/#/puzzles")
    for path, accept in (("/puzzles", "application/json"), ("/api/puzzles", "text/html"), ("/none.js", "*/*")):
        answer = arena.get(path, headers={"accept": accept})
        assert (answer.status_code, answer.json()) == (404, {"detail": "Not Found"}), path


def test_files_are_sent_packed_and_only_when_they_have_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "main.js"
    script.write_text("let here;\n" * 100)
    monkeypatch.setattr(site, "files", lambda: {"main.js": script})
    with serving(tmp_path / "data") as client:
        packed = client.get("/main.js")
        assert (packed.headers["content-encoding"], packed.text) == ("gzip", script.read_text())
        assert packed.headers["content-type"].startswith("text/javascript")
        plain = client.get("/main.js", headers={"accept-encoding": "identity"})
        assert ("content-encoding" in plain.headers, plain.text) == (False, packed.text)
        known = {"if-none-match": packed.headers["etag"]}
        again = client.get("/main.js", headers=known)
        assert (again.status_code, again.text) == (304, "")
        worker = client.get("/sw.js").text
        script.write_text("let there;\n" * 100)
        os.utime(script, ns=(1, 1))  # whatever the clock of the disk says
        assert client.get("/main.js", headers=known).text == script.read_text()
        assert client.get("/sw.js").text != worker, "browsers fetch all files again"
        assert client.post("/main.js").status_code == 405


def test_browsers_are_told_what_a_file_is(arena: TestClient) -> None:
    types = {"/": "text/html", "/css/theme.css": "text/css", "/sw.js": "text/javascript"}
    types |= {"/kernel/kernel.wasm": "application/wasm", "/manifest.json": "application/json", "/icon.svg": "image/svg"}
    for path, kind in types.items():
        assert arena.head(path).headers["content-type"].startswith(kind), path
