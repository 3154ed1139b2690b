"""`littlego web` until it serves: what is wrong with its place is said before anybody visits."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from littlego.apps.cli import web
from littlego.apps.web.http import connections
from littlego.core.errors import UsageError


@pytest.fixture(autouse=True)
def _serving_ends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "serve", lambda _app, listener: listener.close())
    monkeypatch.setattr(web, "_end_cleanly", lambda: None)


def test_a_second_server_in_the_same_place_is_warned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    web.web(port=0, data=tmp_path / "data", warm=False)
    assert "Another server" not in capsys.readouterr().err

    def second(_app: object, listener: socket.socket) -> None:
        listener.close()
        monkeypatch.setattr(connections, "serve", lambda _app, listener: listener.close())
        web.web(port=0, data=tmp_path / "data", warm=False)

    monkeypatch.setattr(connections, "serve", second)
    web.web(port=0, data=tmp_path / "data", warm=False)
    assert capsys.readouterr().err.count(f"Another server uses {tmp_path / 'data'}: stop one of the two") == 1


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    with socket.create_server(("localhost", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"{port}: cannot listen there: .*; choose another --port or --host"):
            web.web(host="127.0.0.1", port=port, data=tmp_path / "data", warm=False)
