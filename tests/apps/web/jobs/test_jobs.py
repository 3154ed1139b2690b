"""Work in the background: values, reviews, drills and lessons, and how jobs are stopped, resumed and reported."""

from __future__ import annotations

import asyncio
import io
import subprocess
import sys
import time
import zipfile
from importlib.resources import files
from pathlib import Path
from typing import get_args

import pytest
from fastapi.testclient import TestClient

from littlego.apps.web.api.lessons import Opponent
from littlego.apps.web.jobs.queue import Jobs
from littlego.apps.web.services.agents import Agents
from littlego.apps.web.services.editions import Editions
from littlego.apps.web.services.gradings import Gradings
from littlego.apps.web.services.news import Hub
from littlego.apps.web.services.store import NotFound, ServerStore
from littlego.apps.web.settings import ServerSettings
from littlego.arena.tournament.pairings import default_rounds
from littlego.learn.opponents_kernel import NAMES
from tests.apps.web.serving import NEWS, PATIENCE, a_deck, begin, finished, ok, refused, serving, until
from tests.helpers import in_a_thread

pytestmark = [pytest.mark.process, pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")]

JSON = {"content-type": "application/json"}
SHORT = {"size": 3, "komi": 1.5, "max_moves": 7}
"""A game that is solved in a blink."""


def lost_game(client: TestClient) -> str:
    """A short game in which Black passes all the time, and loses."""
    game = begin(client, black="human", white="human", **SHORT)["id"]
    for move in ("PASS", "1,1", "PASS", "1,0", "PASS", "0,1", "PASS"):
        ok(client.post(f"/api/games/{game}/moves", json={"move": move}))
    return str(game)


def test_every_move_gets_its_value(arena: TestClient) -> None:
    """At once on a quiet machine; on a busy one some follow."""
    found = until(lambda: ok(arena.post("/api/values", json=SHORT)), lambda values: not values["missing"])
    assert found["to_move"] == "black"
    assert set(found["values"].values()) <= {"black", "white"}
    assert found["value"] == "black"
    assert found["values"]["1,1"] == "black"
    assert "has ended" in refused(arena.post("/api/values", json={"moves": ["PASS", "PASS"]}), 409)
    assert "too large" in refused(arena.post("/api/values", json={"size": 9}))
    assert "history" in refused(arena.post("/api/values", json={"edition": "2019"}))


def test_the_opening_is_solved(arena: TestClient) -> None:
    found = ok(arena.post("/api/values", json={}))
    assert found["values"]["2,2"] == "black"
    assert found["value"] == "black"


def test_the_rest_is_reported_when_it_is_found(arena: TestClient) -> None:
    """Few stones and more plies than are looked at while a person waits."""
    line = {"size": 5, "komi": 1.5, "max_moves": 15}
    first = ok(arena.post("/api/values", json=line))
    assert first["missing"]
    with arena.websocket_connect(NEWS) as news:
        news.send_json({"listen": f"values:{first['key']}"})
        update = news.receive_json()
    assert update["key"] == first["key"]
    assert len(update["missing"]) < len(first["missing"])
    assert len(ok(arena.post("/api/values", json=line))["missing"]) <= len(update["missing"])


def test_a_review(arena: TestClient) -> None:
    game = lost_game(arena)
    job = ok(arena.post(f"/api/games/{game}/review"))
    assert ok(arena.post(f"/api/games/{game}/review"))["id"] == job["id"]
    job = finished(arena, job["id"])
    assert job["state"] == "done", job["message"]
    review = job["result"]
    assert review["complete"]
    assert review["losing_move"] is not None
    moves = {move["number"]: move for move in review["moves"]}
    assert moves[review["losing_move"]]["verdict"] == "the_losing_move"
    large = begin(arena, white="human", size=9)["id"]
    assert "too large" in refused(arena.post(f"/api/games/{large}/review"))


def test_news_of_a_job_come_by_themselves(arena: TestClient) -> None:
    assert arena.post("/api/learn/tictactoe", json={"games": 2000, "alpha": 1.7}).status_code == 422
    with arena.websocket_connect(NEWS) as news:
        job = ok(arena.post("/api/learn/tictactoe", json={"games": 2000}))
        news.send_json({"listen": f"job:{job['id']}"})
        states: list[str] = []
        while not states or states[-1] in ("waiting", "running"):
            states.append(news.receive_json()["job"]["state"])
    assert states[-1] == "done"
    curve = finished(arena, job["id"])["result"]["curve"]
    assert curve[-1]["games"] == 2000
    assert len(curve[-1]["values"]) == 9


def test_a_deck_from_games_that_were_thrown_away(tmp_path: Path) -> None:
    with serving(tmp_path) as client:
        assert "you haven't finished a 5x5 game" in refused(client.post("/api/decks", json={}))
        lost_game(client)
        job = finished(client, ok(client.post("/api/decks", json={}))["id"])
        assert job["state"] == "done", job["message"]
        deck = job["result"]["deck"]
        drill = ok(client.get(f"/api/decks/{deck}/next"))
        assert drill["tried"] == 0
        wrong = ok(client.post(f"/api/decks/{deck}/answers", json={"drill": drill["id"], "move": "PASS"}))
        assert not wrong["right"]
        right = {"drill": drill["id"], "move": wrong["accepted"][0]}
        assert ok(client.post(f"/api/decks/{deck}/answers", json=right))["right"]
        with zipfile.ZipFile(io.BytesIO(client.get(f"/api/decks/{deck}.zip").content)) as archive:
            assert any(name.endswith("input.txt") for name in archive.namelist())
        text = client.get(f"/api/decks/{deck}.json").text
        again = ok(client.post("/api/decks/import", json={"text": text}))["id"]
    with serving(tmp_path) as client:
        decks = {one["id"]: one for one in ok(client.get("/api/decks"))}
        assert decks[deck]["tried"] == decks[again]["tried"] == 1
        ok(client.delete(f"/api/decks/{again}"))
        assert again not in {one["id"] for one in ok(client.get("/api/decks"))}


def test_answers_to_drills_are_checked(arena: TestClient) -> None:
    deck = ok(arena.post("/api/decks/import", json={"text": a_deck()}))["id"]
    drill = ok(arena.get(f"/api/decks/{deck}/next"))["id"]
    assert "no drill" in refused(arena.post(f"/api/decks/{deck}/answers", json={"drill": "x", "move": "1,1"}), 404)
    assert "9,9" in refused(arena.post(f"/api/decks/{deck}/answers", json={"drill": drill, "move": "9,9"}))
    assert arena.get("/api/decks/nothing/next").status_code == 404


@pytest.mark.parametrize("text", ["", "[]", "{}", "hello", "[" * 100_000, a_deck().replace("1,1", "9,9")])
def test_what_is_not_a_deck_is_refused(arena: TestClient, text: str) -> None:
    assert refused(arena.post("/api/decks/import", json={"text": text})).startswith("the deck: ")


def test_the_learner_that_ships_has_its_thoughts(arena: TestClient) -> None:
    found = ok(arena.post("/api/learn/values", json={"moves": ["2,2"]}))
    assert found["to_move"] == "white"
    assert all(0 <= value <= 1 for value in found["values"].values())
    assert "has not learned this game" in refused(arena.post("/api/learn/values", json={"size": 3}))
    assert "no such model" in refused(arena.post("/api/learn/values", json={"model": "nothing"}), 404)


def test_a_trainings_curve_grows_while_it_learns(arena: TestClient) -> None:
    job = ok(arena.post("/api/learn/training", json={"games": 100_000, "opponents": ["random"], "alpha": 0.5}))["id"]
    found = until(lambda: ok(arena.get(f"/api/jobs/{job}")), lambda one: one["result"] and one["result"]["curve"])
    assert found["state"] == "running", found["message"]
    assert found["result"]["curve"][0]["wins"]
    labels = files("littlego.learn").joinpath("labels.tsv").read_text()
    for choice in found["result"]["choices"]:
        side = "12"[choice["to_move"] == "white"]
        row = next(line for line in labels.splitlines() if line.startswith(f"{choice['cells']}\t{side}\t"))
        assert row.split("\t")[4:] == ["1", " ".join(choice["winning"])], "won, by these moves"
    assert len(found["result"]["choices"]) == 9
    assert 0 <= found["seconds"] <= time.time() - found["created"] + 0.1
    ok(arena.post(f"/api/jobs/{job}/cancel"))


def test_the_opponents_of_a_training_are_those_that_training_has() -> None:
    assert get_args(Opponent) == ("self", *NAMES)


def test_a_swiss_has_as_many_rounds_as_on_the_command_line(arena: TestClient) -> None:
    players = ["random", "greedy", "aggressive"]
    contest = ok(arena.post("/api/tournaments", json={"format": "swiss", "games": 2, "players": players}))["id"]
    found = ok(arena.get(f"/api/tournaments/{contest}"))
    assert found["planned_games"] == 2 * default_rounds(len(players)), "one of three has a bye in every round"


def test_jobs_are_stopped(tmp_path: Path) -> None:
    with serving(tmp_path) as client:
        running = ok(client.post("/api/learn/training", json={"games": 2_000_000}))["id"]
        waiting = ok(client.post("/api/learn/training", json={"games": 100}))["id"]
        until(lambda: ok(client.get(f"/api/jobs/{running}")), lambda job: job["state"] == "running")
        assert ok(client.get(f"/api/jobs/{waiting}"))["state"] == "waiting"
        assert ok(client.post(f"/api/jobs/{waiting}/cancel"))["state"] == "cancelled"
        assert ok(client.post(f"/api/jobs/{running}/cancel"))["state"] == "cancelled"
        assert ok(client.post(f"/api/jobs/{running}/cancel"))["state"] == "cancelled"
        assert client.post("/api/jobs/nothing/cancel").status_code == 404
        states = {job["id"]: job["state"] for job in ok(client.get("/api/jobs"))}
        assert states == {running: "cancelled", waiting: "cancelled"}
    with serving(tmp_path) as client:
        assert ok(client.get(f"/api/jobs/{running}"))["state"] == "cancelled"


def test_a_restart_continues_its_jobs(tmp_path: Path) -> None:
    with serving(tmp_path, jobs_at_once=0) as client:
        contest = ok(client.post("/api/tournaments", json={"players": ["random", "greedy"], "games": 4}))["id"]
        job = ok(client.post(f"/api/tournaments/{contest}/run"))["id"]
        game = lost_game(client)
        review = ok(client.post(f"/api/games/{game}/review"))["id"]
        assert ok(client.get(f"/api/jobs/{job}"))["state"] == "waiting"
    with serving(tmp_path) as client:
        assert finished(client, job)["state"] == "done"
        assert ok(client.get(f"/api/tournaments/{contest}"))["games"] == 4
        assert finished(client, review)["state"] == "done"


def test_too_many_jobs_are_refused(tmp_path: Path) -> None:
    with serving(tmp_path, jobs_at_once=0) as client:
        answers = [client.post("/api/learn/tictactoe", json={"games": 10}) for _ in range(101)]
    assert [answer.status_code for answer in answers] == [202] * 100 + [422]
    assert "try again later" in refused(answers[-1])


def test_a_job_that_breaks_says_so(tmp_path: Path) -> None:
    with serving(tmp_path) as client:
        contest = ok(client.post("/api/tournaments", json={"players": ["random", "greedy"], "games": 2}))["id"]
        for path in (tmp_path / "tournaments" / contest).iterdir():
            path.unlink()
        job = finished(client, ok(client.post(f"/api/tournaments/{contest}/run"))["id"])
    assert job["state"] == "failed"
    assert job["message"]


def test_a_job_that_breaks_shows_no_path(tmp_path: Path) -> None:
    with serving(tmp_path) as client:
        (tmp_path / "jobs.lock").mkdir()
        job = finished(client, ok(client.post("/api/learn/tictactoe", json={"games": 10}))["id"])
    assert job["state"] == "failed"
    assert "IsADirectoryError" in job["message"]
    assert str(tmp_path) not in job["message"]


def test_a_job_that_is_still_stopping_can_be_continued(tmp_path: Path) -> None:
    """It goes on once its process has ended, and is not stopped a second time by whoever clicks twice."""

    async def stop_and_go_on() -> None:
        jobs = Jobs(ServerStore(tmp_path / "arena.sqlite"), Hub(), tmp_path)
        params = {"games": 1000, "seed": 1, "alpha": 0.2, "epsilon": 0.02}
        job = jobs.begin("tictactoe", "Tic-tac-toe", params)["id"]
        while jobs.row(job)["state"] != "running":
            await asyncio.sleep(0.01)
        for _ in range(2):
            assert jobs.cancel(job)["state"] == "cancelled"
            assert jobs.queue() == []
            assert jobs.cancel(job)["state"] == "cancelled"
            assert jobs.go_on(job, by="")["state"] == "waiting"
            assert len(jobs.queue()) == 1
        async with asyncio.timeout(PATIENCE):
            while jobs.row(job)["state"] not in ("done", "failed"):
                await asyncio.sleep(0.01)
        assert jobs.row(job)["state"] == "done", jobs.row(job)
        assert jobs.queue() == []
        await jobs.close()

    in_a_thread(asyncio.run, stop_and_go_on())


@pytest.mark.process
def test_the_process_of_a_job_loads_no_web_server() -> None:
    """Nor what compiles, where nothing is solved: each takes longer to load than a short job takes."""
    script = """import contextlib, sys
from pathlib import Path
from littlego.apps.web.jobs.kinds import KINDS
for kind in ("check", "grade", "tournament"):
    with contextlib.suppress(KeyError):  # the first parameter is missing, after everything has been imported
        KINDS[kind]({}, Path("nowhere"), None)
        print(kind, "has begun")
print(*{'fastapi', 'numba'} & sys.modules.keys())"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_no_job_begins_whose_grading_cannot_be_kept(tmp_path: Path) -> None:
    async def begin_without_agent() -> None:
        store = ServerStore(tmp_path / "arena.sqlite")
        jobs = Jobs(store, Hub(), tmp_path, at_once=0)
        gradings = Gradings(store, Agents(store, ServerSettings(tmp_path)), jobs, tmp_path, Editions(tmp_path))
        prepared = {"id": "g", "agent": "gone", "name": "a", "spelling": "a", "digest": "d", "edition": "2025"}
        with pytest.raises(NotFound):
            gradings.begin({**prepared, "stage": "1", "repeats": None}, by="")
        assert jobs.queue() == []
        assert jobs.newest(10) == []
        assert gradings.newest_of("gone") == []
        await jobs.close()

    in_a_thread(asyncio.run, begin_without_agent())
