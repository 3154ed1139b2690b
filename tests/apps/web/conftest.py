"""One arena for all tests that do not need their own: its players take seconds to wake."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from tests.apps.web.serving import serving


@pytest.fixture(scope="session")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A local server that tests share; none may depend on what others left."""
    with serving(tmp_path_factory.mktemp("arena")) as client:
        yield client
