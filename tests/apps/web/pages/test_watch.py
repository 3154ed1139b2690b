"""Games that are watched: a click reviews one, and they go on afterwards."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.apps.web.pages.browser import MARKS, Visit

pytestmark = MARKS


def test_a_watched_game_is_reviewed_where_it_is(visit: Visit) -> None:
    """Step back, look closer at one of two games, come back to both as they were left."""
    page = visit.page
    visit.open("/watch?b=random&w=random&c=2&s=1")
    page.get_by_label("Pace").select_option("0")
    reviews = page.locator(".grid").get_by_role("link", name="Review")
    expect(reviews).to_have_count(2)
    text = (reviews.nth(1).get_attribute("href") or "").removeprefix("#/review/").partition("?")[0]
    for _ in range(4):
        page.keyboard.press("ArrowLeft")
    sliders = page.locator(".grid input[type=range]")
    length = int(sliders.nth(1).get_attribute("max") or 0)
    expect(sliders.nth(1)).to_have_value(str(length - 4))
    page.get_by_role("button", name="Review random").nth(1).click()
    page.wait_for_url(f"**/review/{text}?**at={length - 4}")
    expect(page.locator(".verdicts [aria-current] .number")).to_have_text(str(length - 3))
    page.get_by_label("Pace").wait_for(state="detached")
    page.go_back()
    page.get_by_role("button", name="Pause").click()
    expect(sliders.nth(1)).to_have_value(re.compile(f"{length - 4}|{length - 3}|{length - 2}|{length - 1}|{length}"))


def test_an_unknown_player_is_refused_above_the_games(visit: Visit) -> None:
    visit.open("/watch?b=nosuch")
    expect(visit.page.get_by_role("status").filter(has_text="There is no player “nosuch”")).to_be_in_viewport()
    expect(visit.page.locator("article.card")).to_have_count(0)


def test_a_single_game_is_large(visit: Visit) -> None:
    """And it is paused by a key."""
    page = visit.page
    visit.open("/watch?b=random&w=greedy&c=1&s=1")
    expect(page.locator(".grid .board")).to_have_count(1)
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    size = page.locator(".grid .board").bounding_box()
    assert size is not None
    assert size["width"] > 300
