"""Chance in the tests comes from their names: what passes here today passes in CI tomorrow.

What draws without a seed draws from the system's randomness, and a test that leaves it so fails once in a while, for
nobody's fault. So in the process of the tests every source without a seed gets one, from the name of the test. `pytest
--chance N` draws otherwise: a test that then fails depends on its luck. Processes that a test starts are not reached:
give them `--seed`.
"""

from __future__ import annotations

import random
import secrets
import sys
import zlib

import numpy as np
import pytest


def settle_chance(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Seed what a test draws from, by a name."""
    source = random.Random(zlib.crc32(name.encode()))
    seed = random.Random.seed

    def seeded(self: random.Random, a: int | float | str | bytes | bytearray | None = None, version: int = 2) -> None:
        # Names of temporary files must differ between processes.
        if a is None and sys._getframe(2).f_globals.get("__name__") != "tempfile":
            a = source.getrandbits(64)
        seed(self, a, version)

    monkeypatch.setattr(random.Random, "seed", seeded)
    monkeypatch.setattr(np.random.bit_generator, "randbits", source.getrandbits)
    monkeypatch.setattr(secrets, "randbelow", source.randrange)
    random.seed(source.getrandbits(64))
    np.random.seed(source.getrandbits(32))
