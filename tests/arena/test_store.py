"""Files of results that are empty, damaged, tampered with, full or not to be written to: always words, never a loss."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from littlego.arena.store import Store, read_stored_games
from littlego.arena.tournament.folder import TournamentStore
from littlego.core.errors import FormatError, UsageError
from tests.arena.test_match import littlego, match
from tests.disks import fill, needs_root, small_disk

pytestmark = pytest.mark.process

ROOT = os.geteuid() == 0
MATCH = ("random", "greedy", "--games", "4", "--out", "kept")


@pytest.fixture
def played(tmp_path: Path) -> Path:
    match(*MATCH, folder=tmp_path)
    return tmp_path / "kept" / "results.sqlite"


def said(folder: Path, *arguments: str) -> str:
    """What a command that is refused says, and nothing but that."""
    done = littlego(*arguments, folder=folder, status=2)
    assert "Traceback" not in done.stderr
    return done.stderr


def test_an_emptied_file_is_not_taken_for_a_new_one(played: Path, tmp_path: Path) -> None:
    os.truncate(played, 0)
    assert f"kept/{played.name}: is empty, but used to hold results" in said(tmp_path, "match", *MATCH)
    assert played.stat().st_size == 0, "nothing was done to it"
    played.unlink()
    assert match(*MATCH, folder=tmp_path)["games"] == 4, "without the file it is a new match"


def damaged_row(path: Path, text: str) -> None:
    with sqlite3.connect(path) as db:
        db.execute("UPDATE records SET result = ? WHERE finished = 3", (text,))
    db.close()


@pytest.mark.parametrize("change", [
    lambda _row: "{",
    lambda _row: "[]",
    lambda _row: "{}",
    lambda row: json.dumps(row | {"record": row["record"] | {"outcome": None}}),
    lambda row: json.dumps(row | {"record": row["record"] | {"moves": ["9,9"]}}),
    lambda row: json.dumps(row | {"cpu_seconds": {"black": ["long"]}}),
    lambda row: json.dumps(row | {"isolation": 3}),
])  # fmt: skip
def test_a_bad_row_names_itself(change: Callable[[Any], str], played: Path) -> None:
    with sqlite3.connect(played) as db:
        (text,) = db.execute("SELECT result FROM records WHERE finished = 3").fetchone()
    db.close()
    damaged_row(played, change(json.loads(text)))
    with Store[int](played) as store, pytest.raises(FormatError, match=r"results\.sqlite: game 3: "):
        store.games()


def test_a_bad_row_is_reported_by_the_command(played: Path, tmp_path: Path) -> None:
    damaged_row(played, "{")
    assert "results.sqlite: game 3: not JSON" in said(tmp_path, "match", *MATCH)


def test_garbage_in_the_middle_is_reported(tmp_path: Path) -> None:
    match("random", "greedy", "--games", "40", "--out", "kept", folder=tmp_path)
    path = tmp_path / "kept" / "results.sqlite"
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        file.write(os.urandom(path.stat().st_size // 4))
    assert "damaged" in said(tmp_path, "match", "random", "greedy", "--games", "40", "--out", "kept")


def test_what_is_not_ours_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE accounts (name TEXT)")
    db.close()
    for kind in (Store, TournamentStore):
        with pytest.raises(FormatError, match="not a file of results"):
            kind(path)
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT name FROM sqlite_master").fetchall() == [("accounts",)]
    db.close()


def test_a_second_one_is_refused(played: Path) -> None:
    with Store[int](played), pytest.raises(UsageError, match="another command is using these results"):
        Store[int](played)


def test_whoever_looks_at_a_store_to_use_it_alone_has_it(played: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two that had both looked would each hold what the other needs, and both would be refused."""
    looked = []

    def look(pattern: str, text: str) -> list[str]:
        monkeypatch.undo()
        with closing(sqlite3.connect(played, timeout=0)) as other:
            with pytest.raises(sqlite3.OperationalError, match="locked"):
                other.execute("SELECT count(*) FROM games")
            looked.append(True)
        return re.findall(pattern, text)

    monkeypatch.setattr("littlego.storage.database.re.findall", look)
    with Store[int](played):
        assert looked


def test_nobody_waits_long_to_read_the_games_of_a_match_that_is_being_played(played: Path) -> None:
    began = time.monotonic()
    with Store[int](played), pytest.raises(UsageError, match="another command is using these results: wait for it"):
        read_stored_games(played)
    assert time.monotonic() - began < 20


def test_reading_the_games_of_a_file_that_is_not_there_does_not_make_it(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        read_stored_games(tmp_path / "results.sqlite")
    assert not list(tmp_path.iterdir())


def test_making_one_leaves_nothing_but_it(tmp_path: Path) -> None:
    with Store[int](tmp_path / "new" / "results.sqlite") as store:
        assert not store.finished()
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["results.sqlite"]


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """While this lasts nobody, root included, writes there."""
    subprocess.run(["mount", "--bind", str(folder), str(folder)], check=True)
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", str(folder)], check=True)
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@needs_root
def test_a_match_that_cannot_be_written_to_is_shown(played: Path, tmp_path: Path) -> None:
    before = match(*MATCH, folder=tmp_path)
    with read_only(played.parent):
        assert match(*MATCH, folder=tmp_path) == before
        more = said(tmp_path, "match", "random", "greedy", "--games", "6", "--out", "kept")
        assert "kept: nothing can be stored there" in more


@needs_root
def test_what_a_kill_left_beside_the_file_is_read_too(played: Path, tmp_path: Path) -> None:
    """Games in the log that were not put into the file yet are there, read-only or not."""
    copy = tmp_path / "copy"
    with Store[int](played) as store:
        results = store.games()
        played.unlink()
        assert results
    copy.mkdir()
    with Store[int](copy / "results.sqlite") as store:
        for game in results:
            store.add(game.key, game.result)
        killed = shutil.copytree(copy, tmp_path / "killed")
    assert (killed / "results.sqlite-wal").stat().st_size > 0
    with read_only(killed), Store[int](killed / "results.sqlite") as store:
        assert store.games() == results


@needs_root
def test_a_full_disk_is_reported_and_costs_nothing(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        arguments = ("match", "random", "greedy", "--games", "6", "--out", "disk/kept")
        littlego(*arguments[:3], "--games", "3", *arguments[5:], folder=tmp_path)
        first = rows(disk)
        filler = fill(disk)
        assert re.search("cannot be stored there.*: free some space, or choose", said(tmp_path, *arguments))
        filler.unlink()
        littlego(*arguments, folder=tmp_path)
        after = rows(disk)
    assert len(after) == 6
    assert after[: len(first)] == first, "nothing that was kept has changed"


def rows(disk: Path) -> list[Any]:
    with Store[int](disk / "kept" / "results.sqlite") as store:
        return store.games()


def test_space_is_asked_for_only_where_it_lacks(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    words = r"cannot be stored there: File exists; .* loses a game: choose another place"
    with pytest.raises(UsageError, match=words):
        Store[int](tmp_path / "file" / "results.sqlite")


@needs_root
def test_no_room_for_the_first_byte(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        filler = fill(disk)
        arguments = ("match", "random", "greedy", "--games", "1", "--out", "disk/kept")
        assert "cannot be stored there" in said(tmp_path, *arguments)
        filler.unlink()
        littlego(*arguments, folder=tmp_path)
