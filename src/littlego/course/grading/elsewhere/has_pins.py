"""Exits with 0 if this Python has every package of a requirements file, in the pinned version."""

import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

try:
    pins = [line.split("==") for line in Path(sys.argv[1]).read_text(encoding="utf-8").split()]
    sys.exit(any(version(name) != pinned for name, pinned in pins))
except PackageNotFoundError:
    sys.exit(1)
