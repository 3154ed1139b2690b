"""Reproducible random numbers: every seed is derived from the one that the user gave."""

from __future__ import annotations

import hashlib


def derive_seed(seed: int, *labels: int | str) -> int:
    """A seed for the part of a plan that `labels` name, the same on every machine."""
    text = "/".join(str(part) for part in (seed, *labels))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
