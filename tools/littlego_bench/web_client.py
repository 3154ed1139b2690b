"""A server in its own process, and a minimal HTTP client, so that the client costs little."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from littlego.apps.web.auth import owners_token
from littlego.arena.processes import own_python

Answer = dict[str, Any]


class Address(NamedTuple):
    """A server's address, and its owner's token."""

    port: int
    token: str


async def start_server(data: Path) -> tuple[asyncio.subprocess.Process, Address]:
    """`littlego web` on a free port, and its address. Raises RuntimeError if it does not start."""
    server = await asyncio.create_subprocess_exec(
        *own_python("littlego", "web", "--port", "0", "--data", str(data)), stderr=asyncio.subprocess.PIPE
    )
    assert server.stderr is not None
    text = ""
    while not (found := re.search(r"http://localhost:(\d+)/", text)):
        line = await server.stderr.readline()
        if not line:
            raise RuntimeError(f"the server did not start: {text.strip()}")
        text += line.decode()
    return server, Address(int(found[1]), owners_token(data))


async def stop_server(server: asyncio.subprocess.Process) -> None:
    """Stop it as Ctrl-C does, or by force."""
    with contextlib.suppress(ProcessLookupError):
        server.send_signal(signal.SIGINT)
    try:
        await asyncio.wait_for(server.wait(), 20)
    except TimeoutError:
        server.kill()
        await server.wait()


def cpu_seconds(process: int) -> float | None:
    """CPU time of a process; None where that cannot be read."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Browser:
    """One persistent connection, reopened when the server has closed it."""

    def __init__(self, address: Address) -> None:
        self._port, self._token = address
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def __aenter__(self) -> Self:
        await self._connect()
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        if self._writer is not None:
            self._writer.close()

    async def get(self, path: str) -> Answer:
        """Raises ValueError for an error status."""
        return await self._ask("GET", path, b"")

    async def post(self, path: str, body: Answer) -> Answer:
        return await self._ask("POST", path, json.dumps(body).encode())

    async def _connect(self) -> None:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)

    async def file(self, path: str, known: str = "") -> tuple[bytes, str]:
        """A file as it is sent, packed, and its tag; nothing of one whose tag is `known`. Raises ValueError."""
        packed = "accept-encoding: gzip\r\n" + (f"if-none-match: {known}\r\n" if known else "")
        body, head = await self._exchange("GET", path, b"", packed)
        tag = re.search(r"^etag: (.*)\r$", head, re.IGNORECASE | re.MULTILINE)
        return body, tag[1] if tag else ""

    async def _ask(self, method: str, path: str, body: bytes) -> Answer:
        data: Answer = json.loads((await self._exchange(method, path, body))[0])
        return data

    async def _exchange(self, method: str, path: str, body: bytes, headers: str = "") -> tuple[bytes, str]:
        head = (
            f"{method} {path} HTTP/1.1\r\nhost: localhost:{self._port}\r\n"
            f"authorization: Bearer {self._token}\r\n"
            f"content-type: application/json\r\ncontent-length: {len(body)}\r\n{headers}\r\n"
        )
        for again in (True, False):
            assert self._reader is not None
            assert self._writer is not None
            try:
                self._writer.write(head.encode() + body)
                head = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            except (asyncio.IncompleteReadError, ConnectionError) as error:
                # Idle for seconds: the server has hung up, and nothing of the request was read.
                if not again or (isinstance(error, asyncio.IncompleteReadError) and error.partial):
                    raise
                await self._connect()
                continue
            length = re.search(r"content-length: (\d+)", head, re.IGNORECASE)
            answer = await self._reader.readexactly(int(length[1]) if length else 0)
            status = int(head.split()[1])
            if status >= 400:
                raise ValueError(f"{method} {path}: {status} {answer[:200].decode(errors='replace')}")
            return answer, head
        raise AssertionError
