"""Who may do what, and the checks that every request must pass: its host, its origin, its size, and who sent it.

Every account of a machine can connect to loopback, so even a local server has an owner: whoever can read its data
directory, where the token is. The owner's browser enters by a link that works once and has a cookie from then on;
programs send the token. Students of a class have tokens of their own (`cohort.py`). Everyone else is a visitor.

Each route names its right as a dependency (`Anyone`, `Visitor`, `Person`, `Owner`, `OfAgent`, `OfJob`); a server with a
route that names none does not start.

A page on another site can make a browser send requests to a server on loopback. Three things stop it: the Host header
must name us (no DNS rebinding), the Origin of any request that writes must be ours, and the content policy of our pages
lets nothing in from elsewhere.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import stat
from collections.abc import Awaitable, Callable, Iterable, Iterator, MutableMapping, Sequence
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.dependencies.models import Dependant
from fastapi.responses import FileResponse, JSONResponse, RedirectResponse, Response
from fastapi.routing import APIRoute
from pydantic import Field
from starlette.requests import ClientDisconnect
from starlette.routing import BaseRoute

from littlego.apps.web.cohort import Student, plain_token
from littlego.apps.web.fair import Shares, TooMany
from littlego.apps.web.requests import RequestBody
from littlego.apps.web.settings import STATIC, ServerSettings, is_loopback
from littlego.core.errors import UsageError
from littlego.storage.files import write_whole

TOKEN_FILE: Final = "token"
_DOORWAY: Final = "enter.html"
_TOKEN_BYTES: Final = 24
_YEAR: Final = 365 * 24 * 3600
OWNERS: Final = ""
"""The owner, in place of a student's key: whose things are."""
PERSON: Final = "littlego.person"
"""In the scope of a request: who sent it, as `Access.person` says."""

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class Access:
    """Tells the owner, students and visitors apart. Without a token, as in tests, everyone is the owner."""

    def __init__(self, token: str | None, port: int, students: Sequence[Student] = ()) -> None:
        self._token = token
        self._cookie = f"littlego-{port}"  # browsers keep one jar for all ports of a host
        self._link: str | None = None
        # Looked up by digests, so that the time of a look-up tells nothing about the secrets.
        self._by_token = {_digest(plain_token(student.token)): student.key for student in students}
        self._by_cookie = {_digest(self._cookie_value(plain_token(s.token))): s.key for s in students}

    def new_link(self) -> str:
        """The path of a link that lets one browser in, once."""
        self._link = secrets.token_urlsafe(_TOKEN_BYTES)
        return f"/enter/{self._link}"

    def use_link(self, key: str) -> bool:
        """Whether this is the link, still unused; now it is used."""
        if self._link is None or not hmac.compare_digest(self._link.encode(), key.encode()):
            return False
        self._link = None
        return True

    def with_token(self, given: str) -> str | None:
        """Whose token it is: `OWNERS`, a student's key, or None."""
        if self._token is not None and hmac.compare_digest(given.encode(), self._token.encode()):
            return OWNERS
        return self._by_token.get(_digest(plain_token(given)))

    def person(self, headers: dict[str, str]) -> str | None:
        """Who sent a request, by its token or by the cookie of a browser that entered: as `with_token`."""
        if self._token is None:
            return OWNERS
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return self.with_token(given.strip())
        try:
            jar = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return None
        if self._cookie not in jar:
            return None
        value = jar[self._cookie].value
        if hmac.compare_digest(value.encode(), self._cookie_value(self._token).encode()):
            return OWNERS
        return self._by_cookie.get(_digest(value))

    def cookie_header(self, token: str | None = None, *, secure: bool) -> str:
        """The `Set-Cookie` for a browser that has entered, out of reach of scripts and of other sites.

        With a student's `token`, for that student.
        """
        flags = "; Secure" if secure else ""
        value = self._cookie_value(plain_token(token) if token else self._token or "")
        return f"{self._cookie}={value}; Path=/; Max-Age={_YEAR}; HttpOnly; SameSite=Strict{flags}"

    def no_cookie_header(self) -> str:
        """The `Set-Cookie` for a browser that leaves."""
        return f"{self._cookie}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict"

    def _cookie_value(self, token: str) -> str:
        """Derived from a token: it stays valid after a restart, and does not reveal the token."""
        return hmac.digest(token.encode(), self._cookie.encode(), "sha256").hex()


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()


def write_doorway(data: Path, link: str) -> Path:
    """Write a page, readable by the owner only, that opens a link.

    Everyone on the machine can see the command line of a browser, so the link itself must not be on it.
    """
    path = data / _DOORWAY
    page = f'<!doctype html><meta http-equiv="refresh" content="0; url={link}"><a href="{link}">Little-Go</a>\n'
    write_whole(path, page, mode=0o600)
    return path


