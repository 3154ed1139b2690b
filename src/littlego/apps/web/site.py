"""The pages as files, by their address: what the server serves, and what `make site` writes."""

from __future__ import annotations

import hashlib
import json
from importlib import resources
from pathlib import Path
from typing import Final

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
