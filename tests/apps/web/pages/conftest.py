"""One browser, with a server of its own, for all tests that do not need theirs: they take seconds to start."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.apps.web.pages.browser import PATIENCE, Visit, chromium, profile, running_server, visit_on, why_missing
from tests.apps.web.serving import offer_course


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """`littlego web`, as a user starts it."""
    data = tmp_path_factory.mktemp("served")
    offer_course(data)
    with running_server(data) as found:
        yield found


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The browser: there can be only one in a process."""
    assert why_missing() is None, why_missing()
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium(), args=["--disable-gpu"], timeout=PATIENCE)
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
