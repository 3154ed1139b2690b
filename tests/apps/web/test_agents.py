"""Agents over the API: uploaded with care, checked, graded, played, ranked, and contained."""

from __future__ import annotations

import hashlib
import io
import os
import socket
import stat
import textwrap
import zipfile
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from littlego.arena.building import MAX_AGENT_BYTES
from littlego.arena.tournament.folder import Tournament
from tests.apps.web.processes import JOB, descendants, is_alive
from tests.apps.web.serving import asked, finished, ok, refused, serving, until
from tests.arena.agents import CLASS_2019, GOOD

pytestmark = pytest.mark.process

GOOD_AGENT = textwrap.dedent(GOOD)
HOSTILE_AGENT = textwrap.dedent(
    """
    import os, socket
    done = []
    for number, attempt in enumerate((
        lambda: open("{outside}/owned", "w"),
        lambda: open("../../owned-by-agent", "w"),
        lambda: socket.create_connection(("127.0.0.1", {port}), 1),
        lambda: os.kill({server}, 9),
    )):
        try:
            attempt()
            done.append(number)
        except Exception:
            pass
    open("output.txt", "w").write("managed %s" % done)
    """
)
"""Forfeits with what it managed to do in its output."""
COUNTS = b'number = %s; open("output.txt", "w").write(f"{number},{number}")'
"""Plays a point by which its version is known."""


def packed(**files: str) -> bytes:
    """A zip of files by name."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


def upload(client: TestClient, body: bytes, file: str = "agent.zip", name: str = "") -> str:
    """The id of an agent with these files; without a name it is no other test's."""
    name = name or f"agent-{hashlib.sha256(body + os.urandom(8)).hexdigest()[:8]}"
    return str(ok(client.put("/api/agents", params={"name": name, "file": file}, content=body))["id"])


def test_a_good_zip_is_taken_checked_and_played(arena: TestClient) -> None:
    agent = upload(arena, packed(**{"mine/my_player3.py": GOOD_AGENT, "mine/notes.txt": "x"}))
    assert agent in [one["id"] for one in ok(arena.get("/api/agents"))]
    assert asked(arena, agent, "2,2")["move"] is not None
    job = finished(arena, ok(arena.post(f"/api/agents/{agent}/check"))["id"])
    assert job["state"] == "done", job["message"]
    assert "failed" not in {check["status"] for check in job["result"]["checks"]}
    assert ok(arena.get(f"/api/agents/{agent}"))["jobs"] == {"check": job["id"]}
    ok(arena.delete(f"/api/agents/{agent}"))
    assert arena.get(f"/api/agents/{agent}").status_code == 404
    assert "no agent" in refused(arena.post("/api/tournaments", json={"players": ["random", f"agent:{agent}"]}), 404)


def test_single_files_are_taken(arena: TestClient) -> None:
    upload(arena, GOOD_AGENT.encode(), "my_player3.py")
    upload(arena, textwrap.dedent(CLASS_2019).encode(), "my_player.py")
    assert "expected a .zip" in refused(arena.put("/api/agents", params={"name": "x", "file": "x.py"}, content=b""))


def bomb() -> bytes:
    return packed(**{"my_player3.py": "#" * (MAX_AGENT_BYTES + 1)})


def link() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        entry = zipfile.ZipInfo("my_player3.py")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, "/etc/passwd")
    return out.getvalue()


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (bomb, "MiB when unpacked"),
        (link, "is a link"),
        (lambda: packed(**{"../my_player3.py": "x"}), "points outside the archive"),
        (lambda: packed(**{"/etc/my_player3.py": "x"}), "points outside the archive"),
        (lambda: packed(**{f"{k}.txt": "" for k in range(3000)}), "files"),
        (lambda: packed(**{"readme.txt": "x"}), "no agent here"),
        (lambda: packed(**{"a/my_player3.py": "x", "b/my_player3.py": "x"}), "more than one agent"),
        (lambda: b"PK\x03\x04nonsense", "a.zip: cannot be unpacked: not a .zip file"),
        (lambda: b"", "a.zip: cannot be unpacked: not a .zip file"),
        (lambda: packed(**{"my_player3.py": GOOD_AGENT})[:-30], "a.zip: cannot be unpacked: not a .zip file"),
    ],
    ids=["bomb", "link", "up", "root", "many", "none", "two", "nonsense", "empty", "cut"],
)  # fmt: skip
def test_what_is_not_an_agent_is_refused_and_leaves_nothing(
    arena: TestClient, tmp_path_factory: pytest.TempPathFactory, body: object, says: str
) -> None:
    assert callable(body)
    before = {one["id"] for one in ok(arena.get("/api/agents"))}
    folder = tmp_path_factory.getbasetemp() / "arena0" / "agents"
    files = set(folder.iterdir()) if folder.exists() else set()
    assert says in refused(arena.put("/api/agents", params={"name": "bad", "file": "a.zip"}, content=body()))
    assert {one["id"] for one in ok(arena.get("/api/agents"))} == before
    assert (set(folder.iterdir()) if folder.exists() else set()) == files


