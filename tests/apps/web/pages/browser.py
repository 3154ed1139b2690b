"""A real server and a real browser: what tests of the pages share."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Error, Page, Request, WebSocket, expect

from littlego.core.game import GameRecord
from littlego.core.points import parse_move
from littlego.core.position import Position
from littlego.core.rules import Rules, edition_rules
from littlego.formats.sgf import write_sgf

NAMES: Final = ("chromium", "chromium-browser", "google-chrome")
AT_REST: Final = "/icon.svg"
"""Of the same origin as the pages."""
PATIENCE: Final = 120_000.0
"""Milliseconds: far more than is needed, so that a busy machine fails no test."""
KEPT: Final = """async ([games, ended]) => {
  const { allGames } = await import("./js/library.js");
  const kept = await allGames();
  return kept.length === games && kept.filter((game) => game.ended).length === ended;
}"""


def game_text(moves: Sequence[str], rules: Rules | None = None, **more: object) -> str:
    """What an address says of a game, as docs/web.md has it."""
    points = ["--" if move == "PASS" else "".join(chr(97 + int(k)) for k in move.split(",")[::-1]) for move in moves]
    own = {} if rules is None else {"n": rules.size, "k": f"{rules.komi:g}", "m": rules.max_moves}
    return f"{''.join(points) or '-'}?{urlencode({**own, **more})}".removesuffix("?")


def chromium() -> str | None:
    """The path of a browser on this machine."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def why_missing() -> str | None:
    """Why there can be no browser tests; None if there can."""
    return None if chromium() else f"no browser: none of {', '.join(NAMES)} is installed (apt-get install chromium)"


PHONE: Final[dict[str, Any]] = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
MARKS: Final = [
    pytest.mark.process,
    pytest.mark.slow,
    pytest.mark.xdist_group("browser"),  # one server and one browser for all of them
    pytest.mark.skipif(why_missing() is not None, reason=why_missing() or ""),
]
"""Of every module of browser tests, as `pytestmark`."""
expect.set_options(timeout=PATIENCE)


@contextmanager
def running_server(data: Path, *options: str) -> Iterator[str]:
    """`littlego web` as a user starts it; its address without the last slash."""
    command = [sys.executable, "-m", "littlego.apps.cli.main", "web", "--port", "0"]
    command += ["--data", str(data), *options]
    script = Path(sys.executable).with_name("littlego")
    if script.exists():
        command[:3] = [str(script)]
    data.mkdir(parents=True, exist_ok=True)
    log = data / "stderr"
    with log.open("w") as stderr:
        process = subprocess.Popen(command, stderr=stderr)
    try:
        address = _address(process, log)
        _tokens[address] = (data / "token").read_text().strip()
        yield address
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    assert "Traceback" not in log.read_text(), log.read_text()


_tokens: dict[str, str] = {}
"""By address, the owner's token of a running server."""


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    ends = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < ends and process.poll() is None:
        if found := re.search(r"http://\S+?(?=/ )", log.read_text()):
            return found[0]
        time.sleep(0.05)
    raise AssertionError(log.read_text())


