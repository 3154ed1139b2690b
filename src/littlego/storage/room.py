"""How much room this machine has, on a disk and in memory: a program's own message about a full disk proves nothing."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

if sys.platform == "win32":
    import ctypes

    class _MemoryStatus(ctypes.Structure):
        """MEMORYSTATUSEX."""

        _fields_ = [
            ("length", ctypes.c_uint32),
            ("load", ctypes.c_uint32),
            *((name, ctypes.c_uint64) for name in ("total", "free", "pages", "free_pages", "own", "free_own", "more")),
        ]

    def _status() -> _MemoryStatus:
        status = _MemoryStatus(length=ctypes.sizeof(_MemoryStatus))
        ctypes.WinDLL("kernel32").GlobalMemoryStatusEx(ctypes.byref(status))
        return status

    def total_memory() -> int:
        """The bytes of memory that this machine has."""
        return int(_status().total)

    def free_memory() -> int:
        """The bytes of memory that are available now."""
        return int(_status().free)

else:

    def total_memory() -> int:
        """The bytes of memory that this machine has."""
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")

    def free_memory() -> int:
        """The bytes of memory that are available now; half of all where the system does not tell."""
        try:
            for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
        except OSError:
            pass
        return total_memory() // 2


def has_room(directory: Path, size: int) -> bool:
    """Whether a file of `size` bytes could be written to `directory` now. Raises OSError."""
    return shutil.disk_usage(directory).free >= size
