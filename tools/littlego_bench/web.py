"""The web server's performance: requests per second, latency, and a crowd that plays at once.

A real server in its own process, over real connections. The cost of an answer is compared with the smallest answer in
the same round.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import math
import random
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

from littlego_bench.tournament import fill_with_results
from littlego_bench.web_client import Address, Answer, Browser, cpu_seconds, start_server, stop_server
from littlego_bench.web_hints import late_lines, openings

ROUNDS: Final = 3
_CLIENTS: Final = 16
_STANDINGS_PLAYERS: Final = 100
_PATIENCE: Final = 120.0
"""Seconds that a player waits for an answer before it counts as an error."""
_ASKED_BEFORE: Final = ((), ("2,2",), ("0,0",), ("1,1",))
"""Lines whose next moves all have values in the shipped atlas."""

_FIRST_HINTS: Final = 100
"""Late positions that one client requests."""

Ask = Callable[[Browser], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one kind of request."""

    what: str
    requests_per_second: float
    """With 16 clients at once."""
    median_ms: float
    """With a single client; so is `p99_ms`."""
    p99_ms: float
    ratio: float
    """Of the requests per second to those for the smallest answer, by round."""


@dataclass(frozen=True, slots=True)
class Crowd:
    """People who all play against `random` at once, without pausing."""

    people: int
    games: int
    moves: int
    """The people's own moves."""
    errors: int
    moves_per_second: float
    """Both sides' moves."""
    median_ms: float
    """Until a person's own move is shown; so is `p99_ms`."""
    p99_ms: float
    answer_median_ms: float
    """Until the opponent's answer is shown; so is `answer_p99_ms`."""
    answer_p99_ms: float
    cpu_ms: float | None
    """The server's, per move of either side; players think in other processes."""


@dataclass(frozen=True, slots=True)
class FirstHints:
    """Hints requested for the first time, with a single client: no two positions are symmetric."""

    positions: int
    moves: int
    """Legal moves in them."""
    known: int
    """Moves whose value was in the first answer."""
    median_ms: float
    """Until the first answer; so is `p99_ms`."""
    p99_ms: float


@dataclass(frozen=True, slots=True)
class WebBench:
    """Medians of alternating rounds."""

    costs: list[Cost]
    hints_known: FirstHints
    """In the first two plies: looked up in the shipped atlas."""
    hints_solved: FirstHints
    """With ten plies left: solved while the client waits."""
    results: int
    standings_first_ms: float
    """Until the standings of `results` results are computed, as after every new game."""
    crowd: Crowd


def bench_web(
    *,
    people: int = 200,
    results: int = 100_000,
    seconds: float = 2.0,
    rounds: int = ROUNDS,
    progress: Callable[[], None] | None = None,
) -> WebBench:
    """Every kind of request is measured for `seconds`, twice in each round."""
    with tempfile.TemporaryDirectory(prefix="littlego-bench-") as scratch:
        return asyncio.run(_bench(Path(scratch), people, results, seconds, rounds, progress or (lambda: None)))


async def _bench(
    folder: Path, people: int, results: int, seconds: float, rounds: int, step: Callable[[], None]
) -> WebBench:
    async with _served(folder) as (server, process):
        tournament = await _tournament(server, folder, results)
        step()
        async with Browser(server) as browser:
            standings_first = await _timed(browser.get(f"/api/tournaments/{tournament}"))
        step()
        late = late_lines()
        await _warm_up(server, late)
        kinds = _kinds(tournament, late)
        rates: dict[str, list[float]] = {what: [] for what in kinds}
        times: dict[str, list[float]] = {what: [] for what in kinds}
        for _ in range(rounds):
            for what, make in kinds.items():
                times[what] += await _alone(server, make(), seconds)
                rates[what].append(await _rate(server, make, seconds))
            step()
        crowd = await _crowd(server, process, people)
        step()
        # Last, since the search continues for a while with what the openings leave unsolved.
        solved = await _first_hints(server, [next(late) for _ in range(_FIRST_HINTS)])
        known = await _first_hints(server, openings())
        step()
    smallest = next(iter(rates.values()))
    costs = [
        Cost(
            what,
            median(values),
            1000 * median(times[what]),
            1000 * _percentile(times[what], 99),
            median(value / one for value, one in zip(values, smallest, strict=True)),
        )
        for what, values in rates.items()
    ]
    return WebBench(costs, known, solved, results, 1000 * standings_first, crowd)


def steps(rounds: int = ROUNDS) -> int:
    """How often `progress` is called."""
    return rounds + 4


@contextlib.asynccontextmanager
async def _served(folder: Path) -> AsyncIterator[tuple[Address, int]]:
    process, address = await start_server(folder / "arena")
    try:
        yield address, process.pid
    finally:
        await stop_server(process)


# One kind of request each: made anew for every client, because moves need a game of their own.


def _kinds(tournament: str, late: Iterator[list[str]]) -> dict[str, Callable[[], Ask]]:
    return {
        "the smallest answer": lambda: _get("/api/about"),
        "a move": _moves,
        "a hint, asked before": lambda: _hints(itertools.cycle(map(list, _ASKED_BEFORE))),
        "a hint, solved now": lambda: _hints(late),
        "standings": lambda: _get(f"/api/tournaments/{tournament}"),
    }


