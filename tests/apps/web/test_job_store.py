"""What must survive a restart, as it is stored: lists, jobs, and the paths of players."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from littlego.apps.web.jobs import JobStore
from littlego.apps.web.store import ServerStore, full_spelling, kept_spelling
from littlego.core.errors import UsageError

LARGE = {"records": ["x" * 1000] * 100}


def test_lists_carry_neither_params_nor_results(tmp_path: Path) -> None:
    jobs = JobStore(ServerStore(tmp_path / "arena.sqlite"))
    job = jobs.add("deck", "Mistakes", LARGE)["id"]
    jobs.note(job, state="running", done=3, total=9, result=LARGE)
    for found in (jobs, JobStore(ServerStore(tmp_path / "arena.sqlite"))):
        (row,) = found.unfinished()
        assert (row["state"], row["done"], row["total"], row["result_version"]) == ("running", 3, 9, 1)
        assert len(json.dumps(row)) < 500
        assert found.result(job) == LARGE
        assert found.params(job) == LARGE


def test_progress_rewrites_nothing_large(tmp_path: Path) -> None:
    """A step of progress writes some pages of the database, however much was asked and found."""
    path = tmp_path / "arena.sqlite"
    jobs = JobStore(ServerStore(path))
    job = jobs.add("deck", "Mistakes", {"records": "x" * 1_000_000})["id"]
    jobs.note(job, result={"found": "x" * 1_000_000})
    other = sqlite3.connect(path)
    other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    jobs.note(job, done=1)
    assert (tmp_path / "arena.sqlite-wal").stat().st_size < 50_000


def test_data_of_another_version_are_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "arena.sqlite"
    ServerStore(path).close()
    ServerStore(path).close()
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 2")
    with pytest.raises(UsageError, match=r"of another version of Little-Go .*give another --data"):
        ServerStore(path)


@pytest.mark.parametrize(
    ("spelling", "kept"),
    [
        ("{data}/agents/x/upload", "@data/agents/x/upload"),
        ("class:{data}/agents/x/upload/my_player.py", "class:@data/agents/x/upload/my_player.py"),
        ("{data}/agents/x/@data/my_player3.py", "@data/agents/x/@data/my_player3.py"),
    ],
)
def test_players_inside_the_data_directory_move_with_it(tmp_path: Path, spelling: str, kept: str) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    assert kept_spelling(spelling.format(data=here), here) == kept
    assert full_spelling(kept, there) == spelling.format(data=there)
