"""Jobs as they are kept: small rows apart from what is large, and the rows of older servers."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from littlego.apps.web.jobs.store import JobStore
from littlego.apps.web.services.migration import upgrade
from littlego.apps.web.services.store import ServerStore

LARGE = {"records": ["x" * 1000] * 100}


def test_lists_carry_neither_params_nor_results(tmp_path: Path) -> None:
    jobs = JobStore(ServerStore(tmp_path / "arena.sqlite"))
    job = jobs.add("deck", "Mistakes", LARGE)["id"]
    jobs.note(job, state="running", done=3, total=9, result=LARGE)
    for _ in (jobs.write(), None):
        (row,) = jobs.newest(10)
        assert (row["state"], row["done"], row["total"], row["result_version"]) == ("running", 3, 9, 1)
        assert len(json.dumps(row)) < 500
        assert jobs.result(job) == LARGE
    assert jobs.params(job) == LARGE


def test_what_is_noted_is_kept_when_it_is_written(tmp_path: Path) -> None:
    jobs = JobStore(ServerStore(tmp_path / "arena.sqlite"))
    job = jobs.add("deck", "Mistakes", {})["id"]
    jobs.note(job, done=5)
    assert jobs.row(job)["done"] == 5
    assert JobStore(ServerStore(tmp_path / "arena.sqlite")).row(job)["done"] == 0
    assert jobs.write()
    assert JobStore(ServerStore(tmp_path / "arena.sqlite")).row(job)["done"] == 5


def test_a_thread_reads_a_job_while_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists of gradings are made in a thread: what was noted is let go of between any two looks at it."""
    jobs = JobStore(ServerStore(tmp_path / "arena.sqlite"))
    job = jobs.add("deck", "Mistakes", {})["id"]

    class Noted(dict[str, Any]):
        def __contains__(self, key: object) -> bool:
            was_there = super().__contains__(key)
            jobs.write()
            return was_there

    monkeypatch.setattr(jobs, "_noted", Noted())
    monkeypatch.setattr(jobs, "_results", Noted())
    jobs.note(job, done=5, result=LARGE)
    assert jobs.row(job)["done"] == 5
    jobs.note(job, done=6, result=LARGE)
    assert jobs.result(job) == LARGE


def test_progress_rewrites_nothing_large(tmp_path: Path) -> None:
    """A step of progress writes some pages of the database, however much was asked and found."""
    path = tmp_path / "arena.sqlite"
    jobs = JobStore(ServerStore(path))
    job = jobs.add("deck", "Mistakes", {"records": "x" * 1_000_000})["id"]
    jobs.note(job, result={"found": "x" * 1_000_000})
    jobs.write()
    other = sqlite3.connect(path)
    other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    jobs.note(job, done=1)
    jobs.write()
    assert (tmp_path / "arena.sqlite-wal").stat().st_size < 50_000


def test_jobs_of_older_servers_are_read(tmp_path: Path) -> None:
    store = ServerStore(tmp_path / "arena.sqlite")
    old = {"kind": "deck", "title": "Mistakes", "params": LARGE, "state": "done", "done": 9, "total": 9, "message": ""}
    store.put("job", "finished", {**old, "result": {"deck": "abc"}})
    store.put("job", "begun", {**old, "state": "running", "done": 4, "result": None})
    jobs = JobStore(store)
    assert jobs.unfinished() == ["begun"]
    assert (jobs.row("finished")["state"], jobs.row("begun")["done"]) == ("done", 4)
    assert jobs.params("begun") == jobs.params("finished") == LARGE
    assert (jobs.result("finished"), jobs.result("begun")) == ({"deck": "abc"}, None)
    assert store.newest("job", 10) == []
    assert {row["id"] for row in JobStore(store).newest(10)} == {"finished", "begun"}


def test_agents_games_and_gradings_of_older_servers_are_read(tmp_path: Path) -> None:
    """They kept absolute paths of a place that may be gone by now."""
    store = ServerStore(tmp_path / "arena.sqlite")
    agent, outside = "abcdefghij_-", "klmnopqrstuv"
    (tmp_path / "agents" / agent / "upload").mkdir(parents=True)
    upload = f"/gone/since/agents/{agent}/upload"
    store.put("agent", agent, {"name": "mine", "spelling": upload, "jobs": {"grade": "thejob"}})
    store.put("agent", outside, {"name": "other", "spelling": "/home/me/agent", "jobs": {}})
    store.put("game", "g", {"seats": {"black": "human", "white": upload}, "record": {}})
    params = {"folder": f"{agent}-2025-submit-0", "spelling": upload, "edition": "2025", "stage": "submit"}
    job = {"kind": "grade", "title": "", "state": "done", "done": 1, "total": 1, "message": ""}
    found = {"points": 25.0, "directory": "/gone/since", "agent": {"name": "mine", "spelling": upload}}
    store.put("job", "thejob", {**job, "params": {**params, "repeats": None, "jobs": 1}, "result": found})
    jobs = JobStore(store)
    for _ in range(2):
        upgrade(store, tmp_path)
        assert (store.get("agent", agent) or {})["spelling"] == f"@data/agents/{agent}/upload"
        assert (store.get("agent", outside) or {})["spelling"] == "/home/me/agent"
        assert (store.get("game", "g") or {})["seats"] == {"black": "human", "white": f"agent:{agent}"}
        (grading,) = store.newest("grading", 10)
        assert (grading["id"], grading["agent"], grading["job"]) == (params["folder"], agent, "thejob")
        assert jobs.result("thejob") == {"points": 25.0, "agent": {"name": "mine"}}
