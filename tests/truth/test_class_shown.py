"""The rows of a class, as the terminal, its page and its lists show them, against the stored games played again.

Nothing of `course` or `core` counts here: the naive referee says who won, and the points are those of the bands below.
"""

from __future__ import annotations

import csv
import json
import re
import sqlite3
import textwrap
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from littlego.course.edition import format_edition
from littlego_bench.naive import BLACK, WHITE, NaiveGame
from tests.arena.agents import GOOD, python_agent
from tests.command import in_this_process
from tests.course.grading.test_class import small

pytestmark = pytest.mark.process

OPPONENTS = ("random", "greedy")
LENGTH = 10  # of a game, in that edition
CRASHES = 'if open("input.txt").read(1) == "2": raise ValueError\n'
"""With White."""


@dataclass
class Counted:
    """A student's games, counted one by one."""

    games: Counter[str] = field(default_factory=Counter)
    wins: Counter[str] = field(default_factory=Counter)
    forfeits: int = 0
    seconds: list[float] = field(default_factory=list)

    def points(self, opponent: str) -> float:
        won, played = self.wins[opponent], self.games[opponent]
        return 10 if 10 * won >= 9 * played else (8 if 10 * won >= 7 * played else 5) * won / played


def winner(record: dict[str, Any]) -> int:
    """Who has more on the board when the naive referee has played the game to its end."""
    game = NaiveGame(length=LENGTH)
    for move in record["moves"]:
        row, _, column = move.partition(",")
        place = None if move == "PASS" else (int(row), int(column))
        assert place is None or game.why_not(*place) is None
        game.play(place)
    assert game.over()
    return BLACK if game.score(BLACK) > game.score(WHITE) else WHITE


def counted(folder: Path) -> Counted:
    found = Counted()
    (path,) = folder.glob("games-*/results.sqlite")
    with closing(sqlite3.connect(path)) as db:
        for (text,) in db.execute("SELECT result FROM records"):
            result = json.loads(text)
            record, colours = result["record"], {result["record"]["black"]: BLACK, result["record"]["white"]: WHITE}
            (opponent,) = colours.keys() & set(OPPONENTS)
            (mine,) = (colour for name, colour in colours.items() if name != opponent)
            faulty = record["outcome"]["verdict"] == "crash"
            found.games[opponent] += 1
            found.wins[opponent] += not faulty and winner(record) == mine
            found.forfeits += faulty
            found.seconds += result["cpu_seconds"]["black" if mine == BLACK else "white"]
    return found


def cells(page: str) -> list[list[str]]:
    """The texts of every row of every table."""
    rows = re.findall(r"<tr>(.*?)</tr>", page, re.S)
    return [[re.sub(r"<[^>]*>", "", cell) for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.S)] for row in rows]


def test_a_class_is_shown_as_its_games_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    good = textwrap.dedent(GOOD)
    for name, source in {"ann": good, "bob": f"{good}# late", "cy": CRASHES + good, "dee": "1 +"}.items():
        python_agent(tmp_path / "class" / name, source)
    edition = replace(small(2, OPPONENTS).edition, name="small")
    (tmp_path / "small.toml").write_text(format_edition(edition))
    (tmp_path / "late.csv").write_text("student,days\nbob,2\n")
    out = tmp_path / "out"
    words = ["grade-class", str(tmp_path / "class"), "--edition", str(tmp_path / "small.toml"), "--jobs", "2"]
    shown = in_this_process(*words, "--out", str(out), "--late", str(tmp_path / "late.csv")).stdout

    own = {name: counted(out / "students" / name) for name in ("ann", "bob", "cy")}
    assert [own[name].forfeits for name in own] == [0, 0, 4]
    assert sum(each.games.total() for each in own.values()) == 24
    points = {name: sum(map(each.points, OPPONENTS)) for name, each in own.items()} | {"dee": 0.0}
    points["bob"] *= 0.6  # 20 percent a day

    with (out / "class.csv").open(encoding="utf-8-sig") as file:
        table = {row["student"]: row for row in csv.DictReader(file)}
    with (out / "leaderboard.csv").open(encoding="utf-8-sig") as file:
        board = {row["name"]: row for row in csv.DictReader(file)}
    page = {row[0]: row for row in cells((out / "class.html").read_text()) if len(row) == 10}
    rows = {row["student"]: row for row in json.loads((out / "class.json").read_text())["rows"]}
    assert table.keys() == page.keys() - {"Student"} == rows.keys() == points.keys()
    for name, expected in points.items():
        public = board[table[name]["pseudonym"]]
        assert float(table[name]["points"]) == rows[name]["points"] == pytest.approx(expected, abs=5e-5)
        assert float(public["points"]) == pytest.approx(expected, abs=5e-5)
        assert int(public["rank"]) == 1 + sum(
            _merit(other, points, own) > _merit(name, points, own) for other in points
        )
        line = re.search(rf"^ *{name} +([\d.]+) .*$", shown, re.M)
        assert line is not None, shown
        assert float(line[1]) == float(page[name][1]) == pytest.approx(expected, abs=5e-3)
    for name, each in own.items():
        games, wins = each.games.total(), each.wins.total()
        line = re.search(rf"^ *{name} .* (\d+)/(\d+) +(\d+)  graded", shown, re.M)
        assert line is not None, shown
        assert [int(line[k]) for k in (1, 2, 3)] == [wins, games, each.forfeits]
        assert [int(table[name][column]) for column in ("wins", "games", "forfeits")] == [wins, games, each.forfeits]
        assert float(table[name]["slowest_seconds"]) == pytest.approx(max(each.seconds), abs=5e-5)
        assert page[name][4] == str(each.forfeits)
        assert page[name][7] == f"{wins}/{games}"
        assert page[name][8] == f"{max(each.seconds):.2f} s"
        for k, opponent in enumerate(OPPONENTS):
            assert int(table[name][f"{opponent} wins"]) == each.wins[opponent]
            assert float(table[name][f"{opponent} points"]) == pytest.approx(each.points(opponent), abs=5e-5)
            assert f"{each.wins[opponent]}/{each.games[opponent]}" in page[name][5 + k]


def _merit(name: str, points: dict[str, float], own: dict[str, Counted]) -> tuple[float, int]:
    return points[name], own[name].wins.total() if name in own else 0
