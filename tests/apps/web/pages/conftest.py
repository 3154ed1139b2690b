"""One browser, with a server of its own, for all tests that do not need theirs: they take seconds to start."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.apps.web.pages.browser import PATIENCE, Visit, chromium, profile, running_server, visit_on, why_missing
from tests.apps.web.serving import offer_course

DRAWS: Final = """(() => {
  let drawn = %d;
  const random = crypto.getRandomValues.bind(crypto);
  crypto.getRandomValues = (array) => (array.length === 1 ? array.fill(++drawn) : random(array));
  Math.random = () => (Math.imul(++drawn, 0x9e3779b1) >>> 0) / 2 ** 32;
})()"""
"""Pages draw the seeds of games from a number of the tests' own; the longer names of games must differ."""


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """`littlego web`, as a user starts it."""
    data = tmp_path_factory.mktemp("served")
    offer_course(data)
    with running_server(data) as found:
        yield found


@pytest.fixture(scope="session")
def browser(pytestconfig: pytest.Config) -> Iterator[Browser]:
    """The browser: there can be only one in a process. No page of it draws the seed of a game by chance."""
    assert why_missing() is None, why_missing()
    draws = DRAWS % (zlib.crc32(pytestconfig.getoption("--chance").encode()) % 10**9)
    with sync_playwright() as playwright, pytest.MonkeyPatch.context() as patch:
        opened = playwright.chromium.launch(executable_path=chromium(), args=["--disable-gpu"], timeout=PATIENCE)
        new_context = opened.new_context

        def with_draws(**options: Any) -> BrowserContext:
            context = new_context(**options)
            context.add_init_script(draws)
            return context

        patch.setattr(opened, "new_context", with_draws)
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def owners_profile(browser: Browser, address: str) -> Iterator[BrowserContext]:
    """In which files of pages are loaded once, as for anybody who comes back; it remembers nothing else."""
    with profile(browser, address) as context:
        yield context


@pytest.fixture(scope="session")
def owners_page(owners_profile: BrowserContext) -> Page:
    return owners_profile.new_page()


@pytest.fixture
def visit(owners_page: Page, address: str) -> Iterator[Visit]:
    """A page that nobody has chosen anything on."""
    with visit_on(owners_page, address) as found:
        yield found
