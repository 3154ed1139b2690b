"""Building the book level by level, in several processes, saved along the way so that it can be resumed."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from littlego.agent import my_player3 as agent
from littlego.arena.pool import LocalPool
from own_agent.book import (
    LEAST_LEFT,
    AgentSpot,
    BookLevel,
    Decision,
    StageWatch,
    canonical_point,
    first_level,
    move_of_point,
    next_level,
)
from own_agent.static_function import write_book

_CHUNK: Final = 20
"""Positions per task."""


@dataclass(frozen=True, slots=True)
class BuildJob:
    """Decides the positions of one level, in chunks."""

    chunks: list[list[AgentSpot]]
    left: int
    target: int
    work: Path
    memory: int

    @contextlib.contextmanager
    def open(self) -> Iterator[Callable[[int], list[Decision]]]:
        """The value decides the positions of a chunk."""
        from own_agent.decide import Decider

        decider = Decider(self.work, memory=self.memory)
        yield lambda chunk: [decider.decide(spot, self.left, self.target) for spot in self.chunks[chunk]]


@dataclass(frozen=True, slots=True)
class Built:
    """A book and the statistics of its walk."""

    text: str
    entries: dict[str, int]
    """Positions in the book, by colour."""
    positions: dict[str, dict[int, int]]
    """Positions of the walk, by colour and plies left."""
    lost: dict[str, dict[int, int]]
    """Those lost with best play."""


def build_book(
    work: Path, *, jobs: int, memory: int, least: int = LEAST_LEFT, watch: StageWatch = lambda *_: None
) -> Built:
    """Decide every position of both colours' walks. Decisions are saved in `work` and reused by the next call."""
    from own_agent.decide import write_strategy

    work.mkdir(parents=True, exist_ok=True)
    watch("the winner's strategy", 0, 1)
    write_strategy(work, least=least, memory=memory, threads=jobs)
    watch("the winner's strategy", 1, 1)
    moves: dict[int, int] = {}
    entries: dict[str, int] = {}
    positions: dict[str, dict[int, int]] = {}
    lost: dict[str, dict[int, int]] = {}
    for colour, name in ((1, "black"), (2, "white")):
        target = agent.TARGETS[colour]
        positions[name], lost[name] = {}, {}
        left, level = first_level(colour)
        before = len(moves)
        while left >= least:
            decisions = decide_level(level, left, target, work, jobs=jobs, memory=memory, watch=watch)
            positions[name][left] = len(level)
            lost[name][left] = sum(not decision.won for decision in decisions.values())
            for key, decision in decisions.items():
                moves[key] = canonical_point(level[key], left, decision.move)
            if left - 2 >= least:
                level = next_level(level, decisions, left, target)
            left -= 2
        entries[name] = len(moves) - before
    return Built(write_book(moves, least=least), entries, positions, lost)


def decide_level(
    level: BookLevel, left: int, target: int, work: Path, *, jobs: int, memory: int, watch: StageWatch
) -> dict[int, Decision]:
    """The decisions for a level, from `work` or made now."""
    path = work / f"level-{left}.jsonl"
    known = _read(path, level, left)
    missing = [key for key in level if key not in known]
    what = f"{'Black' if target > 0 else 'White'}, {left} plies left"
    watch(what, len(known), len(level))
    if missing:
        groups = [missing[at : at + _CHUNK] for at in range(0, len(missing), _CHUNK)]
        job = BuildJob([[level[key] for key in group] for group in groups], left, target, work, memory // jobs)
        with path.open("a") as file, LocalPool(jobs) as pool:
            for chunk, decisions in pool.run(job, range(len(groups))):
                for key, decision in zip(groups[chunk], decisions, strict=True):
                    known[key] = decision
                    _write(file, key, level[key], left, decision)
                file.flush()
                watch(what, len(known), len(level))
    return known


def _write(file: IO[str], key: int, spot: AgentSpot, left: int, decision: Decision) -> None:
    point = canonical_point(spot, left, decision.move)
    file.write(json.dumps([key, point, int(decision.won)]) + "\n")


def _read(path: Path, level: BookLevel, left: int) -> dict[int, Decision]:
    """Earlier decisions, without a last line that a kill cut short."""
    known: dict[int, Decision] = {}
    if not path.exists():
        return known
    for line in path.read_text(encoding="utf-8").splitlines():
        with contextlib.suppress(ValueError):
            key, point, won = json.loads(line)
            if key in level:
                known[key] = Decision(move_of_point(level[key], left, point), bool(won))
    return known
