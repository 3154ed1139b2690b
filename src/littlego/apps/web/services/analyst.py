"""Exact values for pages: known ones are sent at once, the others as the search finds them.

One process searches, in short slices, for all open questions: the question that has had the least time goes first, and
of equals the newest. What a slice finds stays in the oracle's table and store, so a hard question loses nothing by
waiting, and no question holds up the others for more than a slice.

Symmetric positions share one question. Each position that was asked for is a view of it, with its own names of moves.
"""

from __future__ import annotations

import asyncio
import enum
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from littlego.apps.web.pool.pool import Worker, WorkerDied
from littlego.apps.web.pool.tasks import exact_margin, exact_value, known_values, values_along
from littlego.apps.web.services.news import Hub
from littlego.core.colour import BLACK
from littlego.core.errors import LittleGoError
from littlego.core.points import Move, Symmetry
from littlego.core.position import Position
from littlego.formats.text import plural
from littlego.review.values import Value
from littlego.review.verdicts import MARGINS_LEFT

UNKNOWN: Final = "unknown"


class SearchState(enum.StrEnum):
    """How the search for a question stands."""

    SETTLED = "settled"
    WORKING = "working"
    PAUSED = "paused"
    """Nobody has asked for a while."""
    GIVEN_UP = "given_up"
    """The search died too often."""


_REST_WORDS: Final = {
    SearchState.WORKING: "working out the rest…",
    SearchState.PAUSED: "the search for the rest is paused until you ask again.",
    SearchState.GIVEN_UP: "the search for the rest failed several times and was given up: ask again in a minute.",
}


class AskedPosition(NamedTuple):
    """A position that was asked for, and the symmetry that turns it into the question's."""

    position: Position
    symmetry: Symmetry


@dataclass(slots=True)
class Question:
    """A position, the canonical one of its eight images, and the known values of its moves."""

    position: Position
    values: dict[Move, Value]
    views: dict[str, AskedPosition] = field(default_factory=dict)
    """The positions that were asked for, by key."""
    asked: float = 0.0
    """When it was last asked."""
    spent: float = 0.0
    """Seconds of search so far."""
    tries: dict[Move, int] = field(default_factory=dict)
    """By move, how many slices of search did not find its value."""
    margins: dict[Move, int] = field(default_factory=dict)
    """By move, Black's stones minus White's in the end, if both play for the margin."""
    wants_margins: bool = False
    breakdowns: int = 0
    """How often in a row the search died."""
    state: SearchState = SearchState.WORKING

    def missing(self) -> list[Move]:
        """The moves without a value, least tried first."""
        return self._least_tried(self.values)

    def missing_margins(self) -> list[Move]:
        """The moves whose margin is wanted and not known, least tried first."""
        if not self.wants_margins:
            return []
        return self._least_tried(self.margins)

    def _least_tried(self, known: Mapping[Move, object]) -> list[Move]:
        moves = [move for move in self.position.legal_moves() if move not in known]
        return sorted(moves, key=lambda move: self.tries.get(move, 0))

    @property
    def is_open(self) -> bool:
        return bool(self.missing() or self.missing_margins())

    def see(self, position: Position, symmetry: Symmetry) -> str:
        """Remember a view of the question, and return its key."""
        key = position.key()
        self.views[key] = AskedPosition(position, symmetry)
        return key

    def answer(self, key: str) -> dict[str, Any]:
        """The fields of `MoveValues` in the API, for a view."""
        position, symmetry = self.views[key]
        moves = position.legal_moves()
        found = {move: self.values[image] for move in moves if (image := symmetry.move(move)) in self.values}
        mover = position.to_move
        return {
            "key": key,
            "to_move": mover.word,
            "plies_left": position.plies_left,
            "value": self._value(),
            "values": {position.move_name(move): value.value for move, value in found.items()},
            "missing": [position.move_name(move) for move in moves if move not in found],
            "leads": {
                position.move_name(move): self._lead(image)
                for move in moves
                if (image := symmetry.move(move)) in self.margins
            },
            "leads_missing": len(self.missing_margins()),
            "margins_left": MARGINS_LEFT,
            "state": self.state.value if self.is_open else SearchState.SETTLED.value,
            "words": self.words(),
        }

    def _lead(self, move: Move) -> float:
        ahead = self.margins[move] - self.position.rules.komi
        return ahead if self.position.to_move is BLACK else -ahead

    def _value(self) -> str:
        """Who wins with best play. One winning move is enough to know."""
        mover = self.position.to_move
        best = max(self.values.values(), key=lambda value: value.rank(mover), default=None)
        if best is None or (best.winner is not mover and len(self.values) < len(self.position.legal_moves())):
            return UNKNOWN
        return best.value

    def words(self) -> str:
        """How many of the moves win, in a sentence or two."""
        mover, total = self.position.to_move, len(self.position.legal_moves())
        ranks = [value.rank(mover) for value in self.values.values()]
        wins, ties = ranks.count(2), ranks.count(1)
        if len(ranks) < total:
            found = f", {wins} of them {_keep(wins)} the win" if wins else ", no win among them" if ranks else ""
            rest = _REST_WORDS.get(self.state, _REST_WORDS[SearchState.WORKING])
            return f"{_of(len(ranks), total)} known{found}; {rest}"
        if wins:
            return f"{_of(wins, total)} {_keep(wins)} the win."
        if ties:
            return f"No move wins. {_of(ties, total)} {_keep(ties)} the tie."
        return "Every move loses against best play."


def _of(count: int, total: int) -> str:
    return f"{count} of {plural(total, 'move')}"


def _keep(count: int) -> str:
    return "keeps" if count == 1 else "keep"


