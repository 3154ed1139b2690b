"""The pages: their files by address, which `make site` writes for any host, and the app that serves them."""

from __future__ import annotations

import gzip
import hashlib
import json
from importlib import resources
from pathlib import Path
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from littlego.apps.web.settings import STATIC
from littlego.formats.html.page import THEME

WORKER: Final = "sw.js"
_FILLED_IN: Final = 'const [VERSION, FILES, LATER] = ["", [], []];'
_ONLINE_ONLY: Final = ("used-link.html",)
_MODELS: Final = ("model.json", "model-7x7.json")
_LATER: Final = [f"kernel/{name}" for name in _MODELS]
"""What a browser fetches when it is first wanted, and not with the rest."""


def elsewhere() -> dict[str, Path]:
    """Files of the pages that lie in other folders of the package."""
    package = Path(str(resources.files("littlego")))
    names = ("kernel/kernel.wasm", "solve/atlas.bin", "solve/guess.bin", *(f"learn/{name}" for name in _MODELS))
    kernel = (package / name for name in names)
    return {"css/theme.css": THEME, **{f"kernel/{path.name}": path for path in kernel}}


def files() -> dict[str, Path]:
    """Every file of the pages but the service worker, by its address from the first page."""
    static = {path.relative_to(STATIC).as_posix(): path for path in sorted(STATIC.rglob("*")) if path.is_file()}
    return {name: path for name, path in (static | elsewhere()).items() if name != WORKER}


def service_worker() -> str:
    """The service worker, with every file and a version that changes with any of them."""
    found = {name: path.read_bytes() for name, path in files().items() if name not in _ONLINE_ONLY}
    digest = hashlib.sha256()
    for name, content in found.items():
        digest.update(name.encode() + b"\0" + hashlib.sha256(content).digest())
    text = (STATIC / WORKER).read_text(encoding="utf-8")
    assert _FILLED_IN in text
    listed = json.dumps([digest.hexdigest()[:16], [name for name in found if name not in _LATER], _LATER])
    return text.replace(_FILLED_IN, f"const [VERSION, FILES, LATER] = {listed};")


_CHECKED: Final = {"cache-control": "no-cache"}
"""Browsers cache the files but ask each time whether they changed, so that an update replaces all of them."""
_TYPES: Final = {
    "html": "text/html",
    "css": "text/css",
    "js": "text/javascript",
    "json": "application/json",
    "svg": "image/svg+xml",
    "png": "image/png",
    "wasm": "application/wasm",
}
"""What files are, as browsers insist on it: the tables of some systems differ."""


class Pages:
    """An app that sends the pages' files. Each is packed when it is first wanted, and again after it has changed."""

    def __init__(self) -> None:
        self._files = files()
        self._packed: dict[str, tuple[object, bytes, bytes, str]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] not in ("GET", "HEAD"):
            raise HTTPException(405)
        request = Request(scope)
        name = request.url.path.removeprefix("/") or "index.html"
        plain, packed, tag = self._content(name)
        kind = _TYPES.get(name.rpartition(".")[2], "application/octet-stream")
        headers = {**_CHECKED, "etag": tag, "vary": "accept-encoding"}
        if request.headers.get("if-none-match") == tag:
            answer = Response(status_code=304, headers=headers)
        elif "gzip" in request.headers.get("accept-encoding", "") and len(packed) < len(plain):
            answer = Response(packed, headers={**headers, "content-encoding": "gzip"}, media_type=kind)
        else:
            answer = Response(plain, headers=headers, media_type=kind)
        await answer(scope, receive, send)

    def _content(self, name: str) -> tuple[bytes, bytes, str]:
        """A file as it is, packed, and a tag that changes with it. Raises HTTPException."""
        if name not in self._files and name != WORKER:
            raise HTTPException(404)
        made_of = self._files.values() if name == WORKER else [self._files[name]]
        changed = [path.stat().st_mtime_ns for path in made_of]
        if (known := self._packed.get(name)) is None or known[0] != changed:
            plain = service_worker().encode() if name == WORKER else self._files[name].read_bytes()
            tag = f'W/"{hashlib.sha256(plain).hexdigest()[:16]}"'
            known = self._packed[name] = (changed, plain, gzip.compress(plain, 9), tag)
        return known[1:]
