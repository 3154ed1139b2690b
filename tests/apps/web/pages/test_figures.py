"""Figures that the pages draw, read back from them: curves of learners, standings and crosstable of a tournament."""

from __future__ import annotations

import random
import re
from collections import Counter
from functools import cache
from importlib.resources import files
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from littlego.tictactoe.paper import OPENINGS, Pair
from tests.apps.web.pages.browser import MARKS, PATIENCE, Visit

pytestmark = MARKS

READ = """() => [...document.querySelectorAll(".chart svg")].map((svg) => ({
  rules: [...svg.querySelectorAll(".rule")].map((rule) => Number(/ ([\\d.]+)H/.exec(rule.getAttribute("d"))[1])),
  marks: [...svg.querySelectorAll("text.end")].map((text) => text.textContent),
  lines: [...svg.querySelectorAll("path.line")].map((line) => ({
    colour: getComputedStyle(line).stroke,
    heights: line.getAttribute("d").split(/[ML]/).slice(1).map((point) => Number(point.split(" ")[1])),
  })),
  squares: [...svg.querySelectorAll("rect + text")].map((text) => text.textContent),
  truth: [...svg.querySelectorAll("text.truth")].map((text) => text.textContent),
  keys: [...svg.closest("figure").querySelectorAll(".key")].map((key) => key.textContent),
}))"""


TABLE = """(query) => [...document.querySelectorAll(query)].map((row) =>
  [...row.querySelectorAll("td, th")].map((cell) => cell.textContent.trim()))"""
PLAYERS = ("random", "greedy", "aggressive")
SIDES = ("black", "white")


def number(text: str) -> float:
    return float(text[:-1]) / 100 if text.endswith("%") else float(text)


def values_on(chart: Any, heights: list[float]) -> list[float]:
    """What a curve shows, read off the chart's own scale."""
    low, high = number(chart["marks"][0]), number(chart["marks"][4])
    bottom, top = chart["rules"][0], chart["rules"][4]
    return [low + (high - low) * (bottom - height) / (bottom - top) for height in heights]


def learned_again(games: int) -> tuple[list[dict[str, Any]], list[float]]:
    """Shares after every game and the last values, from the learner itself."""
    rng, pair = random.Random(1), Pair.new(alpha=0.2, epsilon=0.02)
    counts: Counter[int] = Counter()
    shares = []
    for game in range(1, games + 1):
        counts[pair.play_game(rng)] += 1
        shares.append({"first": counts[1] / game, "second": counts[2] / game, "draws": counts[0] / game})
    return shares, [pair.x.values.get(code, 0.0) for code in OPENINGS.values()]


LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


@cache
def worth(cells: str) -> int:
    """Of tic-tac-toe to X, by trying everything."""
    for side, value in (("X", 1), ("O", -1)):
        if any(all(cells[at] == side for at in line) for line in LINES):
            return value
    free = [at for at, cell in enumerate(cells) if cell == "."]
    mover = "X" if cells.count("X") == cells.count("O") else "O"
    values = [worth(f"{cells[:at]}{mover}{cells[at + 1 :]}") for at in free]
    return (max(values) if mover == "X" else min(values)) if values else 0


def test_the_curves_of_tic_tac_toe(visit: Visit) -> None:
    visit.open("/learn")
    card = visit.page.locator(".card", has=visit.page.get_by_role("heading", name="Tic-tac-toe"))
    card.locator("[name=games]").fill("150")
    card.get_by_role("button", name="Learn").click()
    expect(card.locator(".chart")).to_have_count(3)
    expect(card.locator("progress")).to_be_hidden()
    results, opening, square = visit.page.evaluate(READ)[:3]
    shares, values = learned_again(150)
    for line, name, key in zip(results["lines"], ("first", "second", "draws"), results["keys"], strict=True):
        shown = values_on(results, line["heights"])
        assert shown == pytest.approx([share[name] for share in shares], abs=0.01)
        assert key.endswith(f" {round(100 * shares[-1][name])}%")
    assert len({line["colour"] for line in opening["lines"]}) == 9, "nine moves, nine colours"
    for k, line in enumerate(opening["lines"]):
        assert values_on(opening, line["heights"])[-1] == pytest.approx(values[k], abs=0.02)
        assert opening["keys"][k] == f"{k // 3},{k % 3} {values[k]:.2f}"
    assert [float(text) for text in square["squares"]] == pytest.approx(values, abs=0.006)
    truth = [worth("." * at + "X" + "." * (8 - at)) for at in range(9)]
    assert square["truth"] == [f"true: {value}" for value in truth]
    expect(card).to_contain_text("the third line rises while both learn")
    chart = card.locator(".chart").first
    unit, axis = chart.get_by_text("games", exact=True).bounding_box(), chart.locator(".rule").first.bounding_box()
    assert unit is not None
    assert axis is not None
    assert unit["y"] > axis["y"], "no line crosses the word"
    compare(visit, card)


