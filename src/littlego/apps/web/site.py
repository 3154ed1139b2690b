"""The pages as files, by their address: what the server serves, and what `make site` writes.

`make site` also brings Pyodide, with which pages run agents. It is not in the package: it is larger than all the rest.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Final

import littlego
from littlego.apps.web.settings import STATIC
from littlego.formats.html.page import THEME

WORKER: Final = "sw.js"
_FILLED_IN: Final = 'const [VERSION, FILES, LATER] = ["", [], []];'
_ONLINE_ONLY: Final = ("used-link.html",)
_NO_SERVER: Final = {"offers": [], "owner": False, "student": None, "has_class": False, "editions": [], "players": []}
"""What a page is told that asks what the server has: `app.About` of none."""
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


def write(folder: Path, pyodide: Path | None = None) -> None:
    """The pages as a static site, which runs agents if `pyodide` is the npm package. Raises OSError."""
    for name, path in files().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(path.read_bytes())
    (folder / WORKER).write_text(service_worker(), encoding="utf-8")
    (folder / "api").mkdir(exist_ok=True)
    (folder / "api" / "about").write_text(json.dumps(_NO_SERVER), encoding="utf-8")
    if pyodide is not None:
        _write_python(folder / FOLDER, pyodide)


FOLDER: Final = "pyodide"
"""What runs agents, in the site."""
PYODIDE: Final = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
"""Of the npm package; `npm ci` brings them."""
COURSE: Final = "littlego.zip"
LISTED: Final = "files.json"
_LEFT_OUT: Final = ("agent/", "apps/", "tictactoe/")
"""What grading does without."""
_DATA: Final = (".py", ".toml", ".sh", ".css", ".js", ".cpp", ".java", ".txt")
_ALSO: Final = ("learn/model.json", "players/strengths.json")
_BORN: Final = (1980, 1, 1, 0, 0, 0)


def package() -> bytes:
    """The part of this package that checks, plays and grades, as an archive: the same bytes for the same files."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, path in _sources():
            archive.writestr(zipfile.ZipInfo(f"littlego/{name}", _BORN), path.read_bytes(), zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def _sources() -> Iterator[tuple[str, Path]]:
    root = Path(littlego.__file__).parent
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        wanted = path.suffix in _DATA or name in _ALSO
        if wanted and path.is_file() and "__pycache__" not in path.parts and not name.startswith(_LEFT_OUT):
            yield name, path


def _write_python(folder: Path, pyodide: Path) -> None:
    """What a page needs to run agents: Pyodide's files, of its npm package, and this package. Raises OSError."""
    from littlego.course.in_page import offers

    folder.mkdir(parents=True, exist_ok=True)
    files = {name: (pyodide / name).read_bytes() for name in PYODIDE} | {COURSE: package()}
    digest = hashlib.sha256()
    for name, content in files.items():
        (folder / name).write_bytes(content)
        digest.update(f"{name} {hashlib.sha256(content).hexdigest()}\n".encode())
    sizes = {name: len(content) for name, content in files.items()}
    listed = {"version": digest.hexdigest()[:16], "files": sizes, "offers": offers()}
    (folder / LISTED).write_text(json.dumps(listed), encoding="utf-8")
