"""The pages as people use them, in Debian's Chromium and against `littlego web` itself."""

from __future__ import annotations

import re
from typing import Literal

import pytest
from playwright.sync_api import Browser, FilePayload, expect

from littlego.formats.sgf import write_sgf
from tests.apps.web.pages.browser import AT_REST, MARKS, PHONE, Visit, visiting
from tests.apps.web.test_agents import GOOD_AGENT, packed
from tests.review.games import short_game

pytestmark = MARKS


def begin(visit: Visit, opponent: str = "random", **choices: str) -> None:
    """A game from the page that chooses one."""
    visit.open("/play")
    visit.page.locator(f'[name=opponent][value="{opponent}"]').check()
    for name, value in choices.items():
        visit.page.locator(f"[name={name}]").select_option(value)
    visit.page.get_by_role("button", name="Start").click()
    visit.page.wait_for_url("**/play/*")
    visit.page.wait_for_selector(".seat")


def moves(visit: Visit, count: int) -> None:
    """Wait until so many moves are on the page."""
    expect(visit.page.locator(".moves li")).to_have_count(count)


def test_a_whole_game(visit: Visit) -> None:
    begin(visit)
    while not (state := visit.game())["outcome"]:
        move = state["legal"][0]
        if move == "PASS":
            visit.page.get_by_role("button", name="Pass").click()
        else:
            visit.point(*map(int, move.split(",")))
        answered = visit.page.locator(".moves li").nth(len(state["moves"]) + 1)
        expect(answered.or_(visit.page.locator(".says.end")).first).to_be_visible()
    expect(visit.page.locator(".says.end")).to_contain_text(re.compile("You (won|lost)"))
    moves(visit, len(state["moves"]))
    visit.page.get_by_role("link", name="Review", exact=True).last.click()
    visit.page.wait_for_url("**/review/*")
    expect(visit.page.locator(".verdicts li")).to_have_count(len(state["moves"]))


def test_an_illegal_move_says_why(visit: Visit) -> None:
    begin(visit, colour="both")
    visit.point(2, 2)
    moves(visit, 1)
    visit.point(2, 2)
    visit.says("2,2: the point is occupied.")
    moves(visit, 1)


def test_a_reload_in_mid_game_loses_nothing(visit: Visit) -> None:
    begin(visit)
    visit.point(2, 2)
    moves(visit, 2)
    before = visit.game()["moves"]
    answer = "White passed" if before[1] == "PASS" else f"White played {before[1]}"
    expect(visit.page.locator("main [role=status]").filter(has_text=answer)).to_have_attribute("aria-live", "polite")
    visit.page.reload()
    moves(visit, 2)
    assert visit.game()["moves"] == before
    expect(visit.page.locator(".stone")).to_have_count(2)
    visit.page.get_by_role("button", name="Undo").click()
    moves(visit, 0)
    expect(visit.page.locator(".stone:not(.taken)")).to_have_count(0)


def test_hints_colour_every_move(visit: Visit) -> None:
    begin(visit, colour="both", size="3")
    visit.page.get_by_role("button", name="Hints").click()
    expect(visit.page.locator(".marks .sign")).to_have_count(9)
    expect(visit.page.locator(".says")).to_contain_text("moves")


def test_the_review_of_an_sgf(visit: Visit) -> None:
    """Moves 1, 2 and 5 are mistakes; at move 5, which lost the game, two moves would have kept the win."""
    visit.open("/review")
    visit.page.get_by_label("A game as SGF or JSON").fill(write_sgf(short_game(2)))
    visit.page.get_by_role("button", name="Review").click()
    visit.page.wait_for_url("**/review/*")
    verdicts = visit.page.locator(".verdicts li")
    expect(verdicts.nth(4)).to_contain_text("the losing move")
    expect(verdicts.nth(4).locator("code")).to_have_text("?")
    expect(verdicts.nth(4).locator("button")).to_have_attribute("aria-current", "true")
    expect(visit.page.locator(".says")).to_contain_text("Try it yourself")
    visit.page.keyboard.press("n")
    expect(verdicts.nth(0).locator("button")).to_have_attribute("aria-current", "true")
    visit.page.keyboard.press("n")
    expect(verdicts.nth(1).locator("button")).to_have_attribute("aria-current", "true")
    visit.page.keyboard.press("n")
    expect(verdicts.nth(4).locator("button")).to_have_attribute("aria-current", "true")
    visit.point(0, 0, size=3)
    visit.says("0,0: the point is occupied.")
    visit.point(0, 2, size=3)
    visit.says("0,2 is what was played: the losing move.")
    visit.point(0, 1, size=3)
    visit.says("0,1 keeps the win.")
    expect(verdicts.nth(4).locator("code")).to_have_text("0,2")
    visit.page.get_by_role("button", name="as Black").click()
    visit.page.wait_for_url("**/play/*")
    state = visit.game()
    assert state["seats"] == {"black": "human", "white": "perfect"}, "whoever erred plays on"
    assert len(state["moves"]) == 4, "from before the mistake, where the better move is to be played"


def test_what_is_not_sgf_is_refused_with_words(visit: Visit) -> None:
    visit.open("/review")
    visit.page.get_by_label("A game as SGF or JSON").fill("hello")
    visit.page.get_by_role("button", name="Review").click()
    visit.says("neither SGF nor JSON")
    for name in ("first.sgf", "second.sgf"):
        visit.page.get_by_label("A file").set_input_files(FilePayload(name=name, mimeType="text/plain", buffer=b"?"))
        expect(visit.page.locator("#toasts .error")).to_have_text(re.compile(f"“{name}”: "))