@pytest.mark.parametrize("name", ["", ".", "../x", "a/b", "a b", "é", "x" * 41, "-x", "a\nb"])
def test_names_are_checked(arena: TestClient, name: str) -> None:
    refused(arena.put("/api/agents", params={"name": name, "file": "my_player3.py"}, content=b"pass"))


def test_a_hostile_agent_is_contained(arena: TestClient, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        source = HOSTILE_AGENT.format(outside=tmp_path, port=listener.getsockname()[1], server=os.getpid())
        agent = upload(arena, source.encode(), "my_player3.py", "hostile")
        outcome = asked(arena, agent, "2,2")["outcome"]
    assert (outcome["winner"], outcome["verdict"]) == ("black", "bad_format")
    assert "managed []" in outcome["text"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("language", ["python", "c++", "java"])
def test_a_starter_kit_is_downloaded_and_uploaded_as_it_is(arena: TestClient, language: str) -> None:
    kit = arena.get(f"/api/kits/{language}.zip")
    assert "attachment" in kit.headers["content-disposition"]
    upload(arena, kit.content, "kit.zip", "kit")
    assert "expected one of" in refused(arena.get("/api/kits/cobol.zip"))


def test_a_broken_agent_fails_its_check(arena: TestClient) -> None:
    agent = upload(arena, b"def choose(:\n", "my_player3.py", "broken")
    job = finished(arena, ok(arena.post(f"/api/agents/{agent}/check"))["id"])
    failed = [check for check in job["result"]["checks"] if check["status"] == "failed"]
    assert any("SyntaxError" in check["detail"] for check in failed)


def test_a_class_of_2019_is_checked_as_one(arena: TestClient) -> None:
    agent = upload(arena, textwrap.dedent(CLASS_2019).encode(), "my_player.py", "class")
    job = finished(arena, ok(arena.post(f"/api/agents/{agent}/check", json={"edition": "2019"}))["id"])
    assert job["state"] == "done", job["message"]
    assert job["result"]["checks"][0]["title"] == "the file has a class MyPlayer with get_input"
    assert {check["status"] for check in job["result"]["checks"]} <= {"passed", "remark"}
    assert "edition 'x'" in refused(arena.post(f"/api/agents/{agent}/check", json={"edition": "x"}))


def test_a_check_is_by_the_edition_that_was_chosen(arena: TestClient) -> None:
    """GOOD_AGENT plays on any board; one for 5x5 alone cannot read the board of the tiny course."""
    only_5x5 = (
        "lines = open('input.txt').read().split()\nassert len(lines) == 11\nopen('output.txt', 'w').write('PASS')"
    )
    agent = upload(arena, only_5x5.encode(), "my_player3.py", "five")
    failed = {}
    for edition in ("2025", "tiny"):
        job = finished(arena, ok(arena.post(f"/api/agents/{agent}/check", json={"edition": edition}))["id"])
        failed[edition] = "AssertionError" in str(job["result"])
    assert failed == {"2025": False, "tiny": True}


def test_a_small_tournament_with_a_forfeit(arena: TestClient) -> None:
    agent = upload(arena, b"raise SystemExit(3)", "my_player3.py", "crashes")
    asked = {"name": "Cup", "players": ["random", f"agent:{agent}"], "games": 2}
    contest = ok(arena.post("/api/tournaments", json=asked))["id"]
    assert [row["player"] for row in ok(arena.get(f"/api/tournaments/{contest}"))["standings"]]
    job = ok(arena.post(f"/api/tournaments/{contest}/run"))
    assert ok(arena.post(f"/api/tournaments/{contest}/run"))["id"] == job["id"]
    job = finished(arena, job["id"])
    assert (job["state"], job["result"]) == ("done", {"games": 2})
    found = ok(arena.get(f"/api/tournaments/{contest}"))
    assert (found["games"], found["name"]) == (2, "Cup")
    assert {row["player"]: row["wins"] for row in found["standings"]} == {"random": 2, "crashes": 0}
    games = ok(arena.get(f"/api/tournaments/{contest}/games"))
    assert len(games) == 2
    number = games[0]["number"]
    assert ok(arena.get(f"/api/tournaments/{contest}/games/{number}"))["outcome"]["verdict"] == "crash"
    capsule = arena.get(f"/api/tournaments/{contest}/games/{number}/capsule.json")
    assert "attachment" in capsule.headers["content-disposition"]
    assert capsule.json()
    report = arena.get(f"/api/tournaments/{contest}/report.html")
    assert "Cup" in report.text
    assert "attachment" in report.headers["content-disposition"]
    joined = ok(arena.post(f"/api/tournaments/{contest}/players", json={"players": ["greedy"]}))
    assert len(joined["standings"]) == 3
    for path in (f"{contest}/games/999/capsule.json", "nothing", "nothing/games"):
        assert arena.get(f"/api/tournaments/{path}").status_code == 404


def test_deterministic_players_play_different_games_from_openings(arena: TestClient) -> None:
    asked = {"players": ["alphabeta", "smart"], "games": 4, "openings": 2}
    contest = ok(arena.post("/api/tournaments", json=asked))["id"]
    job = finished(arena, ok(arena.post(f"/api/tournaments/{contest}/run"))["id"])
    assert job["state"] == "done", job["message"]
    games = [
        ok(arena.get(f"/api/tournaments/{contest}/games/{number}"))
        for number in (game["number"] for game in ok(arena.get(f"/api/tournaments/{contest}/games")))
    ]
    starts = sorted(tuple(game["moves"][:2]) for game in games)
    assert starts[0] == starts[1] != starts[2] == starts[3]


def test_an_upload_under_the_same_name_is_a_new_version(tmp_path: Path) -> None:
    with serving(tmp_path, jobs_at_once=0) as client:
        agent = upload(client, COUNTS % b"1", "my_player3.py", "mine")
        assert upload(client, COUNTS % b"1", "my_player3.py", "mine") == agent, "the same files again: nothing new"
        assert [one["number"] for one in ok(client.get(f"/api/agents/{agent}"))["versions"]] == [1]
        contest = ok(client.post("/api/tournaments", json={"players": [f"agent:{agent}", "random"], "games": 1}))["id"]
        assert ok(client.post(f"/api/agents/{agent}/move", json={}))["move"] == "1,1"
        assert upload(client, packed(**{"a/my_player3.py": (COUNTS % b"2").decode()}), "b.zip", "mine") == agent
        assert ok(client.post(f"/api/agents/{agent}/move", json={}))["move"] == "2,2", "the newest plays"
        first, second = ok(client.get(f"/api/agents/{agent}"))["versions"]
        assert (first["number"], second["number"]) == (1, 2)
        assert first["digest"] != second["digest"]
        assert first["created"] < second["created"]
        assert [one["id"] for one in ok(client.get("/api/agents"))] == [agent]
        with Tournament(tmp_path / "tournaments" / contest) as made:
            spelling = made.participants[0].player
        assert f"{agent}/1/upload" in spelling, "a tournament goes on with the version that joined it"
        other = upload(client, COUNTS % b"3", "my_player3.py", "other")
        assert other != agent
        assert "a built-in player has it" in refused(
            client.put("/api/agents", params={"name": "greedy", "file": "my_player3.py"}, content=b"pass")
        )
    with serving(tmp_path) as client:
        assert len(ok(client.get(f"/api/agents/{agent}"))["versions"]) == 2
        ok(client.delete(f"/api/agents/{agent}"))
        assert [path.name for path in (tmp_path / "agents").iterdir()] == [other]


def test_what_takes_too_long_to_read_is_refused_and_holds_up_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("littlego.apps.web.app._READING", 0.001)
    with serving(tmp_path) as client:
        refusal = refused(client.put("/api/agents", params={"name": "x", "file": "my_player3.py"}, content=b"pass"))
        assert "took longer than" in refusal
        assert list((tmp_path / "agents").iterdir()) == []
        assert ok(client.get("/api/agents")) == []


def test_an_agent_is_deleted_when_nothing_runs_for_it_any_more(tmp_path: Path) -> None:
    """Or a job that is still ending would write into its folder again."""
    with serving(tmp_path) as client:
        agent = upload(client, b"import time\ntime.sleep(1)", "my_player3.py")
        job = ok(client.post(f"/api/agents/{agent}/grade", json={"stage": "submit2"}))["id"]
        until(lambda: ok(client.get(f"/api/jobs/{job}")), lambda found: found["total"] > 0)
        running = descendants(os.getpid(), JOB)
        assert running
        ok(client.delete(f"/api/agents/{agent}"))
        assert not any(is_alive(pid) for pid in running)
        assert list((tmp_path / "grades").iterdir()) == list((tmp_path / "agents").iterdir()) == []


@pytest.mark.parametrize(
    "asked",
    [
        {"players": ["random"]},
        {"players": ["random", "random"], "format": "league"},
        {"players": ["random", "human"]},
        {"players": ["random", "manual"]},
        {"players": ["random", "greedy"], "rounds": 3},
        {"players": ["random", "greedy"], "size": 1},
        {"players": ["random", "greedy"], "openings": 9},
        {"players": ["random", "/nowhere/at/all"]},
        {"players": ["random", "cmd:touch x"]},
        {"players": ["random", "greedy"], "name": ""},
    ],
    ids=str,
)
def test_tournaments_that_cannot_be(arena: TestClient, asked: dict[str, object]) -> None:
    refused(arena.post("/api/tournaments", json=asked))
