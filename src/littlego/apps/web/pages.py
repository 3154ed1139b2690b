"""The pages as they are sent: one style sheet, and a document for each page that names all its modules.

A browser finds out what a module imports only once it has it, and on a slow line each step of such a chain costs a
moment. The document names them all, so that they are asked for at once.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from littlego.apps.web.settings import STATIC
from littlego.formats.html.page import THEME

PAGES: Final = ("play", "watch", "review", "drills", "arena", "learn", "solution", "reference")
STYLE: Final = "/static/css/all.css"

_SHEETS: Final = (THEME, *(STATIC / "css" / f"{name}.css" for name in ("base", "board", "pages")))
_IMPORT: Final = re.compile(r'^(?:import|export)\s[^;]*?from "(\.[^"]+)";', re.M)
"""A static import; those that a page makes later, when they are needed, are calls."""
_MODULES: Final = "<!-- modules -->"
"""Where the document names the modules of its page."""

CHECKED: Final = {"cache-control": "no-cache"}
"""Browsers cache the files but ask each time whether they changed, so that an update replaces all of them."""


class Sent:
    """A text that the server has made of its files, and that browsers cache."""

    def __init__(self, text: str, media_type: str) -> None:
        self.text = text
        self._media_type = media_type
        self._tag = f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'

    async def respond(self, request: Request) -> Response:
        """The text, unless the browser has it."""
        headers = {**CHECKED, "etag": self._tag}
        if request.headers.get("if-none-match", "").removeprefix("W/") == self._tag:
            return Response(status_code=304, headers=headers)
        return Response(self.text, headers=headers, media_type=self._media_type)


def style() -> Sent:
    """All style sheets in one: a page waits for them before it shows anything."""
    return Sent("\n".join(path.read_text(encoding="utf-8") for path in _SHEETS), "text/css")


def document(page: str) -> Sent:
    """The document of a page."""
    frame = (STATIC / "index.html").read_text(encoding="utf-8")
    links = [f'<link rel="modulepreload" href="/static/js/{name}" />' for name in modules(page)]
    return Sent(frame.replace(_MODULES, "\n    ".join(links)), "text/html")


def modules(page: str) -> list[str]:
    """The modules that a page needs before it can show anything, as paths in `static/js/`, the nearest first."""
    found = ["main.js", f"pages/{page}.js"]
    for name in found:
        imported = (posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) for path in _imports(name))
        found += [path for path in imported if path not in found]
    return found


def _imports(name: str) -> list[str]:
    return _IMPORT.findall(Path(STATIC, "js", name).read_text(encoding="utf-8"))
