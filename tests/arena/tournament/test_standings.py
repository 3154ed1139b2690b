"""Counting games: against a slow twin that looks at one game after the other."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from littlego.arena.ratings import PairScore, fit_ratings
from littlego.arena.results import GameResult
from littlego.arena.tournament.report.summary import fit_results
from littlego.arena.tournament.standings import count_results
from littlego.arena.tournament.store import GameKey, TournamentStore, moves_hash
from littlego.core.colour import Colour
from littlego.core.errors import PlayerFault, UsageError
from littlego.core.game import GameRecord
from littlego.core.position import Position
from littlego.core.verdict import Verdict

KINDS = [("black", "i4"), ("white", "i4"), ("number", "i4"), ("winner", "i1"), ("forfeit", "i1"), ("moves", "i8")]


def some_games(count: int, players: int, seed: int) -> list[tuple[int, ...]]:
    rng = random.Random(seed)
    rows: list[tuple[int, ...]] = []
    for number in range(count):
        black, white = rng.sample(range(players), 2)
        winner = rng.choice([0, 1, 1, 2, 2])
        rows.append((black, white, number, winner, int(winner > 0 and rng.random() < 0.2), rng.randrange(5)))
    return rows


@pytest.mark.parametrize("seed", range(5))
def test_counts_are_those_of_the_slow_twin(seed: int) -> None:
    rows = some_games(300, 6, seed)
    names = {player: f"p{player}" for player in (5, 0, 3, 2)}  # two have left the plan
    results = count_results(np.array(rows, dtype=KINDS), names)
    counted = [row for row in rows if row[0] in names and row[1] in names]
    assert results.games == len(counted)
    assert results.distinct_games == len({(row[0], row[1], row[5]) for row in counted})
    for standing, player in zip(results.standings(), names, strict=True):
        blacks = [row for row in counted if row[0] == player]
        whites = [row for row in counted if row[1] == player]
        assert standing.name == f"p{player}"
        assert (standing.black.wins, standing.black.losses, standing.black.ties) == tuple(
            sum(row[3] == winner for row in blacks) for winner in (1, 2, 0)
        )
        assert (standing.white.wins, standing.white.losses, standing.white.ties) == tuple(
            sum(row[3] == winner for row in whites) for winner in (2, 1, 0)
        )
        assert standing.forfeits == sum(row[4] and row[3] == 2 for row in blacks) + sum(
            row[4] and row[3] == 1 for row in whites
        )
        assert standing.distinct == len({(row[0], row[1], row[5]) for row in blacks + whites})
        assert standing.tally.points == standing.tally.wins + standing.tally.ties / 2
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
    quick = fit_results(results)
    for rated in slow.players:
        same = quick.of(rated.name)
        assert same.rating == pytest.approx(rated.rating)
        assert same.interval == pytest.approx(rated.interval)
    for who, player in enumerate(names):
        for other, opponent in enumerate(names):
            tally = results.against(who, other)
            played = [row for row in counted if {row[0], row[1]} == {player, opponent} and player != opponent]
            assert tally.games == len(played)
            assert tally.wins == sum((row[0] == player) == (row[3] == 1) for row in played if row[3])
    turned = results.ordered([3, 1, 0, 2])
    assert turned.names == tuple(f"p{player}" for player in (2, 0, 5, 3))
    assert {row.name: row for row in turned.standings()} == {row.name: row for row in results.standings()}
    assert turned.against(0, 2) == results.against(3, 0)
    assert count_results(np.array(rows, dtype=KINDS), names, until=10).games == 10


def test_nothing_played_is_nothing_counted() -> None:
    results = count_results(np.array([], dtype=KINDS), {0: "a", 1: "b"})
    assert (results.games, results.distinct_games, results.standings()[0].tally.share) == (0, 0, 0.0)


def result() -> GameResult:
    start = Position.initial()
    fault = PlayerFault(Verdict.CRASH, "it crashed")
    return GameResult(GameRecord("a", "b", start).forfeited(Colour.BLACK, fault, start), "in process")


def test_a_game_is_kept_once(tmp_path: Path) -> None:
    key = GameKey(0, 1, 7)
    with TournamentStore(tmp_path / "results.sqlite") as store:
        store.join("a", "x", "random", None)
        with pytest.raises(UsageError, match="a cannot be stored"):
            store.join("a", "x", "random", None)
        assert store.join("b", "x", "random", 3.5).id == 1
        assert store.add(key, result())
        assert not store.add(key, result())
        assert store.add(GameKey(1, 0, 7), result()), "colours are part of the name"
    with TournamentStore(tmp_path / "results.sqlite") as store:
        assert store.finished() == {key, GameKey(1, 0, 7)}
        assert [game.key for game in store.games(forfeits_only=True)] == [key, GameKey(1, 0, 7)]
        assert [game.finished for game in store.last_games(5)] == [2, 1]
        assert next(store.games()).result == result()
        columns = store.columns()
        assert columns["winner"].tolist() == [2, 2]
        assert columns["moves"].tolist() == [moves_hash(result().record)] * 2
        assert store.verdicts() == {"crash": 2}


def test_a_store_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "results.sqlite").write_text("not a database, but long enough to look at" * 50)
    with pytest.raises(UsageError, match="file is not a database"):
        TournamentStore(tmp_path / "results.sqlite")
