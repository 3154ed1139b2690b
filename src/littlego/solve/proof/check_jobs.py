"""Check a certificate's entries, or a sample of them, with the compiled checker or with its slow twin."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from littlego.solve.proof.check import Certificate, read_certificate, verify_entries, verify_start
from littlego.solve.proof.fast_check import FastChecker

PART: Final = 2000
"""Entries handed out at once."""

_certificate: Certificate | None = None


def verify_in_parts(
    path: Path,
    certificate: Certificate,
    *,
    sample: int | None = None,
    seed: int = 0,
    jobs: int = 1,
    slow: bool = False,
    progress: Callable[[], None] | None = None,
) -> int:
    """Check the first position and every entry, or `sample` of them; returns how many entries.

    `jobs` are threads of the compiled checker, or with `slow` processes of its twin; `certificate` is the
    content of `path`, which those read again. Raises CheckFailed.
    """
    verify_start(certificate)
    numbers: Sequence[int] = range(len(certificate.keys))
    if sample is not None and sample < len(numbers):
        numbers = sorted(random.Random(seed).sample(numbers, sample))
    parts = [numbers[i : i + PART] for i in range(0, len(numbers), PART)]
    check: Callable[[Sequence[int]], int]
    check = partial(verify_entries, certificate) if slow else FastChecker(certificate).check
    with ExitStack() as stack:
        checked: Iterable[int] = map(check, parts)
        if jobs > 1 and slow:
            pool: Executor = ProcessPoolExecutor(jobs, get_context("spawn"), initializer=_load, initargs=(path,))
            checked = stack.enter_context(pool).map(_check, parts)
        elif jobs > 1:
            checked = stack.enter_context(ThreadPoolExecutor(jobs)).map(check, parts)
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
