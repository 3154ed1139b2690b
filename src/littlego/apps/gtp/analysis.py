"""Exact analysis in the formats that Go programs read: `lz-analyze`, `kata-analyze` and GoGui's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from littlego.core.board import BLACK, Colour
from littlego.core.errors import FormatError, UsageError
from littlego.core.points import Pass, parse_vertex
from littlego.core.position import Position
from littlego.formats.gtp import parse_colour
from littlego.formats.text import shortened

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from littlego.review.analysis import AnalysisEngine
    from littlego.solve.oracle import Oracle

_BEST_VISITS: Final = 1_000_000
_OTHER_VISITS: Final = 10
_INTERVAL: Final = 1.0
_LONGEST: Final = 60.0
"""Seconds of search on one position, unless it is stopped."""
_ONCE: Final = 10.0
"""Seconds for a single answer."""
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


class GtpAnalyst:
    """Analyses positions with an oracle that is opened when first needed."""

    def __init__(self, open_oracle: Callable[[], AbstractContextManager[Oracle]]) -> None:
        self._open = open_oracle
        self._stack = ExitStack()
        self._analyst: AnalysisEngine | None = None

    def close(self) -> None:
        """Close the oracle, if it was opened."""
        self._stack.close()

    def watch(self, position: Position, interval: float, stopped: Callable[[], bool], *, kata: bool) -> Iterator[str]:
        """Better and better lines, until everything is known or `stopped` returns true. Raises UsageError at once."""
        _check(position)
        last, spent = "", 0.0
        while True:
            found = self._look(position, interval)
            spent += interval
            line = info_line(position, found, kata=kata)
            if line and line != last:
                yield line
            last = line
            if found["exact"] or spent >= _LONGEST or stopped():
                return

    def line(self, position: Position, interval: float, *, kata: bool) -> str:
        """One line, after at most `interval`; empty if nothing is known, or the position cannot be solved."""
        try:
            return info_line(position, self._look(position, interval), kata=kata)
        except UsageError:
            return ""

    def value(self, position: Position) -> str:
        """Who wins with best play, in words. Raises UsageError."""
        if outcome := position.outcome():
            return str(outcome)
        root = self._look(position, _ONCE)["rootInfo"]
        if not root["exact"]:
            return "unknown so far"
        return {1.0: "Black wins", 0.0: "White wins"}.get(root["winrate"], "a tie")

    def winning_moves(self, position: Position) -> list[str]:
        """Raises UsageError."""
        moves = self._look(position, _ONCE)["moveInfos"]
        return [info["move"] for info in moves if info["exact"] and _rate(position, info) == 1.0]

    def colours(self, position: Position) -> str:
        """A board of colours for GoGui: green wins, red loses, yellow ties. Raises UsageError."""
        size = position.size
        cells = [_NONE] * (size * size)
        for info in self._look(position, _ONCE)["moveInfos"]:
            move = parse_vertex(info["move"], size)
            if info["exact"] and not isinstance(move, Pass):
                cells[move] = {1.0: _GREEN, 0.0: _RED}.get(_rate(position, info), _YELLOW)
        return "\n".join(" ".join(cells[row * size : (row + 1) * size]) for row in range(size))

    def _look(self, position: Position, seconds: float) -> dict[str, Any]:
        _check(position)
        if self._analyst is None:
            from littlego.review.analysis import AnalysisEngine

            self._analyst = AnalysisEngine(self._stack.enter_context(self._open()))
        return self._analyst.look(position, seconds=seconds)


def _check(position: Position) -> None:
    from littlego.solve.oracle import why_unsolvable

    if why := why_unsolvable(position):
        raise UsageError(f"cannot be analysed exactly: {why}")


def _rate(position: Position, info: dict[str, Any]) -> float:
    """The win rate for the side to move; the analyst's is Black's."""
    rate: float = info["winrate"]
    return rate if position.to_move is BLACK else 1.0 - rate


def info_line(position: Position, found: dict[str, Any], *, kata: bool) -> str:
    """The exact values of moves on one line. Win rates and leads are those of the side to move.

    Moves of unknown value are left out: a guess would look like the rest. Nothing here is visited by chance, so
    `visits` are chosen for those who read them: below ten Sabaki writes no win rate on the board, and Lizzie shows the
    mean of all win rates weighted by visits, which has to be that of the best moves.
    """
    known = [info for info in found["moveInfos"] if info["exact"]]
    best = max((_rate(position, info) for info in known), default=0.0)
    return " ".join(_info(position, info, order, best, kata=kata) for order, info in enumerate(known))


def _info(position: Position, info: dict[str, Any], order: int, best: float, *, kata: bool) -> str:
    rate, pv = _rate(position, info), " ".join(info["pv"])
    visits = _BEST_VISITS if rate == best else _OTHER_VISITS
    if not kata:
        score = round(rate * 10000)
        return f"info move {info['move']} visits {visits} winrate {score} prior 0 lcb {score} order {order} pv {pv}"
    lead = info["scoreLead"]
    lead = (lead if position.to_move is BLACK else -lead) + 0.0  # adding 0 turns minus zero into zero
    # KataGo writes the lead under both names: Lizzie reads the first, which is the older.
    return (
        f"info move {info['move']} visits {visits} utility {2 * rate - 1:g} winrate {rate:.1f} scoreMean {lead:g} "
        f"scoreLead {lead:g} prior 0 lcb {rate:.1f} order {order} pv {pv}"
    )
