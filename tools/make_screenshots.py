"""Takes the pictures of the pages that the docs show: `python tools/make_screenshots.py [NAME ...]`.

It starts a server of its own, makes the games that the pictures show, and writes `docs/images/NAME.webp`. Run it after
a change of what these pages look like, or of the players' strengths, and look at what it wrote.
"""

from __future__ import annotations

import argparse
import io
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from measure_pages import WAIT, server

IMAGES: Final = Path(__file__).parent.parent / "docs" / "images"
DESKTOP: Final[dict[str, Any]] = {"viewport": {"width": 1200, "height": 860}}
PHONE: Final[dict[str, Any]] = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 1.5,
    "has_touch": True,
}
FIGHT: Final = ("2,2", "1,2", "1,3", "2,1", "3,2", "2,3", "2,4", "3,3")
"""A position in which one move keeps the win."""


@dataclass(frozen=True, slots=True)
class Camera:
    """A browser and the server that it looks at."""

    browser: Browser
    address: str
    token: str

    @contextmanager
    def page(self, **context: Any) -> Iterator[Page]:
        """A page of the owner's."""
        visit = self.browser.new_context(**context)
        assert visit.request.post(f"{self.address}/api/enter", data={"token": self.token}).ok
        yield visit.new_page()
        visit.close()

    def show(self, page: Page, path: str) -> None:
        page.goto(self.address + path)
        page.wait_for_load_state("networkidle")

    def game(self, page: Page, **body: Any) -> str:
        """A new game's number; one without a person is played to its end."""
        answer = page.request.post(f"{self.address}/api/games", data=body)
        assert answer.ok, answer.text()
        return str(answer.json()["id"])


def first(camera: Camera, **context: Any) -> bytes:
    with camera.page(**DESKTOP, **context) as page:
        camera.show(page, "/play")
        return page.screenshot()


def first_dark(camera: Camera) -> bytes:
    return first(camera, color_scheme="dark")


def with_hints(camera: Camera, opponent: str, moves: tuple[str, ...], you: str = "You", **context: Any) -> bytes:
    with camera.page(**context) as page:
        game = camera.game(page, black="human", white=opponent, moves=moves, names={"black": you})
        camera.show(page, f"/play/{game}")
        page.keyboard.press("h")
        expect(page.locator(".hint")).to_be_visible(timeout=WAIT * 1000)
        expect(page.locator(".hint")).not_to_contain_text("…", timeout=WAIT * 1000)  # while it is worked out
        page.wait_for_timeout(1000)  # marks fade in
        return page.screenshot()


def play(camera: Camera) -> bytes:
    return with_hints(camera, "smart", FIGHT, **DESKTOP)


def phone(camera: Camera) -> bytes:
    return with_hints(camera, "smart", FIGHT, color_scheme="dark", **PHONE)


def phone_german(camera: Camera) -> bytes:
    return with_hints(camera, "greedy", ("2,2", "1,3"), you="Du", locale="de-DE", **PHONE)


def watch(camera: Camera) -> bytes:
    """Four games, one of them on the analysis board, where a pass was tried and the values are shown."""
    pairs = (("smart", "alphabeta"), ("alphabeta", "smart"), ("greedy", "aggressive"), ("aggressive", "greedy"))
    with camera.page(viewport={"width": 1200, "height": 1352}) as page:
        games = [camera.game(page, black=black, white=white, seed=1) for black, white in pairs]
        for game in games:
            while not page.request.get(f"{camera.address}/api/games/{game}").json().get("outcome"):
                page.wait_for_timeout(100)
        camera.show(page, f"/watch?games={','.join(games)}&game={games[1]}&at=14&line=PASS")
        page.locator(".marks text.lead").first.wait_for(timeout=WAIT * 1000)
        page.wait_for_timeout(1000)
        return page.screenshot(full_page=True)


PICTURES: Final[dict[str, Callable[[Camera], bytes]]] = {
    each.__name__.replace("_", "-"): each for each in (first, first_dark, play, phone, phone_german, watch)
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Take the pictures of the pages that the docs show.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(PICTURES)}; default: all")
    parser.add_argument("--out", type=Path, default=IMAGES)
    asked = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        raise SystemExit("no browser: install Chromium (apt-get install chromium)")
    with tempfile.TemporaryDirectory() as data, server(Path(data)) as (address, token), sync_playwright() as running:
        browser = running.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name in asked.names or PICTURES:
            shot = Image.open(io.BytesIO(PICTURES[name](Camera(browser, address, token))))
            shot.save(asked.out / f"{name}.webp", quality=88, method=6)
            print(asked.out / f"{name}.webp", *shot.size)
        browser.close()


if __name__ == "__main__":
    main()
