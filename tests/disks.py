"""File systems that are soon full, for tests of what happens then. Mounting them needs root."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")


@contextmanager
def small_disk(folder: Path, size: str = "400k") -> Iterator[Path]:
    """A file system of its own, mounted at a folder that does not exist yet."""
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(folder: Path) -> Path:
    """Use up all the space; returns the file to remove to get it back."""
    path = folder / "filler"
    with path.open("wb", buffering=0) as file:
        for size in (65536, 4096, 256, 1):
            try:
                while file.write(b"x" * size):
                    pass
            except OSError:
                continue
    return path
