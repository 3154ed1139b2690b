"""Threads, memory and time around the compiled search: one question in, won or lost out."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from littlego.core.errors import LittleGoError
from littlego.kernel.bits import Words, image, inverse
from littlego.kernel.compiling import is_cached
from littlego.kernel.frame import Spot, board_mask
from littlego.kernel.packing import MARGIN, NO_MOVE, VALUE_BITS, best_move, greatest, least
from littlego.solve import guess, order, search
from littlego.solve.table import Table, probe, store_all

NODES_A_SLICE: Final = 1 << 18
"""A thread pauses its search after this many nodes, to report, to check for a stop and to make room."""
EXPENSIVE: Final = 1 << 17
"""Positions worth caching: those that cost at least this many nodes."""
SECONDS_BETWEEN_REPORTS: Final = 0.5
NO_LIMIT: Final = 1 << 62


class Stopped(LittleGoError):
    """A search that stopped before it had an answer. What it proved so far is kept."""


class OutOfNodes(Stopped):
    """A search that found no answer within the nodes it was allowed."""


@dataclass(frozen=True, slots=True)
class Proven:
    """What is proven about a key: the margin is between `low` and `high`; `nodes` is what the proof took."""

    key: int
    low: int
    high: int
    move: int
    nodes: int


@dataclass(frozen=True, slots=True)
class SearchProgress:
    """How far a search has come."""

    nodes: int
    seconds: float
    share_done: float
    """A guess: the share of the first plies' moves that have been tried."""
    table_used: float

    @property
    def rate(self) -> float:
        """Nodes a second."""
        return self.nodes / self.seconds if self.seconds else 0.0

    @property
    def seconds_left(self) -> float | None:
        """A guess, or None while there is nothing to base it on."""
        return self.seconds * (1 / self.share_done - 1) if self.share_done > 0.01 else None


Watcher = Callable[[SearchProgress], None]
Keeper = Callable[[Iterable[Proven]], None]


def is_compiled() -> bool:
    """Whether the kernel's machine code is on disk from an earlier run."""
    return is_cached(search.search)


class _Worker(threading.Thread):
    """One thread's line of search."""

    def __init__(self, engine: Engine, spot: Spot, target: int, *, prune: bool, seek: bool, most_nodes: int) -> None:
        super().__init__(daemon=True)
        self.engine = engine
        self.most_nodes = most_nodes
        self.line = search.new_line(engine.board, threads=engine.threads, log_effort=engine.expensive, prune=prune)
        self.line.frames[:4] = (spot.mine, spot.theirs, spot.ko, target)
        self.line.state[[search.LEFT, search.SEEK]] = (spot.left, seek)
        self.line.state[search.GUESS_LEFT] = guess.first_left(spot.mine, spot.theirs, spot.left, engine.board)
        self.failure: BaseException | None = None

    @property
    def nodes(self) -> int:
        return int(self.line.state[search.NODES])

    def run(self) -> None:
        """Search until there is an answer, from this thread or another, or a stop."""
        engine = self.engine
        try:
            while engine.result is None and not engine.control[0] and self.nodes < self.most_nodes:
                engine.make_room()
                budget = min(NODES_A_SLICE, self.most_nodes - self.nodes)
                result = search.search(self.line, engine.shared, budget)
                engine.collect(self)
                if result != order.STOPPED:
                    engine.result = result == order.WON
                    engine.control[0] = 1
        except BaseException as failure:  # reported by the thread that waits
            self.failure = failure
        finally:
            engine.finished.set()

    def share_done(self) -> float:
        """The share of the first plies' moves that have been tried; read while they change."""
        share, weight = 0.0, 1.0
        for ply in range(4):
            frame = self.line.frames[ply * order.FRAME_WORDS :]
            count, following = int(frame[order.COUNT]), int(frame[order.NEXT])
            if count < 2 or not 0 < following <= count:
                continue
            share += weight * (following - 1) / count
            weight /= count
        return share


