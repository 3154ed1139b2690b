"""Ratings, intervals and the answer of a sequential test as they are shown, against sums of this file alone."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import littlego as littlego_package
from tests.command import in_this_process

pytestmark = pytest.mark.process

ELO = 400 / math.log(10)
STRENGTHS = Path(littlego_package.__file__).parent / "players" / "strengths.json"


def littlego(folder: Path, *words: str) -> str:
    done = in_this_process(*words, cwd=folder, environment={"COLUMNS": "200"})
    assert done.returncode == 0, done.stderr
    return done.stdout


def posterior(rows: list[dict[str, Any]], names: list[str]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Centred ratings with Black's worth last, and their covariance: a row of unknowns for every single game.

    The prior is half a drawn game of everyone, and of Black, against nobody in particular.
    """
    unknowns, results, weights = [], [], []
    for row in rows:
        line = np.zeros(len(names) + 1)
        line[names.index(row["black"])], line[names.index(row["white"])], line[-1] = 1, -1, 1
        for result, times in ((1.0, row["black_wins"]), (0.0, row["white_wins"]), (0.5, row["ties"])):
            unknowns += [line] * times
            results += [result] * times
            weights += [1.0] * times
    for line in np.eye(len(names) + 1):
        unknowns.append(line)
        results.append(0.5)
        weights.append(0.5)
    x, y, w = np.array(unknowns), np.array(results), np.array(weights)
    at = np.zeros(len(names) + 1)
    for _ in range(200):
        chance = 1 / (1 + np.exp(-x @ at))
        curvature = (x.T * (w * chance * (1 - chance))) @ x
        at = at + 0.5 * np.linalg.solve(curvature, x.T @ (w * (y - chance)))
    centre = np.eye(len(at))
    centre[:-1, :-1] -= 1 / len(names)
    return centre @ at, centre @ np.linalg.inv(curvature) @ centre.T


def test_a_table_of_ratings(tmp_path: Path) -> None:
    littlego(tmp_path, "tournament", "new", "cup", "random", "greedy", "smart", "--games", "12", "--seed", "3")
    littlego(tmp_path, "tournament", "run", "cup", "--jobs", "2")
    found = json.loads(littlego(tmp_path, "tournament", "show", "cup", "--json"))
    assert found["distinct_games"] == found["games"] == 36, "each counts whole"
    names = [row["player"] for row in found["standings"]]
    rating, covariance = posterior(found["crosstable"], names)
    shown = littlego(tmp_path, "tournament", "show", "cup")
    for place, name in enumerate(names):
        reach = 1.959964 * math.sqrt(covariance[place, place])
        line = re.search(rf"^ *{place + 1} +{name} +(-?\d+) \((-?\d+)\.\.(-?\d+)\) +(?:(\d+)% +)?\d+ ", shown, re.M)
        assert line is not None, shown
        expected = [ELO * end for end in (rating[place], rating[place] - reach, rating[place] + reach)]
        assert [int(line[k]) for k in (1, 2, 3)] == pytest.approx(expected, abs=1.01)
        if place + 1 < len(names):
            apart = np.zeros(len(names) + 1)
            apart[place], apart[place + 1] = 1, -1
            lead = (rating[place] - rating[place + 1]) / math.sqrt(apart @ covariance @ apart)
            assert int(line[4]) == pytest.approx(50 * (1 + math.erf(lead / math.sqrt(2))), abs=0.51)
        else:
            assert line[4] is None, "nobody comes after the last"
    black = re.search(r"Having Black is worth (-?\d+) \((-?\d+) to (-?\d+)\)", shown)
    assert black is not None, shown
    reach = 1.959964 * math.sqrt(covariance[-1, -1])
    expected = [ELO * end for end in (rating[-1], rating[-1] - reach, rating[-1] + reach)]
    assert [int(black[k]) for k in (1, 2, 3)] == pytest.approx(expected, abs=1.01)


def test_the_answer_of_a_sequential_test(tmp_path: Path) -> None:
    words = ("match", "aggressive", "random", "--sprt", "--out", "kept")
    shown = littlego(tmp_path, *words)
    found = json.loads(littlego(tmp_path, *words, "--json"))
    pairs = []
    for one, other in zip(found["results"][0::2], found["results"][1::2], strict=True):
        assert one["record"]["moves"][:2] == other["record"]["moves"][:2], "one opening"
        assert one["record"]["black"] == other["record"]["white"] == "aggressive", "with both colours"
        wins = [game["record"]["outcome"]["winner"] for game in (one, other)]
        pairs.append(((wins[0] == "black") + (wins[1] == "white")) / 2)
    score = sum(pairs) / len(pairs)
    answer = re.search(r"H1 accepted: aggressive .*?(\d+) pairs of games: scores ([\d.]+)% \((\d+)-(\d+)%\)", shown)
    assert answer is not None, shown
    assert int(answer[1]) == len(pairs) == sum(found["sprt"]["pairs"])
    assert float(answer[2]) == pytest.approx(100 * score, abs=0.051)
    spread = 1.96 * math.sqrt(sum((pair - score) ** 2 for pair in pairs) / len(pairs) / (len(pairs) - 1))
    assert int(answer[3]) == pytest.approx(100 * (score - spread), abs=3), "scores never seen count a little too"
    assert int(answer[4]) == pytest.approx(100 * min(1.0, score + spread), abs=3)


def test_the_strengths_in_the_list_of_players(tmp_path: Path) -> None:
    """From the results of pairs alone. The shown ratings also know colours, which spreads them a little further."""
    table = json.loads(STRENGTHS.read_text())["tables"][0]
    names = [row["name"] for row in table["players"]]
    rows = [row for pair in table["pairs"] for row in with_both_colours(pair)]
    rating, _ = posterior(rows, names)
    assert sorted(names, key=lambda name: -round(rating[names.index(name)], 6)) == names, "the same order"
    shown = littlego(tmp_path, "players")
    for place, name in enumerate(names):
        line = re.search(rf"^ *{name} .* ([+-]\d+) *$", shown, re.M)
        assert line is not None, shown
        assert int(line[1]) == pytest.approx(ELO * rating[place], rel=0.1), name


def with_both_colours(pair: dict[str, Any]) -> list[dict[str, Any]]:
    """As if wins and losses had come with either colour alike."""
    wins, losses = pair["first_wins"], pair["games"] - pair["first_wins"]
    first, second = pair["first"], pair["second"]
    return [
        {"black": first, "white": second, "black_wins": wins // 2, "white_wins": losses - losses // 2, "ties": 0},
        {"black": second, "white": first, "black_wins": losses // 2, "white_wins": wins - wins // 2, "ties": 0},
    ]