def others_can_read(data: Path) -> bool:
    """Whether other accounts of the machine can read a data directory, past the server."""
    return bool(stat.S_IMODE(data.stat().st_mode) & (stat.S_IRWXG | stat.S_IRWXO))


def owners_token(data: Path) -> str:
    """The token of a data directory. Both are created if missing, readable by the owner only. Raises UsageError."""
    path = data / TOKEN_FILE
    try:
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not path.exists():
            write_whole(path, secrets.token_urlsafe(_TOKEN_BYTES) + "\n", mode=0o600)
        token = path.read_text(encoding="ascii").strip()
    except FileExistsError as error:
        raise UsageError(f"{data}: expected a folder, found a file; give another --data") from error
    except OSError as error:
        raise UsageError(f"{error.filename}: cannot be used: {error.strerror}; give another --data") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: expected ASCII; remove it for a new one") from error
    if len(token) < _TOKEN_BYTES:
        raise UsageError(f"{path}: expected a token of {_TOKEN_BYTES} characters or more; remove it for a new one")
    return token


# Rights: each is the dependency of routes, and returns who sent the request.


def anyone(request: Request) -> str | None:
    """Everybody: pages, rules and players hold nothing of anyone's."""
    person: str | None = request.scope[PERSON]
    return person


def visitor(request: Request) -> str | None:
    """The owner and students; others if the server is open to them."""
    person: str | None = request.scope[PERSON]
    settings: ServerSettings = request.app.state.settings
    if person is None and settings.is_local:
        raise _sign_in(settings)
    return person


def person(request: Request) -> str:
    """The owner, and students, each with things of their own."""
    found: str | None = request.scope[PERSON]
    if found is None:
        raise _sign_in(request.app.state.settings)
    return found


def owner(request: Request) -> str:
    """The owner, for a class the teacher."""
    if person(request) != OWNERS:
        raise HTTPException(403, "only the teacher may do this")
    return OWNERS


class Of:
    """The owner, and the student whose a thing of this kind is, by its id in the path."""

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def __call__(self, request: Request) -> str:
        who, name = person(request), str(request.path_params[self._kind])
        if who == OWNERS or request.app.state.services.owner_of(self._kind, name) == who:
            return who
        raise HTTPException(404, f"there is no {name[:80]!r} on this server")  # as for what does not exist


Anyone = Depends(anyone)
Visitor = Depends(visitor)
Owner = Depends(owner)
OfAgent = Annotated[str, Depends(Of("agent"))]
OfJob = Annotated[str, Depends(Of("job"))]
Person = Annotated[str, Depends(person)]
"""Who sends a request, if visitors may not: a student's key, or empty for the owner."""
_RIGHTS: Final = (anyone, visitor, person, owner)


def routes_without_rights(routes: Iterable[BaseRoute]) -> list[str]:
    """The operations among these for which nobody said who may call them."""
    return [
        f"{' '.join(sorted(route.methods or ()))} {route.path}"
        for route in routes
        if isinstance(route, APIRoute) and not any(_is_right(call) for call in _calls(route.dependant))
    ]


def _is_right(call: object) -> bool:
    return call in _RIGHTS or isinstance(call, Of)


def _calls(dependant: Dependant) -> Iterator[object]:
    for each in dependant.dependencies:
        yield each.call
        yield from _calls(each)


def _sign_in(settings: ServerSettings) -> HTTPException:
    if settings.students:
        return HTTPException(401, "sign in with your token: it is on the sheet that your teacher printed")
    return HTTPException(
        401,
        "only the person who started the server may do this: "
        "open the link in its terminal, or paste the token from its data folder",
    )


# What every request must pass

MOST_BYTES: Final = 1 << 20
"""Of the body of a request, except uploads."""
MOST_UPLOAD_BYTES: Final = 16 << 20
_MOST_OF_VISITORS: Final = 1 << 14
UPLOADS: Final = ("PUT", "/api/agents")
_SAFE: Final = ("GET", "HEAD", "OPTIONS")
POLICY: Final = (
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; img-src 'self' data: blob:; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS: Final = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
)
_FOR_ONE: Final = (b"cache-control", b"private, no-cache")
"""Of what the API answers: it depends on who asks."""


