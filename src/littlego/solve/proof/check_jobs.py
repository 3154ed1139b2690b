"""Check a certificate's entries, or a sample of them, with the compiled checker or with its slow twin."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from littlego.solve.proof.check import (
    Certificate,
    CheckFailed,
    parse_certificate,
    read_certificate,
    verify_entries,
    verify_start,
)
from littlego.solve.proof.fast_check import FastChecker

PART: Final = 2000
"""Entries handed out at once."""

PART_SENT: Final = 100_000
"""Entries in a task for another machine."""

_certificate: Certificate | None = None

Part = tuple[int, int]
"""The numbers of entries, from the first up to the second."""


@dataclass(frozen=True, slots=True)
class CertificateJob:
    """What a worker on another machine needs to check any part of a certificate."""

    data: bytes = field(repr=False)
    """The content of the file."""

    @contextmanager
    def open(self) -> Iterator[Callable[[Part], str | None]]:
        """The value checks a part, and returns what is wrong with it, or None."""
        checker = FastChecker(parse_certificate(self.data))

        def check(part: Part) -> str | None:
            try:
                checker.check(range(*part))
            except CheckFailed as failure:
                return str(failure)
            return None

        yield check


def verify_elsewhere(
    path: Path,
    certificate: Certificate,
    run: Callable[[CertificateJob, Iterable[Part]], Iterable[tuple[Part, str | None]]],
    *,
    progress: Callable[[], None] | None = None,
) -> int:
    """Check the first position here, and every entry where `run` has tasks done; returns how many entries.

    `run` gives every task with its result, some perhaps more than once. Raises CheckFailed.
    """
    verify_start(certificate)
    entries = len(certificate.keys)
    parts = [(first, min(first + PART_SENT, entries)) for first in range(0, entries, PART_SENT)]
    checked: set[Part] = set()
    for part, wrong in run(CertificateJob(path.read_bytes()), parts):
        if wrong is not None:
            raise CheckFailed(wrong)
        if part not in checked and progress:
            progress()
        checked.add(part)
    return sum(end - first for first, end in checked)


def verify_in_parts(
    path: Path,
    certificate: Certificate,
    *,
    sample: int | None = None,
    seed: int = 0,
    skip: int = 0,
    share: tuple[int, int] = (1, 1),
    jobs: int = 1,
    slow: bool = False,
    progress: Callable[[], None] | None = None,
) -> int:
    """Check the first position and every entry, or `sample` of them; returns how many entries.

    `skip` leaves out the first entries, which were checked before. A `share` (k, n) is the k-th of n parts of the
    rest, for n machines. `jobs` are threads of the compiled checker, or
    with `slow` processes of its twin; `certificate` is the content of `path`, which those read again.
    Raises CheckFailed.
    """
    verify_start(certificate)
    entries = len(certificate.keys)
    rest = range(min(skip, entries), entries)
    number, parts_in_all = share
    numbers: Sequence[int] = rest[len(rest) * (number - 1) // parts_in_all : len(rest) * number // parts_in_all]
    if sample is not None and sample < len(numbers):
        numbers = sorted(random.Random(seed).sample(numbers, sample))
    parts = [numbers[i : i + PART] for i in range(0, len(numbers), PART)]
    with ExitStack() as stack:
        check: Callable[[Sequence[int]], int]
        check = partial(verify_entries, certificate) if slow else FastChecker(certificate).check
        checked: Iterable[int] = map(check, parts)
        if jobs > 1:
            pool: Executor
            if slow:
                pool, check = (
                    ProcessPoolExecutor(jobs, get_context("spawn"), initializer=_load, initargs=(path,)),
                    _check,
                )
            else:
                pool = ThreadPoolExecutor(jobs)
            checked = stack.enter_context(pool).map(check, parts)
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