def _get(path: str) -> Ask:
    async def ask(browser: Browser) -> None:
        await browser.get(path)

    return ask


def _moves() -> Ask:
    rng = random.Random(1)
    game: Answer = {}

    async def ask(browser: Browser) -> None:
        nonlocal game
        if not game or game["outcome"]:
            game = await browser.post("/api/games", {"black": "human", "white": "human"})
        else:
            game = await browser.post(f"/api/games/{game['id']}/moves", {"move": rng.choice(game["legal"])})

    return ask


def _hints(lines: Iterator[list[str]]) -> Ask:
    async def ask(browser: Browser) -> None:
        await browser.post("/api/values", {"moves": next(lines)})

    return ask


async def _warm_up(server: Address, late: Iterator[list[str]]) -> None:
    """Start the worker process and compile the search, which takes a minute or two the first time."""
    async with asyncio.timeout(4 * _PATIENCE), Browser(server) as browser:
        for line in late:
            if not (await browser.post("/api/values", {"moves": line}))["missing"]:
                return
            await asyncio.sleep(0.5)


async def _first_hints(server: Address, lines: list[list[str]]) -> FirstHints:
    times: list[float] = []
    moves = known = 0
    async with Browser(server) as browser:
        for line in lines:
            began = time.perf_counter()
            answer = await browser.post("/api/values", {"moves": line})
            times.append(time.perf_counter() - began)
            known += len(answer["values"])
            moves += len(answer["values"]) + len(answer["missing"])
    return FirstHints(len(lines), moves, known, 1000 * median(times), 1000 * _percentile(times, 99))


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


# Measuring


async def _timed(answer: Awaitable[Answer]) -> float:
    began = time.perf_counter()
    await answer
    return time.perf_counter() - began


async def _alone(server: Address, ask: Ask, seconds: float) -> list[float]:
    """Latencies of the requests of a single client."""
    times: list[float] = []
    async with Browser(server) as browser:
        until = time.perf_counter() + seconds
        while (began := time.perf_counter()) < until or not times:
            await ask(browser)
            times.append(time.perf_counter() - began)
    return times


async def _rate(server: Address, make: Callable[[], Ask], seconds: float) -> float:
    """Requests per second of several clients."""
    began = time.perf_counter()
    counts = await asyncio.gather(*(_alone(server, make(), seconds) for _ in range(_CLIENTS)))
    return sum(map(len, counts)) / (time.perf_counter() - began)


def _percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, math.ceil(len(values) * share / 100) - 1)]


# A crowd


@dataclass(slots=True)
class _Seen:
    """What one person saw."""

    moves: list[float]
    answers: list[float]
    errors: int = 0
    both: int = 0


async def _crowd(server: Address, process: int, people: int) -> Crowd:
    used_before = cpu_seconds(process)
    began = time.perf_counter()
    seen = await asyncio.gather(*(_person(server, number) for number in range(people)))
    passed = time.perf_counter() - began
    used = cpu_seconds(process)
    both = sum(one.both for one in seen)
    moves = [each for one in seen for each in one.moves] or [math.nan]
    answers = [each for one in seen for each in one.answers] or [math.nan]
    return Crowd(
        people,
        sum(1 for one in seen if not one.errors),
        sum(len(one.moves) for one in seen),
        sum(one.errors for one in seen),
        both / passed,
        1000 * median(moves),
        1000 * _percentile(moves, 99),
        1000 * median(answers),
        1000 * _percentile(answers, 99),
        None if used is None or used_before is None else 1000 * (used - used_before) / max(1, both),
    )


async def _person(server: Address, number: int) -> _Seen:
    """Play one game with random legal moves, as a page does: moves are posted, answers arrive as news."""
    seen = _Seen([], [])
    try:
        async with asyncio.timeout(_PATIENCE * 4), Browser(server) as browser:
            await _play(browser, random.Random(number), seen)
    except (OSError, TimeoutError, ValueError, EOFError):
        seen.errors += 1
    return seen


async def _play(browser: Browser, rng: random.Random, seen: _Seen) -> None:
    game = await browser.post("/api/games", {"black": "human", "white": "random", "seed": rng.getrandbits(30)})
    async with browser.news(f"game:{game['id']}") as news:
        while not game["outcome"]:
            began = time.perf_counter()
            move = rng.choice(game["legal"][:-1] or game["legal"])
            path = f"/api/games/{game['id']}/moves"
            game = await browser.post(path, {"move": move, "at": len(game["moves"])})
            seen.moves.append(time.perf_counter() - began)
            if not game["outcome"]:
                game = await asyncio.wait_for(_answer(news, len(game["moves"])), _PATIENCE)
                seen.answers.append(time.perf_counter() - began)
    seen.both = len(game["moves"])


async def _answer(news: AsyncIterator[Any], known: int) -> Answer:
    """The game once the opponent has moved."""
    async for message in news:
        game: Answer = message["game"]
        if game["trouble"]:
            raise ValueError(game["trouble"])
        if len(game["moves"]) > known or game["outcome"]:
            return game
    raise EOFError