_FIRST_SLICE: Final = 0.5
_LONGEST_SLICE: Final = 2.0
"""Seconds of search before others have their turn; the slices of a move double up to the longest."""
_UNHEARD: Final = 30.0
"""Seconds after which a question that nobody listens to is paused."""
_UNSEEN: Final = 300.0
"""Seconds after which a question is paused although a page still listens: perhaps nobody is looking."""
_MOST_BREAKDOWNS: Final = 3
"""How often in a row the search may die before it gives the question up."""
_REST: Final = 60.0
"""Seconds before it tries such a question again."""
_REMEMBERED: Final = 2000

_log = logging.getLogger(__name__)


class Busy(LittleGoError):
    """The values cannot be found now. The question itself is all right."""


class Analyst:
    """Finds exact values of positions, in other processes."""

    def __init__(self, hub: Hub, store: Path, *, memory: int, clock: Callable[[], float] = time.monotonic) -> None:
        """`memory`, in bytes, is shared by the tables of three processes."""
        self._hub = hub
        self._store = str(store)
        self._memory = memory
        self._clock = clock
        self._known = Worker()
        self._search = Worker(tries=1)
        self._queries = Worker()
        self._questions: OrderedDict[str, Question] = OrderedDict()
        self._awake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def ask(self, position: Position, *, leads: bool = False) -> dict[str, Any]:
        """The values of the legal moves that are known now; the others go to the topic `values:KEY`.

        With `leads`, so does by how much each move wins or loses, unless the game is still too long for that.
        """
        image, symmetry = position.canonical()
        name = image.key()
        question = self._questions.get(name)
        if question is None:
            question = self._questions.setdefault(name, Question(image, await self._known_now(image)))
            while len(self._questions) > _REMEMBERED:
                self._questions.popitem(last=False)
        self._questions[name] = question
        self._questions.move_to_end(name)
        question.wants_margins |= leads and position.plies_left <= MARGINS_LEFT
        self._want(question)
        return question.answer(question.see(position, symmetry))

    async def along(self, positions: Sequence[Position]) -> list[str | None]:
        """Who wins in each position of a game, as far as that can be found in a moment. Raises Busy."""
        try:
            found = await self._queries.ask(values_along, positions, self._store, self._memory // 4)
        except WorkerDied as error:
            raise Busy(f"the values failed: {error}; try again") from error
        return [None if value is None else value.value for value in found]

    async def _known_now(self, image: Position) -> dict[Move, Any]:
        try:
            values: dict[Move, Any] = await self._known.ask(known_values, image, self._store, self._memory // 8)
        except WorkerDied:  # the worker has logged it, and the search will find the values
            return {}
        return values

    def _want(self, question: Question) -> None:
        """Queue a question for the search."""
        now = self._clock()
        rests = question.state is SearchState.GIVEN_UP and now - question.asked < _REST
        if not rests:
            question.asked = now
            question.state = SearchState.WORKING if question.is_open else SearchState.SETTLED
        if question.state is SearchState.WORKING:
            if self._task is None or self._task.done():
                self._task = asyncio.create_task(self._work())
            self._awake.set()

    async def _work(self) -> None:
        while True:
            question = self._next()
            if question is None:
                self._awake.clear()
                await self._awake.wait()
                continue
            try:
                await self._search_a_slice(question)
            except Exception:  # other questions must still be answered
                _log.exception("a search failed at %r", question.position)
                self._broke_down(question)

    def _next(self) -> Question | None:
        """Of the questions that somebody waits for, the one that has had the least time; of equals, the newest.

        Margins come after all values.
        """
        now = self._clock()
        waiting: list[Question] = []
        for question in self._questions.values():
            if question.state is not SearchState.WORKING:
                continue
            silent = now - question.asked
            if silent < _UNHEARD or (silent < _UNSEEN and self._has_listeners(question)):
                waiting.append(question)
            else:
                question.state = SearchState.PAUSED
                self._publish(question)
        return min(
            waiting, key=lambda question: (not question.missing(), question.spent, -question.asked), default=None
        )

    async def _search_a_slice(self, question: Question) -> None:
        missing = question.missing()
        move = (missing or question.missing_margins())[0]
        tried = question.tries.get(move, 0)
        seconds = min(_FIRST_SLICE * 2**tried, _LONGEST_SLICE)
        after = question.position.play_legal(move)
        began = self._clock()
        try:
            task = exact_value if missing else exact_margin
            value = await self._search.ask(task, after, self._store, self._memory // 2, seconds)
        except WorkerDied:
            _log.warning("the search process died at %r and will be restarted", after)
            self._broke_down(question)
            return
        finally:
            question.spent += self._clock() - began
        question.breakdowns = 0
        question.tries[move] = tried + 1
        if value is not None:
            known: dict[Move, Any] = question.values if missing else question.margins
            known[move] = value
            question.tries.pop(move)
            if not question.is_open:
                question.state = SearchState.SETTLED
            self._publish(question)

    def _broke_down(self, question: Question) -> None:
        question.breakdowns += 1
        if question.breakdowns >= _MOST_BREAKDOWNS:
            _log.error("giving up: the search died %d times at %r", question.breakdowns, question.position)
            question.breakdowns = 0
            question.state = SearchState.GIVEN_UP
            question.asked = self._clock()
            self._publish(question)

    def _has_listeners(self, question: Question) -> bool:
        return any(self._hub.has_listeners(f"values:{key}") for key in question.views)

    def _publish(self, question: Question) -> None:
        for key in question.views:
            if self._hub.has_listeners(f"values:{key}"):
                self._hub.publish(f"values:{key}", question.answer(key))

    def close(self) -> None:
        """Stop the search. The values found so far are in the store."""
        if self._task is not None:
            self._task.cancel()
        self._known.close()
        self._search.close()
        self._queries.close()
