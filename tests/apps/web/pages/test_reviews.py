"""Ten reviews on one server: every verdict, bar, mark and answer in the page, against plain minimax on `core`."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from littlego.core.game import GameRecord
from littlego.core.rules import Rules
from tests.apps.web.pages.browser import MARKS, Visit
from tests.truth.reference import Expected, a_game, an_ending, expected_moves, values_of_moves

pytestmark = MARKS

GAMES = [
    *(a_game(seed, Rules(size=2, komi=1.0, max_moves=4)) for seed in range(3)),
    *(a_game(seed, Rules(size=3, komi=1.0, max_moves=5)) for seed in range(2)),
    *(a_game(seed, Rules(size=3, komi=1.5, max_moves=6)) for seed in range(3)),
    *(an_ending(seed, 4, 4) for seed in range(2)),
]

READ = """() => {
  const middle = (element) => {
    const box = element.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  const points = [...document.querySelectorAll(".board [data-point]")];
  const nearest = (element) => {
    const [x, y] = middle(element);
    const far = (point) => Math.hypot(middle(point)[0] - x, middle(point)[1] - y);
    return Number(points.reduce((a, b) => (far(a) <= far(b) ? a : b)).dataset.point);
  };
  const text = (element, query) => element.querySelector(query).textContent.trim();
  return {
    says: document.querySelector(".says").innerText.trim(),
    marks: [...document.querySelectorAll(".marks .sign")].map((sign) => [nearest(sign), [...sign.classList].at(-1)]),
    stones: [...document.querySelectorAll(".stone:not(.taken)")].map(nearest),
    rows: [...document.querySelectorAll(".verdicts li")].map((row) => ({
      number: Number(text(row, ".number")),
      colour: row.querySelector(".disc").classList.contains("black") ? "black" : "white",
      move: text(row, "code"),
      words: [...row.querySelectorAll("button > span")].at(-1).textContent.trim(),
      tone: [...row.querySelectorAll("button > span")].at(-1).className,
      name: row.querySelector("button").getAttribute("aria-label"),
    })),
    bars: [...document.querySelectorAll(".graph rect.value")].map((bar) => [
      Math.floor(Number(bar.getAttribute("x")) / 24),
      [...bar.classList].at(-1),
    ]),
    mistakes: [...document.querySelectorAll(".graph path.mistake")].map(
      (dot) => Number(/M([\\d.]+) /.exec(dot.getAttribute("d"))[1]) / 24,
    ),
  };
}"""


def shown(visit: Visit) -> Any:
    return visit.page.evaluate(READ)


def open_review(visit: Visit, record: GameRecord) -> None:
    visit.bring(record)
    expect(visit.page.locator("progress")).to_be_hidden()
    expect(visit.page.locator(".verdicts", has_text="not known yet")).to_have_count(0)
    expect(visit.page.locator(".verdicts li")).to_have_count(len(record.moves))


@pytest.mark.parametrize("number", range(len(GAMES)))
def test_a_review_shows_what_minimax_says(number: int, visit: Visit) -> None:
    record, expected = GAMES[number], expected_moves(GAMES[number])
    open_review(visit, record)
    page = shown(visit)
    assert [(row["number"], row["colour"], row["words"]) for row in page["rows"]] == [
        (e.number, e.colour, e.words) for e in expected
    ]
    assert [row["move"] for row in page["rows"]] == ["?" if e.is_mistake else e.move for e in expected]
    assert [row["tone"] == "bad" for row in page["rows"]] == [e.is_mistake for e in expected]
    assert {row["name"] for row in page["rows"]} == {None}, "the button's name is what is seen on it"
    values = [expected[0].before, *(e.after for e in expected)]
    assert page["bars"] == [[k, value] for k, value in enumerate(values)]
    assert page["mistakes"] == [k for k, e in enumerate(expected, start=1) if e.is_mistake]
    for k, e in enumerate(expected):
        visit.page.locator(".verdicts button").nth(k).click()
        if e.is_mistake:
            find_the_better_move(visit, record, k, e)
        page = shown(visit)
        sentence = f"Move {e.number}, {e.colour} {e.move}: {e.words}{': ' + e.better if e.better else ''}"
        assert re.match(rf"{re.escape(sentence)}(; \d+ stones? given away)?\.", page["says"]), page["says"]
        check_marks(page, record, e)


def find_the_better_move(visit: Visit, record: GameRecord, k: int, e: Expected) -> None:
    """Try what does not keep the result, then what does: each answer is right."""
    side, goal = e.colour.title(), "tie" if e.before == "tie" else "win"
    expect(visit.page.locator(".says")).to_contain_text(
        f"{side} can {'hold a tie' if goal == 'tie' else 'win'} here. The game went on with a mistake. "
        f"Try it yourself: play a move that keeps the {goal}."
    )
    position = list(record.positions())[k]
    values = values_of_moves(position)
    wrong = [name for name in values if name not in e.good and name != e.move]
    for name in wrong[:2]:
        play(visit, name, position.size)
        visit.says(f"{name} is a mistake, too.")
    play(visit, e.move, position.size)
    visit.says(f"{e.move} is what was played: {e.words}.")
    play(visit, e.good[-1], position.size)
    visit.says(f"{e.good[-1]} keeps the {goal}.")


def play(visit: Visit, name: str, size: int) -> None:
    if name == "PASS":
        visit.page.get_by_role("button", name="Pass", exact=True).click()
    else:
        row, column = map(int, name.split(","))
        visit.point(row, column, size)


def check_marks(page: Any, record: GameRecord, e: Expected) -> None:
    """Green where the result is kept, a cross where it was not, and nothing on a stone."""
    size = record.start.size
    point = {f"{i},{j}": i * size + j for i in range(size) for j in range(size)}
    marks = dict(page["marks"])
    kept = "tie" if e.before == "tie" else "won"
    assert {at for at, kind in marks.items() if kind == kept} == {point[name] for name in e.good if name in point}
    wrong = {at for at, kind in marks.items() if kind == "wrong"}
    assert (point[e.move] in wrong) if e.is_mistake and e.move in point else True
    assert not wrong & {point[name] for name in e.good if name in point}
    assert not set(marks) & set(page["stones"])


def test_all_kinds_of_mistakes_were_met() -> None:
    met = {e.words for record in GAMES for e in expected_moves(record)}
    assert met >= {"gave the tie away", "let the win slip to a tie", "the losing move", "kept the tie", "kept the win"}


def test_the_arrows_step_unless_the_board_has_the_focus(visit: Visit) -> None:
    """There they move its cursor, since any move can be tried; comma and period always step."""
    record = next(game for game in GAMES if expected_moves(game)[1].is_mistake)
    open_review(visit, record)
    current = visit.page.locator(".verdicts [aria-current] .number")
    visit.page.locator(".verdicts button").nth(1).click()
    visit.page.locator(".board").focus()
    visit.page.keyboard.press("ArrowLeft")
    expect(current).to_have_text("2")
    visit.page.keyboard.press(",")
    expect(current).to_have_text("1")
    visit.page.get_by_role("heading").first.click()
    visit.page.evaluate("document.activeElement.blur()")
    visit.page.keyboard.press("ArrowRight")
    expect(current).to_have_text("2")


def test_next_mistake_is_for_others_than_this_one(visit: Visit) -> None:
    record = next(game for game in GAMES if sum(e.is_mistake for e in expected_moves(game)) == 1)
    open_review(visit, record)
    (k,) = [k for k, e in enumerate(expected_moves(record)) if e.is_mistake]
    visit.page.locator(".verdicts button").nth(k).click()
    expect(visit.page.get_by_role("button", name="Next mistake")).to_be_disabled()
