"""Exact values of positions, each worked out once for a whole game, and the verdicts on a move."""

from __future__ import annotations

import enum
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise

from littlego.core.board import BLACK, WHITE, Colour
from littlego.core.errors import UsageError
from littlego.core.position import Position
from littlego.solve.engine import Stopped
from littlego.solve.oracle import Oracle, warm_up, why_unsolvable


class Judgement(enum.Enum):
    """What a move did for the side that made it. The values are the words of the JSON."""

    KEPT = "kept_the_win"
    ONLY_MOVE = "the_only_move"
    LOSING_MOVE = "the_losing_move"
    """The last move of the game that gave a better result away."""
    THREW_AWAY = "threw_the_win_away"
    """Gave a better result away, but the opponent gave it back later, or may have."""
    KEPT_TIE = "kept_the_tie"
    LOST_ANYWAY = "was_lost_anyway"
    FORCED = "had_no_choice"
    UNKNOWN = "not_known_yet"
    AFTER_THE_END = "after_the_end"

    @property
    def is_mistake(self) -> bool:
        return self in (Judgement.LOSING_MOVE, Judgement.THREW_AWAY)


Watch = Callable[[int, int], None]
"""Called after every step with the number of steps done and the number of all steps."""


class Value(enum.Enum):
    """Who wins with best play. An unknown value is None instead."""

    BLACK = "black"
    WHITE = "white"
    TIE = "tie"

    @classmethod
    def of(cls, winner: Colour | None) -> Value:
        """The value of a winner; None is a tie."""
        return cls.TIE if winner is None else cls.BLACK if winner is BLACK else cls.WHITE

    @property
    def winner(self) -> Colour | None:
        """The side that wins; None for a tie."""
        return None if self is Value.TIE else BLACK if self is Value.BLACK else WHITE

    def rank(self, side: Colour) -> int:
        """What it is worth to a side: 2 won, 1 a tie, 0 lost."""
        return 1 if self is Value.TIE else 2 if self.winner is side else 0

    def __str__(self) -> str:
        return "a tie" if self is Value.TIE else f"{self.winner} wins"


def check_solvable(position: Position) -> None:
    """Raises UsageError, with the reason, if the values of a game cannot be found."""
    if why := why_unsolvable(position):
        raise UsageError(f"this game cannot be reviewed: {why}")


class Values:
    """Values and margins of positions, remembered. May be shared between reviews of one thread."""

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = oracle
        self._values: dict[Position, Value] = {}
        self._margins: dict[Position, int] = {}

    def value(self, position: Position) -> Value:
        """Who wins; searches if necessary. Raises UsageError if it cannot be solved, Stopped after a stop."""
        if (found := self._values.get(position)) is None:
            found = self._values[position] = Value.of(self.oracle.value(position))
        return found

    def known(self, position: Position, *, plies: int = 2) -> Value | None:
        """The value if it follows, within `plies` moves, from the atlas, the store or earlier answers; else None.

        Searches nothing, so it takes milliseconds even in the opening.
        """
        if (value := self._values.get(position)) is not None:
            return value
        if position.outcome() is not None:
            return self.value(position)
        mover = position.to_move
        won = self.oracle.is_known_won(position)
        found = None if won is None else Value.of(mover if won else mover.opponent)
        if found is None and plies:
            replies = [self.known(position.play_legal(move), plies=plies - 1) for move in position.legal_moves()]
            best = max((reply for reply in replies if reply), key=lambda reply: reply.rank(mover), default=None)
            if best is not None and (best.winner is mover or None not in replies):
                found = best
        if found is not None:
            self._values[position] = found
        return found

    def remember_known(self, positions: Sequence[Position], *, down_to: int) -> None:
        """Remember what is known of a game's positions with more than `down_to` plies left, from the first on.

        This adds knowledge: any move in a lost position leads to one that the opponent wins.
        """
        for position, after in pairwise(positions):
            if position.plies_left <= down_to:
                return
            value = self.known(position)
            if value is not None and not value.rank(position.to_move):
                self._values[after] = value

    def before(self, position: Position, after: Value | None, *, search: bool = True) -> Value | None:
        """The value of a position in which a move led to `after`; if that move won, without searching.

        None if the value is not known and `search` is false.
        """
        if after is not None and after.winner is position.to_move:
            self._values[position] = after
        return self.value(position) if search else self.known(position)

    def margin(self, position: Position) -> int:
        """Black's stones minus White's at the end if both play for the margin, without komi."""
        if (found := self._margins.get(position)) is None:
            found = self._margins[position] = self.oracle.margin(position)
        return found


@contextmanager
def stopping_after(oracle: Oracle, seconds: float | None) -> Iterator[threading.Event]:
    """Within it, questions to the oracle raise Stopped after `seconds`; the event is set then.

    Questions that the oracle's table can answer still are. The clock starts once the kernel is loaded. If other threads
    share the oracle, their questions are stopped too.
    """
    warm_up()
    late = threading.Event()
    if seconds is None:
        yield late
        return

    def stop() -> None:
        late.set()
        oracle.stop()

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    with oracle.question():
        if seconds <= 0:
            stop()
        timer.start()
        try:
            yield late
        finally:
            timer.cancel()
            timer.join()


def do_all(steps: Sequence[Callable[[], None]], oracle: Oracle, *, seconds: float | None, watch: Watch | None) -> bool:
    """Take the steps in order; False if the time was up, or another thread stopped the oracle, before the last."""
    with stopping_after(oracle, seconds) as late:
        try:
            for done, step in enumerate(steps, start=1):
                if late.is_set():
                    return False
                step()
                if watch:
                    watch(done, len(steps))
        except Stopped:
            return False
    return True