class Guard:
    """ASGI middleware around the whole app."""

    def __init__(self, app: App, settings: ServerSettings, access: Access) -> None:
        self._app = app
        self._settings = settings
        self._access = access
        self._turns = Shares()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        if refusal := self._refusal(scope, headers):
            await _refuse(scope, send, *refusal)
            return
        who = scope[PERSON] = self._access.person(headers)
        most = _most_bytes(scope, who)
        name = f"student {who}" if who else "owner" if who is not None else f"at {_address(scope)}"
        length = headers.get("content-length", "0")
        is_too_long = length.isascii() and length.isdigit() and (len(length) > 20 or int(length) > most)
        try:
            async with self._turns.turn(name):
                body = None if is_too_long else await _read(receive, most)
                if body is not None:
                    await self._app(scope, _given(body, receive), _with_headers(scope, send))
                elif who is None:  # who has forgotten to sign in is asked to
                    await _refuse(scope, send, 401, _sign_in(self._settings).detail)
                else:
                    await _refuse(scope, send, 413, f"the request is too large: at most {most >> 20} MiB are accepted")
        except TooMany as error:
            await _refuse(scope, send, 429, str(error))
        except ClientDisconnect:  # before its request had arrived
            return

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if not self._knows_host(_host_name(host)):
            return 421, f"this server is not called {host[:80]!r}"
        writes = scope["method"] not in _SAFE
        origin = headers.get("origin")
        is_foreign = origin is not None and origin.lower() not in (f"http://{host.lower()}", f"https://{host.lower()}")
        if writes and (is_foreign or headers.get("sec-fetch-site", "none") not in ("same-origin", "none")):
            return 403, "requests from other sites are refused"
        return None

    def _knows_host(self, name: str) -> bool:
        # A server that is open to others may have names that it does not know: the token protects it.
        return is_loopback(name) or name == self._settings.host or not self._settings.is_local


def _most_bytes(scope: Scope, person: str | None) -> int:
    if person is None:
        return _MOST_OF_VISITORS
    return MOST_UPLOAD_BYTES if (scope["method"], scope["path"]) == UPLOADS else MOST_BYTES


def _address(scope: Scope) -> str:
    return str((scope.get("client") or ("",))[0])


def _host_name(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


async def _read(receive: Receive, most: int) -> bytes | None:
    """The body of a request; None if it is too large. Raises ClientDisconnect."""
    body, more = bytearray(), True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > most:
            return None
    return bytes(body)


def _given(body: bytes, receive: Receive) -> Receive:
    """A body that was read, and then whatever else comes."""
    read = [{"type": "http.request", "body": body, "more_body": False}]

    async def give() -> MutableMapping[str, Any]:
        return read.pop() if read else await receive()

    return give


def _with_headers(scope: Scope, send: Send) -> Send:
    """Sends an answer with our headers."""

    async def answer(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            present = {name.lower() for name, _ in message["headers"]}
            added = [(name, value) for name, value in _headers(scope) if name not in present]
            message["headers"] = [*message["headers"], *added]
        await send(message)

    return answer


def _headers(scope: Scope) -> tuple[tuple[bytes, bytes], ...]:
    return (*HEADERS, _FOR_ONE) if scope["path"].startswith("/api/") else HEADERS


async def _refuse(scope: Scope, send: Send, status: int, reason: str) -> None:
    body = json.dumps({"detail": reason}).encode()
    headers = [(b"content-type", b"application/json"), *_headers(scope)]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


# How a browser gets its cookie: the owner's by a link that works once, or by the token; a student's by the token

router = APIRouter(tags=["server"])


class TokenRequest(RequestBody):
    """The owner's token, or a student's."""

    token: Annotated[str, Field(min_length=1, max_length=200)]


@router.get("/enter/{key}", include_in_schema=False, dependencies=[Anyone])
async def enter_by_link(key: str, request: Request) -> Response:
    """Let in the first browser that opens the link."""
    if _access(request).use_link(key):
        return RedirectResponse("/", 303, _cookie(request))
    if request.scope[PERSON] == OWNERS:
        return RedirectResponse("/", 303)
    return FileResponse(STATIC / "used-link.html", 403)


@router.post("/api/enter", dependencies=[Anyone])
async def enter_by_token(body: TokenRequest, request: Request) -> JSONResponse:
    """Sign in with the owner's token, or a student's. The browser gets a cookie."""
    person = _access(request).with_token(body.token)
    if person is None:
        raise HTTPException(401, "this is not a token of this server")
    return JSONResponse({}, headers=_cookie(request, None if person == OWNERS else body.token))


@router.post("/api/leave", dependencies=[Anyone])
async def leave(request: Request) -> JSONResponse:
    """Sign out: the browser forgets its cookie."""
    return JSONResponse({}, headers={"set-cookie": _access(request).no_cookie_header()})


def _access(request: Request) -> Access:
    access: Access = request.app.state.access
    return access


def _cookie(request: Request, token: str | None = None) -> dict[str, str]:
    return {"set-cookie": _access(request).cookie_header(token, secure=request.url.scheme == "https")}
