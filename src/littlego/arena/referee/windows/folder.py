"""The work directory by its path, where directories cannot be opened. Links are not followed.

A part of the path that is replaced meanwhile is followed: L0 trusts the agent not to do that.
"""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

from littlego.arena.referee.sandbox.files import INPUT, OUTPUT, BadOutput, TooMuch, check_text, kind_name


def prepare(directory: Path, content: bytes) -> None:
    """Remove the input and output, whatever they are, and write a new input. Raises OSError."""
    for name in (OUTPUT, INPUT):
        path = directory / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    (directory / INPUT).write_bytes(content)


def read_output(directory: Path, most: int) -> bytes | None:
    """The bytes of the output, None if it is missing or empty. Raises BadOutput, as `sandbox.files` does."""
    path = directory / OUTPUT
    try:
        found = path.lstat()
        if not stat.S_ISREG(found.st_mode):
            raise BadOutput(f"{OUTPUT} is {kind_name(found.st_mode)}, not a file")
        if found.st_size > most:
            raise BadOutput(f"{OUTPUT} has {found.st_size} bytes; at most {most} are read")
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadOutput(f"{OUTPUT} cannot be read: {error.strerror}") from None
    check_text(content)
    return content or None


def measure(directory: Path, *, files: int, size: int) -> None:
    """Count files and bytes. Raises TooMuch."""
    count = total = 0
    for folder, folders, names in os.walk(directory):
        count += len(folders) + len(names)
        for name in names:
            try:
                total += os.lstat(os.path.join(folder, name)).st_size  # noqa: PTH118 - many of them
            except OSError:
                continue  # removed in the meantime
        if count > files:
            raise TooMuch(f"the work directory holds more than {files} files")
        if total > size:
            raise TooMuch(f"the work directory holds more than {size} bytes")
