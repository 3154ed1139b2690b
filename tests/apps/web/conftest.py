"""One arena for all tests that do not need theirs: it takes seconds to start."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.apps.web.serving import offer_course, serving


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One worker runs the tests here that need no browser: they share servers, which take seconds to start."""
    for item in items:
        if Path(__file__).parent in item.path.parents and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group("web"))


@pytest.fixture(scope="session")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A local server that tests share; none may depend on what others left."""
    data = tmp_path_factory.mktemp("arena")
    offer_course(data)
    with serving(data) as client:
        yield client
