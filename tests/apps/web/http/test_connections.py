"""Clients that are slow, many, or half there: closed in time and with words, while others are served."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.apps.web.processes import PATIENCE, Server

pytestmark = [pytest.mark.process, pytest.mark.slow, pytest.mark.siege]

HEAD = b"GET /api/about HTTP/1.1\r\nHost: localhost\r\n"
GREETING = ("Open Little-Go with this link", "From then on it is at", "Other browsers and programs")
SHORT = {"HEADER_SECONDS": 3.0, "BODY_SECONDS": 4.0}
"""Seconds, in place of the server's own, which are longer."""
BODY = b"POST /api/games HTTP/1.1\r\nHost: localhost\r\ncontent-type: application/json\r\ncontent-length: 50\r\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("connections") / "data", waits=SHORT) as found:
        yield found


def connected(server: Server, begun: bytes) -> socket.socket:
    """A client that has sent the beginning of a request, and sends no more."""
    client = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
    client.sendall(begun)
    return client


def answer(client: socket.socket) -> str:
    """All that the server sends until it closes the connection."""
    found = b""
    with client:
        while chunk := client.recv(65536):
            found += chunk
    return found.decode()


def test_three_hundred_half_sent_requests_are_closed_with_words_and_others_are_served_meanwhile(server: Server) -> None:
    began = time.monotonic()
    clients = [connected(server, HEAD if number % 2 else b"") for number in range(300)]
    assert server.ask("/api/about")["version"]
    answers = [answer(client) for client in clients]
    assert time.monotonic() - began > SHORT["HEADER_SECONDS"] / 2
    for text in answers:
        assert text.startswith("HTTP/1.1 408 "), text
        assert "took too long to arrive" in text
    assert server.ask("/api/about")["version"]
    assert "Traceback" not in server.printed()


def test_a_body_that_does_not_come_is_not_waited_for(server: Server) -> None:
    upload = b"PUT /api/agents?name=a&file=my_player3.py HTTP/1.1\r\nHost: localhost\r\ncontent-length: 9000\r\n"
    owner = f"authorization: {server.headers['authorization']}\r\n\r\n".encode()
    for client in [connected(server, begun + owner + b"{") for begun in (BODY, upload)]:
        text = answer(client)
        assert text.startswith("HTTP/1.1 408 "), text
    assert "Traceback" not in server.printed()


def test_whole_requests_in_pieces_and_one_after_the_other_are_served(server: Server) -> None:
    client = connected(server, b"")
    for _ in range(3):
        for byte in (*HEAD, *b"\r\n"):
            client.sendall(bytes([byte]))
        found = b""
        while not found.endswith(b"}"):
            found += client.recv(65536)
        assert found.startswith(b"HTTP/1.1 200 ")
    client.close()


def test_with_few_file_descriptors_it_neither_dies_nor_floods_the_log(tmp_path: Path) -> None:
    with Server(tmp_path / "data", limit_files=200, waits=SHORT) as server:
        clients = [connected(server, HEAD) for _ in range(300)]
        answers = [_answer_or_reset(client) for client in clients]
        assert any(text.startswith("HTTP/1.1 503 ") and "too many connections" in text for text in answers)
        assert any(text.startswith("HTTP/1.1 408 ") for text in answers)
        assert server.until("/api/about", lambda about: bool(about["version"]))
        assert server.ask("/api/games", {"white": "random"})["id"]
        assert len(server.printed()) < 2000, server.printed()[-2000:]


def _answer_or_reset(client: socket.socket) -> str:
    try:
        return answer(client)
    except ConnectionError:
        return ""


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL], ids=lambda how: how.name)
def test_the_end_is_quiet(tmp_path: Path, how: signal.Signals) -> None:
    """Also what Python's tracker of semaphores has to say afterwards."""
    server = Server(tmp_path / "data")
    server.start()
    game = server.ask("/api/games", {"black": "random", "white": "greedy"})["id"]
    server.until(f"/api/games/{game}", lambda state: bool(state["moves"]))
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
