"""Games that are watched, on the analysis board: its address, and games that run."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.apps.web.pages.browser import MARKS, Visit, game_text

pytestmark = MARKS

BOARD = ".board-side .board"


def test_any_move_of_a_watched_game_can_be_tried(visit: Visit) -> None:
    """Step back, look at the values, branch, reload, go on watching, and play from there."""
    page = visit.page
    games = "b=random&w=random&c=2&s=1"
    visit.open(f"/watch?{games}")
    expect(page.locator(BOARD)).to_have_count(0)
    page.get_by_label("Pace").select_option("0")
    expect(page.locator(".grid").get_by_role("link", name="Review")).to_have_count(2)
    text = page.locator(".grid").get_by_role("link", name="Review").nth(1).get_attribute("href") or ""
    page.get_by_role("button", name="Analyse").nth(1).click()
    expect(page.locator(BOARD)).to_have_count(1)
    page.wait_for_url(f"**/watch?{games}&game=2")
    for _ in range(4):
        page.keyboard.press("ArrowLeft")
    small = page.locator(".grid input[type=range]")
    length = int(small.nth(1).get_attribute("max") or 0)
    page.wait_for_url(f"**&game=2&at={length - 4}")
    expect(small.nth(1)).to_have_value(str(length - 4))
    page.keyboard.press("v")
    marks = page.locator(".board-side .marks [data-move]")
    marks.nth(1).wait_for(state="attached")
    found = [mark.get_attribute("data-move") or "" for mark in marks.all()]
    name = next(move for move in found if game_text([move]) != text.partition("?")[0][-8:-6])
    row, column = map(int, name.split(","))
    page.locator(f'{BOARD} [data-point="{5 * row + column}"]').click()
    line = f"**&game=2&at={length - 4}&line={game_text([name])}"
    page.wait_for_url(line)
    page.reload()
    expect(page.locator(".says")).to_contain_text(f"A variation after move {length - 4}: {name}.")
    with page.expect_download() as saved:
        page.get_by_role("button", name="SGF").click()
    assert saved.value.path().read_text().count("(;") == 3
    page.get_by_role("button", name="Resume").click()
    expect(page.locator(".says")).not_to_contain_text("A variation")
    page.get_by_role("button", name="First position").click()
    page.get_by_role("button", name="as White").click()
    page.wait_for_url("**/play/*")
    assert visit.game()["seats"] == {"black": "perfect", "white": "human"}


def test_a_single_game_is_followed_until_it_is_paused(visit: Visit) -> None:
    """It is on the analysis board at once; a move of one's own pauses it, and the game itself goes on."""
    page = visit.page
    visit.open("/watch")
    for name, value in (("black", "random"), ("white", "greedy"), ("pace", "2")):
        page.locator(f"[name={name}]").select_option(value)
    page.get_by_label("Games").fill("1")
    page.get_by_role("button", name="Start").click()
    slider = page.locator(".board-side input[type=range]")
    expect(slider).to_have_value(re.compile(r"[1-9]"))
    page.get_by_role("button", name="Pass", exact=True).click()
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    expect(page.locator(".says")).to_contain_text("A variation after move")
    at = int(slider.input_value())
    expect(page.locator(".grid").get_by_role("link", name="Review")).to_have_count(0)  # its end was not shown
    assert int(slider.input_value()) == at
    page.get_by_role("button", name="Back to the game").click()
    expect(page.locator(".says")).not_to_contain_text("A variation")
    page.keyboard.press("End")
    expect(slider).to_have_value(re.compile(str(int(slider.get_attribute("max") or 0))))
