"""The oracle: who wins a position with best play, by how much, and what each move is worth."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from littlego.core.board import BLACK, Colour
from littlego.core.errors import UsageError
from littlego.core.points import PASS, Move
from littlego.core.position import Position
from littlego.core.rules import Ko, Rules
from littlego.kernel.words import MARGIN, MOST_LEFT, NO_MOVE, SIDE, spot_of, unframed_point
from littlego.kernel.words import PASS as PASS_MOVE
from littlego.solve import atlas
from littlego.solve.store import BoundStore, Proven
from littlego.storage.files import Closing

if TYPE_CHECKING:  # what the atlas answers needs no search
    from littlego.solve.engine import Engine, Watcher

MEMORY: Final = 1 << 28
"""Bytes of the table by default: what a notebook can spare."""


@dataclass(frozen=True, slots=True)
class MoveValue:
    """A legal move, who wins after it (None: a tie), and the final margin if it was asked for."""

    move: Move
    winner: Colour | None
    margin: int | None = None
    """Black's stones minus White's at the end, without komi."""


def why_unsolvable(position: Position) -> str | None:
    """Why the oracle cannot answer for a position, or None if it can."""
    rules = position.rules
    if rules.size > SIDE:
        return f"a {rules.size}x{rules.size} board is too large to solve: boards up to {SIDE}x{SIDE} can be"
    if rules.ko is not Ko.SIMPLE:
        return (
            f"the rules of {rules.edition} forbid every earlier board of the game, so the value depends on the whole "
            "history and not on the position; the editions with the simple ko can be solved"
        )
    if not rules.passing:
        return "games without passing are not solved: the search reasons about passes"
    if position.plies_left > MOST_LEFT:
        return f"{position.plies_left} moves left: at most {MOST_LEFT} can be solved"
    return None


class Oracle(Closing):
    """Exact answers for boards up to 5x5 under the simple ko. May be shared between threads."""

    def __init__(
        self,
        *,
        memory: int = MEMORY,
        threads: int = 1,
        store: Path | str | None = None,
        watch: Watcher | None = None,
        use_atlas: bool = True,
        expensive: int | None = None,
    ) -> None:
        """`memory` in bytes bounds the table, which grows as needed. More makes early positions of 5x5 quicker.

        Answers to questions, and those that took at least `expensive` nodes, go to `store` and are never
        worked out again. `watch` is called with the progress of long searches, about twice a second.
        """
        if memory < 1:
            raise UsageError(f"memory {memory}: expected a number of bytes")
        self.memory = memory
        self.threads = threads
        self.use_atlas = use_atlas
        self.expensive = expensive
        self.watch = watch
        self._store = BoundStore(store) if store is not None else None
        self._engine: Engine | None = None
        self._lock = threading.RLock()
        self._nodes = 0
        self._asking = 0
        self._asking_lock = threading.Lock()
        self._stop_requested = threading.Event()

    def __repr__(self) -> str:
        return f"<Oracle, {self.nodes} nodes searched, at most {self.memory >> 20} MiB>"

    @property
    def kept_in(self) -> Path | str | None:
        """The file of the store, if there is one."""
        return None if self._store is None else self._store.path

    @property
    def store_trouble(self) -> str:
        """Why nothing more is stored, such as a full disk; empty if all is well."""
        return "" if self._store is None else self._store.trouble

    @property
    def nodes(self) -> int:
        return self._nodes + (self._engine.nodes if self._engine else 0)

    def stop(self) -> None:
        """Make running questions raise Stopped when they have to search; may be called from another thread.

        >>> lg.Oracle().stop()  # nothing runs: nothing happens
        """
        self._stop_requested.set()
        if engine := self._engine:
            engine.stop()

    @contextmanager
    def question(self) -> Iterator[None]:
        """Treat all questions inside as one: a `stop` holds until its end, even between two searches.

        >>> oracle = lg.Oracle()
        >>> with oracle.question():
        ...     print(oracle.value(lg.Position.initial()))
        Black
        """
        with self._asking_lock:
            if not self._asking:
                self._stop_requested.clear()
            self._asking += 1
        try:
            yield
        finally:
            with self._asking_lock:
                self._asking -= 1

    def close(self) -> None:
        """Free the table, and close the store if there is one.

        >>> lg.Oracle().close()  # or: with lg.Oracle() as oracle
        """
        self._engine = None
        if self._store is not None:
            self._store.close()

    def value(self, position: Position) -> Colour | None:
        """The side that wins with best play; None for a tie. Raises UsageError if it cannot be solved.

        >>> oracle = lg.Oracle()
        >>> print(oracle.value(lg.Position.initial().play("2,2")))
        Black
        >>> print(oracle.value(lg.Position.initial().play("0,0")))
        White
        """
        komi = komi_for(position.rules, position.to_move)
        with self.question():
            if self.reaches(position, math.floor(komi) + 1):
                return position.to_move
            if komi == math.floor(komi) and self.reaches(position, math.floor(komi)):
                return None
            return position.to_move.opponent

    def margin(self, position: Position) -> int:
        """Black's stones minus White's at the end if both play for the margin; komi is not counted.

        >>> lg.Oracle().margin(lg.Position.initial(lg.edition_rules(size=3)))
        1
        """
        least, greatest = -MARGIN, MARGIN
        target = least_win(position.rules, position.to_move)
        step = 1
        with self.question():
            while least < greatest:
                target = min(max(target, least + 1), greatest)
                if self.reaches(position, target):
                    least = target
                else:
                    greatest = target - 1
                if least > -MARGIN and greatest < MARGIN:
                    target = (least + greatest + 1) // 2
                else:
                    target += step if least > -MARGIN else -step
                    step *= 2
        return least if position.to_move is BLACK else -least

    def best_moves(self, position: Position, *, margins: bool = False) -> tuple[MoveValue, ...]:
        """Every legal move with its value, the best for the side to move first.

        >>> start = lg.Position.initial(lg.edition_rules(size=3))
        >>> best = lg.Oracle().best_moves(start, margins=True)[0]
        >>> start.move_name(best.move), str(best.winner), best.margin
        ('0,1', 'White', 1)
        """
        self._check(position)
        found = []
        with self.question():
            for move in position.legal_moves():
                after = position.play_legal(move)
                found.append(MoveValue(move, self.value(after), self.margin(after) if margins else None))
        mover = position.to_move
        sign = 1 if mover is BLACK else -1

        def worth(item: MoveValue) -> tuple[int, int]:
            rank = 2 if item.winner is mover else 1 if item.winner is None else 0
            return -rank, -sign * (item.margin or 0)

        return tuple(sorted(found, key=worth))

    def winning_moves(self, position: Position) -> tuple[Move, ...]:
        """The moves after which the side to move still wins.

        >>> lg.Oracle().winning_moves(lg.Position.initial())  # the centre alone
        (12,)
        """
        return tuple(item.move for item in self.best_moves(position) if item.winner is position.to_move)

    def known_reaches(self, position: Position, target: int) -> bool | None:
        """The answer of `reaches` if it is known without searching; else None.

        >>> lg.Oracle().known_reaches(lg.Position.initial(), 3)  # the atlas knows it
        True
        """
        for low, high in self._known_bounds(position):
            if low >= target:
                return True
            if high < target:
                return False
        return None

    def is_known_won(self, position: Position) -> bool | None:
        """Whether the side to move wins; None if that is not known without searching, or for a tie.

        >>> lg.Oracle().is_known_won(lg.Position.initial())
        True
        """
        komi = komi_for(position.rules, position.to_move)
        for low, high in self._known_bounds(position):
            if low > komi:
                return True
            if high < komi:
                return False
        return None

    def _known_bounds(self, position: Position) -> Iterator[tuple[int, int]]:
        """The least and greatest margin of the side to move: first by the atlas alone, then by all that is known."""
        self._check(position)
        difference = _difference(position)
        if position.outcome() is not None:
            yield difference, difference
            return
        # After a pass the side to move may end the game as it stands, or play on as if nobody had passed.
        least = difference if position.passes else -MARGIN
        shipped = self._shipped(position)
        yield max(shipped.low, least), max(shipped.high, least)
        with self._lock:
            low, high = self.engine_for(position.size).bounds(spot_of(position))
        yield max(low, least), max(high, least)

    def _shipped(self, position: Position) -> atlas.Shipped:
        """What the atlas says, if no engine has learned it yet: an engine takes a while to make, or to compile."""
        if self._engine is None and self.use_atlas and position.size == atlas.SIZE:
            return atlas.look_up(position)
        return atlas.Shipped()

    def winning_move(self, position: Position) -> Move | None:
        """A winning move, or None if the position is not won; if it is known, the move that the proof was found with.

        A player that always plays it stays among the positions that the atlas, the store and the table know.

        >>> lg.Oracle().winning_move(lg.Position.initial())
        12
        """
        mover = position.to_move
        with self.question():
            if position.outcome() is not None or self.value(position) is not mover:
                return None
            moves = list(position.legal_moves())
            if (likely := self._kept_move(position)) is None:
                likely = self._found_move(position)
            moves.sort(key=lambda move: move != likely)
            for move in moves:
                if self.value(position.play_legal(move)) is mover:
                    return move
        raise AssertionError(f"won, and no move wins: {position!r}")

    def _kept_move(self, position: Position) -> Move | None:
        """The move that reached the least margin that is known of a position, if any."""
        if self._engine is None:  # the atlas has settled it, or there would be one
            return self._shipped(position).move
        with self._lock:
            kept = self.engine_for(position.size).kept_move(spot_of(position))
        if kept is None:
            return None
        return PASS if kept == PASS_MOVE else unframed_point(kept, position.size)

    def _found_move(self, position: Position) -> Move | None:
        """A winning move of a won position: one whose result is known, else the one that a search finds first.

        The search asks for the moves in a good order; asked one by one, those that lose would be expensive.
        """
        for move in position.legal_moves():
            if self.is_known_won(position.play_legal(move)) is False:
                return move
        enough = least_win(position.rules, position.to_move)
        with self._lock:
            engine, spot = self.engine_for(position.size), spot_of(position)
            engine.reaches(spot, max(enough, engine.bounds(spot)[0]), seek=True)
        return self._kept_move(position)

    def reaches(self, position: Position, target: int, *, most_nodes: int | None = None) -> bool:
        """Whether the side to move can end with at least `target` stones more than the opponent.

        Raises OutOfNodes if `most_nodes` do not settle it.

        >>> lg.Oracle().reaches(lg.Position.initial(), 3)  # three stones more, with 2.5 komi a win
        True
        """
        self._check(position)
        difference = _difference(position)
        if position.outcome() is not None:
            return difference >= target
        # After a pass the side that is ahead ends the game; for one that is behind the pass changes nothing.
        if position.passes and difference >= target:
            return True
        shipped = self._shipped(position)
        if not shipped.low < target <= shipped.high:
            return shipped.low >= target
        from littlego.solve.engine import NO_LIMIT
        from littlego.solve.search import TABLE_LEFT

        with self.question(), self._lock:
            spot = spot_of(position)
            engine = self.engine_for(position.size)
            before = engine.nodes
            answer = engine.reaches(spot, target, most_nodes=NO_LIMIT if most_nodes is None else most_nodes)
            if self._store is not None and spot.left >= TABLE_LEFT:
                low, high = (target, MARGIN) if answer else (-MARGIN, target - 1)
                self._store.keep(position.size, [Proven(engine.key(spot), low, high, NO_MOVE, engine.nodes - before)])
            return answer

    def _check(self, position: Position) -> None:
        if why := why_unsolvable(position):
            raise UsageError(f"cannot solve this position: {why}")

    def engine_for(self, size: int) -> Engine:
        """The engine of a size; a new one starts with what the store and the atlas know.

        >>> lg.Oracle().engine_for(3).nodes
        0
        """
        from littlego.solve.engine import EXPENSIVE, Engine

        engine = self._engine
        if engine and engine.size == size:
            return engine
        self._nodes = self.nodes
        self._engine = None
        engine = Engine(
            size,
            memory=self.memory,
            threads=self.threads,
            expensive=EXPENSIVE if self.expensive is None else self.expensive,
            keep=None if self._store is None else partial(self._store.keep, size),
            watch=self.watch,
            stop_requested=self._stop_requested,
        )
        if self._store is not None:
            engine.teach(*self._store.known(size))
        if self.use_atlas and size == atlas.SIZE:
            engine.teach(*atlas.load())
        self._engine = engine
        return engine


@cache
def warm_up() -> None:
    """Load the kernel, once in a process: a clock that starts afterwards measures searching alone."""
    from littlego.solve.layout import new_memory

    new_memory()


def komi_for(rules: Rules, side: Colour) -> float:
    """What a side's stones minus the opponent's must exceed."""
    return rules.komi if side is BLACK else -rules.komi


def least_win(rules: Rules, side: Colour) -> int:
    """The fewest stones more than the opponent's with which a side wins."""
    return math.floor(komi_for(rules, side)) + 1


def _difference(position: Position) -> int:
    """The stones of the side to move minus the opponent's."""
    board, mover = position.board, position.to_move
    return board.stones(mover).bit_count() - board.stones(mover.opponent).bit_count()
