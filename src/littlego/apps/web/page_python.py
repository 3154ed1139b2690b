"""What a page needs to run agents: Pyodide's files and this package, in a folder of the site.

`make site` brings them. They are not in the package: Pyodide is larger than everything else together.
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
from littlego.course.in_page import offers

FOLDER: Final = "pyodide"
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


def write(site: Path, pyodide: Path) -> None:
    """Write the folder. `pyodide` is the npm package. Raises OSError if it is not there."""
    folder = site / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    files = {name: (pyodide / name).read_bytes() for name in PYODIDE} | {COURSE: package()}
    digest = hashlib.sha256()
    for name, content in files.items():
        (folder / name).write_bytes(content)
        digest.update(f"{name} {hashlib.sha256(content).hexdigest()}\n".encode())
    sizes = {name: len(content) for name, content in files.items()}
    listed = {"version": digest.hexdigest()[:16], "files": sizes, "offers": offers()}
    (folder / LISTED).write_text(json.dumps(listed), encoding="utf-8")