class Engine:
    """Answers for one board size, with one table. Not to be used by two threads at once."""

    def __init__(
        self,
        size: int,
        *,
        memory: int,
        threads: int = 1,
        expensive: int = EXPENSIVE,
        keep: Keeper | None = None,
        watch: Watcher | None = None,
        stop_requested: threading.Event | None = None,
    ) -> None:
        """`memory` bounds the table, in bytes; `keep` receives expensive proofs."""
        self.size = size
        self.board = board_mask(size)
        self.threads = max(1, threads)
        self.expensive = expensive
        self.table = Table(memory)
        self.keep = keep
        self.watch = watch
        self.stop_requested = stop_requested or threading.Event()
        """While this is set, nothing is searched: only the table answers."""
        self.nodes = 0
        """Nodes of all searches so far."""
        self.control: Words = np.zeros(8, dtype=np.int64)
        busy: Words = np.zeros(1 << search.BUSY_BITS, dtype=np.int64)
        self.shared = search.Shared(self.table.words, self.table.bits, busy, self.control, guess.load())
        self.result: bool | None = None
        self.finished = threading.Event()
        self._lock = threading.Lock()
        self._collected: list[Proven] = []

    def stop(self) -> None:
        """Make the running search raise Stopped soon; may be called from another thread."""
        self.control[0] = 2

    def reaches(
        self, spot: Spot, target: int, *, prune: bool = True, seek: bool = False, most_nodes: int = NO_LIMIT
    ) -> bool:
        """Whether the side to move can end with at least `target` stones more than the opponent.

        Raises Stopped after `stop`, and OutOfNodes if each thread has searched `most_nodes` without an answer;
        the table keeps what they found. `prune=False` searches without the bounds, for comparison. `seek` searches
        even if the table knows that the answer is yes: for a move that reaches it.
        """
        self.control[0] = 0
        if self.stop_requested.is_set():  # checked after clearing the control, so that no stop is lost
            low, high = self.bounds(spot)
            if low < target <= high:
                raise Stopped("the search was stopped before it had an answer")
            return low >= target
        self.result = None
        self.shared.busy.fill(0)
        self.finished.clear()
        began = time.perf_counter()
        workers = [
            _Worker(self, spot, target, prune=prune, seek=seek, most_nodes=most_nodes) for _ in range(self.threads)
        ]
        try:
            if self.threads == 1 and self.watch is None and self.keep is None:
                workers[0].run()
            else:
                for worker in workers:
                    worker.start()
                while any(worker.is_alive() for worker in workers):
                    if self.finished.wait(SECONDS_BETWEEN_REPORTS):
                        for worker in workers:
                            worker.join()
                    self._report(workers, began)
        except BaseException:
            self.stop()
            for worker in workers:
                if worker.is_alive():
                    worker.join()
            self._flush()
            raise
        self.nodes += sum(worker.nodes for worker in workers)
        self._flush()
        for worker in workers:
            if worker.failure is not None:
                raise worker.failure
        if self.result is None:
            if not self.control[0]:
                raise OutOfNodes(f"no answer within {most_nodes:,} nodes")
            raise Stopped("the search was stopped before it had an answer")
        return self.result

    def teach(self, keys: Words, values: Words) -> None:
        """Put proven keys and values, in the layout of `kernel.packing`, into the table."""
        self.make_room(len(keys))
        store_all(self.table.words, self.table.bits, keys, values)

    def make_room(self, entries: int = 0) -> None:
        """Let the table grow if necessary; searching threads use the larger one from their next slice on."""
        with self._lock:
            self.table.make_room(entries)
            self.shared = self.shared._replace(words=self.table.words, bits=self.table.bits)

    def key(self, spot: Spot) -> int:
        key, _ = search.key_of(spot.mine, spot.theirs, spot.ko, spot.left, self.board)
        return int(key)

    def bounds(self, spot: Spot) -> tuple[int, int]:
        """The least and greatest margin by the table alone, without searching."""
        info = probe(self.table.words, self.table.bits, self.key(spot))
        return (least(info), greatest(info)) if info else (-MARGIN, MARGIN)

    def kept_move(self, spot: Spot) -> int | None:
        """The move in the table that reaches the least margin of a position: a point or PASS; None if unknown."""
        key, symmetry = search.key_of(spot.mine, spot.theirs, spot.ko, spot.left, self.board)
        move = int(image(best_move(probe(self.table.words, self.table.bits, key)), inverse(symmetry)))
        return None if move == NO_MOVE else move

    def collect(self, worker: _Worker) -> None:
        line = worker.line
        logged = int(line.state[search.LOGGED])
        line.state[search.LOGGED] = 0
        if self.keep is None or not logged:
            return
        with self._lock:
            for key, word in line.log[:logged].reshape(-1, 2).tolist():
                proven = Proven(key, least(word), greatest(word), best_move(word), word >> VALUE_BITS)
                self._collected.append(proven)

    def _report(self, workers: list[_Worker], began: float) -> None:
        self._flush()
        if self.watch:
            nodes = sum(worker.nodes for worker in workers)
            share_done = max(worker.share_done() for worker in workers)
            self.watch(SearchProgress(nodes, time.perf_counter() - began, share_done, self.table.share_used))

    def _flush(self) -> None:
        with self._lock:
            items, self._collected = self._collected, []
        if items and self.keep:
            self.keep(items)
