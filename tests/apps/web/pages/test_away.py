"""Pages while the server is away, and after: a banner meanwhile, and then everything as it was."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, WebSocket, expect

from tests.apps.web.pages.browser import PATIENCE, why_missing
from tests.apps.web.processes import Server
from tests.apps.web.serving import SHORT, offer_course
from tests.apps.web.test_gradings import FIRST

pytestmark = [
    pytest.mark.process,
    pytest.mark.slow,
    pytest.mark.siege,
    pytest.mark.xdist_group("browser"),
    pytest.mark.skipif(why_missing() is not None, reason=why_missing() or ""),
]

expect.set_options(timeout=PATIENCE)
LONG = 10 * PATIENCE
"""Milliseconds for a grading."""
SECOND = "import time\ntime.sleep(0.5) or 1 / 0\n"
"""Crashes, but not so soon that its grading is over before it can be stopped."""
AWAY = "The server cannot be reached. Trying again…"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that tests kill and start again."""
    data = tmp_path_factory.mktemp("away") / "data"
    offer_course(data, games=20)
    with Server(data) as found:
        yield found


@pytest.fixture
def page(browser: Browser, server: Server) -> Iterator[Page]:
    """The owner's page, in which nothing may go wrong uncaught; that a request fails is the browser's own remark."""
    context = browser.new_context(reduced_motion="reduce")
    context.request.post(f"{server.address}/api/enter", data={"token": (server.data / "token").read_text().strip()})
    opened = context.new_page()
    opened.set_default_timeout(PATIENCE)
    wrong: list[str] = []
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    yield opened
    context.close()
    assert wrong == []


def test_a_game_and_the_solution_go_on_without_the_server(server: Server, page: Page) -> None:
    """The page says that it is away, and needs it for nothing."""
    page.goto(f"{server.address}/#/play")
    page.locator('[name=opponent][value="random"]').check()
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/play/*")
    page.locator('.board [data-point="12"]').click()
    expect(page.locator(".moves li")).to_have_count(2)
    page.get_by_role("button", name="Hints").click()
    expect(page.locator(".marks .sign").first).to_be_visible()
    server.kill()
    expect(page.locator("#away")).to_have_text(AWAY)
    page.locator(".marks [data-move]").first.wait_for()
    row, column = map(int, (page.locator(".marks [data-move]").first.get_attribute("data-move") or "").split(","))
    page.locator(f'.board [data-point="{5 * row + column}"]').click()
    expect(page.locator(".moves li")).to_have_count(4)
    server.start()
    expect(page.locator("#away")).to_have_text("")


def test_the_solution_after_moves_that_cannot_be_played(server: Server, page: Page) -> None:
    page.goto(f"{server.address}/#/solution/2,2_2,2")
    expect(page.locator("#toasts")).to_contain_text("occupied")
    expect(page).to_have_url(f"{server.address}/#/solution")
    expect(page.locator(".says")).to_contain_text("1 of 26 moves keeps the win")
    page.goto(f"{server.address}/#/solution/PASS_PASS")
    expect(page.locator(".says")).to_contain_text("The end: 0 to 2½.")
    expect(page.get_by_role("button", name="as Black")).to_have_count(0)


def test_a_page_whose_first_requests_fail_recovers_by_itself(server: Server, page: Page) -> None:
    """The document has arrived, and then the server is away."""
    page.route("**/api/**", lambda route: route.abort())
    page.goto(f"{server.address}/#/arena")
    expect(page.locator("h1")).to_have_text("Something went wrong")
    expect(page.locator("#away")).to_have_text(AWAY)
    page.unroute_all()
    expect(page.locator("h1")).to_have_text("Arena")
    expect(page.locator("#away")).to_have_text("")


def test_a_stranger_on_the_machine_is_not_told_that_the_server_is_away(server: Server, browser: Browser) -> None:
    context = browser.new_context()
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    sockets: list[WebSocket] = []
    page.on("websocket", lambda socket: sockets.append(socket))
    page.goto(f"{server.address}/#/watch")
    expect(page.locator("h1")).to_have_text("Watch a game")
    assert page.evaluate("fetch('/api/about').then((answer) => answer.json())")["owner"] is False
    expect(page.locator("#away")).to_have_text("")
    assert sockets == []
    expect(page.get_by_role("link", name="Arena")).to_have_count(0)  # it offers a stranger nothing
    context.close()


def test_edit_grade_edit_grade(server: Server, page: Page) -> None:
    agent = server.upload(FIRST)
    page.goto(f"{server.address}/#/arena/agent/{agent}")
    expect(page.get_by_role("button", name="Grade again")).to_have_count(0)
    rows = page.locator("section", has_text="Gradings").locator("table", has_text="version").locator("tbody tr")
    page.locator("[name=edition]").select_option(SHORT["edition"])
    page.locator("[name=stage]").select_option(SHORT["stage"])
    page.get_by_role("button", name="Grade", exact=True).click()
    # While it runs everybody sees that it does.
    expect(page.locator("#jobs")).to_contain_text("1 job running")
    expect(rows).to_have_count(1)
    expect(rows.first).to_contain_text("5 of 5", timeout=LONG)
    expect(page.locator("main")).to_contain_text(re.compile("20 of 20 games forfeited: .*3"))
    assert server.upload(SECOND) == agent
    page.get_by_role("button", name="Grade", exact=True).click()
    expect(rows).to_have_count(2)
    expect(page.locator("main")).to_contain_text(
        "forfeited: ZeroDivisionError: division by zero in my_player3.py, line 2"
    )
    expect(rows.nth(0)).to_have_attribute("aria-current", "true")
    expect(rows.first).to_contain_text("5 of 5", timeout=LONG)
    page.get_by_role("button", name="Grade again").click()
    expect(rows).to_have_count(3)
    assert [one["version"] for one in server.ask(f"/api/agents/{agent}/gradings")] == [2, 2, 1]
    page.locator("#jobs summary").click()
    page.locator("#jobs").get_by_role("button", name="Stop").click()
    expect(page.locator("#jobs")).to_have_text("")
    page.get_by_role("button", name="Resume").click()
    expect(page.locator("main")).to_contain_text("20 of 20 games forfeited", timeout=LONG)
    expect(rows).to_have_count(3)
