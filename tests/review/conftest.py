"""One small oracle for all reviews of a worker."""

from __future__ import annotations

import pytest

from littlego.solve.oracle import Oracle


@pytest.fixture(scope="session")
def oracle() -> Oracle:
    return Oracle(memory=1 << 24)
