"""What is shared fairly: connections by address; requests, and processes beside the server, by student or address.

When all connections are taken, a new one takes the place of the one that has been silent longest at the address with
the most. So somebody who opens a thousand loses his own, and the others get in. What strangers wrote is read, built and
run in the processes beside the server, never in the server itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import multiprocessing
import tempfile
import zlib
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Final, cast

AT_ONCE: Final = 16
"""Requests of one person that are worked on at a time: the others of that person wait."""
MOST_WAITING: Final = 200
"""And that are worked on or wait."""
_MOST_CALLS: Final = 8
"""Calls of one person to the processes beside the server; they run one after the other."""
_TRIES: Final = 3
"""How often a call is tried whose process dies."""


class TooMany(Exception):
    """So many requests of one person wait that another one is refused."""

    def __init__(self) -> None:
        super().__init__("too many requests of yours are waiting: try again in a moment")


class Shares:
    """The requests that are being worked on, by person."""

    def __init__(self, at_once: int = AT_ONCE, waiting: int = MOST_WAITING) -> None:
        self._free = defaultdict[str, asyncio.Semaphore](lambda: asyncio.Semaphore(at_once))
        self._asked = Counter[str]()
        self._most = waiting

    @contextlib.asynccontextmanager
    async def turn(self, person: str) -> AsyncIterator[None]:
        """Wait for a turn of this person's, and give it back in the end. Raises TooMany."""
        if self._asked[person] >= self._most:
            raise TooMany
        self._asked[person] += 1
        try:
            async with self._free[person]:
                yield
        finally:
            self._asked[person] -= 1
            if not self._asked[person]:
                del self._asked[person], self._free[person]


class Connections:
    """The open connections by address, of each the most silent first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open = defaultdict[str, dict[asyncio.Transport, None]](dict)
        self._count = 0

    def add(self, connection: asyncio.Transport) -> None:
        """A new connection, for which another one makes room if there are too many."""
        self._open[_address(connection)][connection] = None
        self._count += 1
        if self._count > self._most:
            crowded = max(self._open, key=lambda address: len(self._open[address]))
            silent = next(iter(self._open[crowded]))
            self.remove(silent)
            silent.abort()

    def heard(self, connection: asyncio.Transport) -> None:
        """Something came over a connection."""
        there = self._open[_address(connection)]
        if connection in there:
            del there[connection]
            there[connection] = None

    def remove(self, connection: asyncio.Transport) -> None:
        address = _address(connection)
        if connection in self._open[address]:
            del self._open[address][connection]
            self._count -= 1
        if not self._open[address]:
            del self._open[address]


def _address(connection: asyncio.Transport) -> str:
    peer = connection.get_extra_info("peername")
    return str(peer[0]) if peer else ""


def sharing(most: int) -> type[asyncio.Protocol]:
    """Uvicorn's protocol for HTTP, with at most so many connections, which are shared by address."""
    from uvicorn.protocols.http.auto import AutoHTTPProtocol

    connections = Connections(most)

    class Shared(AutoHTTPProtocol):  # type: ignore[misc, valid-type] # chosen when uvicorn is loaded
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            self._connection = cast(asyncio.Transport, transport)
            connections.add(self._connection)
            super().connection_made(transport)

        def data_received(self, data: bytes) -> None:
            connections.heard(self._connection)
            super().data_received(data)

        def connection_lost(self, exc: Exception | None) -> None:
            connections.remove(self._connection)
            super().connection_lost(exc)

    return Shared


_log = logging.getLogger(__name__)


class WorkerDied(Exception):
    """The process was killed or crashed during a call."""


class Worker:
    """A process that runs one call at a time. If it dies, it is replaced."""

    def __init__(self, seconds: float | None = None) -> None:
        """A call that takes longer than `seconds` is given up, and the process is killed."""
        self._seconds = seconds
        self._pool: ProcessPoolExecutor | None = None
        self._line = asyncio.Lock()

    async def ask(self, function: Callable[..., Any], *args: Any) -> Any:
        """Call a function in the process. Raises WorkerDied if the process died at every try, and TimeoutError."""
        async with self._line:
            for number in range(1, _TRIES + 1):
                try:
                    async with asyncio.timeout(self._seconds):
                        return await asyncio.wrap_future(self._open().submit(function, *args))
                except BrokenProcessPool:
                    _log.warning("a process died while it ran %s (try %d)", function.__name__, number)
                    self.close()
                except TimeoutError:
                    self.close()
                    raise
            raise WorkerDied(f"its process died {_TRIES} times")

    def _open(self) -> ProcessPoolExecutor:
        self._pool = self._pool or ProcessPoolExecutor(
            1,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_end_with_server,
            initargs=(tempfile.gettempdir(),),
        )
        return self._pool

    def close(self) -> None:
        """End the process, even in the middle of a call."""
        pool, self._pool = self._pool, None
        if pool is not None:
            for process in list((pool._processes or {}).values()):
                process.kill()
            pool.shutdown(wait=False, cancel_futures=True)


class Apart:
    """Several workers, shared fairly: each person's calls run one after the other.

    So nobody waits for more than one call of anybody else's. Calls with the same key come to the same process.
    """

    def __init__(self, processes: int, seconds: float | None = None) -> None:
        self._workers = [Worker(seconds) for _ in range(processes)]
        self._shares = Shares(1, _MOST_CALLS)

    async def ask(self, person: str, key: str, function: Callable[..., Any], *args: Any) -> Any:
        """Call a function for a person. Raises TooMany, what the function raises, and as `Worker.ask`."""
        worker = self._workers[zlib.crc32(key.encode()) % len(self._workers)]
        async with self._shares.turn(person):
            return await worker.ask(function, *args)

    def close(self) -> None:
        for worker in self._workers:
            worker.close()


def _end_with_server(temporary: str) -> None:
    """Leave Ctrl-C to the server, which ends its workers, and end by itself if the server was killed.

    A worker's files are in the server's `temporary` directory and are removed with it.
    """
    import multiprocessing.connection
    import os
    import signal
    import threading

    tempfile.tempdir = temporary
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    server = multiprocessing.parent_process()

    def wait() -> None:
        if server is not None:
            multiprocessing.connection.wait([server.sentinel])
            os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
