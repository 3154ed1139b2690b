"""Whether a disk has room left, according to the disk: a program's own message proves nothing."""

from __future__ import annotations

import os
from pathlib import Path


def has_room(directory: Path, size: int) -> bool:
    """Whether a file of `size` bytes could be written to `directory` now. Raises OSError."""
    disk = os.statvfs(directory)
    return disk.f_bavail * disk.f_frsize >= size