def compare(visit: Visit, card: Locator) -> None:
    """Another setting beside the first, each under its name."""
    card.locator("[name=alpha]").fill("0.9")
    card.get_by_role("button", name="Learn").click()
    expect(card.get_by_role("heading", level=3)).to_have_text(re.compile("150 games, rate 0.9"))
    card.get_by_label("Compare with").select_option(label="Tic-tac-toe, 150 games, rate 0.2, exploration 0.02, seed 1")
    expect(card.get_by_role("heading", level=3)).to_have_count(2)
    expect(card.locator(".chart")).to_have_count(6)
    shown = visit.page.evaluate(READ)
    assert shown[2]["squares"] != shown[5]["squares"]


NINE = """() => [...document.querySelectorAll(".nine > div")].map((one) => ({
  stones: [...one.querySelectorAll(".stone")].map((stone) => [stone.dataset.colour, stone.getAttribute("transform")]),
  marks: [...one.querySelectorAll("[data-move]")].map((mark) => `${mark.dataset.move} ${mark.dataset.sign}`),
  text: one.querySelector("small").textContent.trim(),
}))"""


def test_a_learners_mistakes_on_the_board(visit: Visit) -> None:
    """Its moves in nine labelled positions: read off the page, and judged by the file of labels."""
    visit.open("/learn")
    card = visit.page.locator(".card", has=visit.page.get_by_role("heading", name="Little-Go, by Q-learning"))
    expect(card).to_contain_text("It first plays a few hundred games almost at random.")
    card.locator("[name=games]").fill("100")
    card.get_by_role("button", name="Learn").click()
    expect(card.locator(".nine .board")).to_have_count(9, timeout=5 * PATIENCE)  # it may have to compile
    expect(card.locator("progress")).to_be_hidden(timeout=5 * PATIENCE)
    labels = {}
    for line in files("littlego.learn").joinpath("labels.tsv").read_text().splitlines()[1:]:
        board, _, _, _, wins, winning = line.split("\t")
        labels[board] = set(winning.split()) if wins == "1" else set()
    mistakes = 0
    for one in visit.page.evaluate(NINE):
        good = labels[board_of(one["stones"])]
        move, judged = one["text"].split()
        assert good, "a position that is won"
        assert (judged == "✓") == (move in good)
        marks = {f"{point} won" for point in good} | ({f"{move} wrong"} if move not in good else set())
        assert set(one["marks"]) == {mark for mark in marks if not mark.startswith("PASS")}
        mistakes += judged == "✗"
    expect(card).to_contain_text(f"{mistakes} mistake{'' if mistakes == 1 else 's'} on 9 boards")


def board_of(stones: list[list[str]]) -> str:
    """The digits of a drawn board, by where its stones are: 62 from the edge, 100 apart."""
    cells = ["0"] * 25
    for colour, place in stones:
        x, y = (round((float(number) - 62) / 100) for number in re.findall(r"[\d.]+", place))
        cells[5 * y + x] = "1" if colour == "black" else "2"
    return "".join(cells)


def test_the_tables_of_a_tournament(visit: Visit) -> None:
    """Played to its end, then counted from the games that the page itself lists."""
    visit.open("/arena")
    for name in PLAYERS:
        visit.page.locator(f'[name=players][value="{name}"]').check()
    visit.page.locator("[name=games]").fill("2")
    visit.page.get_by_role("button", name="Create and run").click()
    visit.page.wait_for_url("**/arena/tournament/*")
    expect(visit.page.locator("main")).to_contain_text("Standings after 6 of 6 games")
    games = visit.ask(f"/api/tournaments/{visit.page.url.rsplit('/', 1)[-1]}/games?most=100")
    assert len(games) == 6
    won: Counter[tuple[str, str, str]] = Counter()
    for game in games:
        loser = {"black": "white", "white": "black"}[game["winner"]]  # 5x5: there are no ties
        won[game[game["winner"]], game[loser], game["winner"]] += 1
    names = [*PLAYERS]
    rows = visit.page.evaluate(TABLE, "table:not(.cross) tbody tr")
    shown = {row[1]: row for row in rows if len(row) == 9 and row[1] in names}
    assert set(shown) == set(names)
    for name, row in shown.items():
        wins = {side: sum(n for (one, _, as_), n in won.items() if one == name and as_ == side) for side in SIDES}
        losses = {side: sum(n for (_, other, as_), n in won.items() if other == name and as_ != side) for side in SIDES}
        assert row[4] == f"{sum(wins.values())}/4"
        assert row[5:7] == [f"{wins[side]}–{losses[side]}" for side in SIDES]
    head, *cross = visit.page.evaluate(TABLE, ".cross tr")
    for name, *cells in cross:
        for other, cell in zip(head[1:], cells, strict=True):
            mine = sum(n for (one, two, _), n in won.items() if (one, two) == (name, other))
            assert cell == ("" if name == other else str(round(100 * mine / 2)))
