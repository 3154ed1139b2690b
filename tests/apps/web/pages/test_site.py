"""The static site: served by a plain file server under a prefix, it asks for nothing but its own files."""

from __future__ import annotations

import contextlib
import functools
import gzip
import http.server
import re
import shutil
import threading
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, BrowserContext, FloatRect, expect

import static_site
from check_pages import COMPARE, Pages, cases, hint_faults
from check_values import OutsideSolver, built, refereed
from littlego.core.points import parse_move
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.players.learned import Champion, LearnerPlayer, moves_alike
from tests.apps.web.pages.browser import MARKS, PHONE, Visit, game_text, visit_in
from tests.apps.web.pages.test_truth import seen
from tests.apps.web.pages.test_ways import AXE, barriers
from tests.apps.web.truth import random_line

pytestmark = MARKS

PIECE: Final = 1 << 14
HELD: Final = 150_000
PREFIX: Final = "/some/project"


class Served(http.server.SimpleHTTPRequestHandler):
    """Files, and a note of every address that is not one."""

    missing: Final[set[str]] = set()
    sent = 0
    """Bytes, of files."""
    files: Final[list[str]] = []
    """Their names, as they were asked for."""
    go_on: Final = threading.Event()
    """Until it is set, of a file no more is sent than HELD."""
    go_on.set()

    def handle_one_request(self) -> None:
        with contextlib.suppress(ConnectionError):  # a page was left
            super().handle_one_request()

    def do_GET(self) -> None:
        """A file, compressed as most hosts do it, a piece at a time."""
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if not path.is_file():
            return self.send_error(404)
        content = path.read_bytes()
        self.files.append(path.name)
        packs = path.suffix in (".js", ".css", ".html", ".json", ".svg", ".wasm")
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        if packs:
            content = gzip.compress(content)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        for start in range(0, len(content), PIECE):
            if start >= HELD:
                self.go_on.wait(60)
            self.wfile.write(content[start : start + PIECE])
            type(self).sent += len(content[start : start + PIECE])
        return None

    def log_message(self, *_: object) -> None: ...

    def send_error(self, code: int, *args: str | None) -> None:
        if self.path != "/favicon.ico":  # of a picture that is looked at alone
            self.missing.add(self.path)
        super().send_error(code, *args)


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("site")
    static_site.write(folder / PREFIX.strip("/"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Served, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}{PREFIX}"
        server.shutdown()
    assert not Served.missing, "the pages asked for what is no file"


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(reduced_motion="reduce")
    yield context
    context.close()


@pytest.fixture
def visit(context: BrowserContext, host: str) -> Iterator[Visit]:
    with visit_in(context, host) as found:
        yield found


def hints(visit: Visit, moves: list[str]) -> dict[str, str]:
    """The sign of each move, once all are known."""
    visit.open(f"/play/{game_text(moves)}")
    visit.page.get_by_role("button", name="Hints").click()
    expect(visit.page.locator(".hint")).to_have_text(re.compile("the win[.]|the tie[.]|Every move loses"))
    return seen(visit)[0]


def test_every_flow_without_a_server(visit: Visit) -> None:
    """Play to the end, see why it was lost, review, watch, a puzzle, the solution: with files alone."""
    page = visit.page
    visit.open("/play")
    expect(page.get_by_role("link", name="Arena")).to_have_count(0)
    page.locator('[name=opponent][value="greedy"]').check()
    page.locator('#board [data-point="0"]').click()
    page.wait_for_url("**/play/aa*")
    expect(page.locator(".moves li").nth(1)).to_be_visible()  # a click while the other side thinks plays nothing
    while not page.locator(".says.end").count():
        state = visit.game()
        count = len(state["moves"])
        move = state["legal"][0]
        if move == "PASS":
            page.get_by_role("button", name="Pass").click()
            dialog = page.get_by_role("dialog")  # asks, if the pass gives a win away or loses
            expect(dialog.or_(page.locator(".moves li").nth(count)).first).to_be_visible()
            if dialog.count():
                dialog.get_by_role("button", name="Pass").click()
        else:
            visit.point(*map(int, move.split(",")))
        expect(page.locator(".moves li").nth(count + 1).or_(page.locator(".says.end")).first).to_be_visible()
    expect(page.locator(".says.end")).to_have_text(re.compile(r"You (won|lost) by \d*½: \d+ (\+ 2½ komi )?against \d+"))
    shown = page.get_by_role("button", name="Show the punishment")
    expect(page.locator(".result")).to_contain_text(re.compile("of .* perfect|nothing could be lost"))
    if shown.count():
        shown.click()
        expect(page.locator(".says")).to_contain_text(re.compile("but nothing wins|wins whatever (Black|White) tries"))
        page.get_by_role("button", name="Close").click()
    address = page.url
    page.locator(".aside").get_by_role("link", name="Review").click()
    expect(page.locator("progress")).to_be_hidden()
    page.go_back()
    expect(page).to_have_url(address)
    visit.open("/review")
    expect(page.locator(".games a")).to_have_count(1)
    visit.open("/watch?b=random&w=greedy&c=2&s=7")
    page.get_by_label("Pace").select_option("0")
    expect(page.locator(".grid").get_by_role("link", name="Review")).to_have_count(2)
    visit.open("/solution/2,2")
    expect(page.locator(".says")).to_contain_text("Every move loses against best play.")
    visit.open("/drills/fifty")
    expect(page.locator(".says")).to_contain_text("to move and win.")


def test_the_same_game_is_opened_by_its_address(visit: Visit, browser: Browser, host: str) -> None:
    """Somewhere else, by somebody else: the moves, the players and the place."""
    moves = random_line(3, 9)
    visit.open(f"/review/{game_text(moves, w='greedy', bn='Ada')}&at=4")
    other = browser.new_context()
    with visit_in(other, host) as guest:
        guest.page.goto(visit.page.url)
        expect(guest.page.locator(".verdicts li")).to_have_count(len(moves))
        expect(guest.page.locator("h1")).to_have_text("Ada – greedy")
        expect(guest.page.locator(".verdicts [aria-current] .number")).to_have_text("5")
    other.close()


def test_the_visitor_proves_it(visit: Visit) -> None:
    """The proof shows how far it is, is paused by hand and by leaving the page, goes on, and is given up."""
    page = visit.page
    visit.open("/solution")
    page.get_by_role("button", name="Prove it here").click()
    numbers = page.locator(".proof .numbers")
    expect(numbers).to_have_text(re.compile(r"[\d,]+ positions · [\d.]+ million a second"))
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.get_by_role("link", name="Puzzles").click()
    expect(page.locator("main.drills")).to_be_visible()
    page.go_back()
    expect(page.locator(".proof .outcome")).to_contain_text("Paused.")
    before = numbers.text_content() or ""
    page.get_by_role("button", name="Continue").click()
    expect(numbers).not_to_have_text(before)
    page.get_by_role("button", name="Cancel").click()
    expect(numbers).to_be_hidden()
    expect(page.get_by_role("button", name="Prove it here")).to_be_focused()


def test_without_a_network(visit: Visit, context: BrowserContext) -> None:
    """After one visit everything works, from files of one version."""
    page = visit.page
    visit.open("/play")
    page.evaluate("navigator.serviceWorker.register('sw.js').then(() => navigator.serviceWorker.ready).then(() => 0)")
    page.reload()
    page.wait_for_function("navigator.serviceWorker.controller !== null")
    context.set_offline(True)
    page.reload()
    assert hints(visit, ["2,2"]) == dict.fromkeys(hints(visit, ["2,2"]), "lost")
    visit.open("/drills/today")
    expect(page.locator(".says")).to_contain_text("to move and win.")
    context.set_offline(False)
    visit.wrong[:] = [line for line in visit.wrong if "net::ERR_" not in line]


def test_learned_opponents(visit: Visit, context: BrowserContext) -> None:
    """Their values are fetched when they first play, and kept: then they play without a network."""
    page = visit.page
    Served.files.clear()
    visit.open("/play")
    names = page.locator("[name=opponent]").evaluate_all("inputs => inputs.map((input) => input.value)")
    assert {"learner", "champion"} <= set(names)
    page.evaluate("navigator.serviceWorker.register('sw.js').then(() => navigator.serviceWorker.ready).then(() => 0)")
    page.reload()
    page.wait_for_function("navigator.serviceWorker.controller !== null")
    assert "kernel.wasm" in Served.files and "model.json" not in Served.files
    page.locator('[name=opponent][value="champion"]').check()
    page.locator('#board [data-point="6"]').click()
    check_reply(visit, Champion(), 1)
    assert Served.files.count("model.json") == 1
    page.wait_for_function(KEPT, arg="kernel/model.json")
    context.set_offline(True)
    page.reload()
    visit.open("/play/bb?w=learner&bn=Ada")
    check_reply(visit, LearnerPlayer(), 1)
    context.set_offline(False)
    visit.wrong[:] = [line for line in visit.wrong if "net::ERR_" not in line]


KEPT: Final = "name => caches.match(new URL(name, location.href)).then((found) => found !== undefined)"


def check_reply(visit: Visit, player: Champion | LearnerPlayer, played: int) -> None:
    """The page's move after so many is one that the player in Python may choose."""
    expect(visit.page.locator(".moves li")).to_have_count(played + 1)
    moves = visit.game()["moves"]
    position = Position.initial(edition_rules("2025"))
    for move in moves[:played]:
        position = position.play(parse_move(move, 5))
    choices = player.choices(position) if isinstance(player, Champion) else moves_alike(player.values(position))
    assert moves[played] in [position.move_name(move) for move in choices]


def test_nothing_is_kept_and_that_is_a_sentence(visit: Visit) -> None:
    """As in a private window of some browsers."""
    visit.page.add_init_script("indexedDB.open = () => { throw new DOMException('no', 'SecurityError'); }")
    visit.open("/play/-?bn=Ada")
    visit.point(2, 2)
    visit.says("This browser does not keep your games")
    expect(visit.page.locator(".moves li")).to_have_count(1)


def test_the_controls_of_a_game_are_on_a_phones_screen(browser: Browser, host: str) -> None:
    """On 390 x 664, what a phone leaves: all of it is seen, and hints move nothing."""
    context = browser.new_context(**{**PHONE, "viewport": {"width": 390, "height": 664}})
    with visit_in(context, host) as visit:
        visit.open("/play/ccbb?bn=Ann")
        names = (".seat >> nth=0", ".board", ".says", ".seat >> nth=1", ".controls")

        def boxes() -> list[FloatRect]:
            found = [visit.page.locator(name).bounding_box() for name in names]
            return [box for box in found if box]

        before = boxes()
        assert [box["y"] for box in before] == sorted(box["y"] for box in before)
        for upper, lower in pairwise(before):
            assert upper["y"] + upper["height"] <= lower["y"] + 1, (upper, lower)
        assert before[-1]["y"] + before[-1]["height"] <= 664
        visit.page.get_by_role("button", name="Hints").tap()
        expect(visit.page.locator(".hint")).to_contain_text("keep")
        assert boxes() == before
    context.close()


@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ here")
def test_what_is_shown_is_what_another_solver_says(visit: Visit, host: str, tmp_path: Path) -> None:
    """A sample of what `tools/check_pages.py` compares: hints of games at random and of an odd opening."""
    pages = Pages(visit.page, host)
    every = list(cases(2))
    sample = [every[0], every[270]]
    wrong = []
    with OutsideSolver(built(tmp_path), mebibytes=64) as outside:
        for kind, game in sample:
            compared = COMPARE[kind](pages, outside, game)
            assert compared.values >= 6
            wrong += [(kind, *game.moves, line) for line in compared.wrong]
    assert wrong == []


def test_a_false_mark_or_word_is_noticed() -> None:
    """The comparison itself: every kind of difference between a page and the other solver is one."""
    game = next(game for kind, game in cases(2) if kind == "random")
    now = refereed(game)
    legal = ["PASS", *(f"{i},{j}" for i, j in now.legal())]
    winners = dict.fromkeys(legal, game.to_move) | {"PASS": "nobody"}
    signs = dict.fromkeys(legal, "won") | {"PASS": "lost"}
    stones = {
        f"{i},{j}": ("black", "white")[cell - 1]
        for i, row in enumerate(now.cells)
        for j, cell in enumerate(row)
        if cell
    }
    words = f"{game.left} moves left. {len(legal) - 1} of {len(legal)} moves keep the win."
    true = {"signs": signs, "stones": stones, "words": words}
    assert hint_faults(true, game, winners) == []
    for false in (
        {"signs": signs | {"PASS": "won"}},
        {"signs": {move: signs[move] for move in legal[1:]}},
        {"stones": stones | {next(iter(stones)): "green"}},
        {"words": words.replace("moves keep", "moves might keep")},
        {"words": words.replace("moves left", "to go")},
    ):
        assert len(hint_faults(true | false, game, winners)) == 1, false


@pytest.mark.skipif(not AXE.exists(), reason="no node_modules (make node_modules)")
@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.exhaustive)])
def test_no_view_has_barriers(visit: Visit, theme: str) -> None:
    found = {}
    visit.page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    paths = (
        "/play",
        "/play/ccbb",
        "/watch",
        "/review",
        "/review/ccbbcb",
        "/drills",
        "/drills/today",
        "/learn",
        "/solution",
    )
    for path in paths:
        visit.open(path)
        if problems := barriers(visit, {}):
            found[path] = problems
    assert found == {}


def test_what_is_sent_before_the_first_hint(browser: Browser, host: str) -> None:
    """The rest of the atlas is held back until the hint is there: pages, kernel and openings are at most 400 kB."""
    context = browser.new_context(service_workers="block")  # which fetches everything, but only some seconds later
    Served.go_on.clear()
    try:
        with visit_in(context, host) as visit:
            Served.sent = 0
            visit.open("/play/cc")
            visit.page.get_by_role("button", name="Hints").click()
            visit.page.locator(".marks .sign").first.wait_for()
            print(f"{Served.sent} bytes before the first hint")
            assert Served.sent < 400_000
    finally:
        Served.go_on.set()
    context.close()
