"""Rates measured in alternating rounds, so that noise affects all."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from statistics import median

Rates = dict[str, list[float]]
"""Of each way, by its name: one for each round."""


def alternate(
    ways: Mapping[str, Callable[[], int]], *, rounds: int, seconds: float, progress: Callable[[], None] | None = None
) -> Rates:
    """What each way does per second, in about `seconds` altogether. A call of a way returns how much it did."""
    rates: Rates = {name: [] for name in ways}
    for _ in range(rounds):
        for name, do in ways.items():
            rates[name].append(_rate(do, seconds / rounds / len(ways)))
        if progress:
            progress()
    return rates


def median_ratio(fast: list[float], slow: list[float]) -> float:
    """The median of the rounds' ratios."""
    return median(one / other for one, other in zip(fast, slow, strict=True))


def _rate(do: Callable[[], int], seconds: float) -> float:
    done, began = 0, time.perf_counter()
    while (passed := time.perf_counter() - began) < seconds:
        done += do()
    return done / passed
