"""Threads, memory and time around the compiled search: one question in, won or lost out."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from littlego.core.errors import LittleGoError
from littlego.kernel.words import (
    MARGIN,
    NO_MOVE,
    VALUE_BITS,
    Spot,
    Words,
    best_move,
    board_mask,
    greatest,
    image,
    inverse,
    least,
)
from littlego.solve import guess, search
from littlego.solve.layout import new_memory
from littlego.solve.proof import strategy
from littlego.solve.store import Proven
from littlego.solve.table import Table

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


class _Worker(threading.Thread):
    """One thread's line of search."""

    def __init__(
        self, engine: Engine, number: int, spot: Spot, target: int, *, prune: bool, seek: bool, most_nodes: int
    ) -> None:
        super().__init__(daemon=True)
        self.engine = engine
        self.number = number
        self.most_nodes = most_nodes
        self.line = line = engine.lines[number]
        line.frames.fill(0)
        line.frames[:4] = (spot.mine, spot.theirs, spot.ko, target)
        for place in (search.PLY, search.NODES, search.LOGGED):
            line.state[place] = 0
        line.state[[search.LEFT, search.SEEK, search.PRUNE]] = (spot.left, seek, prune)
        line.state[search.GUESS_LEFT] = guess.first_left(spot.mine, spot.theirs, spot.left, engine.board)
        self.failure: BaseException | None = None

    @property
    def nodes(self) -> int:
        return int(self.line.state[search.NODES])

    def run(self) -> None:
        """Search until there is an answer, from this thread or another, or a stop."""
        engine = self.engine
        try:
            while engine.goes_on and self.nodes < self.most_nodes:
                result = engine.search_slice(self.number, min(NODES_A_SLICE, self.most_nodes - self.nodes))
                engine.collect(self)
                if result != search.STOPPED:
                    engine.conclude(result == search.WON)
        except BaseException as failure:  # reported by the thread that waits
            self.failure = failure
        finally:
            engine.finished.set()

    def share_done(self) -> float:
        """The share of the first plies' moves that have been tried; read while they change."""
        share, weight = 0.0, 1.0
        for ply in range(4):
            frame = self.line.frames[ply * search.FRAME_WORDS :]
            count, following = int(frame[search.COUNT]), int(frame[search.NEXT])
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
        """`memory` bounds the table, in bytes; `keep` receives expensive proofs. Raises KernelError."""
        self.size = size
        self.board = board_mask(size)
        self.threads = max(1, threads)
        self.expensive = expensive
        self.keep = keep
        self.watch = watch
        self.stop_requested = stop_requested or threading.Event()
        """While this is set, nothing is searched: only the table answers."""
        self.nodes = 0
        """Nodes of all searches so far."""
        self._memory = new_memory()
        self._control = self._memory.words(8)
        self._busy = self._memory.words(1 << search.BUSY_BITS)
        self._weights = self._memory.array(guess.load())
        self.lines = [
            search.new_line(self.board, threads=self.threads, log_effort=expensive, zeros=self._memory.words)
            for _ in range(self.threads)
        ]
        self._responses, self._responses_address = self._memory.put(strategy.new_responses(self.MOST_RESPONSES))
        self._kernels = [self._memory.instance() for _ in range(self.threads)]
        self.table = Table(memory, self._memory)
        self.result: bool | None = None
        self.finished = threading.Event()
        self._lock = threading.Condition()
        """Guards all below, the table's size and the control word."""
        self._stopped = False
        self._growing = False
        self._searching = 0
        """Threads that are searching a slice: while there are any, the table may not grow."""
        self._collected: list[Proven] = []

    def stop(self) -> None:
        """Make the running search raise Stopped soon; may be called from another thread."""
        with self._lock:
            self._stopped = True
            self._control[0] = 1

    @property
    def goes_on(self) -> bool:
        return self.result is None and not self._stopped

    def conclude(self, won: bool) -> None:
        """Note the answer, and let the other threads stop."""
        with self._lock:
            self.result = won
            self._control[0] = 1

    @property
    def shared(self) -> search.Shared:
        """What the threads of a search share, as arrays: until the table grows."""
        return search.Shared(self.table.words, self.table.bits, self._busy, self._control, self._weights)

    def _arguments(self, number: int) -> tuple[int, ...]:
        """What the exports that search take first: a line, and what the lines share."""
        line, at = self.lines[number], self._memory.address_of
        arrays = (line.frames, line.state, line.work, line.log)
        shared = (self.table.address, self.table.bits, at(self._busy), at(self._control), at(self._weights))
        return *map(at, arrays), line.log.size, *shared

    def search_slice(self, number: int, budget: int) -> int:
        """Continue the search of line `number`; WON, LOST or STOPPED. Raises KernelError."""
        self.make_room(searching=1)
        try:
            return self._kernels[number].call("search_slice", *self._arguments(number), budget)
        finally:
            with self._lock:
                self._searching -= 1
                self._lock.notify_all()

    def reaches(
        self, spot: Spot, target: int, *, prune: bool = True, seek: bool = False, most_nodes: int = NO_LIMIT
    ) -> bool:
        """Whether the side to move can end with at least `target` stones more than the opponent.

        Raises Stopped after `stop`, and OutOfNodes if each thread has searched `most_nodes` without an answer;
        the table keeps what they found. `prune=False` searches without the bounds, for comparison. `seek` searches
        even if the table knows that the answer is yes: for a move that reaches it.
        """
        with self._lock:
            self._stopped, self.result = False, None
            self._control[0] = 0
        if self.stop_requested.is_set():  # checked after clearing the control, so that no stop is lost
            low, high = self.bounds(spot)
            if low < target <= high:
                raise Stopped("the search was stopped before it had an answer")
            return low >= target
        self._busy.fill(0)
        self.finished.clear()
        began = time.perf_counter()
        workers = [
            _Worker(self, number, spot, target, prune=prune, seek=seek, most_nodes=most_nodes)
            for number in range(self.threads)
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
            raise
        finally:
            self.nodes += sum(worker.nodes for worker in workers)
            self._flush()
        for worker in workers:
            if worker.failure is not None:
                raise worker.failure
        if self.result is None:
            if not self._stopped:
                raise OutOfNodes(f"no answer within {most_nodes:,} nodes")
            raise Stopped("the search was stopped before it had an answer")
        return self.result

    MOST_RESPONSES: Final = 1 << 9
    """Keys for `respond`."""

    def respond(self, keys: Words, target: int, until: int) -> tuple[Words, Words]:
        """The winner's moves, or LEFT_OUT, and the keys that can follow: see `proof.strategy.respond`.

        Raises Stopped and KernelError.
        """
        with self._lock:
            self._stopped, self.result = False, None
            self._control[0] = 0
        self._busy.fill(0)
        line, count = self.lines[0], len(keys)
        line.state[[search.SEEK, search.PRUNE, search.GUESS_LEFT]] = (0, 1, search.MOST_PLIES)
        self._responses.keys[:count] = keys
        self.make_room()
        asked = (target, until, count, self._responses_address)
        found = self._kernels[0].call("strategy_respond", *self._arguments(0), *asked)
        if found == strategy.WRONG:
            raise AssertionError("a position of the winner's is lost")
        if found < 0:
            raise Stopped("the search was stopped before it had an answer")
        return self._responses.moves[:count].copy(), np.unique(self._responses.after[:found])

    def teach(self, keys: Words, values: Words) -> None:
        """Put proven keys and values, in the layout of `kernel.words`, into the table."""
        self.make_room(len(keys))
        self.table.store_all(keys, values)

    def make_room(self, entries: int = 0, *, searching: int = 0) -> None:
        """Let the table grow if necessary, when every thread has paused; then count `searching` threads as searching.

        Raises KernelError.
        """
        with self._lock:
            self._lock.wait_for(lambda: not self._growing)
            if self.table.bits_for(entries) > self.table.bits:
                self._growing = True
                self._control[0] = 1
                try:
                    self._lock.wait_for(lambda: self._searching == 0)
                    self.table.make_room(entries)
                finally:
                    self._growing = False
                    self._control[0] = not self.goes_on
                    self._lock.notify_all()
            self._searching += searching

    def key(self, spot: Spot) -> int:
        key, _ = search.key_of(spot.mine, spot.theirs, spot.ko, spot.left, self.board)
        return int(key)

    def bounds(self, spot: Spot) -> tuple[int, int]:
        """The least and greatest margin by the table alone, without searching."""
        info = self.table.probe(self.key(spot))
        return (least(info), greatest(info)) if info else (-MARGIN, MARGIN)

    def kept_move(self, spot: Spot) -> int | None:
        """The move in the table that reaches the least margin of a position: a point or PASS; None if unknown."""
        key, symmetry = search.key_of(spot.mine, spot.theirs, spot.ko, spot.left, self.board)
        move = int(image(best_move(self.table.probe(int(key))), inverse(symmetry)))
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
