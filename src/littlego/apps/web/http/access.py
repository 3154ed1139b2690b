"""Who may do what, in one table, and how a browser proves that it is the owner's.

Every account of a machine can connect to loopback, so even a local server has an owner: whoever can read its data
directory, where the token is. The owner's browser enters by a link that works once and has a cookie from then on;
programs send the token. Students of a class have tokens of their own (`cohort/`). Everyone else is a visitor.
"""

from __future__ import annotations

import enum
import hashlib
import hmac
import re
import secrets
import stat
from collections.abc import Sequence
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import Final

from littlego.apps.web.cohort.students import Student, plain_token
from littlego.core.errors import UsageError
from littlego.storage.files import write_whole

TOKEN_FILE: Final = "token"
_DOORWAY: Final = "enter.html"
_TOKEN_BYTES: Final = 24
_YEAR: Final = 365 * 24 * 3600
OWNERS: Final = ""
"""The owner, in place of a student's key: whose things are."""


class Audience(enum.Enum):
    """Who may make a request."""

    EVERYONE = "everyone"
    VISITORS = "the owner, and visitors if the server is open to others"
    OWNER = "the owner"


# The first line that matches decides; everything else is for the owner.
_TABLE: Final = (
    ("GET", r"/static/.*|/(?!api(?:/|$))[^.]*|/favicon\.ico", Audience.EVERYONE),  # pages contain no data
    ("GET", r"/api/about|/api/openapi\.json|/api/players|/api/kits/[^/]+", Audience.EVERYONE),
    ("POST", r"/api/enter", Audience.EVERYONE),  # with the token
    ("POST", r"/api/leave", Audience.EVERYONE),
    ("GET", r"/api/games/[^/]+", Audience.VISITORS),  # by its link; the list is for the owner
    ("GET", r"/api/tournaments|/api/tournaments/[^/]+", Audience.VISITORS),
    ("SOCKET", r"/api/live", Audience.VISITORS),  # but only the topics of games
)
_VISITORS_TOPICS: Final = ("game:",)


def audience(method: str, path: str) -> Audience:
    """Who may ask for `path`; the method of a WebSocket is SOCKET."""
    method = "GET" if method == "HEAD" else method
    return next(
        (who for verb, pattern, who in _TABLE if verb == method and re.fullmatch(pattern, path)), Audience.OWNER
    )


def visitors_may_hear(topic: str) -> bool:
    """Whether visitors get the news of a topic."""
    return topic.startswith(_VISITORS_TOPICS)


class Access:
    """Tells the owner, students and visitors apart. Without a token, as in tests, everyone is the owner."""

    def __init__(self, token: str | None, port: int, students: Sequence[Student] = ()) -> None:
        self._token = token
        self._cookie = f"littlego-{port}"  # browsers keep one jar for all ports of a host
        self._links: set[str] = set()
        # Looked up by digests, so that the time of a look-up tells nothing about the secrets.
        self._by_token = {_digest(plain_token(student.token)): student.key for student in students}
        self._by_cookie = {_digest(self._cookie_value(plain_token(s.token))): s.key for s in students}

    def new_link(self) -> str:
        """The path of a link that lets one browser in, once."""
        key = secrets.token_urlsafe(_TOKEN_BYTES)
        self._links.add(key)
        return f"/enter/{key}"

    def use_link(self, key: str) -> bool:
        """Whether a link was still unused; now it is used."""
        known = next((link for link in self._links if hmac.compare_digest(link.encode(), key.encode())), None)
        if known is None:
            return False
        self._links.discard(known)
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
