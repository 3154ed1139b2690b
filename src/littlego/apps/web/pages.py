"""The pages as they are sent: documents that can be drawn as soon as they arrive, and that name what comes next.

On a slow line every step costs a moment. So the style sheet is part of the document; the document names all modules of
its page, which a browser would find out one import after the other; and its header names what the page asks of the API
first, which is then on its way before any module runs.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from littlego.apps.web.http.security import POLICY
from littlego.apps.web.settings import STATIC
from littlego.formats.html.page import THEME, policy_hash

PAGES: Final = ("play", "watch", "review", "drills", "arena", "learn", "solution", "reference")
STYLE: Final = "/static/css/all.css"

_SHEETS: Final = (THEME, *(STATIC / "css" / f"{name}.css" for name in ("base", "board", "pages")))
_IMPORT: Final = re.compile(r'^(?:import|export)\s[^;]*?from "(\.[^"]+)";', re.M)
"""A static import; those that a page makes later, when they are needed, are calls."""
_MODULES: Final = "<!-- modules -->"
"""Where the document names the modules of its page."""
_LINKED_STYLE: Final = f'<link rel="stylesheet" href="{STYLE}" />'
_LINKED_SCRIPT: Final = '<script src="/static/js/theme.js"></script>'
_ID: Final = re.compile(r"[\w-]{1,40}", re.ASCII)
_MOST_WATCHED: Final = 6
"""Games that are asked for early."""

CHECKED: Final = {"cache-control": "no-cache"}
"""Browsers cache the files but ask each time whether they changed, so that an update replaces all of them."""


class Sent:
    """A text that the server has made of its files, and that browsers cache."""

    def __init__(self, text: str, media_type: str, headers: Mapping[str, str] = MappingProxyType({})) -> None:
        self.text = text
        self._media_type = media_type
        self._headers = {**CHECKED, **headers, "etag": f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'}

    async def respond(self, request: Request) -> Response:
        """The text, unless the browser has it."""
        return self._sent(request, {})

    def _sent(self, request: Request, headers: Mapping[str, str]) -> Response:
        headers = {**self._headers, **headers}
        if request.headers.get("if-none-match", "").removeprefix("W/") == headers["etag"]:
            return Response(status_code=304, headers=headers)
        return Response(self.text, headers=headers, media_type=self._media_type)


class Document(Sent):
    """The document of a page, with its style sheet, and the script that must run before anything is drawn."""

    def __init__(self, page: str) -> None:
        text = (STATIC / "index.html").read_text(encoding="utf-8")
        css, script = style().text, (STATIC / "js" / "theme.js").read_text(encoding="utf-8")
        self._modules = modules("main.js", f"pages/{page}.js")
        links = [f'<link rel="modulepreload" href="/static/js/{name}" />' for name in self._modules]
        for place, given in (
            (_LINKED_STYLE, f"<style>{css}</style>"),
            (_LINKED_SCRIPT, f"<script>{script}</script>"),
            (_MODULES, "\n    ".join(links)),
        ):
            assert text.count(place) == 1, place
            text = text.replace(place, given)
        policy = f"{POLICY}; style-src 'self' {policy_hash(css)}; script-src 'self' {policy_hash(script)}"
        super().__init__(text, "text/html", {"content-security-policy": policy})

    async def respond(self, request: Request) -> Response:
        """As above. The header names what the page at this address needs besides."""
        module = later_module(request.url.path)
        named = [] if module is None else [name for name in modules(module) if name not in self._modules]
        links = [f"</static/js/{name}>; rel=modulepreload" for name in named]
        asked = first_asked(request.url.path, request.query_params)
        links += [f"<{path}>; rel=preload; as=fetch; crossorigin" for path in asked]
        return self._sent(request, {"link": ", ".join(links)})


def style() -> Sent:
    """All style sheets in one."""
    return Sent("\n".join(path.read_text(encoding="utf-8") for path in _SHEETS), "text/css")


def first_asked(path: str, query: Mapping[str, str]) -> list[str]:
    """What the page at this address asks of the API before it shows anything, as its modules do."""
    page, kind, name = (*path.strip("/").split("/"), "", "", "")[:3]
    match page or PAGES[0], kind, name:
        case "play", "", _:
            found = ["/api/players", "/api/games?most=6"]
        case "play" | "review", game, _ if game and _ID.fullmatch(game):
            found = [f"/api/games/{game}"]
        case "review", "", _ if not query:
            found = ["/api/games?most=25"]
        case "watch", _, _:
            games = query.get("games", "").split(",")[:_MOST_WATCHED]
            found = ["/api/players", *(f"/api/games/{game}" for game in games if _ID.fullmatch(game))]
        case "drills", "", _:
            found = ["/api/decks"]
        case "drills", "today", _:
            found = ["/api/decks/today"]
        case "drills", deck, _ if _ID.fullmatch(deck):
            found = [f"/api/decks/{deck}/next"]
        case "arena", "", _:
            found = ["/api/agents", "/api/tournaments", "/api/players"]
        case "arena", "wall", "":
            found = ["/api/tournaments"]
        case "arena", ("agent" | "tournament"), one if _ID.fullmatch(one):
            found = [f"/api/{kind}s/{one}"]
        case "learn", _, _:
            found = ["/api/jobs?most=100"]
        case "reference", _, _:
            found = ["/api/openapi.json"]
        case _:
            found = []
    return ["/api/about", *found]


def later_module(path: str) -> str | None:
    """The module that a page imports when it shows one thing instead of all."""
    match path.strip("/").split("/"):
        case ["play", _]:
            return "pages/game.js"
        case ["arena", ("agent" | "tournament" | "wall") as kind, *_]:
            return f"pages/{kind}.js"
    return None


@cache
def modules(*entries: str) -> list[str]:
    """These modules and all that they import at once, as paths in `static/js/`, the nearest first."""
    found = [*entries]
    for name in found:
        imported = (posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) for path in _imports(name))
        found += [path for path in imported if path not in found]
    return found


def _imports(name: str) -> list[str]:
    return _IMPORT.findall(Path(STATIC, "js", name).read_text(encoding="utf-8"))
