"""Limits on connections: their number, and the time for a request to arrive and for a response to be read.

uvicorn waits forever for the rest of a request, and asyncio floods the log when it runs out of file descriptors.
"""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import sys
from typing import Any, ClassVar, Final, cast

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_SECONDS: Final = 10.0
"""For the head of a request, from the connection or the first byte on."""
BODY_SECONDS: Final = 20.0
"""For the body of a request, plus a second for every `_LEAST_BYTES_A_SECOND` that have arrived."""
_LEAST_BYTES_A_SECOND: Final = 4096
READ_SECONDS: Final = 30.0
"""For a client that stopped reading a response to continue."""
MOST_CONNECTIONS: Final = 1000
_BACKLOG: Final = 64
"""Connections that are accepted at a time, before any of them can be refused."""
_OWN_FILES: Final = 100
"""File descriptors for everything but connections: databases, and pipes to other processes."""
_LOG_EVERY: Final = 60.0
_LAST_READING: Final = 0.2
"""Seconds for which a refused client's bytes are still read: closing earlier would discard the response."""

_log = logging.getLogger("uvicorn.error")


class LimitedProtocol(H11Protocol):
    """HTTP/1.1 with limits on connections and times."""

    most_connections: ClassVar[int] = MOST_CONNECTIONS

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._deadline: asyncio.TimerHandle | None = None
        self._reading: asyncio.TimerHandle | None = None
        self._body_began = 0.0
        self._body_bytes = 0
        self._is_refused = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(cast(asyncio.Transport, transport))
        if len(self.connections) > self.most_connections:
            self._is_refused = True
            self._refuse(503, "the server has too many connections: try again in a moment")
            self.loop.call_later(_LAST_READING, self.transport.close)
        else:
            self._must_go_on_by(self.loop.time() + HEADER_SECONDS)

    def data_received(self, data: bytes) -> None:
        if self._is_refused or self.transport.is_closing():
            return
        was_body = self.conn.their_state is h11.SEND_BODY
        super().data_received(data)
        if self.transport.get_protocol() is not self or self.transport.is_closing():
            return
        if self.conn.their_state is h11.SEND_BODY:
            if not was_body:
                self._body_began, self._body_bytes = self.loop.time(), 0
            self._body_bytes += len(data)
            self._must_go_on_by(self._body_began + BODY_SECONDS + self._body_bytes / _LEAST_BYTES_A_SECOND)
        elif self.conn.their_state is not h11.IDLE:
            self._cancel()
        elif was_body or self._deadline is None:
            self._must_go_on_by(self.loop.time() + HEADER_SECONDS)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Hand the connection to the WebSocket protocol, which has its own limits."""
        self._cancel()
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel()
        self._read_on()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._reading = self._reading or self.loop.call_later(READ_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._read_on()

    def timeout_keep_alive_handler(self) -> None:
        """Close an idle connection, even if the client does not read what is left."""
        super().timeout_keep_alive_handler()
        self.loop.call_later(READ_SECONDS, self.transport.abort)

    def _must_go_on_by(self, when: float) -> None:
        self._cancel()
        self._deadline = self.loop.call_at(when, self._too_slow)

    def _cancel(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _read_on(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None

    def _too_slow(self) -> None:
        self._deadline = None
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self._refuse(408, "the request took too long to arrive")
            self.transport.close()
        else:
            self.transport.abort()

    def _refuse(self, status: int, reason: str) -> None:
        """Respond without the app, which may still be busy. The caller closes the connection."""
        body = json.dumps({"detail": reason}).encode()
        head = (
            f"HTTP/1.1 {status} {'Request Timeout' if status == 408 else 'Service Unavailable'}\r\n"
            f"content-type: application/json\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.loop.call_later(READ_SECONDS, self.transport.abort)


class _Server(uvicorn.Server):
    """uvicorn that does not flood the log when there are no file descriptors left."""

    _logged = -_LOG_EVERY

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        asyncio.get_running_loop().set_exception_handler(self._handle)
        await super().startup(sockets)

    def _handle(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if not str(context.get("message", "")).startswith("socket.accept()"):
            loop.default_exception_handler(context)
        elif loop.time() - self._logged >= _LOG_EVERY:
            self._logged = loop.time()
            _log.error("No connection can be accepted: %s", context.get("exception"))


def serve(app: Any, listener: socket.socket) -> None:
    """Serve an app until a signal ends it."""

    class Protocol(LimitedProtocol):
        most_connections = _affordable_connections()

    config = uvicorn.Config(
        app,
        http=Protocol,
        ws="websockets-sansio",
        ws_max_size=1 << 16,
        backlog=_BACKLOG,
        log_level="warning",
        timeout_graceful_shutdown=2,
    )
    _Server(config).run(sockets=[listener])


def _affordable_connections() -> int:
    """How many connections there are file descriptors for, after raising the limit if possible."""
    if sys.platform == "win32":  # sockets are no file descriptors there
        return MOST_CONNECTIONS
    import resource

    wanted = MOST_CONNECTIONS + _BACKLOG + _OWN_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    return max(8, min(MOST_CONNECTIONS, soft - _BACKLOG - _OWN_FILES))
