"""`make site`: the pages as a static site, with what runs agents in them if npm has brought it.

Pyodide, with which pages run agents, is not in the package: it is larger than all the rest.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import littlego
from littlego.apps.web.site import WORKER, files, service_worker

_NO_SERVER: Final = {"offers": [], "owner": False, "student": None, "has_class": False, "editions": [], "players": []}
"""What a page is told that asks what the server has: `app.About` of none. It may still have Python for browsers."""


def write(folder: Path, pyodide: Path | None = None) -> None:
    """The pages as a static site, which runs agents if `pyodide` is the npm package. Raises OSError."""
    for name, path in files().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(path.read_bytes())
    (folder / WORKER).write_text(service_worker(), encoding="utf-8")
    (folder / "api").mkdir(exist_ok=True)
    (folder / "api" / "about").write_text(
        json.dumps(_NO_SERVER | {"offers": ["python"] if pyodide else []}), encoding="utf-8"
    )
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
