"""Standings and crosstable in the terminal and in JSON, against the stored games counted one by one."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from pathlib import Path

import pytest

from littlego.apps.cli.games import print_standings
from littlego.core.board import BLACK, WHITE, Colour
from littlego.core.game import GameRecord
from littlego.core.position import Position
from littlego.core.rules import Outcome, Verdict, edition_rules
from tests.arena.tournament.test_tournament import rows, tournament


def some_records(count: int, seed: int) -> list[GameRecord]:
    rng = random.Random(seed)
    start = Position.initial(edition_rules(size=4))
    records = []
    for _ in range(count):
        black, white = rng.sample(["ann", "bob", "cy"], 2)
        winner = rng.choice([BLACK, WHITE, None])
        verdict = Verdict.CRASH if winner and rng.random() < 0.3 else Verdict.SCORE
        records.append(
            GameRecord(black, white, start, (rng.randrange(16),), outcome=Outcome(winner, verdict, start.score()))
        )
    return records


@pytest.mark.parametrize("seed", range(3))
def test_the_table_of_a_series(seed: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    records = some_records(40, seed)
    print_standings(edition_rules(size=4), seed, records)
    shown = capsys.readouterr().out
    for name in ("ann", "bob", "cy"):
        for colour in Colour:
            mine = [record for record in records if record.player(colour) == name and record.outcome]
            results = Counter(r.outcome.winner for r in mine if r.outcome)
            faults = [r for r in mine if r.outcome and r.outcome.verdict is Verdict.CRASH]
            lost_by_fault = sum(r.outcome.winner is colour.opponent for r in faults if r.outcome)
            row = re.search(rf"{name} \({colour}\) +(\d+) +(\d+) +(\d+) +(\d+) +([\d.]+)%", shown)
            assert row is not None, shown
            wins, losses, ties = results[colour], results[colour.opponent], results[None]
            assert [int(row[k]) for k in range(1, 5)] == [wins, losses, ties, lost_by_fault]
            assert float(row[5]) == pytest.approx(100 * wins / len(mine), abs=0.051)
    distinct = len({(record.moves, record.outcome and record.outcome.verdict) for record in records})
    assert f"{distinct} distinct games." in shown


@pytest.mark.process
def test_a_tournament_shows_what_its_games_say(tmp_path: Path) -> None:
    tournament("new", "cup", "random", "greedy", "smart", "--games", "4", "--size", "4", folder=tmp_path)
    sent = json.loads(tournament("run", "cup", "--json", folder=tmp_path).stdout)
    shown = tournament("show", "cup", folder=tmp_path).stdout
    players = dict(rows(tmp_path, "SELECT id, name FROM players"))
    score: Counter[tuple[str, str, str]] = Counter()
    for black, white, winner in rows(tmp_path, "SELECT black, white, winner FROM games"):
        names = {1: black, 2: white}
        if winner:
            score[names[winner], names[3 - winner], "won"] += 1
        else:
            for name in names.values():
                score[name, next(other for other in names.values() if other != name), "tied"] += 1
    assert sum(score.values()) > 0
    for row in sent["standings"]:
        others = [other for other in players.values() if other != row["player"]]
        assert row["wins"] == sum(score[row["player"], other, "won"] for other in others)
        assert row["losses"] == sum(score[other, row["player"], "won"] for other in others)
        assert row["ties"] == sum(score[row["player"], other, "tied"] for other in others)
    table = shown[shown.index("wins-losses") : shown.index(" distinct games, ")].rpartition("\n")[0]
    order = [name for _, name in sorted((int(n), name) for n, name in re.findall(r"^ *(\d+) (\w+)", table, re.M))]
    for line in re.findall(r"^ *\d+ \w+.*$", table, re.M):
        number, name, *cells = line.split()
        assert name == order[int(number) - 1]
        for other, cell in zip([each for each in order if each != name], cells, strict=True):
            parts = [score[name, other, "won"], score[other, name, "won"], score[name, other, "tied"]]
            assert cell == "-".join(map(str, parts if parts[2] else parts[:2]))
