"""Connections and requests, shared fairly: by address, and among those who sign in by student.

When all connections are taken, a new one takes the place of the one that has been silent longest at the address with
the most. So somebody who opens a thousand loses his own, and the others get in.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import AsyncIterator
from typing import Final, cast

AT_ONCE: Final = 16
"""Requests of one person that are worked on at a time: the others of that person wait."""
MOST_WAITING: Final = 200
"""And that are worked on or wait."""


class TooMany(Exception):
    """So many requests of one person wait that another one is refused."""


class Shares:
    """The requests that are being worked on, by person."""

    def __init__(self, at_once: int = AT_ONCE, waiting: int = MOST_WAITING) -> None:
        self._free = defaultdict[str, asyncio.Semaphore](lambda: asyncio.Semaphore(at_once))
        self._asked = defaultdict[str, int](int)
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
