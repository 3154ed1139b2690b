"""With other names of points, and without barriers: every page, in both themes."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, expect

from tests.apps.web.pages.browser import MARKS, PHONE, Visit, visiting
from tests.apps.web.pages.test_games import everything, moves

pytestmark = MARKS

AXE = Path(__file__).parents[4] / "node_modules" / "axe-core" / "axe.min.js"


def test_every_page_fits_a_phone(browser: Browser, address: str) -> None:
    too_wide = {}
    with visiting(browser, address, **PHONE) as visit:
        for path in [*everything(visit), "/drills/today", "/drills/fifty", "/arena/wall"]:
            visit.open(path)
            visit.page.wait_for_load_state("networkidle")
            for width in (320, 390):
                visit.page.set_viewport_size({"width": width, "height": 844})
                taken = visit.page.evaluate("document.documentElement.scrollWidth")
                if taken > width:
                    too_wide[path, width] = taken
    assert too_wide == {}, "these pages scroll sideways"


def test_points_as_go_players_call_them(visit: Visit) -> None:
    visit.open("/play")
    page = visit.page
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Coordinates").select_option("letters")
    expect(page.locator("#board .names")).to_have_text("A5B4C3D2E1")
    page.locator("[name=colour]").select_option("both")
    page.locator('#board [data-point="3"]').click()
    moves(visit, 1)
    assert visit.game()["moves"] == ["0,3"]
    expect(page.locator(".moves li")).to_contain_text("D5")
    expect(page.locator(".says")).to_contain_text("Black played D5.")
    page.get_by_role("application").focus()
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("application")).to_have_attribute("aria-label", "The game: C4, empty")


@pytest.mark.skipif(not AXE.exists(), reason="no node_modules (make node_modules)")
@pytest.mark.parametrize(("theme", "rules"), [("light", {}), ("dark", {"runOnly": ["color-contrast"]})])
def test_every_view_without_barriers(
    visit: Visit, theme: Literal["light", "dark"], rules: dict[str, list[str]]
) -> None:
    """In the dark only what depends on colours is looked at again."""
    assert AXE.exists(), "node_modules is missing: run `make node_modules`"
    visit.page.emulate_media(color_scheme=theme)
    found = {}
    for path in [*everything(visit), "/drills/today", "/arena/wall"]:
        visit.open(path)
        visit.page.wait_for_load_state("networkidle")
        if wrong := barriers(visit, rules):
            found[path] = wrong
    for name in ("Rules", "Settings"):
        visit.page.get_by_role("button", name=name).click()
        if wrong := barriers(visit, rules):
            found[name] = wrong
        visit.page.keyboard.press("Escape")
    assert found == {}


@pytest.mark.skipif(not AXE.exists(), reason="no node_modules (make node_modules)")
def test_the_theme_is_switched_on_a_page_with_many_games(visit: Visit) -> None:
    for k in range(6):
        visit.open(f"/play/{['cc', 'cccb', 'ccbb'][k % 3]}?bn=Ann{k}")
        visit.wait_until_kept(k + 1)
    visit.open("/review")
    expect(visit.page.locator(".games a")).to_have_count(6)
    for _ in range(3):
        visit.page.get_by_role("button", name="Switch between light and dark").click()
        assert barriers(visit, {"runOnly": ["color-contrast"]}) == []


def barriers(visit: Visit, rules: dict[str, list[str]]) -> list[str]:
    """What axe finds on the page, as `rule: element`, once it is drawn as it is now."""
    visit.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    visit.page.evaluate(AXE.read_text(encoding="utf-8"))
    broken = visit.page.evaluate("async (rules) => (await axe.run(rules)).violations", rules)
    return [f"{rule['id']}: {node['html'][:100]}" for rule in broken for node in rule["nodes"]]
