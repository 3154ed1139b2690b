"""Check a certificate's entries in several processes, or a sample of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from littlego.solve.proof.check import Certificate, read_certificate, verify_entries, verify_start

PART: Final = 2000
"""Entries handed out at once."""

_certificate: Certificate | None = None


def verify_in_parts(
    path: Path,
    certificate: Certificate,
    *,
    sample: int | None = None,
    seed: int = 0,
    skip: int = 0,
    jobs: int = 1,
    progress: Callable[[], None] | None = None,
) -> int:
    """Check the first position and every entry, or `sample` of them; returns how many entries.

    `skip` leaves out the first entries, which were checked before. `certificate` is the content of `path`,
    which other processes read again. Raises CheckFailed.
    """
    verify_start(certificate)
    entries = len(certificate.keys)
    numbers: Sequence[int] = range(min(skip, entries), entries)
    if sample is not None and sample < len(numbers):
        numbers = sorted(random.Random(seed).sample(numbers, sample))
    parts = [numbers[i : i + PART] for i in range(0, len(numbers), PART)]
    with ExitStack() as stack:
        checked: Iterable[int] = (verify_entries(certificate, part) for part in parts)
        if jobs > 1:
            pool = ProcessPoolExecutor(jobs, get_context("spawn"), initializer=_load, initargs=(path,))
            checked = stack.enter_context(pool).map(_check, parts)
        for _ in checked:
            if progress:
                progress()
    return len(numbers)


def _load(path: Path) -> None:
    global _certificate
    _certificate = read_certificate(path)


def _check(part: Sequence[int]) -> int:
    assert _certificate is not None
    return verify_entries(_certificate, part)
