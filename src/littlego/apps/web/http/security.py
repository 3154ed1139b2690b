"""The checks that every request must pass: its host, its origin, its size, and who sent it.

A page on another site can make a browser send requests to a server on loopback. Three things stop it: the Host header
must name us (no DNS rebinding), the Origin of any request that writes must be ours, and the content policy of our pages
lets nothing in from elsewhere.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from littlego.apps.web.cohort.rights import students_right
from littlego.apps.web.http.access import OWNERS, Access, Audience, audience
from littlego.apps.web.settings import ServerSettings, is_loopback

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MOST_BYTES: Final = 1 << 20
"""Of the body of a request, except uploads."""
MOST_UPLOAD_BYTES: Final = 16 << 20
UPLOADS: Final = ("PUT", "/api/agents")

OWNER: Final = "littlego.owner"
"""In the scope of a request: whether it is the owner's."""
PERSON: Final = "littlego.person"
"""In the scope of a request: who sent it, as `Access.person` says."""
_SAFE: Final = ("GET", "HEAD", "OPTIONS")
POLICY: Final = (
    "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
HEADERS: Final = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
)
_FOR_ONE: Final = (b"cache-control", b"private, no-cache")
"""Of what the API answers: it depends on who asks."""


class TooLarge(Exception):
    """A body over its limit."""


class Guard:
    """ASGI middleware around the whole app."""

    def __init__(self, app: App, settings: ServerSettings, access: Access) -> None:
        self._app = app
        self._settings = settings
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        if refusal := self._refusal(scope, headers):
            await _refuse(scope, send, *refusal)
            return
        if scope["type"] == "websocket":
            await self._app(scope, receive, send)
            return
        body = _Body(receive, MOST_UPLOAD_BYTES if (scope["method"], scope["path"]) == UPLOADS else MOST_BYTES)
        too_large = f"the request is too large: at most {body.most >> 20} MiB are accepted"
        length = headers.get("content-length", "0")
        if length.isascii() and length.isdigit() and len(length) < 20 and int(length) > body.most:
            await _refuse(scope, send, 413, too_large)
            return
        answer = _Answer(send, body, _headers(scope))
        with contextlib.suppress(TooLarge):
            await self._app(scope, body.receive, answer.send)
        if body.is_too_large and not answer.has_begun:
            await _refuse(scope, send, 413, too_large)

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if not self._knows_host(_host_name(host)):
            return 421, f"this server is not called {host[:80]!r}"
        writes = scope["type"] == "websocket" or scope["method"] not in _SAFE
        origin = headers.get("origin")
        is_foreign = origin is not None and origin.lower() not in (f"http://{host.lower()}", f"https://{host.lower()}")
        if writes and (is_foreign or headers.get("sec-fetch-site", "none") not in ("same-origin", "none")):
            return 403, "requests from other sites are refused"
        person = scope[PERSON] = self._access.person(headers)
        is_owner = scope[OWNER] = person == OWNERS
        method = "SOCKET" if scope["type"] == "websocket" else scope["method"]
        who = audience(method, scope["path"])
        if is_owner or who is Audience.EVERYONE or (who is Audience.VISITORS and not self._settings.is_local):
            return None
        if person is not None:
            return _students_refusal(scope, method, person)
        if self._settings.students:
            return 401, "sign in with your token: it is on the sheet that your teacher printed"
        return 401, (
            "only the person who started the server may do this: "
            "open the link in its terminal, or paste the token from its data folder"
        )

    def _knows_host(self, name: str) -> bool:
        # A server that is open to others may have names that it does not know: the token protects it.
        return is_loopback(name) or name == self._settings.host or not self._settings.is_local


def _students_refusal(scope: Scope, method: str, student: str) -> tuple[int, str] | None:
    right = students_right(method, scope["path"])
    if right is False:
        return 403, "only the teacher may do this"
    if right is True or scope["app"].state.services.owner_of(*right) == student:
        return None
    return 404, f"there is no {right.name[:80]!r} on this server"  # as for what does not exist


def _host_name(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


class _Body:
    """The body of a request, up to a limit. `is_too_large` stays true even if the app catches TooLarge."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive = receive
        self._seen = 0
        self.most = most

    @property
    def is_too_large(self) -> bool:
        return self._seen > self.most

    async def receive(self) -> MutableMapping[str, Any]:
        message = await self._receive()
        self._seen += len(message.get("body", b""))
        if self.is_too_large:
            raise TooLarge
        return message


class _Answer:
    """The response, with our headers. Nothing is sent if the request was too large."""

    def __init__(self, send: Send, body: _Body, headers: Sequence[tuple[bytes, bytes]]) -> None:
        self._send = send
        self._body = body
        self._headers = headers
        self.has_begun = False

    async def send(self, message: MutableMapping[str, Any]) -> None:
        if self._body.is_too_large and not self.has_begun:
            return
        if message["type"] == "http.response.start":
            self.has_begun = True
            present = {name.lower() for name, _ in message["headers"]}
            added = [(name, value) for name, value in self._headers if name not in present]
            message["headers"] = [*message["headers"], *added]
        await self._send(message)


def _headers(scope: Scope) -> tuple[tuple[bytes, bytes], ...]:
    return (*HEADERS, _FOR_ONE) if scope["path"].startswith("/api/") else HEADERS


async def _refuse(scope: Scope, send: Send, status: int, reason: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 4403, "reason": reason})
        return
    body = json.dumps({"detail": reason}).encode()
    headers = [(b"content-type", b"application/json"), *_headers(scope)]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
