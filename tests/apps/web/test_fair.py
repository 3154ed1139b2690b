"""Nobody keeps others out: not by a thousand connections, nor by a thousand requests."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import os
import socket
import sys
import threading
import time
from collections.abc import Iterator

import pytest
import uvicorn
from fastapi import FastAPI
from starlette.responses import PlainTextResponse

from littlego.apps.web.fair import Shares, TooMany, Worker, sharing
from tests.helpers import in_a_thread

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only there all of 127.0.0.0/8 is this machine")

MOST = 20
GREEDY, OTHER = "127.0.0.2", "127.0.0.3"


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """A server with few connections."""
    app = FastAPI()
    app.get("/")(lambda: PlainTextResponse("here"))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = uvicorn.Config(app, http=sharing(MOST), ws="none", log_level="error", timeout_keep_alive=600)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        yield listener.getsockname()[1]
        server.should_exit = True
        thread.join()


def connected(port: int, address: str) -> http.client.HTTPConnection:
    """A connection from an address of this machine, which is not closed between requests."""
    connection = http.client.HTTPConnection("127.0.0.1", port, source_address=(address, 0))
    connection.connect()
    connection.auto_open = 0
    return connection


def answer(connection: http.client.HTTPConnection) -> bytes:
    connection.request("GET", "/")
    return connection.getresponse().read()


def test_who_opens_a_thousand_connections_loses_his_own(port: int) -> None:
    with contextlib.ExitStack() as closed:
        first, last = (closed.enter_context(contextlib.closing(connected(port, OTHER))) for _ in range(2))
        assert answer(first) == b"here"
        silent = [closed.enter_context(contextlib.closing(connected(port, GREEDY))) for _ in range(1000)]
        assert answer(silent[-1]) == b"here", "the newest of them has a place"
        assert [answer(each) for each in (first, last, first)] == [b"here"] * 3, "the others still have theirs"
        with pytest.raises((ConnectionError, http.client.HTTPException)):
            answer(silent[0])
        newcomer = closed.enter_context(contextlib.closing(connected(port, "127.0.0.4")))
        assert answer(newcomer) == b"here"


def test_the_requests_of_one_wait_for_each_other_and_for_nobody_else() -> None:
    async def all_of_them() -> None:
        turns = Shares(at_once=2, waiting=4)
        working = {"greedy": 0, "other": 0}
        free = asyncio.Event()

        async def request(person: str) -> None:
            async with turns.turn(person):
                working[person] += 1
                assert working[person] <= 2
                await free.wait()
                working[person] -= 1

        greedy = [asyncio.create_task(request("greedy")) for _ in range(4)]
        while working["greedy"] < 2:
            await asyncio.sleep(0)
        with pytest.raises(TooMany):
            await request("greedy")
        other = asyncio.create_task(request("other"))
        while not working["other"]:
            await asyncio.sleep(0)
        assert working == {"greedy": 2, "other": 1}
        free.set()
        await asyncio.gather(*greedy, other)
        await request("greedy")

    in_a_thread(asyncio.run, all_of_them())


@pytest.mark.process
def test_a_call_that_takes_too_long_is_ended_and_holds_up_no_other() -> None:
    async def two_calls() -> int:
        worker = Worker()
        try:
            first = await worker.ask(os.getpid)
            worker._seconds = 0.2
            with pytest.raises(TimeoutError):
                await worker.ask(time.sleep, 3600)
            worker._seconds = 60.0
            return int(await worker.ask(os.getpid) != first)
        finally:
            worker.close()

    assert in_a_thread(asyncio.run, two_calls())
