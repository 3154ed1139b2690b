"""The small files that an agent keeps from one move of a game to the next.

They are read before every move, so that a capsule can restore them: an agent often fails because of a file that it
wrote some moves earlier.
"""

from __future__ import annotations

import base64
import os
import stat
from pathlib import Path
from typing import Final, TypeAlias

from littlego.arena.referee.limits import KIB
from littlego.storage.folders import READ

StateFiles: TypeAlias = dict[str, bytes]

MAX_FILE_BYTES: Final = 64 * KIB
MAX_FILES: Final = 64
_NOT_STATE: Final = {"input.txt", "output.txt"}


def read_state(directory: Path, original: Path | None) -> StateFiles:
    """The small regular files directly in `directory` that differ from those in `original`.

    Nothing there is trusted: links are not followed, large files and too many files are left out.
    """
    state: StateFiles = {}
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.name in _NOT_STATE or len(state) >= MAX_FILES or not entry.is_file(follow_symlinks=False):
                continue
            about = entry.stat(follow_symlinks=False)
            is_acceptable = about.st_nlink == 1 and about.st_size <= MAX_FILE_BYTES
            if is_acceptable and not _is_original(entry.name, about, original):
                content = _read(Path(entry.path))
                if content is not None:
                    state[entry.name] = content
    return state


def _is_original(name: str, about: os.stat_result, original: Path | None) -> bool:
    if original is None:
        return False
    try:
        first = (original / name).stat(follow_symlinks=False)
    except OSError:
        return False
    return (first.st_size, first.st_mtime_ns) == (about.st_size, about.st_mtime_ns)


def _read(path: Path) -> bytes | None:
    try:
        descriptor = os.open(path, READ)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        about = os.fstat(descriptor)
        return file.read(MAX_FILE_BYTES) if stat.S_ISREG(about.st_mode) and about.st_nlink == 1 else None


def write_state(state: StateFiles, directory: Path) -> None:
    """Restore the files in a fresh copy of the agent's directory."""
    for name, content in state.items():
        if _is_name(name):
            (directory / name).unlink(missing_ok=True)
            with (directory / name).open("xb") as file:
                file.write(content)


def _is_name(text: str) -> bool:
    """Whether a text is a plain file name, not a path."""
    return text not in ("", ".", "..") and text == os.path.basename(text) and "\0" not in text  # noqa: PTH119 - text


def encode_state(state: StateFiles) -> dict[str, str]:
    return {name: base64.b64encode(content).decode() for name, content in state.items()}


def decode_state(data: dict[str, str]) -> StateFiles:
    """The reverse of `encode_state`. Raises ValueError, also for names that lead out of the directory."""
    for name in data:
        if not _is_name(name):
            raise ValueError(f"state: {name!r:.80} is not a file name")
    return {name: base64.b64decode(text, validate=True) for name, text in data.items()}
