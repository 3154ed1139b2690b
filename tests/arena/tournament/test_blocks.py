"""Packed columns say what the rows say, whenever they were packed."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from littlego.arena.results import GameResult
from littlego.arena.tournament import blocks
from littlego.arena.tournament.store import GameKey, TournamentStore
from littlego.core.errors import FormatError
from tests.helpers import series


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with 20 games in blocks of 8: two blocks, and four games in none."""
    monkeypatch.setattr(blocks, "SIZE", 8)
    path = tmp_path / "results.sqlite"
    add(path, range(20))
    return path


def add(path: Path, numbers: range) -> None:
    games = series("random", "greedy", games=4)
    with TournamentStore(path) as store:
        for number in numbers:
            assert store.add(GameKey(number % 3, 3, number), GameResult(games[number % 4], "L0"))


def check(path: Path, *, packed: int) -> None:
    with closing(sqlite3.connect(path)) as db:
        rows = db.execute("SELECT black, white, number, winner, forfeit, moves FROM games ORDER BY finished").fetchall()
        verdicts = Counter(verdict for (verdict,) in db.execute("SELECT verdict FROM games"))
        assert db.execute("SELECT count(*), max(last) FROM blocks").fetchone() == (packed // 8, packed)
    with TournamentStore(path) as store:
        assert [tuple(row) for row in store.columns().tolist()] == rows
        assert store.verdicts() == verdicts


def test_columns_are_the_rows(path: Path) -> None:
    check(path, packed=16)


def test_a_store_without_blocks_gets_them(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DROP TABLE blocks")
    with TournamentStore(path) as store:
        assert len(store.columns()) == sum(store.verdicts().values()) == 20
    add(path, range(20, 25))
    check(path, packed=24)


def test_damaged_blocks_are_reported(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE blocks SET games = x'00', verdicts = '{'")
    with TournamentStore(path) as store:
        for read in (store.columns, store.verdicts):
            with pytest.raises(FormatError, match="the table of games"):
                read()
