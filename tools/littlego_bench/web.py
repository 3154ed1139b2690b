"""What a class costs a server: visitors who all open the pages at once, and the standings of a large tournament.

A real server in its own process, over real connections of this machine. Visitors play in their own browsers: all that
they want of a server is files.
"""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

from littlego.apps.web import site
from littlego_bench.tournament import fill_with_results
from littlego_bench.web_client import Address, Browser, cpu_seconds, start_server, stop_server

_STANDINGS_PLAYERS: Final = 100
_PATIENCE: Final = 600.0
"""Seconds that a visitor waits before it counts as an error."""


@dataclass(frozen=True, slots=True)
class Visits:
    """Visitors who open the pages at the same moment, each over one connection."""

    visitors: int
    files: int
    """Of each visitor: every file of the pages, once."""
    sent: int
    """Bytes in all."""
    errors: int
    seconds: float
    median_s: float
    """Until a visitor has everything; so is `slowest_s`."""
    slowest_s: float
    cpu_ms: float | None
    """The server's, of each visitor."""


@dataclass(frozen=True, slots=True)
class WebBench:
    """The first visit of all, one like it with everything cached, and the standings."""

    first: Visits
    again: Visits
    results: int
    standings_first_ms: float
    """Until the standings of `results` results are computed, as after every new game."""


def bench_web(*, people: int = 200, results: int = 100_000, progress: Callable[[], None] | None = None) -> WebBench:
    """Let so many people visit, twice."""
    with tempfile.TemporaryDirectory(prefix="littlego-bench-") as scratch:
        return asyncio.run(_bench(Path(scratch), people, results, progress or (lambda: None)))


STEPS: Final = 3
"""How often `progress` is called."""


async def _bench(folder: Path, people: int, results: int, step: Callable[[], None]) -> WebBench:
    async with _served(folder) as (server, process):
        first = await _visits(server, process, people, {})
        step()
        tags: dict[str, str] = {}
        await _visit(server, {}, tags)
        again = await _visits(server, process, people, tags)
        step()
        tournament = await _tournament(server, folder, results)
        async with Browser(server) as browser:
            began = time.perf_counter()
            await browser.get(f"/api/tournaments/{tournament}")
            standings_first = time.perf_counter() - began
        step()
    return WebBench(first, again, results, 1000 * standings_first)


@contextlib.asynccontextmanager
async def _served(folder: Path) -> AsyncIterator[tuple[Address, int]]:
    process, address = await start_server(folder / "arena")
    try:
        yield address, process.pid
    finally:
        await stop_server(process)


async def _visits(server: Address, process: int, people: int, known: dict[str, str]) -> Visits:
    before, began = cpu_seconds(process), time.perf_counter()
    found = await asyncio.gather(*(_visit(server, known, {}) for _ in range(people)), return_exceptions=True)
    passed, after = time.perf_counter() - began, cpu_seconds(process)
    seen = [one for one in found if not isinstance(one, BaseException)]
    times = [seconds for seconds, _ in seen] or [passed]
    return Visits(
        people,
        len(site.files()) + 1,
        sum(size for _, size in seen),
        people - len(seen),
        passed,
        median(times),
        max(times),
        None if before is None or after is None else 1000 * (after - before) / people,
    )


async def _visit(server: Address, known: dict[str, str], tags: dict[str, str]) -> tuple[float, int]:
    """Fetch every file that is not `known` by its tag; the seconds and the bytes of it. Notes the tags."""
    began, size = time.perf_counter(), 0
    async with asyncio.timeout(_PATIENCE), Browser(server) as browser:
        for name in [*site.files(), site.WORKER]:
            body, tags[name] = await browser.file(f"/{name}", known.get(name, ""))
            size += len(body)
    return time.perf_counter() - began, size


async def _tournament(server: Address, folder: Path, results: int) -> str:
    """Put a tournament full of results on the server."""
    async with Browser(server) as browser:
        made = await browser.post("/api/tournaments", {"players": ["random", "greedy"]})
    place = folder / "arena" / "tournaments" / str(made["id"])
    made_by_server = place.rename(place.with_name("small"))
    await asyncio.to_thread(fill_with_results, place, _STANDINGS_PLAYERS, results)
    for each in made_by_server.iterdir():
        if not (place / each.name).exists():
            each.rename(place / each.name)
    return str(made["id"])
