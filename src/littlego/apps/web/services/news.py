"""News for open pages: each page subscribes to topics, over one WebSocket.

A page sends `{"listen": "game:ID"}` or `{"forget": "game:ID"}` and receives `{"topic": ..., ...}`. It may miss news
while it is disconnected, so it must be able to ask for the state again. With `"confirm": "yes"` beside `listen` it
receives `{"topic": ..., "listening": true}` first: if it asks then, it misses nothing. The topic `jobs` is one of each
student's own, with that student's jobs.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import defaultdict
from typing import Any, Final

from fastapi import APIRouter, WebSocket, WebSocketDisconnect

from littlego.apps.web.cohort.rights import students_topic
from littlego.apps.web.http.access import OWNERS, visitors_may_hear
from littlego.apps.web.http.security import PERSON

_MOST_TOPICS: Final = 64
_MOST_TEXT: Final = 200
_BACKLOG: Final = 256
_OWN: Final = ("jobs",)
"""The topics of which every student has one."""

router = APIRouter()


class Hub:
    """The listeners of each topic, in one event loop."""

    def __init__(self) -> None:
        self._listeners: dict[tuple[str, str], set[asyncio.Queue[str]]] = defaultdict(set)
        """By topic and student; the topics that are for everyone have no student."""

    def publish(self, topic: str, news: dict[str, Any], *, student: str = "") -> None:
        """Send news to all listeners of a topic, or of a student's own. A page that does not keep up misses some."""
        listeners = self._listeners.get((topic, student))
        if not listeners:
            return
        text = json.dumps({"topic": topic, **news})
        for queue in listeners:
            with contextlib.suppress(asyncio.QueueFull):
                queue.put_nowait(text)

    def has_listeners(self, topic: str) -> bool:
        return bool(self._listeners.get((topic, "")))

    def students_listening(self, topic: str) -> list[str]:
        """The students who listen to their own topic of this name."""
        return [student for name, student in self._listeners if name == topic and student]

    def listen(self, topic: str, queue: asyncio.Queue[str], *, student: str = "") -> None:
        """Put news of a topic into a queue from now on, until `forget`."""
        self._listeners[topic, student].add(queue)

    def forget(self, topic: str, queue: asyncio.Queue[str], *, student: str = "") -> None:
        self._listeners[topic, student].discard(queue)
        if not self._listeners[topic, student]:
            del self._listeners[topic, student]


@router.websocket("/api/live")
async def live(socket: WebSocket) -> None:
    """The news of the topics that a page asks for."""
    hub: Hub = socket.app.state.services.hub
    person = socket.scope[PERSON]
    await socket.accept()
    queue: asyncio.Queue[str] = asyncio.Queue(_BACKLOG)
    topics: set[str] = set()
    sender = asyncio.create_task(_send(socket, queue))
    try:
        while True:
            message = await socket.receive()
            if message["type"] == "websocket.disconnect":
                break
            asked = _parse(message.get("text") or "")
            if (topic := asked.get("listen")) and len(topics) < _MOST_TOPICS and _may_hear(socket, topic):
                topics.add(topic)
                hub.listen(topic, queue, student=_whose(topic, person))
                if asked.get("confirm"):
                    with contextlib.suppress(asyncio.QueueFull):
                        queue.put_nowait(json.dumps({"topic": topic, "listening": True}))
            elif (topic := asked.get("forget")) in topics:
                topics.discard(topic)
                hub.forget(topic, queue, student=_whose(topic, person))
    finally:
        sender.cancel()
        for topic in topics:
            hub.forget(topic, queue, student=_whose(topic, person))


def _may_hear(socket: WebSocket, topic: str) -> bool:
    person = socket.scope[PERSON]
    if person == OWNERS:
        return True
    if person is None:
        return visitors_may_hear(topic)
    right = students_topic(topic)
    return right if isinstance(right, bool) else socket.app.state.services.owner_of(*right) == person


def _whose(topic: str, person: str | None) -> str:
    """The student whose own topic is meant, if it is one that students have for themselves."""
    return (person or "") if topic in _OWN else ""


async def _send(socket: WebSocket, queue: asyncio.Queue[str]) -> None:
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        while True:
            await socket.send_text(await queue.get())


def _parse(text: str) -> dict[str, str]:
    with contextlib.suppress(ValueError):
        data = json.loads(text[:_MOST_TEXT])
        if isinstance(data, dict):
            return {key: value for key, value in data.items() if isinstance(value, str)}
    return {}
