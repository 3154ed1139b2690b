"""In another language, with other names of points, and without barriers: every page, in both themes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Browser, expect

from littlego.apps.web.pages import first_asked, later_module
from tests.apps.web.pages.browser import MARKS, PHONE, Visit, is_required, visiting
from tests.apps.web.pages.test_games import everything, moves

pytestmark = MARKS

AXE = Path(__file__).parents[4] / "node_modules" / "axe-core" / "axe.min.js"
LEFT_IN_ENGLISH = """async () => {
  const { sentences } = await import("/static/js/language/de.js");
  const names = ["perfect", "Tournament", "You"];
  const english = new Set(Object.keys(sentences).filter((text) => sentences[text] !== text && !names.includes(text)));
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.data.trim();
    if (english.has(text) && !node.parentElement.closest("option, .reference")) found.push(text);
  }
  return found;
}"""
"""Texts of the page that have a translation, but for the names of a player and of a tournament."""


@dataclass(frozen=True)
class Loaded:
    """A page as it is on a phone once it has loaded."""

    path: str
    asked: Counter[str]
    """How often for what."""
    widths: dict[int, int]
    """What it takes of a screen, by the width of the screen."""


@pytest.fixture(scope="module")
def on_a_phone(browser: Browser, address: str) -> list[Loaded]:
    """Every page, loaded once for all that is asked about it."""
    found: list[Loaded] = []
    asked: Counter[str] = Counter()
    with visiting(browser, address, service_workers="block", **PHONE) as visit:
        visit.page.on("request", lambda request: asked.update([request.url.removeprefix(address)]))
        for path in [*everything(visit), "/drills/today", "/drills/fifty", "/arena/wall"]:
            visit.page.goto("about:blank")
            asked.clear()
            visit.open(path)
            visit.page.wait_for_load_state("networkidle")
            widths = {}
            for width in (320, 390):
                visit.page.set_viewport_size({"width": width, "height": 844})
                widths[width] = visit.page.evaluate("document.documentElement.scrollWidth")
            found.append(Loaded(path, asked.copy(), widths))
        visit.wrong = [one for one in visit.wrong if "registration blocked" not in one]  # by us; not those in vain
    return found


def test_a_page_has_asked_for_what_it_needs_before_its_modules_run(on_a_phone: list[Loaded]) -> None:
    """What a document names early is what its modules use: each is asked for once, and nothing is asked for in vain."""
    wrong: dict[str, dict[str, int]] = {}
    for page in on_a_phone:
        url = urlsplit(page.path)
        early = [*first_asked(url.path, dict(parse_qsl(url.query)))]
        if module := later_module(url.path):
            early.append(f"/static/js/{module}")
        assert len(early) >= 1
        # A game that may go on is asked for again when its news begin.
        times = {one: page.asked[one] for one in early}
        if others := {one: n for one, n in times.items() if n not in ((1, 2) if "/games/" in one else (1,))}:
            wrong[page.path] = others
    assert wrong == {}


def test_every_page_fits_a_phone(on_a_phone: list[Loaded]) -> None:
    too_wide = {
        (page.path, width): taken for page in on_a_phone for width, taken in page.widths.items() if taken > width
    }
    assert too_wide == {}, "these pages scroll sideways"


def test_in_german_and_back(browser: Browser, address: str) -> None:
    """By the browser's language, until another is chosen, which stays."""
    with visiting(browser, address, locale="de-DE") as visit:
        page = visit.page
        for path in everything(visit):
            visit.open(path)
            page.wait_for_load_state("networkidle")
            assert page.evaluate(LEFT_IN_ENGLISH) == [], path
        visit.open("/play")
        expect(page.locator("html")).to_have_attribute("lang", "de")
        page.locator('[name=opponent][value="random"]').check()
        page.locator('#board [data-point="12"]').click()
        moves(visit, 2)
        expect(page.get_by_role("status").filter(has_text="Weiß")).to_contain_text("Du bist am Zug, Schwarz.")
        visit.point(2, 2)
        visit.says("2,2: der Punkt ist besetzt.")
        page.get_by_role("button", name="Hinweise").click()
        expect(page.locator(".hint")).to_contain_text("Zügen")
        page.get_by_role("button", name="Einstellungen").click()
        page.get_by_label("Sprache").select_option("en")
        expect(page.locator(".says")).to_contain_text("Your move, black.")
        page.reload()
        expect(page.locator("html")).to_have_attribute("lang", "en")


def test_points_as_go_players_call_them(visit: Visit) -> None:
    visit.open("/play")
    page = visit.page
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Points are called").select_option("letters")
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


@pytest.mark.skipif(not AXE.exists() and not is_required(), reason="no node_modules (make node_modules)")
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


@pytest.mark.skipif(not AXE.exists() and not is_required(), reason="no node_modules (make node_modules)")
def test_the_theme_is_switched_on_a_page_with_many_games(visit: Visit) -> None:
    visit.open("/review")
    for k in range(24):
        visit.ask("/api/games", {"white": "human", "moves": ["2,2", "1,2"][: k % 3]})
    visit.open("/review")
    expect(visit.page.locator(".games a")).to_have_count(24)
    for _ in range(3):
        visit.page.get_by_role("button", name="Switch between light and dark").click()
        assert barriers(visit, {"runOnly": ["color-contrast"]}) == []


def barriers(visit: Visit, rules: dict[str, list[str]]) -> list[str]:
    """What axe finds on the page, as `rule: element`, once it is drawn as it is now."""
    visit.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    visit.page.evaluate(AXE.read_text(encoding="utf-8"))
    broken = visit.page.evaluate("async (rules) => (await axe.run(rules)).violations", rules)
    return [f"{rule['id']}: {node['html'][:100]}" for rule in broken for node in rule["nodes"]]
