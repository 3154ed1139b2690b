"""What tests ask of a process that thinks. It imports this module each time it starts, so this imports little."""

from __future__ import annotations

import os
import time
from pathlib import Path


def die(*_: object) -> None:
    """A search that ends its process."""
    os._exit(9)


def think_for_ever(begun: Path) -> None:
    """A thought that says when it begins, and does not end."""
    begun.touch()
    time.sleep(1200)
