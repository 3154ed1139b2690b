"""What tries an installed package as a newcomer would: it must find the server, however that prints its address."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from try_installed import tried_server


@pytest.mark.process
def test_the_server_is_found_by_what_it_prints(tmp_path: Path) -> None:
    _, problem = tried_server(sys.executable, tmp_path)
    assert problem == ""
