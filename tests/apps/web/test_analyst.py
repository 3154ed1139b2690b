"""The analyst is fair, stops for nobody, and outlives its processes."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from littlego.apps.web.pool import tasks
from littlego.apps.web.pool.pool import Worker, WorkerDied
from littlego.apps.web.services import analyst as module
from littlego.apps.web.services.analyst import Analyst, Question, SearchState
from littlego.apps.web.services.news import Hub
from littlego.core.points import parse_move
from littlego.core.position import Position
from littlego.core.rules import Rules
from littlego.review.values import Value
from littlego.solve import oracle
from tests.apps.web.deeds import die, think_for_ever
from tests.apps.web.processes import Server, descendants, gone, kill
from tests.apps.web.truth import random_line, winners
from tests.helpers import in_a_thread

pytestmark = [pytest.mark.process, pytest.mark.slow]

PATIENCE = 600.0
"""Seconds: far more than is needed, so that a busy machine that has to compile fails no test."""
EASY_PLY = 9
"""Too many plies left for an answer at once, and a second or so of search in all."""


def played(moves: list[str] | tuple[str, ...], rules: Rules | None = None) -> Position:
    position = Position.initial(rules)
    for move in moves:
        position = position.play(parse_move(move, 5))
    return position


def hard(last: str = "0,4") -> Position:
    """With a komi that the atlas is not for, and twenty plies left: minutes of search."""
    return played(("1,2", "0,0", "4,4", last), Rules(5, komi=5.5, max_moves=24))


class Clock:
    """Real time, until the test sets `ahead`: from then on it stands still, so many seconds after the last look at it.

    Else a machine that is too busy for an answer would count as a page that nobody looks at.
    """

    def __init__(self) -> None:
        self.ahead: float | None = None
        self._last = time.monotonic()

    def __call__(self) -> float:
        if self.ahead is not None:
            return self._last + self.ahead
        self._last = time.monotonic()
        return self._last


class Desk:
    """An analyst, and a page that listens to the values it asked for last."""

    def __init__(self, folder: Path) -> None:
        self.hub = Hub()
        self.clock = Clock()
        self.analyst = Analyst(
            self.hub, folder / "oracle.sqlite", memory=1 << 27, clock=self.clock
        )  # fmt: skip
        self.news: asyncio.Queue[str] = asyncio.Queue()

    async def ask(self, position: Position, *, listen: bool = True) -> dict[str, Any]:
        answer = await self.analyst.ask(position)
        if listen:
            self.hub.listen(f"values:{answer['key']}", self.news)
        return answer

    async def news_that(self, done: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first news for which `done` holds."""
        while True:
            news: dict[str, Any] = json.loads(await asyncio.wait_for(self.news.get(), PATIENCE))
            if done(news):
                return news


def run(folder: Path, story: Callable[[Desk], Coroutine[Any, Any, None]]) -> None:
    async def whole() -> None:
        desk = Desk(folder)
        try:
            await story(desk)
        finally:
            desk.analyst.close()

    in_a_thread(asyncio.run, whole())


def test_a_hard_question_does_not_hold_up_an_easy_one(tmp_path: Path) -> None:
    """Not even when it was searched for in vain a hundred times: a slice stays a slice."""

    async def story(desk: Desk) -> None:
        await desk.ask(hard(), listen=False)
        (question,) = desk.analyst._questions.values()
        question.tries = dict.fromkeys(question.missing(), 100)
        line = random_line(5, EASY_PLY)
        answer = await desk.ask(played(line))
        if answer["missing"]:
            answer = await desk.news_that(lambda news: not news["missing"])
        assert answer["values"] == winners(played(line))
        assert question.missing()

    run(tmp_path, story)


def test_the_one_that_had_least_time_goes_first_and_then_the_newest(tmp_path: Path) -> None:
    async def story(desk: Desk) -> None:
        for number, position in enumerate((hard(), hard("4,0"), hard("0,1"))):
            desk.clock.ahead = number
            await desk.ask(position, listen=False)
        first, second, third = desk.analyst._questions.values()
        desk.analyst.close()
        first.spent, second.spent, third.spent = 7.0, 3.0, 3.0
        assert desk.analyst._next() is third
        third.spent = 4.0
        assert desk.analyst._next() is second
        second.spent = 8.0
        third.spent = 9.0
        assert desk.analyst._next() is first

    run(tmp_path, story)


def test_a_page_that_is_left_open_costs_nothing_after_some_minutes(tmp_path: Path) -> None:
    async def story(desk: Desk) -> None:
        answer = await desk.ask(hard())
        assert answer["state"] == "working"
        assert answer["words"].endswith("working out the rest…")
        desk.clock.ahead = 299
        assert desk.analyst._next() is not None
        desk.clock.ahead = 301
        paused = await desk.news_that(lambda news: bool(news["state"] == "paused"))
        assert "paused" in paused["words"]
        assert desk.analyst._next() is None
        assert (await desk.ask(hard()))["state"] == "working"
        assert desk.analyst._next() is not None

    run(tmp_path, story)