@dataclass
class Visit:
    """A page, and what went wrong in it."""

    page: Page
    address: str
    wrong: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(PATIENCE)
        for event, listener in self._listeners():
            self.page.on(event, listener)

    def end(self) -> None:
        """Listen no longer to what the page does."""
        for event, listener in self._listeners():
            self.page.remove_listener(event, listener)

    def _listeners(self) -> list[tuple[Any, Any]]:
        return [
            ("console", self._console),
            ("pageerror", self._error),
            ("request", self._request),
            ("websocket", self._socket),
        ]

    def _error(self, error: Error) -> None:
        self.wrong.append(f"error: {error}")

    def _console(self, message: ConsoleMessage) -> None:
        # A refusal with its reason is shown by the page; the browser calls it an error besides.
        if message.type in ("error", "warning") and "status of 4" not in message.text:
            self.wrong.append(f"{message.type}: {message.text}")

    def _request(self, request: Request) -> None:
        if not request.url.startswith((self.address + "/", "data:", "blob:" + self.address)):
            self.wrong.append(f"request to {request.url}")

    def _socket(self, socket: WebSocket) -> None:
        if not socket.url.startswith(self.address.replace("http", "ws", 1) + "/"):
            self.wrong.append(f"socket to {socket.url}")

    def open(self, path: str) -> None:
        """Go to a page of the server, until its content is there."""
        self.page.goto(self.address + AT_REST)  # from one page to another nothing would be loaded
        self.page.goto(f"{self.address}/#{path}")
        self.page.wait_for_selector("main[class] h1")  # before it, the document's own words

    def wait_until_kept(self, games: int, ended: int = 0) -> None:
        """Until the browser has stored so many games, and the ends of so many."""
        self.page.wait_for_function(KEPT, arg=[games, ended])

    def ask(self, path: str, body: object = None, method: str = "GET") -> Any:
        """The server's JSON, asked for from inside the page."""
        script = """async ([path, method, body]) => (await fetch(path, body === null ? {method} :
            {method: "POST", headers: {"content-type": "application/json"}, body})).json()"""
        return self.page.evaluate(script, [path, method, None if body is None else json.dumps(body)])

    def upload(self, source: str, name: str = "mine") -> str:
        """Upload an agent of one file from inside the page; its id."""
        script = "async ([path, body]) => (await (await fetch(path, {method: 'PUT', body})).json()).id"
        return str(self.page.evaluate(script, [f"/api/agents?name={name}&file=my_player3.py", source]))

    def game(self) -> Any:
        """The game of the address, with what may be played by the rules of `core`."""
        path, _, query = urlsplit(self.page.url).fragment.partition("?")
        facts = {name: values[0] for name, values in parse_qs(query).items()}
        size = int(facts.get("n", 5))
        rules = edition_rules("2019" if facts.get("e") == "2019" else "2025", size)
        rules = rules.but(komi=float(facts.get("k", rules.komi)), max_moves=int(facts.get("m", rules.max_moves)))
        position = Position.initial(rules)
        text = path.split("/")[2].replace("-", "--" if path.endswith("/-") else "-")
        moves = [] if path.endswith("/-") else [text[k : k + 2] for k in range(0, len(text), 2)]
        names = ["PASS" if move == "--" else f"{ord(move[1]) - 97},{ord(move[0]) - 97}" for move in moves]
        for name in names:
            position = position.play(parse_move(name, size))
        return {
            "moves": names,
            "seats": {"black": facts.get("b", "human"), "white": facts.get("w", "human")},
            "names": {"black": facts.get("bn"), "white": facts.get("wn")},
            "legal": [position.move_name(move) for move in position.legal_moves()],
            "outcome": position.outcome() or facts.get("end"),
        }

    def bring(self, record: GameRecord) -> str:
        """Open the review of a game from its SGF; what its address says of it."""
        self.open("/review")
        self.page.get_by_label("A game as SGF or JSON").fill(write_sgf(record))
        self.page.get_by_role("button", name="Review").click()
        self.page.wait_for_url("**/review/*")
        expect(self.page.locator(".verdicts li")).to_have_count(len(record.moves))
        text = urlsplit(self.page.url).fragment.removeprefix("/review/")
        return re.sub(r"[?&](at|line)=[^&]*", "", text)

    def point(self, row: int, column: int, size: int = 5) -> None:
        """Click a point of the board."""
        self.page.locator(f'.board [data-point="{row * size + column}"]').click()

    def says(self, text: str) -> None:
        """Wait for a message at the edge of the page."""
        self.page.locator("#toasts", has_text=text).wait_for()


@contextmanager
def profile(browser: Browser, address: str, **options: Any) -> Iterator[BrowserContext]:
    """A fresh profile, the owner's."""
    context = browser.new_context(**{"reduced_motion": "reduce", **options})
    context.request.post(f"{address}/api/enter", data={"token": _tokens[address]})  # sets the owner's cookie
    try:
        yield context
    finally:
        context.close()


@contextmanager
def visit_in(context: BrowserContext, address: str) -> Iterator[Visit]:
    """A visit in a profile. Whatever goes wrong in the page fails the test; what pages remember is forgotten."""
    page = context.new_page()
    try:
        visit = Visit(page, address)
        yield visit
        assert visit.wrong == [], visit.wrong
    finally:
        _forget(page, address)
        page.close()


@contextmanager
def visit_on(page: Page, address: str) -> Iterator[Visit]:
    """The same on a page that other visits use as well: a new one takes longer than most pages take to load.

    It begins at a file of the server that runs nothing, from which the server can be asked.
    """
    page.goto(address + AT_REST)
    visit = Visit(page, address)
    try:
        yield visit
        assert visit.wrong == [], visit.wrong
    finally:
        visit.end()
        page.goto(address + AT_REST)
        page.mouse.move(0, 0)
        page.emulate_media(color_scheme="null")
        _forget(page, address)


def _forget(page: Page, address: str) -> None:
    forgotten = {"origin": address, "storageTypes": "local_storage,indexeddb"}
    page.context.new_cdp_session(page).send("Storage.clearDataForOrigin", forgotten)


@contextmanager
def visiting(browser: Browser, address: str, **options: Any) -> Iterator[Visit]:
    """A visit in a fresh profile."""
    with profile(browser, address, **options) as context, visit_in(context, address) as visit:
        yield visit
