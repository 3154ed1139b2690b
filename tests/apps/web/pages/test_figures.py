"""Figures that the pages draw, read back from them: curves of learners, standings and crosstable of a tournament."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import Any

import pytest
from playwright.sync_api import expect

from littlego.core.position import Position
from page_data import shipped_deck
from tests.apps.web.pages.browser import MARKS, Visit

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


LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


@cache
def against_random(cells: str, side: str) -> float:
    """What a side of tic-tac-toe gets on average, with best play against chance: 1, 0 or -10."""
    for winner in "XO":
        if any(all(cells[at] == winner for at in line) for line in LINES):
            return 1 if winner == side else -10
    free = [at for at, cell in enumerate(cells) if cell == "."]
    mover = "X" if cells.count("X") == cells.count("O") else "O"
    values = [against_random(f"{cells[:at]}{mover}{cells[at + 1 :]}", side) for at in free]
    return max(values, default=0) if mover == side else sum(values) / max(1, len(values))


def test_the_curves_of_tic_tac_toe(visit: Visit) -> None:
    visit.open("/learn")
    card = visit.page.locator(".card", has=visit.page.get_by_role("heading", name="Tic-tac-toe"))
    card.locator("[name=games]").fill("3000")
    card.get_by_role("button", name="Learn").click()
    expect(card).to_contain_text("3,000 games played.")
    expect(card.locator("progress")).to_be_hidden()
    mistakes, answers, opening, centre = visit.page.evaluate(READ)[:4]
    found = re.search(r"bring about: (\d+) of (\d+) as X, (\d+) of (\d+) as O", card.text_content() or "")
    assert found
    shares = [int(found[k]) / int(found[k + 1]) for k in (1, 3)]
    for line, share, key in zip(mistakes["lines"], shares, mistakes["keys"], strict=True):
        shown = values_on(mistakes, line["heights"])
        assert shown[-1] == pytest.approx(share, abs=0.01)
        assert shown[0] > 0.2, "it begins with mistakes"
        assert key.endswith(f" {round(100 * share)}%")
    assert len({line["colour"] for line in answers["lines"]}) == 8, "eight moves, eight colours"
    values = {key.split()[0]: number(key.split()[1]) for key in answers["keys"]}
    for line, value in zip(answers["lines"], values.values(), strict=True):
        assert values_on(answers, line["heights"])[-1] == pytest.approx(max(-1, value), abs=0.02)
    assert [number(text) for text in centre["squares"]] == pytest.approx(list(values.values()), abs=0.006)
    corners = [values[name] for name in ("0,0", "0,2", "2,0", "2,2")]
    assert max(corners) == max(values.values()), "the edges lose, and it has found that out"
    for board, before, side in ((opening, ".........", "X"), (centre, "....X....", "O")):
        free = [at for at, cell in enumerate(before) if cell == "."]
        truth = [against_random(f"{before[:at]}{side}{before[at + 1 :]}", side) for at in free]
        shown = [number(text.removeprefix("true: ")) for text in board["truth"]]
        assert shown == pytest.approx(truth, abs=0.006)
    chart = card.locator(".chart").first
    unit, axis = chart.locator("text.end").last.bounding_box(), chart.locator(".rule").first.bounding_box()
    assert unit is not None
    assert axis is not None
    assert unit["y"] > axis["y"], "no line crosses the word"


NINE = """() => [...document.querySelectorAll(".nine > div")].map((one) => ({
  stones: [...one.querySelectorAll(".stone")].map((stone) => [stone.dataset.colour, stone.getAttribute("transform")]),
  marks: [...one.querySelectorAll("[data-move]")].map((mark) => `${mark.dataset.move} ${mark.dataset.sign}`),
  text: one.querySelector("small").textContent.trim(),
}))"""


def test_a_learners_mistakes_on_the_board(visit: Visit) -> None:
    """Its moves in nine puzzles, judged by their file; and what it thinks of the first moves, beside the truth."""
    drills = shipped_deck().drills
    answers = {cells_of(one.position): one.position.move_name(one.accepted[0]) for one in drills}
    visit.open("/learn")
    card = visit.page.locator(".card", has=visit.page.get_by_role("heading", name="Little-Go, by Q-learning"))
    card.locator("[name=games]").fill("100")
    card.get_by_role("button", name="Learn").click()
    expect(card).to_contain_text("100 games played.")
    shown = visit.page.evaluate(NINE)
    assert len(shown) == 9
    for one in shown:
        good = answers[board_of(one["stones"])]
        move, judged = one["text"].split()
        assert (judged == "✓") == (move == good)
        assert set(one["marks"]) == {f"{good} won"} | ({f"{move} wrong"} if move != good else set())
    thoughts = visit.page.locator(".card", has=visit.page.get_by_role("heading", name="What the learner thinks"))
    expect(thoughts).to_contain_text("in the view of the learner that you trained")
    signs = thoughts.locator(".thoughts .true")
    expect(signs).to_have_text([*["✗"] * 12, "✓", *["✗"] * 12])  # only the centre wins
    thoughts.locator('[data-point="12"]').click()
    expect(signs).to_have_text(["✗"] * 24)


def cells_of(position: Position) -> str:
    stones = (position.board.at(point) for point in range(25))
    return "".join(str(stone.value if stone else 0) for stone in stones)


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
