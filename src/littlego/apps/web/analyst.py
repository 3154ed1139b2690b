"""Exact values for pages: what is known is said at once, the rest is told as it is worked out."""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from littlego.apps.web.live import Hub
from littlego.apps.web.thinkers import Thinker
from littlego.apps.web.thinking import UNKNOWN, analyse, exact_value, quick_values
from littlego.core.points import Move
from littlego.core.position import Position

_PATIENCE: Final = 30.0
"""Seconds after which a question that nobody listens to any more is dropped."""
_REMEMBERED: Final = 2000


@dataclass(slots=True)
class Question:
    """A position, and what is known of its moves."""

    position: Position
    values: dict[str, str | None]
    missing: list[Move] = field(default_factory=list)
    asked: float = 0.0
    patience: float = 4.0
    """Seconds for a move's value before others have their turn; doubled when they were not enough."""

    def told(self, key: str) -> dict[str, Any]:
        """The answer as far as there is one."""
        mover = self.position.to_move.name.lower()
        if mover in self.values.values():
            value: str | None = mover
        elif self.missing:
            value = UNKNOWN
        else:
            value = None if None in self.values.values() else self.position.to_move.opponent.name.lower()
        return {
            "key": key,
            "to_move": mover,
            "plies_left": self.position.plies_left,
            "value": value,
            "values": self.values,
            "missing": [self.position.move_name(move) for move in self.missing],
        }


class Analyst:
    """Answers questions about positions, the last one asked first."""

    def __init__(self, hub: Hub, store: Path, seconds: float) -> None:
        self._hub = hub
        self._store = str(store)
        self._seconds = seconds
        self._quick = Thinker()
        self._deep = Thinker()
        self._queries = Thinker()
        self._questions: dict[str, Question] = {}
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def ask(self, position: Position) -> dict[str, Any]:
        """Every legal move's value as far as it is known now; the rest goes to the topic `values:KEY`."""
        key = position.key()
        question = self._questions.get(key)
        if question is None:
            values = await self._quick.ask(quick_values, position, self._store)
            missing = [move for move in position.legal_moves() if position.move_name(move) not in values]
            question = self._questions.setdefault(key, Question(position, values, missing))
            while len(self._questions) > _REMEMBERED:
                del self._questions[next(iter(self._questions))]
        question.asked = time.monotonic()
        if question.missing:
            self._task = self._task or asyncio.create_task(self._work())
            self._wake.set()
        return question.told(key)

    async def analyse(self, query: dict[str, Any]) -> list[dict[str, Any]]:
        """The answers to a query of `littlego analyze`, one query after the other and each in bounded time."""
        answers: list[dict[str, Any]] = await self._queries.ask(analyse, query, self._store, self._seconds)
        return answers

    async def _work(self) -> None:
        while True:
            key, question = self._next()
            if question is None:
                self._wake.clear()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._wake.wait(), 60)
                continue
            move = question.missing[0]
            after = question.position.play_legal(move)
            value = await self._deep.ask(exact_value, after, self._store, question.patience)
            if value == UNKNOWN:
                question.patience *= 2
                question.missing.append(question.missing.pop(0))
                continue
            if move in question.missing:
                question.missing.remove(move)
                question.values[question.position.move_name(move)] = value
            self._hub.tell(f"values:{key}", question.told(key))

    def _next(self) -> tuple[str, Question | None]:
        now = time.monotonic()
        waiting = [
            (question.asked, key)
            for key, question in self._questions.items()
            if question.missing and (self._hub.has_listeners(f"values:{key}") or now - question.asked < _PATIENCE)
        ]
        if not waiting:
            return "", None
        _, key = max(waiting)
        return key, self._questions[key]

    def close(self) -> None:
        """End the work; what was worked out is in the store."""
        if self._task is not None:
            self._task.cancel()
        self._quick.close()
        self._deep.close()
        self._queries.close()
