"""Games that are watched, on the analysis board: its numbers against plain minimax, its address, and games that run."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import expect

from littlego.core.game import GameRecord
from littlego.formats.sgf import write_sgf
from tests.apps.web.pages.browser import MARKS, PATIENCE, Visit
from tests.apps.web.pages.test_results import a_mixed_game, check_position

pytestmark = MARKS

BOARD = ".board-side .board"


def imported(visit: Visit, record: GameRecord) -> str:
    game: str = visit.ask("/api/games/import", {"text": write_sgf(record)})["id"]
    return game


def click(visit: Visit, point: int) -> None:
    visit.page.locator(f'{BOARD} [data-point="{point}"]').click()


def test_any_move_of_a_watched_game_can_be_tried(visit: Visit) -> None:
    """Step back, look at the numbers, branch, reload, go on watching, and play from there."""
    record = a_mixed_game()
    page = visit.page
    visit.open("/watch")
    first, second = imported(visit, record), imported(visit, record)
    visit.open(f"/watch?games={first},{second}")
    expect(page.locator(BOARD)).to_have_count(0)
    page.get_by_role("button", name="Analyse").nth(1).click()
    expect(page.locator(BOARD)).to_have_count(1)
    page.wait_for_url(f"**/watch?games={first},{second}&game={second}")
    ply = 2
    for _ in range(len(record.moves) - ply):
        page.keyboard.press("ArrowLeft")
    page.wait_for_url(f"**&game={second}&at={ply}")
    small = page.locator(".grid input[type=range]")
    expect(small.nth(0)).to_have_value(str(len(record.moves)))
    expect(small.nth(1)).to_have_value(str(ply))
    page.keyboard.press("v")
    page.locator(".marks text.lead").first.wait_for(timeout=5 * PATIENCE)  # the search may have to be compiled
    position = list(record.positions())[ply]
    check_position(visit, position)
    other = next(move for move in position.legal_moves() if move not in (record.moves[ply], position.legal_moves()[-1]))
    assert isinstance(other, int)
    click(visit, other)
    name = position.move_name(other)
    page.wait_for_url(f"**&game={second}&at={ply}&line={name}")
    check_position(visit, position.play(other))
    page.reload()
    expect(page.locator(".says")).to_contain_text(f"A variation after move {ply}: {name}.")
    check_position(visit, position.play(other))
    sgf = page.get_by_role("link", name="SGF").get_attribute("href")
    assert page.evaluate("async (path) => (await fetch(path)).text()", sgf).count("(;") == 3
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
    game = parse_qs(urlsplit(page.url).query)["games"][0]
    while not (state := visit.ask(f"/api/games/{game}"))["outcome"]:  # the players do not wait
        page.wait_for_timeout(100)
    expect(slider).to_have_attribute("max", str(len(state["moves"])))
    assert int(slider.input_value()) == at
    page.get_by_role("button", name="Back to the game").click()
    expect(page.locator(".says")).not_to_contain_text("A variation")
    page.keyboard.press("End")
    expect(page.locator(".says")).to_contain_text("The end: ")