def upload(visit: Visit, file: str, body: bytes) -> None:
    visit.open("/arena")
    visit.page.locator("main input[type=file]").set_input_files(
        FilePayload(name=file, mimeType="application/octet-stream", buffer=body)
    )
    visit.page.get_by_role("button", name="Upload").click()


def test_a_good_agent_is_uploaded_checked_and_played(visit: Visit) -> None:
    upload(visit, "mine.zip", packed(**{"my_player3.py": GOOD_AGENT}))
    visit.page.wait_for_url("**/arena/agent/*")
    expect(visit.page.locator("h1")).to_have_text("mine")
    visit.page.get_by_role("button", name="Play against it").click()
    visit.page.wait_for_url("**/play/*")
    visit.point(2, 2)
    moves(visit, 2)
    visit.page.get_by_role("button", name="Resign").click()
    visit.page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    before = visit.page.url
    visit.page.get_by_role("button", name="Rematch").click()
    visit.page.wait_for_url(lambda url: url != before)
    assert visit.game()["seats"]["white"].startswith("agent:")


def test_a_servers_arena_is_the_way_in_for_agents(visit: Visit) -> None:
    """It has no Python for browsers."""
    visit.open("/play")
    expect(visit.page.get_by_role("link", name="Your agent")).to_have_attribute("href", "#/arena")


def test_hostile_agents_are_refused_or_found_out(visit: Visit) -> None:
    upload(visit, "evil.zip", packed(**{"../../my_player3.py": GOOD_AGENT}))
    visit.says("points outside the archive")
    upload(visit, "my_player3.py", b'open("../../../owned", "w")')
    visit.page.wait_for_url("**/arena/agent/*")
    visit.page.get_by_role("button", name="Check").click()
    expect(visit.page.locator(".findings .bad").first).to_be_visible()


def test_a_small_tournament(visit: Visit) -> None:
    visit.open("/arena")
    for name in ("random", "greedy"):
        visit.page.locator(f'[name=players][value="{name}"]').check()
    visit.page.locator("[name=games]").fill("2")
    visit.page.get_by_role("button", name="Create and run").click()
    visit.page.wait_for_url("**/arena/tournament/*")
    expect(visit.page.locator("main")).to_contain_text("Standings after 2 of 2 games")
    visit.page.get_by_role("button", name="Replay").first.click()
    visit.page.wait_for_url("**/review/*")
    expect(visit.page.locator("h1")).to_have_text(re.compile("random – greedy|greedy – random"))


def test_with_the_keyboard_alone(visit: Visit) -> None:
    visit.open("/play")
    for _ in range(40):
        visit.page.keyboard.press("Tab")
        if visit.page.evaluate("document.activeElement.name") == "opponent":
            break
    visit.page.keyboard.press("Enter")
    visit.page.wait_for_url("**/play/*")
    expect(visit.page.get_by_role("application")).to_be_focused()
    for key in ("ArrowUp", "ArrowLeft", "Enter"):
        visit.page.keyboard.press(key)
    moves(visit, 2)
    assert visit.game()["moves"][0] == "1,1"
    visit.page.keyboard.press("p")
    dialog = visit.page.get_by_role("dialog")
    expect(dialog.or_(visit.page.locator(".moves li").nth(3))).to_be_visible()
    if dialog.count():  # the opponent erred, so that the pass gives a win away: it asks, with "No" in focus
        visit.page.keyboard.press("Shift+Tab")
        visit.page.keyboard.press("Enter")
    moves(visit, 4)
    assert visit.game()["moves"][2] == "PASS"
    visit.page.keyboard.press("u")
    moves(visit, 2)
    visit.page.keyboard.press("u")
    moves(visit, 0)


def everything(visit: Visit) -> list[str]:
    """Every page, those of single things too."""
    visit.page.goto(visit.address + AT_REST)
    contest = visit.ask("/api/tournaments", {"players": ["random", "greedy", "aggressive"]})["id"]
    agent = visit.ask("/api/agents?name=a-name-that-is-forty-letters-long-so-that-x&file=my_player3.py", "", "PUT")
    paths = [f"/{page}" for page in ("play", "watch", "review", "drills", "arena", "learn", "solution")]
    if "id" in agent:
        paths.append(f"/arena/agent/{agent['id']}")
    paths += ["/play/aabb?n=3", "/watch?b=random&w=random&c=2&s=1", "/review/aabb?n=3", f"/arena/tournament/{contest}"]
    return [*paths, "/solution/2,2_1,2"]


@pytest.mark.parametrize(("width", "theme", "other"), [(390, "light", "dark"), (320, "dark", "light")])
def test_on_a_phone_in_both_themes(
    browser: Browser, address: str, width: int, theme: Literal["light", "dark"], other: str
) -> None:
    phone = PHONE | {"viewport": {"width": width, "height": 844}, "color_scheme": theme}
    with visiting(browser, address, **phone) as visit:
        visit.open("/play")
        before = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
        visit.page.get_by_role("button", name="Switch between light and dark").tap()
        expect(visit.page.locator("body")).not_to_have_css("background-color", before)
        visit.page.reload()
        expect(visit.page.locator("html")).to_have_attribute("data-theme", other)
        visit.page.get_by_role("button", name="Start").tap()
        visit.page.wait_for_url("**/play/*")
        visit.page.locator('.board [data-point="12"]').tap()
        moves(visit, 2)