def test_pages_that_are_gone_are_not_worked_for(tmp_path: Path) -> None:
    async def story(desk: Desk) -> None:
        answer = await desk.ask(hard())
        desk.clock.ahead = 31
        assert desk.analyst._next() is not None
        desk.hub.forget(f"values:{answer['key']}", desk.news)
        assert desk.analyst._next() is None

    run(tmp_path, story)


def test_a_question_that_kills_the_search_is_given_up_and_others_are_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story(desk: Desk) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(module, "exact_value", die)
            await desk.ask(hard())
            given_up = await desk.news_that(lambda news: bool(news["state"] == "given_up"))
        desk.clock.ahead = 0
        assert "given up" in given_up["words"]
        assert given_up["missing"]
        line = random_line(5, EASY_PLY)
        answer = await desk.ask(played(line))
        if answer["missing"]:
            answer = await desk.news_that(lambda news: not news["missing"])
        assert answer["values"] == winners(played(line))
        assert (await desk.ask(hard()))["state"] == "given_up"
        desk.clock.ahead = 61
        assert (await desk.ask(hard()))["state"] == "working"

    run(tmp_path, story)


def test_nothing_known_at_once_is_not_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process that knows what ships may die as well."""
    monkeypatch.setattr(module, "known_values", die)

    async def story(desk: Desk) -> None:
        line = random_line(5, 16)
        answer = await desk.ask(played(line))
        assert not answer["values"]
        assert answer["words"].startswith("0 of ")
        answer = await desk.news_that(lambda news: not news["missing"])
        assert answer["values"] == winners(played(line))

    run(tmp_path, story)


@pytest.mark.siege
def test_answers_keep_coming_while_processes_are_killed(tmp_path: Path) -> None:
    """Of a real server, all that think: the one that searches, the one that knows, and those of players."""
    with Server(tmp_path / "data") as server:
        for number in range(8):
            if number > 1 and "died" in server.printed():
                break
            line = random_line(number, EASY_PLY)
            asked = server.ask("/api/values", {"moves": line})
            thinking = descendants(server.pid, "spawn_main")
            assert thinking or not asked["missing"]
            for pid in thinking:
                kill(pid)
            gone(thinking)
            ends = time.monotonic() + PATIENCE
            while asked["missing"]:
                assert time.monotonic() < ends, (asked, server.printed())
                asked = server.ask("/api/values", {"moves": line})
                time.sleep(0.05)
            assert asked["values"] == winners(played(line))
        assert "died" in server.printed(), "they were killed between two questions each time"


def test_an_abandoned_thought_does_not_hold_up_the_next(tmp_path: Path) -> None:
    begun = tmp_path / "begun"

    async def story() -> int:
        worker = Worker(interruptible=True)
        try:
            abandoned = asyncio.create_task(worker.ask(think_for_ever, begun))
            while not begun.exists():
                await asyncio.sleep(0.02)
            abandoned.cancel()
            return int(await asyncio.wait_for(worker.ask(abs, -2), PATIENCE))
        finally:
            worker.close()

    assert in_a_thread(asyncio.run, story()) == 2


def test_only_the_question_that_was_worked_on_is_charged_with_a_death() -> None:
    async def story() -> tuple[Any, Any]:
        worker = Worker()
        try:
            return await asyncio.gather(worker.ask(die), worker.ask(abs, -2), return_exceptions=True)
        finally:
            worker.close()

    lethal, harmless = in_a_thread(asyncio.run, story())
    assert isinstance(lethal, WorkerDied)
    assert harmless == 2


def test_the_opening_is_answered_without_an_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:

    def forbidden(*_: Any, **__: Any) -> None:
        raise AssertionError("an engine was made")

    monkeypatch.setattr(oracle, "Engine", forbidden)
    position = Position.initial()
    for move in (None, "1,1", "0,0", "4,2"):
        position = position.play(move) if move else position
        found = tasks.known_values(position, str(tmp_path / "values.db"), 1 << 24)
        assert found.keys() == set(position.legal_moves())
        if move is None:
            assert [position.move_name(point) for point, value in found.items() if value is Value.BLACK] == ["2,2"]


@pytest.mark.parametrize("state", SearchState)
def test_a_search_that_is_paused_before_the_margins_are_known_says_so(state: SearchState) -> None:
    """Pages continue it when somebody touches them."""
    position = played(random_line(5, 22))
    values = dict.fromkeys(position.legal_moves(), Value.BLACK)
    question = Question(position, values, wants_margins=True, state=state)
    key = question.see(*position.canonical())
    assert question.answer(key)["state"] == state.value
    question.margins = dict.fromkeys(position.legal_moves(), 1)
    assert question.answer(key)["state"] == "settled"
