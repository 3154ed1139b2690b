"""`littlego web` from its start, when what is wrong with its place is said, to its end, which is quiet."""

from __future__ import annotations

import os
import re
import signal
import socket
import sys
import time
from pathlib import Path

import pytest

from littlego.apps.cli import server
from littlego.apps.web import app as arena
from littlego.apps.web.qr import qr_code, terminal_text
from littlego.core.errors import UsageError
from tests.apps.web.processes import PATIENCE, Server

GREETING = ("Open Little-Go with this link", "From then on it is at", "Other browsers and programs")


@pytest.fixture(autouse=True)
def _serving_ends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena, "serve", lambda _app, listener: listener.close())
    monkeypatch.setattr(server, "_end_cleanly", lambda: None)


def test_a_second_server_in_the_same_place_is_warned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    server.web(port=0, data=tmp_path / "data")
    assert "Another server" not in capsys.readouterr().err

    def second(_app: object, listener: socket.socket) -> None:
        listener.close()
        monkeypatch.setattr(arena, "serve", lambda _app, listener: listener.close())
        server.web(port=0, data=tmp_path / "data")

    monkeypatch.setattr(arena, "serve", second)
    server.web(port=0, data=tmp_path / "data")
    assert capsys.readouterr().err.count(f"Another server uses {tmp_path / 'data'}: stop one of the two") == 1


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    with socket.create_server(("localhost", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"{port}: cannot listen there: .*; choose another --port or --host"):
            server.web(host="127.0.0.1", port=port, data=tmp_path / "data")


def test_a_server_for_others_shows_its_address_to_phones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for host, is_open in (("127.0.0.1", False), ("0.0.0.0", True)):
        for is_terminal in (False, True):
            monkeypatch.setattr(sys.stderr, "isatty", lambda shown=is_terminal: shown)
            server.web(host=host, port=0, data=tmp_path / "data")
            said = capsys.readouterr().err
            found = re.search(r"Visitors open (http\S+),", said)
            assert (found is not None) == is_open
            assert ("▄▄▄▄▄" in said) == (is_open and is_terminal)
            if found and is_terminal:
                assert terminal_text(qr_code(found[1])) in said


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.siege
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL], ids=lambda how: how.name)
def test_the_end_is_quiet(tmp_path: Path, how: signal.Signals) -> None:
    """Also what Python's tracker of semaphores has to say afterwards."""
    server = Server(tmp_path / "data")
    server.start()
    contest = server.ask("/api/tournaments", {"players": ["alphabeta", "champion"], "games": 1000})["id"]
    job = server.ask(f"/api/tournaments/{contest}/run", {})["id"]
    server.until(f"/api/jobs/{job}", lambda state: state["state"] == "running")
    log_users = _users_of(server.log)
    assert log_users
    server.stop(how)
    ends = time.monotonic() + PATIENCE
    while _users_of(server.log) and time.monotonic() < ends:
        time.sleep(0.1)
    assert [line for line in server.printed().splitlines() if not line.startswith(GREETING)] == []


def _users_of(log: Path) -> list[str]:
    """The processes that may still write into a file."""
    found = []
    for link in Path("/proc").glob("[0-9]*/fd/2"):
        try:
            if os.readlink(link) == str(log):  # noqa: PTH115 - pathlib's resolves a link of its own kind
                found.append(link.parts[2])
        except OSError:
            continue
    return found
