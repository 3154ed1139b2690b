"""Exact analysis in the formats that Go programs read: `lz-analyze`, `kata-analyze` and GoGui's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from typing import Final

from littlego.core.board import BLACK, Colour
from littlego.core.errors import FormatError, UsageError
from littlego.core.points import Move, Pass, vertex_name
from littlego.core.position import Position
from littlego.formats.gtp import parse_colour
from littlego.formats.text import shortened
from littlego.review.values import Value, Values, stopping_after
from littlego.review.verdicts import MARGINS_LEFT
from littlego.solve.engine import Stopped
from littlego.solve.oracle import Oracle, why_unsolvable

_BEST_VISITS: Final = 1_000_000
_OTHER_VISITS: Final = 10
_INTERVAL: Final = 1.0
_LONGEST: Final = 60.0
"""Seconds of search on one position, unless it is stopped."""
_ONCE: Final = 10.0
"""Seconds for a single answer."""
_PV_LENGTH: Final = 8
_GREEN, _RED, _YELLOW, _NONE = "#00a000", "#d03030", "#d0b000", '""'


@dataclass(frozen=True, slots=True)
class Request:
    """The arguments of `analyze`: a colour, if given, and seconds between lines."""

    colour: Colour | None
    interval: float


def parse_request(arguments: tuple[str, ...]) -> Request:
    """`[COLOUR] [INTERVAL] [interval INTERVAL] [other words]`, intervals in hundredths of a second.

    Other words, such as `minmoves 3`, are ignored. Raises FormatError.
    """
    words = list(arguments)
    colour = parse_colour(words.pop(0)) if words and not words[0].isdigit() and words[0] in _COLOUR_WORDS else None
    if words and words[0] == "interval":
        words.pop(0)
    if not words:
        return Request(colour, _INTERVAL)
    if not (words[0].isascii() and words[0].isdigit() and len(words[0]) < 9):
        raise FormatError(f"syntax error: expected [COLOUR] [INTERVAL], got {shortened(words[0])!r}")
    return Request(colour, max(0.05, int(words[0]) / 100))


_COLOUR_WORDS: Final = {"b", "w", "B", "W", "black", "white", "Black", "White", "BLACK", "WHITE"}


@dataclass(slots=True)
class MoveInfo:
    """What is known about a move: the value after it, and the margin late in the game."""

    move: Move
    after: Position
    value: Value | None = None
    margin: int | None = None

    def rate(self, side: Colour) -> float:
        """The win rate for a side: 1, a half for a tie, or 0. The value must be known."""
        assert self.value is not None
        return self.value.rank(side) / 2

    def lead(self, side: Colour) -> float:
        """By how much a side is ahead at the end, with komi; before margins are known the least it can be."""
        komi = self.after.rules.komi
        if self.margin is not None:
            lead = self.margin - komi
        else:
            least = 0.5 if komi % 1 else 1.0  # komi is a multiple of a half
            lead = least * (self.rate(BLACK) * 2 - 1)
        return (lead if side is BLACK else -lead) + 0.0  # adding 0 turns minus zero into zero


@dataclass(frozen=True, slots=True)
class Found:
    """What is known about a position so far: its value, and its moves, the best of those with a value first."""

    value: Value | None
    known: tuple[MoveInfo, ...]
    is_complete: bool


class GtpAnalyst:
    """Analyses positions with an oracle that is opened when first needed."""

    def __init__(self, open_oracle: Callable[[], AbstractContextManager[Oracle]]) -> None:
        self._open = open_oracle
        self._stack = ExitStack()
        self._values: Values | None = None

    def close(self) -> None:
        """Close the oracle, if it was opened."""
        self._stack.close()

    def watch(self, position: Position, interval: float, stopped: Callable[[], bool], *, kata: bool) -> Iterator[str]:
        """Better and better lines, until everything is known or `stopped` returns true. Raises UsageError at once."""
        last, spent = "", 0.0
        while True:
            found = self.look(position, interval)
            spent += interval
            line = self._info_line(position, found, kata=kata)
            if line and line != last:
                yield line
            last = line
            if found.is_complete or spent >= _LONGEST or stopped():
                return

    def line(self, position: Position, interval: float, *, kata: bool) -> str:
        """One line, after at most `interval`; empty if nothing is known, or the position cannot be solved."""
        try:
            return self._info_line(position, self.look(position, interval), kata=kata)
        except UsageError:
            return ""

    def value(self, position: Position) -> str:
        """Who wins with best play, in words. Raises UsageError."""
        if outcome := position.outcome():
            return str(outcome)
        value = self.look(position, _ONCE).value
        return "not known yet" if value is None else str(value)

    def winning_moves(self, position: Position) -> list[str]:
        """Raises UsageError."""
        known, size = self.look(position, _ONCE).known, position.size
        return [vertex_name(info.move, size) for info in known if info.rate(position.to_move) == 1]

    def colours(self, position: Position) -> str:
        """A board of colours for GoGui: green wins, red loses, yellow ties. Raises UsageError."""
        size = position.size
        cells = [_NONE] * (size * size)
        for info in self.look(position, _ONCE).known:
            if not isinstance(info.move, Pass):
                cells[info.move] = {1.0: _GREEN, 0.0: _RED}.get(info.rate(position.to_move), _YELLOW)
        return "\n".join(" ".join(cells[row * size : (row + 1) * size]) for row in range(size))

    def look(self, root: Position, seconds: float) -> Found:
        """What can be found within `seconds`; a further call continues there. Raises UsageError if it cannot be solved.

        What is known needs no search and comes first. In a lost position there is nothing to search: every move loses.
        """
        if why := why_unsolvable(root):
            raise UsageError(f"cannot be analysed exactly: {why}")
        if self._values is None:
            self._values = Values(self._stack.enter_context(self._open()))
        values, mover = self._values, root.to_move
        infos = [MoveInfo(move, root.play_legal(move)) for move in root.legal_moves()] if not root.outcome() else []
        value = values.known(root)
        lost = value if value is not None and not value.rank(mover) else None
        for info in infos:
            info.value = lost or values.known(info.after, plies=0)
        with stopping_after(values.oracle, seconds) as late:
            try:
                for info in (info for info in infos if info.value is None):
                    if late.is_set():
                        raise Stopped("out of time")
                    info.value = values.value(info.after)
                value = value or values.value(root)
                if root.plies_left <= MARGINS_LEFT:
                    for info in infos:
                        info.margin = values.margin(info.after)
            except Stopped:
                pass
        known = [info for info in infos if info.value is not None]
        # A winning move proves the position won, even if other moves are not known.
        if value is None and any(info.rate(mover) == 1 for info in known):
            value = Value.of(mover)
        sign = 1 if mover is BLACK else -1
        known.sort(key=lambda info: (-info.rate(mover), -sign * (info.margin or 0)))
        return Found(value, tuple(known), value is not None and len(known) == len(infos))

    def _info_line(self, position: Position, found: Found, *, kata: bool) -> str:
        """The exact values of moves on one line. Win rates and leads are those of the side to move.

        Moves of unknown value are left out: a guess would look like the rest. Nothing here is visited by chance, so
        `visits` are chosen for those who read them: below ten Sabaki writes no win rate on the board, and Lizzie shows
        the mean of all win rates weighted by visits, which has to be that of the best moves.
        """
        side = position.to_move
        best = max((info.rate(side) for info in found.known), default=0.0)
        infos = []
        for order, info in enumerate(found.known):
            move, rate, lead = vertex_name(info.move, position.size), info.rate(side), info.lead(side)
            values = f"winrate {round(rate * 10000)} prior 0 lcb {round(rate * 10000)}"
            if kata:  # KataGo writes the lead under both names: Lizzie reads the first, which is the older.
                values = f"utility {2 * rate - 1:g} winrate {rate:.1f} scoreMean {lead:g} scoreLead {lead:g} "
                values += f"prior 0 lcb {rate:.1f}"
            visits = _BEST_VISITS if rate == best else _OTHER_VISITS
            pv = " ".join([move, *self._best_play(info)])
            infos.append(f"info move {move} visits {visits} {values} order {order} pv {pv}")
        return " ".join(infos)

    def _best_play(self, info: MoveInfo) -> Iterator[str]:
        """How the game may continue after a move with best play, as far as is known without searching."""
        assert self._values is not None
        position = info.after
        for _ in range(_PV_LENGTH - 1):
            if position.outcome() is not None:
                return
            for move in position.legal_moves():
                after = position.play_legal(move)
                if self._values.known(after, plies=0) is info.value:
                    yield vertex_name(move, position.size)
                    position = after
                    break
            else:
                return
