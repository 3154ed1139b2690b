"""Counting games: against a slow twin that looks at one game after the other."""

from __future__ import annotations

import contextlib
import random
import re
import sqlite3
from pathlib import Path

import pytest

from littlego.arena.participants import BuiltIn
from littlego.arena.ratings import PairScore, fit_ratings
from littlego.arena.store import GameResult, Meeting
from littlego.arena.tournament.folder import GameKey, TournamentStore
from littlego.arena.tournament.plan import Format, TournamentPlan
from littlego.arena.tournament.roster import Newcomer, create
from littlego.arena.tournament.summary import against, fit_meetings, meetings_of, standings
from littlego.core.board import Colour
from littlego.core.errors import PlayerFault, UsageError
from littlego.core.game import GameRecord
from littlego.core.position import Position
from littlego.core.rules import Verdict


def stored(path: Path, rows: list[tuple[int, ...]]) -> Path:
    """A store with these games: Black, White, a number, the winner, whether it was a forfeit, a hash of the moves."""
    TournamentStore(path).close()
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.executemany(
            "INSERT INTO games (black, white, key, winner, verdict, forfeit, moves) VALUES (?, ?, ?, ?, 'score', ?, ?)",
            [(f"p{black}", f"p{white}", str(number), *rest) for black, white, number, *rest in rows],
        )
    return path


def some_games(count: int, players: int, seed: int) -> list[tuple[int, ...]]:
    rng = random.Random(seed)
    rows: list[tuple[int, ...]] = []
    for number in range(count):
        black, white = rng.sample(range(players), 2)
        winner = rng.choice([0, 1, 1, 2, 2])
        rows.append((black, white, number, winner, int(winner > 0 and rng.random() < 0.2), rng.randrange(5)))
    return rows


@pytest.mark.parametrize("seed", range(5))
def test_counts_are_those_of_the_slow_twin(seed: int, tmp_path: Path) -> None:
    rows = some_games(300, 6, seed)
    names = {player: f"p{player}" for player in (5, 0, 3, 2)}  # two have left the plan
    with TournamentStore(stored(tmp_path / "results.sqlite", rows)) as store:
        meetings = meetings_of(names.values(), store.meetings())
        first = meetings_of(names.values(), store.meetings(until=100))
    assert sum(met.games for met in first) == sum(row[0] in names and row[1] in names for row in rows[:100])
    counted = [row for row in rows if row[0] in names and row[1] in names]
    assert sum(met.games for met in meetings) == len(counted)
    assert sum(met.distinct_games for met in meetings) == len({(row[0], row[1], row[5]) for row in counted})
    quick = fit_meetings(meetings)
    counts = standings(list(names.values()), meetings, quick)
    for standing, player in zip(counts, names, strict=True):
        blacks = [row for row in counted if row[0] == player]
        whites = [row for row in counted if row[1] == player]
        assert standing.player == f"p{player}"
        assert (standing.as_black.wins, standing.as_black.losses, standing.as_black.ties) == tuple(
            sum(row[3] == winner for row in blacks) for winner in (1, 2, 0)
        )
        assert (standing.as_white.wins, standing.as_white.losses, standing.as_white.ties) == tuple(
            sum(row[3] == winner for row in whites) for winner in (2, 1, 0)
        )
        assert standing.forfeits == sum(row[4] and row[3] == 2 for row in blacks) + sum(
            row[4] and row[3] == 1 for row in whites
        )
        assert standing.distinct_games == len({(row[0], row[1], row[5]) for row in blacks + whites})
        assert (standing.games, standing.tally) == (len(blacks + whites), standing.as_black + standing.as_white)
        assert (standing.win_rate, standing.interval_95) == (standing.tally.win_rate, standing.tally.interval)
    by_pair = {(a, b): [row for row in counted if row[:2] == (a, b)] for a in names for b in names}
    slow = fit_ratings(
        [
            PairScore(
                names[a], names[b], len(rows), sum((0.5, 1.0, 0.0)[row[3]] for row in rows), len({r[5] for r in rows})
            )
            for (a, b), rows in by_pair.items()
            if rows
        ]
    )
    for rated in slow.players:
        same = quick.of(rated.name)
        assert same.rating == pytest.approx(rated.rating)
        assert same.interval == pytest.approx(rated.interval)
        (row,) = [row for row in counts if row.player == rated.name]
        assert (row.rating, row.rating_interval_95) == (same.rating, same.interval)
    tallies = against(meetings)
    for player in names:
        for opponent in names:
            tally = tallies[names[player], names[opponent]]
            played = [row for row in counted if {row[0], row[1]} == {player, opponent} and player != opponent]
            assert tally.games == len(played)
            assert tally.wins == sum((row[0] == player) == (row[3] == 1) for row in played if row[3])


def test_nothing_played_is_nothing_counted() -> None:
    (row, _) = standings(["a", "b"], [], fit_meetings([]))
    assert (row.games, row.distinct_games, row.tally.share, row.rating) == (0, 0, 0.0, None)


@pytest.mark.parametrize("name", ["../x", "a/b", "x.", " x", "", "x" * 61])
def test_a_name_that_cannot_name_a_directory_is_refused(name: str, tmp_path: Path) -> None:
    plan = TournamentPlan(Format.ROUND_ROBIN, 2)
    players = [Newcomer(each, BuiltIn("random")) for each in ("random", name)]
    with pytest.raises(UsageError, match=re.escape(f"the name {name!r}")):
        create(tmp_path / "cup", plan, players)
    assert not (tmp_path / "cup").exists()


def result() -> GameResult:
    start = Position.initial()
    fault = PlayerFault(Verdict.CRASH, "it crashed")
    return GameResult(GameRecord("a", "b", start).forfeited(Colour.BLACK, fault, start))


def test_a_game_is_kept_once(tmp_path: Path) -> None:
    key = GameKey(0, 1, 7)
    with TournamentStore(tmp_path / "results.sqlite") as store:
        store.join("a", "random", fingerprint="x", spelling="random")
        with pytest.raises(UsageError, match="a cannot be stored"):
            store.join("a", "random", fingerprint="x", spelling="random")
        second = store.join("b", "random", stage1=3.5, guest=True, fingerprint="x", spelling="random")
        assert (second.id, store.players()[1]) == (1, second)
        assert store.add(key, result())
        assert not store.add(key, result())
        assert store.add(GameKey(1, 0, 7), result()), "colours are part of the name"
    with TournamentStore(tmp_path / "results.sqlite") as store:
        assert store.finished() == {key: 1, GameKey(1, 0, 7): 2}
        assert [game.key for game in store.stream(forfeits_only=True)] == [key, GameKey(1, 0, 7)]
        assert [game.finished for game in store.last_games(5, players=["a"])] == [2, 1]
        assert store.last_games(5, players=["c"]) == []
        assert next(store.stream()).result == result()
        assert store.meetings() == [Meeting("a", "b", 2, 0, 2, 0, 2, 0, 1)]
        assert store.verdicts() == {"crash": 2}


def test_a_store_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "results.sqlite").write_text("not a database, but long enough to look at" * 50)
    with pytest.raises(UsageError, match="file is not a database"):
        TournamentStore(tmp_path / "results.sqlite")
