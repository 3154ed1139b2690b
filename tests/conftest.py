"""Shared fixtures: golden files, and hypothesis settled so that a failure can be reproduced."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.chance import settle_chance

settings.register_profile("littlego", deadline=None, print_blob=True, derandomize=True)
settings.load_profile("littlego")

# Where a shell started the tests in the background, Ctrl-C is ignored, and so it would be in every process of theirs.
signal.signal(signal.SIGINT, signal.default_int_handler)

# The tests start hundreds of Python processes: without bytecode on disk each would compile the whole package again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# As in an activated environment: every move of an agent starts python3, and the system's may start far more slowly.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])

# What the tests import stays to the end: the garbage collector looking through it took a tenth of their time.
gc.set_threshold(20_000, 20, 20)

GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files instead of comparing")
    parser.addoption("--chance", default="", metavar="N", help="draw what tests draw without a seed in another way")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long tests that no group has first: at the end one worker would be busy with them, and the others idle."""
    items.sort(key=lambda item: item.path.name != "test_docs.py")


def pytest_collection_finish() -> None:
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """In CI, which has everything, a test that is skipped hides something."""
    report = yield
    if report.skipped and os.environ.get("LITTLEGO_CI"):
        report.outcome, report.longrepr = "failed", f"{item.nodeid} was skipped in CI: {call.excinfo}"
    return report


@pytest.fixture(autouse=True)
def _environment_as_it_was() -> Iterator[None]:
    """A command that a test runs in this process sets variables for the processes that it starts, not for ours."""
    before = dict(os.environ)
    yield
    for name in os.environ.keys() - before.keys():
        if name != "PYTEST_CURRENT_TEST":
            del os.environ[name]


@pytest.fixture(autouse=True)
def _chance_by_name(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    settle_chance(monkeypatch, request.node.nodeid + request.config.getoption("--chance"))


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with the golden file of a name; a missing file fails."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        assert path.exists(), f"{path} is missing: run pytest --update-golden and read what it wrote"
        assert text == path.read_text(), f"{path} differs: if the change is meant, run pytest --update-golden"

    return compare
